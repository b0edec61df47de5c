//! Outgoing messages: what a leg says, encoded once.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::id::RequestId;
use crate::json::{JsonType, Scanner, write_json_string};
use crate::limits::ReplyLimits;
use crate::malformed::MalformedKind;
use crate::session::SessionId;
use crate::tools::{Cursor, ToolName};
use crate::version::ProtocolVersion;

/// One encoded message and what its transport must know beside the bytes: a JSON-RPC message, or the word that a session
/// has ended.
///
/// Members stand in the order `jsonrpc`, `id`, `method`, `params`, so that a peer which takes the first `id` in the text
/// takes the right one.
pub struct Message {
    body: Vec<u8>,
    method: Method,
    expectation: Expectation,
    version: Option<ProtocolVersion>,
    session: Option<SessionId>,
}

/// What the leg waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expectation {
    /// The response with this id.
    Response(RequestId),
    /// Only that the notification was accepted.
    Acceptance,
    /// Only that something came back: every answer will do.
    Receipt,
}

/// What a transport must know of a message to judge the answer to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leg {
    /// The method of the message.
    pub method: Method,
    /// What the leg waits for.
    pub expectation: Expectation,
    /// Whether the message carries a session id.
    pub in_session: bool,
}

/// The methods that this client sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as the specification names them")]
pub enum Method {
    Initialize,
    Initialized,
    Ping,
    ToolsList,
    ToolsCall,
    Cancelled,
    /// The end of a session. No method of JSON-RPC: Streamable HTTP says it by its own method `DELETE`, and a transport
    /// without sessions has nothing to say.
    EndSession,
}

impl Method {
    /// The method as the wire spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Initialize => "initialize",
            Self::Initialized => "notifications/initialized",
            Self::Ping => "ping",
            Self::ToolsList => "tools/list",
            Self::ToolsCall => "tools/call",
            Self::Cancelled => "notifications/cancelled",
            Self::EndSession => "DELETE",
        }
    }
}

/// The name and version under which the client introduces itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientInfo {
    /// The host program's name.
    pub name: String,
    /// The host program's version.
    pub version: String,
}

impl Message {
    /// `initialize`: offers [`ProtocolVersion::OFFERED`] and declares no capability.
    ///
    /// [MCP 2025-11-25, Lifecycle, Initialization](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization).
    #[must_use]
    pub fn initialize(id: RequestId, client: &ClientInfo) -> Self {
        let mut params = String::from("{\"protocolVersion\":\"");
        params.push_str(ProtocolVersion::OFFERED.as_str());
        params.push_str("\",\"capabilities\":{},\"clientInfo\":{\"name\":");
        write_json_string(&mut params, &client.name);
        params.push_str(",\"version\":");
        write_json_string(&mut params, &client.version);
        params.push_str("}}");
        Self::encode(Method::Initialize, Expectation::Response(id), Some(&params))
    }

    /// `notifications/initialized`: the handshake is done. Carries no id.
    #[must_use]
    pub fn initialized() -> Self {
        Self::encode(Method::Initialized, Expectation::Acceptance, None)
    }

    /// `ping`: asks whether the peer is there.
    ///
    /// [MCP 2025-11-25, Ping](https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping).
    #[must_use]
    pub fn ping(id: RequestId) -> Self {
        Self::encode(Method::Ping, Expectation::Response(id), Some("{}"))
    }

    /// `tools/list`: the page at `cursor`, or the first one.
    ///
    /// [MCP 2025-11-25, Tools, Listing Tools](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#listing-tools).
    #[must_use]
    pub fn tools_list(id: RequestId, cursor: Option<&Cursor>) -> Self {
        let mut params = String::from("{");
        if let Some(cursor) = cursor {
            params.push_str("\"cursor\":");
            write_json_string(&mut params, cursor.as_str());
        }
        params.push('}');
        Self::encode(Method::ToolsList, Expectation::Response(id), Some(&params))
    }

    /// `tools/call`: runs `tool` with `arguments`.
    ///
    /// [MCP 2025-11-25, Tools, Calling Tools](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#calling-tools).
    #[must_use]
    pub fn tools_call(id: RequestId, tool: &ToolName, arguments: &Arguments) -> Self {
        let mut params = String::from("{\"name\":");
        write_json_string(&mut params, tool.as_str());
        params.push_str(",\"arguments\":");
        params.push_str(arguments.as_str());
        params.push('}');
        Self::encode(Method::ToolsCall, Expectation::Response(id), Some(&params))
    }

    /// `notifications/cancelled`: the caller gave the request with this id up. Not for the id of an `initialize`, which
    /// may not be cancelled, and not for one that was answered.
    ///
    /// [MCP 2025-11-25, Cancellation](https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation).
    #[must_use]
    pub fn cancelled(request: RequestId) -> Self {
        let mut params = String::from("{\"requestId\":\"");
        params.push_str(request.as_str());
        params.push_str("\",\"reason\":\"the caller cancelled the request\"}");
        Self::encode(Method::Cancelled, Expectation::Acceptance, Some(&params))
    }

    /// The end of a session that the server issued. It has no body and is always in that session.
    ///
    /// [MCP 2025-11-25, Transports, Session Management](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management):
    /// a client that needs a session no longer should say so, and a server may refuse to hear it.
    #[must_use]
    pub fn end_session(version: ProtocolVersion, session: SessionId) -> Self {
        Self {
            body: Vec::new(),
            method: Method::EndSession,
            expectation: Expectation::Receipt,
            version: Some(version),
            session: Some(session),
        }
    }

    /// The message as part of a negotiated session: with its revision and, where the server issued one, its id.
    #[must_use]
    pub fn in_session(mut self, version: ProtocolVersion, session: Option<&SessionId>) -> Self {
        self.version = Some(version);
        self.session = session.cloned();
        self
    }

    /// The encoded bytes; none for the end of a session.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Takes the encoded bytes out, for a transport that owns them from here on.
    #[must_use]
    pub fn into_body(self) -> Vec<u8> {
        self.body
    }

    /// What a transport must know to judge the answer.
    #[must_use]
    pub const fn leg(&self) -> Leg {
        Leg {
            method: self.method,
            expectation: self.expectation,
            in_session: self.session.is_some(),
        }
    }

    /// The negotiated revision; none before the handshake is done.
    #[must_use]
    pub const fn version(&self) -> Option<ProtocolVersion> {
        self.version
    }

    /// The session that the server issued.
    #[must_use]
    pub const fn session(&self) -> Option<&SessionId> {
        self.session.as_ref()
    }

    fn encode(method: Method, expectation: Expectation, params: Option<&str>) -> Self {
        let mut text = String::with_capacity(112 + params.map_or(0, str::len));
        text.push_str("{\"jsonrpc\":\"2.0\",");
        match expectation {
            Expectation::Response(id) => {
                text.push_str("\"id\":\"");
                text.push_str(id.as_str());
                text.push_str("\",");
            }
            Expectation::Acceptance | Expectation::Receipt => {}
        }
        text.push_str("\"method\":\"");
        text.push_str(method.as_str());
        text.push('"');
        if let Some(params) = params {
            text.push_str(",\"params\":");
            text.push_str(params);
        }
        text.push('}');
        Self {
            body: text.into_bytes(),
            method,
            expectation,
            version: None,
            session: None,
        }
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("method", &self.method)
            .field("expectation", &self.expectation)
            .finish_non_exhaustive()
    }
}

/// The arguments of a tool: the text of one JSON object, sent as it is.
#[derive(Clone, PartialEq, Eq)]
pub struct Arguments(String);

impl Arguments {
    /// Takes the text of a JSON object. Numbers and the order of members are kept as they are spelled.
    ///
    /// # Errors
    ///
    /// [`ArgumentsError`] when the text is no JSON, nested deeper than 510 levels, or its root is no object. The caller
    /// is at fault, and nothing was sent.
    pub fn parse(text: &str) -> Result<Self, ArgumentsError> {
        // One level of the limit is the envelope's and one is `params`.
        let mut scanner = Scanner::new(text, ReplyLimits::default().depth - 2);
        let root = scanner
            .skip()
            .and_then(|root| scanner.end().map(|()| root))
            .map_err(|fault| match (fault.kind(), fault.offset()) {
                (MalformedKind::TooDeep, _) => ArgumentsError::TooDeep,
                (_, offset) => ArgumentsError::NotJson {
                    offset: offset.unwrap_or(0),
                },
            })?;
        if root.kind == JsonType::Object {
            Ok(Self(String::from(root.text)))
        } else {
            Err(ArgumentsError::NotObject { found: root.kind })
        }
    }

    /// No arguments: `{}`.
    #[must_use]
    pub fn none() -> Self {
        Self(String::from("{}"))
    }

    /// The JSON text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arguments({} bytes)", self.0.len())
    }
}

/// Why a text cannot be the arguments of a tool. The caller is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentsError {
    /// The text is not one JSON value.
    #[error("the arguments are not valid JSON at byte {offset}")]
    NotJson {
        /// Bytes from the start of the text.
        offset: usize,
    },
    /// The root is of another type.
    #[error("the arguments must be a JSON object, not a JSON {found}")]
    NotObject {
        /// The type of the root.
        found: JsonType,
    },
    /// The text is nested too deeply.
    #[error("the arguments are nested deeper than 510 levels")]
    TooDeep,
}

impl ArgumentsError {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::NotJson { .. } => "arguments-not-json",
            Self::NotObject { .. } => "arguments-not-object",
            Self::TooDeep => "arguments-too-deep",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EntropyUnavailable, ProcessId, ProcessIdentity, RequestIds};
    use alloc::format;
    use alloc::sync::Arc;

    struct Fixed;

    impl crate::Entropy for Fixed {
        fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
            target.fill(0);
            Ok(())
        }
    }

    impl ProcessIdentity for Fixed {
        fn current(&self) -> ProcessId {
            ProcessId(1)
        }
    }

    #[test]
    fn a_cancelled_request_is_named_by_its_id_in_a_message_that_has_none() {
        let ids = RequestIds::new(Arc::new(Fixed), Arc::new(Fixed)).unwrap();
        let id = ids.allocate().unwrap();
        let notice = Message::cancelled(id);
        let expected = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":\"{id}\",\
             \"reason\":\"the caller cancelled the request\"}}}}"
        );
        assert_eq!(notice.body(), expected.as_bytes());
        assert_eq!(notice.leg().expectation, Expectation::Acceptance);
    }
}
