//! Whether a server that keeps to the protocol can say what an oracle says, and what its handler does then.

use mcp_server::HandlerError;
use mcp_wire::ErrorCode;
use mcp_wire::server::{Answer, notification};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::reply::{ScriptedReply, id_values};

/// What a handler says: notifications on the way, then the raw text of a result or an error.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Saying {
    /// The method of each, and the raw text of its parameters.
    pub(crate) notices: Vec<(String, String)>,
    pub(crate) answer: Result<String, HandlerError>,
}

/// The methods that a handler answers.
pub(crate) const HANDLED: [&str; 2] = ["tools/list", "tools/call"];

/// An id for the question whether something can be said at all.
pub(crate) const ANY_ID: &str = "any";

#[derive(Deserialize)]
struct Spoken<'a> {
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct SpokenError<'a> {
    code: i64,
    message: String,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

impl Saying {
    /// What is said in place of what cannot be said.
    pub(crate) fn none() -> Self {
        Self {
            notices: Vec::new(),
            answer: Err(HandlerError::new(
                ErrorCode::INTERNAL_ERROR,
                "this cannot be said",
            )),
        }
    }

    /// How to say every message of an answer as it stands there, byte for byte. `None` when the server would have to break a
    /// rule, or has another spelling for it.
    pub(crate) fn of(reply: &ScriptedReply, id: &str) -> Option<Self> {
        let messages = reply.plain_messages()?;
        let (answer, notices) = messages.split_last()?;
        Some(Self {
            notices: notices.iter().map(|text| notice(text)).collect::<Option<_>>()?,
            answer: answer_of(answer, id)?,
        })
    }
}

fn notice(text: &str) -> Option<(String, String)> {
    let spoken: Spoken<'_> = serde_json::from_str(text).ok()?;
    let (method, params) = (spoken.method?, spoken.params?.get().to_owned());
    (notification(&method, &params) == text).then_some((method, params))
}

fn answer_of(text: &str, id: &str) -> Option<Result<String, HandlerError>> {
    let spoken: Spoken<'_> = serde_json::from_str(text).ok()?;
    let answer = match (spoken.result, spoken.error) {
        (Some(result), None) if result.get().starts_with('{') => Ok(result.get().to_owned()),
        (None, Some(error)) => {
            let error: SpokenError<'_> = serde_json::from_str(error.get()).ok()?;
            Err(HandlerError {
                code: ErrorCode::from_literal(&error.code.to_string()).ok()?,
                message: error.message,
                data: error.data.map(|data| data.get().to_owned()),
            })
        }
        _ => return None,
    };
    let said = match &answer {
        Ok(result) => Answer::Result(result),
        Err(error) => Answer::Error {
            code: error.code,
            message: &error.message,
            data: error.data.as_deref(),
        },
    };
    // The server puts the id where it is in the answer of every request.
    let quoted = id_values(id).remove("id")?;
    let said = said.encode(None).replacen(',', &format!(",\"id\":{quoted},"), 1);
    (said == text).then_some(answer)
}

#[cfg(test)]
mod tests {
    use crate::reply::ReplySpec;

    fn said(method: &str, reply: &str) -> bool {
        let reply: ReplySpec = serde_json::from_str(reply).unwrap();
        reply.is_sayable(method)
    }

    #[test]
    fn results_errors_and_notifications_can_be_said() {
        for reply in [
            r#"{"body": "{\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{\"a\":1,\"a\": 2}}"}"#,
            r#"{"body": "{\"jsonrpc\":\"2.0\",\"id\":{{id}},\"error\":{\"code\":-1,\"message\":\"no\"}}"}"#,
            r#"{"body": "{\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{}}", "framing": "chunked", "elapse_ms": 3}"#,
            r#"{"type": "text/event-stream", "body": "data: {\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{}}\n\n"}"#,
            r#"{"silent": true}"#,
            r#"{"cancel": true}"#,
        ] {
            assert!(said("tools/call", reply), "{reply}");
        }
    }

    #[test]
    fn what_breaks_a_rule_or_is_spelled_otherwise_cannot() {
        for reply in [
            r#"{"body": "{\"jsonrpc\":\"2.0\",\"id\":\"other\",\"result\":{}}"}"#,
            r#"{"body": "{\"id\":{{id}},\"jsonrpc\":\"2.0\",\"result\":{}}"}"#,
            r#"{"body": "{\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":[]}"}"#,
            r#"{"body": "{\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{},\"error\":{\"code\":1,\"message\":\"\"}}"}"#,
            r#"{"body": "{\"jsonrpc\":\"2.0\",\"id\":{{id}},\"error\":{\"code\":1.0,\"message\":\"\"}}"}"#,
            r#"{"body": "{\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{}} "}"#,
            r#"{"body": "{\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{}}", "cut": 1}"#,
            r#"{"body": "{\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{}}", "status": 500}"#,
            r#"{"body": "{\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{}}", "then": "close"}"#,
            r#"{"type": "text/event-stream", "body": "data: {\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}\n\n"}"#,
            r#"{"type": "text/event-stream", "body": ": word\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{}}\n\n"}"#,
            r#"{"raw": ""}"#,
            r#"{"body": ""}"#,
        ] {
            assert!(!said("tools/call", reply), "{reply}");
        }
        let healthy = r#"{"body": "{\"jsonrpc\":\"2.0\",\"id\":{{id}},\"result\":{}}"}"#;
        assert!(!said("initialize", healthy));
        assert!(!said("DELETE", r#"{"status": 202, "type": null}"#));
    }
}
