//! What a server sends: answers and notifications, encoded once.

use alloc::string::{String, ToString};

use super::ClientId;
use crate::code::ErrorCode;
use crate::json::write_json_string;

/// The answer to a request, or to a message that could not be read as one.
///
/// [JSON-RPC 2.0, section 5](https://www.jsonrpc.org/specification#response_object).
#[derive(Debug, Clone, Copy)]
pub enum Answer<'a> {
    /// The raw text of a result, an object.
    Result(&'a str),
    /// The server's no.
    Error {
        /// The code.
        code: ErrorCode,
        /// What went wrong, in the server's words.
        message: &'a str,
        /// The raw text of what else there is to say.
        data: Option<&'a str>,
    },
}

impl<'a> Answer<'a> {
    /// An error without data.
    #[must_use]
    pub const fn error(code: ErrorCode, message: &'a str) -> Self {
        Self::Error {
            code,
            message,
            data: None,
        }
    }

    /// The message's text, with the request's id as the client spelled it. An error of a message whose id could not be
    /// read has none: the specification has no null ids.
    #[must_use]
    pub fn encode(&self, id: Option<&ClientId>) -> String {
        let mut text = String::from("{\"jsonrpc\":\"2.0\",");
        if let Some(id) = id {
            text.push_str("\"id\":");
            id.write(&mut text);
            text.push(',');
        }
        match self {
            Self::Result(result) => {
                text.push_str("\"result\":");
                text.push_str(result);
            }
            Self::Error { code, message, data } => {
                text.push_str("\"error\":{\"code\":");
                text.push_str(&code.to_string());
                text.push_str(",\"message\":");
                write_json_string(&mut text, message);
                if let Some(data) = data {
                    text.push_str(",\"data\":");
                    text.push_str(data);
                }
                text.push('}');
            }
        }
        text.push('}');
        text
    }
}

/// The text of a notification; `params` is the raw text of an object.
#[must_use]
pub fn notification(method: &str, params: &str) -> String {
    let mut text = String::from("{\"jsonrpc\":\"2.0\",\"method\":");
    write_json_string(&mut text, method);
    text.push_str(",\"params\":");
    text.push_str(params);
    text.push('}');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Scanner;

    #[test]
    fn an_answer_carries_the_id_as_it_was_spelled() {
        let id = Scanner::new("1.0", 1).skip().unwrap();
        let id = ClientId::parse(&id).unwrap();
        let result = Answer::Result(r#"{"x":1}"#);
        assert_eq!(
            result.encode(Some(&id)),
            r#"{"jsonrpc":"2.0","id":1.0,"result":{"x":1}}"#
        );
        assert_eq!(
            Answer::error(ErrorCode::PARSE_ERROR, "a\"b").encode(None),
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"a\"b"}}"#
        );
        let error = Answer::Error {
            code: ErrorCode::INVALID_REQUEST,
            message: "m",
            data: Some("[1]"),
        };
        assert_eq!(
            error.encode(Some(&id)),
            r#"{"jsonrpc":"2.0","id":1.0,"error":{"code":-32600,"message":"m","data":[1]}}"#
        );
    }

    #[test]
    fn a_notification_escapes_its_method_and_keeps_its_parameters() {
        assert_eq!(
            notification("a\"b", r#"{"x":[1]}"#),
            r#"{"jsonrpc":"2.0","method":"a\"b","params":{"x":[1]}}"#
        );
    }
}
