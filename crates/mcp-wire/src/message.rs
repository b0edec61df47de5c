//! Outgoing messages: what a leg says, encoded once.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::arguments::Arguments;
use crate::id::RequestId;
use crate::json::write_json_string;
use crate::session::SessionId;
use crate::tools::{Cursor, ToolName};
use crate::trace::TraceContext;
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

/// What a request carries besides its own parameters: its id, and what stands in `params._meta`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct RequestMeta<'a> {
    /// The request's id.
    pub id: RequestId,
    /// The trace that the request is part of.
    pub trace: Option<&'a TraceContext>,
}

impl From<RequestId> for RequestMeta<'_> {
    fn from(id: RequestId) -> Self {
        Self { id, trace: None }
    }
}

impl<'a> RequestMeta<'a> {
    /// The metadata of a request that is part of this trace, if of any.
    #[must_use]
    pub const fn traced(id: RequestId, trace: Option<&'a TraceContext>) -> Self {
        Self { id, trace }
    }
}

impl Message {
    /// `initialize`: offers [`ProtocolVersion::OFFERED`] and declares no capability.
    ///
    /// [MCP 2025-11-25, Lifecycle, Initialization](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization).
    #[must_use]
    pub fn initialize<'a>(meta: impl Into<RequestMeta<'a>>, client: &ClientInfo) -> Self {
        let mut params = String::from("{\"protocolVersion\":\"");
        params.push_str(ProtocolVersion::OFFERED.as_str());
        params.push_str("\",\"capabilities\":{},\"clientInfo\":{\"name\":");
        write_json_string(&mut params, &client.name);
        params.push_str(",\"version\":");
        write_json_string(&mut params, &client.version);
        params.push_str("}}");
        Self::request(Method::Initialize, meta.into(), params)
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
    pub fn ping<'a>(meta: impl Into<RequestMeta<'a>>) -> Self {
        Self::request(Method::Ping, meta.into(), String::from("{}"))
    }

    /// `tools/list`: the page at `cursor`, or the first one.
    ///
    /// [MCP 2025-11-25, Tools, Listing Tools](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#listing-tools).
    #[must_use]
    pub fn tools_list<'a>(meta: impl Into<RequestMeta<'a>>, cursor: Option<&Cursor>) -> Self {
        let mut params = String::from("{");
        if let Some(cursor) = cursor {
            params.push_str("\"cursor\":");
            write_json_string(&mut params, cursor.as_str());
        }
        params.push('}');
        Self::request(Method::ToolsList, meta.into(), params)
    }

    /// `tools/call`: runs `tool` with `arguments`.
    ///
    /// [MCP 2025-11-25, Tools, Calling Tools](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#calling-tools).
    #[must_use]
    pub fn tools_call<'a>(meta: impl Into<RequestMeta<'a>>, tool: &ToolName, arguments: &Arguments) -> Self {
        let mut params = String::from("{\"name\":");
        write_json_string(&mut params, tool.as_str());
        params.push_str(",\"arguments\":");
        params.push_str(arguments.as_str());
        params.push('}');
        Self::request(Method::ToolsCall, meta.into(), params)
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

    /// A request: its parameters, an object, with its metadata as the last member.
    fn request(method: Method, meta: RequestMeta<'_>, mut params: String) -> Self {
        if let Some(trace) = meta.trace {
            params.truncate(params.len() - 1);
            params.push_str(if params == "{" { "" } else { "," });
            params.push_str("\"_meta\":{\"traceparent\":");
            write_json_string(&mut params, trace.traceparent());
            if let Some(state) = trace.tracestate() {
                params.push_str(",\"tracestate\":");
                write_json_string(&mut params, state);
            }
            params.push_str("}}");
        }
        Self::encode(method, Expectation::Response(meta.id), Some(&params))
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

    fn next_id() -> RequestId {
        let ids = RequestIds::new(Arc::new(Fixed), Arc::new(Fixed)).unwrap();
        ids.allocate().unwrap()
    }

    #[test]
    fn a_trace_stands_last_in_the_parameters_of_every_request() {
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let trace = TraceContext::parse(parent, Some("a=\"\\")).unwrap();
        let meta = || RequestMeta::traced(next_id(), Some(&trace));
        let info = ClientInfo {
            name: String::from("host"),
            version: String::from("1"),
        };
        let cursor = None;
        let arguments = Arguments::parse("{\"a\":1}").unwrap();
        let tool = ToolName::parse("echo").unwrap();
        let end = format!(",\"_meta\":{{\"traceparent\":\"{parent}\",\"tracestate\":\"a=\\\"\\\\\"}}}}}}");
        for (message, before) in [
            (Message::initialize(meta(), &info), "\"version\":\"1\"}"),
            (Message::ping(meta()), "\"params\":{"),
            (Message::tools_list(meta(), cursor), "\"params\":{"),
            (
                Message::tools_call(meta(), &tool, &arguments),
                "\"params\":{\"name\":\"echo\",\"arguments\":{\"a\":1}",
            ),
        ] {
            let text = core::str::from_utf8(message.body()).unwrap();
            let end = if before.ends_with('{') { &end[1..] } else { &end };
            assert!(text.ends_with(&format!("{before}{end}")), "{text}");
        }
        let plain = Message::ping(next_id());
        assert!(plain.body().ends_with(b"\"params\":{}}"));
    }

    #[test]
    fn a_cancelled_request_is_named_by_its_id_in_a_message_that_has_none() {
        let id = next_id();
        let notice = Message::cancelled(id);
        let expected = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":\"{id}\",\
             \"reason\":\"the caller cancelled the request\"}}}}"
        );
        assert_eq!(notice.body(), expected.as_bytes());
        assert_eq!(notice.leg().expectation, Expectation::Acceptance);
    }
}
