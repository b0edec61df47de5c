//! The connection between the client and the scripted server: over HTTP, or by messages alone.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_http::{Dialler, HttpOptions, HttpTransport, Tls};
use mcp_testkit::{
    AdmitAll, MemoryAnswer, MemoryCredentials, MemoryTransport, PeerLog, RecordedRequest, ScriptedPeer,
    ServedPeer,
};
use mcp_wire::{Expectation, Message, Transport, TransportError};
use serde::Deserialize;

use crate::script::{OracleScript, Scripted};
use crate::served::served_peer;

/// What a connection is made of, as a profile says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Carrier {
    /// HTTP requests over streams in memory, by the adapter that hosts use.
    #[default]
    Http,
    /// Messages in memory. There are no statuses, no header fields and no media types; the answer to a request is one JSON
    /// text, a notification is acknowledged, and no session is issued.
    Messages,
    /// HTTP requests to the server of this workspace, over streams in memory. Its handler says what can be said by a server that
    /// keeps to the protocol.
    Server,
}

/// A scripted server, and the way to it.
#[derive(Clone)]
pub(crate) enum Connection {
    Http(ScriptedPeer),
    Messages(MessagePeer),
    Server(ServedPeer),
}

impl Connection {
    pub(crate) fn new(carrier: Carrier, script: OracleScript) -> Self {
        match carrier {
            Carrier::Http => Self::Http(ScriptedPeer::new(script)),
            Carrier::Server => Self::Server(served_peer(script)),
            Carrier::Messages => Self::Messages(MessagePeer(Arc::new(Mutex::new(Peer {
                script,
                log: PeerLog::default(),
            })))),
        }
    }

    /// A transport of its own to the same server.
    pub(crate) fn transport(&self, credentials: Arc<MemoryCredentials>) -> Arc<dyn Transport> {
        match self {
            Self::Http(peer) => over_http(peer.clone(), credentials),
            Self::Server(peer) => over_http(peer.clone(), credentials),
            Self::Messages(peer) => {
                let peer = peer.clone();
                Arc::new(MemoryTransport::new(move |message| peer.answer(message)))
            }
        }
    }

    /// What the server has seen.
    pub(crate) fn log(&self) -> PeerLog {
        match self {
            Self::Http(peer) => peer.log(),
            Self::Messages(peer) => peer.lock().log.clone(),
            Self::Server(peer) => peer.log(),
        }
    }
}

fn over_http(dialler: impl Dialler + 'static, credentials: Arc<MemoryCredentials>) -> Arc<dyn Transport> {
    Arc::new(HttpTransport::with_dialler(
        Arc::new(AdmitAll),
        credentials,
        Arc::new(dialler),
        Tls::platform(),
        HttpOptions::default(),
    ))
}

/// A server that is given messages and gives messages back.
#[derive(Clone)]
pub(crate) struct MessagePeer(Arc<Mutex<Peer>>);

struct Peer {
    script: OracleScript,
    log: PeerLog,
}

impl MessagePeer {
    fn lock(&self) -> MutexGuard<'_, Peer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, message: &Message) -> MemoryAnswer {
        let request = RecordedRequest {
            http_method: message.leg().method.as_str().to_owned(),
            target: String::new(),
            fields: Vec::new(),
            body: String::from_utf8_lossy(message.body()).into_owned(),
        };
        let mut peer = self.lock();
        let scripted = peer.script.scripted(&request);
        peer.log.connections = 1;
        peer.log.requests.push(request);
        match (scripted, message.leg().expectation) {
            (Scripted::Nothing, _) => MemoryAnswer::Silence,
            (Scripted::Raw(_), _) => MemoryAnswer::Failed(TransportError::ConnectionLost.into()),
            (Scripted::Reply(_), Expectation::Acceptance | Expectation::Receipt) => MemoryAnswer::Accepted,
            (Scripted::Reply(reply), Expectation::Response(_)) => {
                let (body, end) = reply.message();
                MemoryAnswer::Pieces(peer.script.cut(&body), end)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::reply::ReplySpec;

    fn needs_http(method: &str, reply: &str) -> bool {
        let reply: ReplySpec = serde_json::from_str(reply).unwrap();
        reply.needs_http(method)
    }

    #[test]
    fn what_can_be_said_in_messages_is() {
        for (method, reply) in [
            ("tools/call", r#"{"body": "{}"}"#),
            ("tools/call", r#"{"body": "", "elapse_ms": 5}"#),
            ("tools/call", r#"{"body": "{}", "framing": "chunked"}"#),
            ("tools/call", r#"{"body": "{}", "cut": 1, "then": "close"}"#),
            ("tools/call", r#"{"raw": "", "then": "reset"}"#),
            ("tools/call", r#"{"silent": true}"#),
            ("tools/call", r#"{"cancel": true}"#),
            ("notifications/initialized", r#"{"status": 202, "type": null}"#),
        ] {
            assert!(!needs_http(method, reply), "{method} {reply}");
        }
    }

    #[test]
    fn what_only_http_can_say_is_told_by_the_answer() {
        for (method, reply) in [
            ("tools/call", r#"{"status": 500}"#),
            ("tools/call", r#"{"status": 202, "type": null}"#),
            (
                "tools/call",
                r#"{"type": "text/event-stream", "body": "data: {}"}"#,
            ),
            ("tools/call", r#"{"fields": [["Mcp-Session-Id", "s"]]}"#),
            ("tools/call", r#"{"raw": "HTTP/1.1 200 OK"}"#),
            ("tools/call", r#"{"raw": ""}"#),
            ("tools/call", r#"{"framing": "chunked_open"}"#),
            ("tools/call", r#"{"framing": "close"}"#),
            ("tools/call", r#"{"overstate": 1}"#),
            ("tools/call", r#"{"body": "{}", "then": "close"}"#),
            ("notifications/initialized", r#"{"body": "{}"}"#),
            ("DELETE", r#"{"status": 405}"#),
        ] {
            assert!(needs_http(method, reply), "{method} {reply}");
        }
    }
}
