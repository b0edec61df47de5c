//! A peer on in-memory streams: real HTTP bytes in both directions, no socket.

mod recorded;
mod served;
mod stream;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_http::{BoxedStream, Dialler};
use mcp_wire::PortFuture;

pub use self::recorded::RecordedRequest;
pub use self::served::ServedPeer;
use self::stream::PeerStream;

/// Answers requests from a script and keeps a log of them. It is the dialler of an
/// [`HttpTransport`](mcp_http::HttpTransport); every name resolves to 203.0.113.1.
#[derive(Clone)]
pub struct ScriptedPeer {
    script: Arc<Mutex<dyn Script>>,
    log: Arc<Mutex<PeerLog>>,
}

/// Decides what a peer answers.
pub trait Script: Send {
    /// The answer to one complete request. Requests come one after another.
    fn answer(&mut self, request: &RecordedRequest) -> PeerReply;
}

impl<F: FnMut(&RecordedRequest) -> PeerReply + Send> Script for F {
    fn answer(&mut self, request: &RecordedRequest) -> PeerReply {
        self(request)
    }
}

/// The raw bytes of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerReply {
    /// Pieces in order; the reading side gets one for each read.
    pub pieces: Vec<Vec<u8>>,
    /// What follows the last piece.
    pub end: ReplyEnd,
}

/// What follows the last byte of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyEnd {
    /// The connection stays open for the next request.
    KeepOpen,
    /// The connection ends in order.
    Close,
    /// The connection is reset.
    Reset,
}

/// What a peer has seen.
#[derive(Debug, Clone, Default)]
pub struct PeerLog {
    /// The complete requests, in order.
    pub requests: Vec<RecordedRequest>,
    /// The connections that were made.
    pub connections: usize,
    /// The connections that are open now.
    pub open: usize,
    /// The names that were looked up.
    pub look_ups: Vec<String>,
}

impl ScriptedPeer {
    /// A peer that answers from `script`.
    pub fn new(script: impl Script + 'static) -> Self {
        Self {
            script: Arc::new(Mutex::new(script)),
            log: Arc::default(),
        }
    }

    /// A copy of the log so far.
    #[must_use]
    pub fn log(&self) -> PeerLog {
        self.log_mut().clone()
    }

    fn answer(&self, request: RecordedRequest) -> PeerReply {
        let reply = self
            .script
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .answer(&request);
        self.log_mut().requests.push(request);
        reply
    }

    fn closed(&self) {
        self.log_mut().open -= 1;
    }

    fn log_mut(&self) -> MutexGuard<'_, PeerLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Dialler for ScriptedPeer {
    fn resolve(&self, name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        self.log_mut().look_ups.push(name.to_owned());
        PortFuture::ready(Ok(vec![SocketAddr::from(([203, 0, 113, 1], port))]))
    }

    fn connect(&self, _address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        let mut log = self.log_mut();
        (log.connections, log.open) = (log.connections + 1, log.open + 1);
        drop(log);
        PortFuture::ready(Ok(Box::new(PeerStream::new(self.clone()))))
    }
}
