//! One message of a client: a request, a notification, or a response to the server.

use alloc::borrow::Cow;

use super::{ClientId, RequestFault, RequestRule};
use crate::envelope::{Known, read_root};
use crate::json::{JsonType, JsonValue, Scanner, for_each_member};
use crate::limits::ReplyLimits;
use crate::malformed::{Malformed, MalformedKind};
use crate::response::utf8;

/// How much one message of a client may hold. A bound names the last value that is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestLimits {
    /// Bytes of the message. Default 2,097,152 (2 MiB). The transport stops reading there.
    pub body_bytes: usize,
    /// Levels of nested arrays and objects, the root included. Default 512, at most [`ReplyLimits::MAX_DEPTH`].
    pub depth: usize,
}

impl Default for RequestLimits {
    fn default() -> Self {
        let ReplyLimits {
            body_bytes, depth, ..
        } = ReplyLimits::default();
        Self { body_bytes, depth }
    }
}

/// A message of a client, borrowed from its text.
///
/// Unknown members are ignored. A batch is refused: revision 2025-06-18 removed it.
#[derive(Debug)]
pub enum ClientMessage<'a> {
    /// It asks for an answer.
    Request(ClientRequest<'a>),
    /// It does not.
    Notification(Notification<'a>),
    /// It answers a request of the server.
    Response,
}

/// A request of a client.
#[derive(Debug)]
pub struct ClientRequest<'a> {
    /// Its id.
    pub id: ClientId,
    /// Its method.
    pub method: Cow<'a, str>,
    /// The raw text of its parameters, an object.
    pub params: Option<&'a str>,
}

/// A notification of a client.
#[derive(Debug)]
pub struct Notification<'a> {
    /// Its method.
    pub method: Cow<'a, str>,
    /// The raw text of its parameters, an object.
    pub params: Option<&'a str>,
}

impl<'a> ClientMessage<'a> {
    /// Reads a complete JSON text.
    ///
    /// # Errors
    ///
    /// [`RequestFault`]; the client is at fault. Of several faults the first of this order is named: UTF-8, syntax and
    /// nesting, root, duplicate members, `jsonrpc`, `id`, what kind of message it is, `method`, `params`.
    pub fn parse(text: &'a [u8], limits: &RequestLimits) -> Result<Self, RequestFault> {
        let mut members = Members::default();
        let read = members.read(text, limits.depth);
        // An id counts when the whole object was read and has no other.
        let whole = match &read {
            Ok(()) => true,
            Err(fault) => fault.kind() == MalformedKind::DuplicateMember,
        };
        let id = members.id.filter(|_| whole && !members.several_ids);
        let id = id.as_ref().and_then(ClientId::parse);
        let fault = |rule| RequestFault { rule, id: id.clone() };
        read.map_err(|malformed| fault(RequestRule::Text(malformed)))?;
        let version = members.jsonrpc.and_then(|value| value.as_string());
        if !version.is_some_and(|version| version.is("2.0")) {
            return Err(fault(RequestRule::Version));
        }
        if members.id.is_some() && id.is_none() {
            return Err(fault(RequestRule::Id));
        }
        let method = match (members.method, members.result, members.error) {
            (Some(method), None, None) => method,
            (None, Some(_), None) | (None, None, Some(_)) if id.is_some() => return Ok(Self::Response),
            (_, _, _) => return Err(fault(RequestRule::Kind)),
        };
        let method = method.as_string().ok_or_else(|| fault(RequestRule::Method))?;
        let method = method.decode();
        let params = match members.params {
            Some(params) if params.kind == JsonType::Object => Some(params.text),
            Some(_) => return Err(fault(RequestRule::Params)),
            None => None,
        };
        Ok(match id {
            Some(id) => Self::Request(ClientRequest { id, method, params }),
            None => Self::Notification(Notification { method, params }),
        })
    }

    /// The id that an answer to this message carries.
    #[must_use]
    pub const fn id(&self) -> Option<&ClientId> {
        match self {
            Self::Request(request) => Some(&request.id),
            Self::Notification(_) | Self::Response => None,
        }
    }

    /// Whether it is a request with this method.
    #[must_use]
    pub fn is_request(&self, method: &str) -> bool {
        match self {
            Self::Request(request) => request.method == method,
            Self::Notification(_) | Self::Response => false,
        }
    }

    /// The revision that the message's own metadata names, as later revisions have it on transports without header
    /// fields.
    ///
    /// [MCP 2026-07-28, Base Protocol, `_meta`](https://modelcontextprotocol.io/specification/2026-07-28/basic#meta).
    #[must_use]
    pub fn named_version(&self) -> Option<Cow<'a, str>> {
        let params = match self {
            Self::Request(request) => request.params,
            Self::Notification(notification) => notification.params,
            Self::Response => None,
        };
        let version = member(meta(params)?, "io.modelcontextprotocol/protocolVersion")?;
        Some(
            version
                .as_string()
                .map_or(Cow::Borrowed(""), |text| text.decode()),
        )
    }
}

impl ClientRequest<'_> {
    /// The raw text of the token by which the client wants to hear of progress: a string or a number.
    ///
    /// [MCP 2025-11-25, Progress](https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress).
    #[must_use]
    pub fn progress_token(&self) -> Option<&str> {
        let token = member(meta(self.params)?, "progressToken")?;
        let usable = matches!(token.kind, JsonType::String | JsonType::Number);
        (usable && token.text.len() <= ClientId::MAX_BYTES).then_some(token.text)
    }
}

impl Notification<'_> {
    /// The request that `notifications/cancelled` names; `None` when it names none that could be read.
    ///
    /// [MCP 2025-11-25, Cancellation](https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation).
    #[must_use]
    pub fn cancelled_request(&self) -> Option<ClientId> {
        if self.method != "notifications/cancelled" {
            return None;
        }
        member(self.params?, "requestId")
            .as_ref()
            .and_then(ClientId::parse)
    }
}

/// The metadata object of a message's parameters.
fn meta(params: Option<&str>) -> Option<&str> {
    let meta = member(params?, "_meta")?;
    (meta.kind == JsonType::Object).then_some(meta.text)
}

/// The member of an object that has been scanned before; of several the last.
pub(super) fn member<'a>(object: &'a str, wanted: &str) -> Option<JsonValue<'a>> {
    let mut found = None;
    for_each_member(object, |name, value| {
        if name == wanted {
            found = Some(value);
        }
    })
    .ok()?;
    found
}

/// The members of the envelope, as far as they were read.
#[derive(Default)]
struct Members<'a> {
    jsonrpc: Option<JsonValue<'a>>,
    id: Option<JsonValue<'a>>,
    several_ids: bool,
    method: Option<JsonValue<'a>>,
    params: Option<JsonValue<'a>>,
    result: Option<JsonValue<'a>>,
    error: Option<JsonValue<'a>>,
}

impl<'a> Members<'a> {
    fn read(&mut self, text: &'a [u8], depth_limit: usize) -> Result<(), Malformed> {
        let text = utf8(text)?;
        if text.trim_ascii().is_empty() {
            return Err(MalformedKind::EmptyBody.into());
        }
        read_root(&mut Scanner::new(text, depth_limit), |name, value| {
            let slot = match name {
                "jsonrpc" => &mut self.jsonrpc,
                "id" => &mut self.id,
                "method" => &mut self.method,
                "params" => &mut self.params,
                "result" => &mut self.result,
                "error" => &mut self.error,
                _ => return Known::No,
            };
            let earlier = slot.replace(value);
            self.several_ids |= name == "id" && earlier.is_some();
            Known::Yes(earlier)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::ErrorCode;
    use alloc::format;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    fn fault(text: &[u8]) -> RequestFault {
        ClientMessage::parse(text, &RequestLimits::default()).unwrap_err()
    }

    fn request(text: &str) -> ClientRequest<'_> {
        match ClientMessage::parse(text.as_bytes(), &RequestLimits::default()) {
            Ok(ClientMessage::Request(request)) => request,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_kind_of_message_is_told_by_its_members() {
        let parse = |text: &'static str| ClientMessage::parse(text.as_bytes(), &RequestLimits::default());
        let asked = parse(r#" {"jsonrpc":"\u0032.0","id":1,"method":"p\u0069ng","x":[]} "#).unwrap();
        assert!(asked.is_request("ping") && asked.id().is_some());
        let told = parse(r#"{"jsonrpc":"2.0","method":"ping","params":{}}"#).unwrap();
        assert!(matches!(told, ClientMessage::Notification(_)) && !told.is_request("ping"));
        for response in [
            r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":"1","error":{}}"#,
        ] {
            assert!(
                matches!(parse(response), Ok(ClientMessage::Response)),
                "{response}"
            );
        }
    }

    #[test]
    fn every_fault_has_its_rule_and_the_id_where_it_could_be_read() {
        let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"params":{}"#, "[".repeat(512));
        let long = format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"m"}}"#, "a".repeat(1_023));
        let cases: Vec<(&[u8], RequestRule, i64, Option<&str>)> = [
            ("", "empty-body", -32_700, None),
            (" \n", "empty-body", -32_700, None),
            ("{", "invalid-json", -32_700, None),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"m"} x"#,
                "invalid-json",
                -32_700,
                None,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#,
                "lone-surrogate",
                -32_700,
                None,
            ),
            (deep.as_str(), "too-deep", -32_600, None),
            ("[]", "batch", -32_600, None),
            ("1", "root-not-object", -32_600, None),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}"#,
                "duplicate-member",
                -32_600,
                Some("1"),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}}"#,
                "invalid-json",
                -32_700,
                None,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"a"}"#,
                "duplicate-member",
                -32_600,
                None,
            ),
        ]
        .map(|(text, kind, code, id)| {
            let kind = MalformedKind::ALL
                .iter()
                .find(|known| known.name() == kind)
                .unwrap();
            (text.as_bytes(), RequestRule::Text((*kind).into()), code, id)
        })
        .into_iter()
        .chain([
            (
                &b"{\"id\":1.0,\"method\":\"m\"}"[..],
                RequestRule::Version,
                -32_600,
                Some("1.0"),
            ),
            (
                b"{\"jsonrpc\":\"2\",\"id\":\"a\\u0062\",\"method\":\"m\"}",
                RequestRule::Version,
                -32_600,
                Some("\"a\\u0062\""),
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"m\"}",
                RequestRule::Id,
                -32_600,
                None,
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"m\"}",
                RequestRule::Id,
                -32_600,
                None,
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":9223372036854775808,\"method\":\"m\"}",
                RequestRule::Id,
                -32_600,
                None,
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"m\"}",
                RequestRule::Id,
                -32_600,
                None,
            ),
            (long.as_bytes(), RequestRule::Id, -32_600, None),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":7}",
                RequestRule::Kind,
                -32_600,
                Some("7"),
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"result\":{}}",
                RequestRule::Kind,
                -32_600,
                None,
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":1,\"error\":{}}",
                RequestRule::Kind,
                -32_600,
                Some("7"),
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"result\":1}",
                RequestRule::Kind,
                -32_600,
                Some("7"),
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":1}",
                RequestRule::Method,
                -32_600,
                Some("7"),
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":[]}",
                RequestRule::Params,
                -32_600,
                Some("7"),
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":null}",
                RequestRule::Params,
                -32_600,
                Some("7"),
            ),
        ])
        .collect();
        for (text, rule, code, id) in cases {
            let told = String::from_utf8_lossy(text.get(..text.len().min(80)).unwrap()).into_owned();
            let fault = fault(text);
            match (fault.rule, rule) {
                (RequestRule::Text(found), RequestRule::Text(wanted)) => {
                    assert_eq!(found.kind(), wanted.kind(), "{told}")
                }
                (found, wanted) => assert_eq!(found, wanted, "{told}"),
            }
            assert_eq!(fault.rule.code(), ErrorCode::new(code), "{told}");
            let head = match id {
                Some(id) => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},"),
                None => format!("{{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":{code},"),
            };
            assert!(fault.answer().starts_with(&head), "{told}: {}", fault.answer());
        }
        assert_eq!(fault(b"\xff").rule.code(), ErrorCode::PARSE_ERROR);
    }

    #[test]
    fn ids_are_equal_by_type_and_value() {
        let id = |spelling: &str| {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{spelling},"method":"m"}}"#);
            ClientMessage::parse(text.as_bytes(), &RequestLimits::default())
                .unwrap()
                .id()
                .unwrap()
                .clone()
        };
        assert_eq!(id("1"), id("1.0"));
        assert_eq!(id("10"), id("1e1"));
        assert_eq!(id(r#""a""#), id(r#""\u0061""#));
        assert_ne!(id("1"), id(r#""1""#));
        assert_ne!(id("1"), id("2"));
        assert_eq!(
            id(&format!("\"{}\"", "a".repeat(1_022))),
            id(&format!("\"{}\"", "a".repeat(1_022)))
        );
    }

    #[test]
    fn metadata_names_progress_and_revision() {
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":"t\n","io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        assert_eq!(request(text).progress_token(), Some(r#""t\n""#));
        let message = ClientMessage::parse(text.as_bytes(), &RequestLimits::default()).unwrap();
        assert_eq!(message.named_version().as_deref(), Some("2026-07-28"));
        for meta in [
            "1",
            "{}",
            r#"{"progressToken":null,"io.modelcontextprotocol/protocolVersion":7}"#,
        ] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"_meta":{meta}}}}}"#);
            assert_eq!(request(&text).progress_token(), None, "{meta}");
        }
        assert_eq!(
            request(r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#).progress_token(),
            None
        );
    }

    #[test]
    fn a_cancellation_names_its_request() {
        let cancelled = |text: &str| match ClientMessage::parse(text.as_bytes(), &RequestLimits::default()) {
            Ok(ClientMessage::Notification(notification)) => notification.cancelled_request(),
            other => panic!("{other:?}"),
        };
        let text = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}}"#;
        let id = request(r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#).id;
        assert_eq!(cancelled(text), Some(id));
        assert_eq!(cancelled(&text.replace("1.0", "null")), None);
        assert_eq!(cancelled(&text.replace("cancelled", "other")), None);
        assert!(fault(b"[1]").to_string().contains("batch"));
    }
}
