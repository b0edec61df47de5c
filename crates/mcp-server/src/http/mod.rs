//! Streamable HTTP: one endpoint, a POST for each message, DELETE for the end of a session.
//!
//! Each request passes, in this order: host and origin, declared size, caller, path and method, media types, body,
//! message, context, life of the session. What refuses it says so in a status and a JSON-RPC error that carries the
//! request's id wherever that could be read.
//!
//! [MCP 2025-11-25, Transports, Streamable HTTP](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http).

mod allow;
mod answer;
mod body;
mod head;
mod listen;
mod refusal;
mod respond;

use std::sync::Arc;
use std::time::Duration;

pub use self::allow::AllowList;
use crate::caller::{Anyone, Callers};
use crate::server::Server;

/// Bounds and rules of the HTTP transport. A bound names the last value that is accepted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HttpOptions {
    /// The endpoint's path. Default `/mcp`; others are answered 404.
    pub path: String,
    /// The hosts that a request may name. Default: the names of this machine's loopback. An empty list denies all.
    pub hosts: AllowList,
    /// The origins that a browser's request may come from. Default: as `hosts`. A request without an origin is no browser's.
    pub origins: AllowList,
    /// Bytes of a request's head. Default 16,384, at least 8,192; a larger one is answered 431.
    pub head_bytes: usize,
    /// Fields of a request's head. Default 64; more are answered 431.
    pub head_fields: usize,
    /// How long a head may take from its first byte on, and how long a connection may wait for one. Default 30 s.
    pub head_time: Duration,
    /// How long a body may take. Default 30 s; then the answer is 408.
    pub body_time: Duration,
    /// Connections that are served at once; further ones wait to be accepted. Default 1,024.
    pub connections: usize,
    /// How long requests may go on after the server was told to end. Default 5 s.
    pub drain_time: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            path: String::from("/mcp"),
            hosts: AllowList::loopback(),
            origins: AllowList::loopback(),
            head_bytes: 16 * 1_024,
            head_fields: 64,
            head_time: Duration::from_secs(30),
            body_time: Duration::from_secs(30),
            connections: 1_024,
            drain_time: Duration::from_secs(5),
        }
    }
}

/// A server on Streamable HTTP. Cloning shares it.
#[derive(Clone)]
pub struct HttpServer {
    server: Server,
    options: Arc<HttpOptions>,
    callers: Arc<dyn Callers>,
}

impl HttpServer {
    /// Serves `server` to anyone who can reach it.
    #[must_use]
    pub fn new(server: Server, options: HttpOptions) -> Self {
        Self::with_callers(server, options, Anyone)
    }

    /// Serves `server` to the callers that `callers` knows.
    #[must_use]
    pub fn with_callers(server: Server, options: HttpOptions, callers: impl Callers) -> Self {
        Self {
            server,
            options: Arc::new(options),
            callers: Arc::new(callers),
        }
    }
}

impl std::fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpServer").finish_non_exhaustive()
    }
}
