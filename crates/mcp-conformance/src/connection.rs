//! The connection between the client and the scripted server: over HTTP, or by messages alone.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_http::{Dialler, HttpOptions, HttpTransport, Tls};
use mcp_testkit::{
    AdmitAll, MemoryAnswer, MemoryCredentials, MemoryTransport, PeerLog, RecordedRequest, ScriptedPeer,
    ServedPeer,
};
use mcp_wire::{BodyEnd, Message, Transport, TransportError};
use serde::Deserialize;

use crate::script::{OracleScript, Scripted};
use crate::served::served_peer;

/// What a connection is made of, as a profile says it.
#[derive(Debug, Clone, Default, Deserialize)]
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
    /// As messages, over a transport that is under test.
    #[serde(skip)]
    Outside(Outside),
}

/// Makes transports that are under test: to the server that it is given.
#[derive(Clone)]
pub(crate) struct Outside(pub(crate) Arc<dyn Fn(MessagePeer) -> Arc<dyn Transport> + Send + Sync>);

impl fmt::Debug for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Outside")
    }
}

/// A scripted server, and the way to it.
#[derive(Clone)]
pub(crate) enum Connection {
    Http(ScriptedPeer),
    Messages(MessagePeer),
    Server(ServedPeer),
    Outside(Outside, MessagePeer),
}

impl Connection {
    pub(crate) fn new(carrier: Carrier, script: OracleScript) -> Self {
        match carrier {
            Carrier::Http => Self::Http(ScriptedPeer::new(script)),
            Carrier::Server => Self::Server(served_peer(script)),
            Carrier::Messages => Self::Messages(MessagePeer::new(script)),
            Carrier::Outside(outside) => Self::Outside(outside, MessagePeer::new(script)),
        }
    }

    /// A transport of its own to the same server.
    pub(crate) fn transport(&self, credentials: Arc<MemoryCredentials>) -> Arc<dyn Transport> {
        match self {
            Self::Http(peer) => over_http(peer.clone(), credentials),
            Self::Server(peer) => over_http(peer.clone(), credentials),
            Self::Messages(peer) => {
                let peer = peer.clone();
                Arc::new(MemoryTransport::new(move |message| {
                    peer.answer_in_memory(message)
                }))
            }
            Self::Outside(outside, peer) => (outside.0)(peer.clone()),
        }
    }

    /// What the server has seen.
    pub(crate) fn log(&self) -> PeerLog {
        match self {
            Self::Http(peer) => peer.log(),
            Self::Server(peer) => peer.log(),
            Self::Messages(peer) | Self::Outside(_, peer) => peer.lock().log.clone(),
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

/// A scripted server that is given messages and gives messages back, however they travel. Clones are the same server.
#[derive(Clone)]
pub struct MessagePeer(Arc<Mutex<Peer>>);

struct Peer {
    script: OracleScript,
    log: PeerLog,
}

/// What the scripted server does about one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PeerAnswer {
    /// It says nothing and holds the connection. Time has passed on the clock of the client.
    Silence,
    /// It closes the connection without a byte.
    Closed,
    /// It acknowledges a notification.
    Accepted,
    /// It answers a request with one JSON text, in these pieces.
    Pieces {
        /// The bytes, in the pieces in which they are to be read where the connection can cut them so.
        pieces: Vec<Vec<u8>>,
        /// Whether all bytes of the text have come. If not, the connection ends after the last piece.
        end: BodyEnd,
    },
}

impl MessagePeer {
    fn new(script: OracleScript) -> Self {
        let log = PeerLog::default();
        Self(Arc::new(Mutex::new(Peer { script, log })))
    }

    fn lock(&self) -> MutexGuard<'_, Peer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the bytes of one message in, notes it and answers it. Whatever arrives counts as a message.
    #[must_use]
    pub fn answer(&self, message: &[u8]) -> PeerAnswer {
        self.answer_sent_by("POST", message)
    }

    fn answer_in_memory(&self, message: &Message) -> MemoryAnswer {
        match self.answer_sent_by(message.leg().method.as_str(), message.body()) {
            PeerAnswer::Silence => MemoryAnswer::Silence,
            PeerAnswer::Closed => MemoryAnswer::Failed(TransportError::ConnectionLost.into()),
            PeerAnswer::Accepted => MemoryAnswer::Accepted,
            PeerAnswer::Pieces { pieces, end } => MemoryAnswer::Pieces(pieces, end),
        }
    }

    fn answer_sent_by(&self, http_method: &str, message: &[u8]) -> PeerAnswer {
        let request = RecordedRequest {
            http_method: http_method.to_owned(),
            target: String::new(),
            fields: Vec::new(),
            body: String::from_utf8_lossy(message).into_owned(),
        };
        let is_request = request.member("id").is_some();
        let mut peer = self.lock();
        let scripted = peer.script.scripted(&request);
        peer.log.connections = 1;
        peer.log.requests.push(request);
        match scripted {
            Scripted::Nothing => PeerAnswer::Silence,
            Scripted::Raw(_) => PeerAnswer::Closed,
            Scripted::Reply(_) if !is_request => PeerAnswer::Accepted,
            Scripted::Reply(reply) => {
                let (body, end) = reply.message();
                PeerAnswer::Pieces {
                    pieces: peer.script.cut(&body),
                    end,
                }
            }
        }
    }
}

impl fmt::Debug for MessagePeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MessagePeer")
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
