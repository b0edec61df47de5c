//! Bounds of a server, whatever its transport.

use std::time::Duration;

use mcp_wire::ProtocolVersion;
use mcp_wire::server::RequestLimits;

/// What a server allows. A bound names the last value that is accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerOptions {
    /// The revisions that the server speaks. Default: all that are known. Without any, `initialize` is refused.
    pub versions: Vec<ProtocolVersion>,
    /// How one message is bounded.
    pub message: RequestLimits,
    /// Whether the server issues sessions, and how long they live.
    pub sessions: SessionRules,
    /// Requests of one session that are handled at once; one more is refused. Default 64.
    pub live_requests: usize,
    /// Requests of all sessions that are handled at once; one more is refused. Default 1,024.
    pub live_requests_in_all: usize,
    /// How long one request may be handled. Default 10 minutes.
    pub request_time: Duration,
    /// Notifications that wait for a client that reads slowly; the handler waits beyond. Default 64.
    pub waiting_notices: usize,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            versions: ProtocolVersion::ACCEPTED.to_vec(),
            message: RequestLimits::default(),
            sessions: SessionRules::default(),
            live_requests: 64,
            live_requests_in_all: 1_024,
            request_time: Duration::from_secs(600),
            waiting_notices: 64,
        }
    }
}

/// Sessions of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionRules {
    /// Every message but `initialize` names a session that the server issued.
    Issued {
        /// Sessions that live at once; one more is refused. Default 10,000.
        count: usize,
        /// How long a session lives without a message. Default 30 minutes.
        idle: Duration,
        /// How long a session lives at most. Default 24 hours.
        absolute: Duration,
    },
    /// The server issues none. What needs one is not kept: neither whether the client is initialized, nor which requests
    /// are live, so that none can be cancelled by name.
    None,
}

impl Default for SessionRules {
    fn default() -> Self {
        Self::Issued {
            count: 10_000,
            idle: Duration::from_secs(30 * 60),
            absolute: Duration::from_secs(24 * 60 * 60),
        }
    }
}
