//! A server of the Model Context Protocol: one context result, native errors on every transport.
//!
//! Whether a message may be acted on is decided once, by [`mcp_wire::context::create_context`]; [`HttpServer`] and
//! [`serve_stdio`] turn its answer into statuses and lines. What a server offers is behind the port [`Handler`];
//! [`Tools`] is one made of typed functions.
//!
//! The way of one message: a transport judges what belongs to it alone (HTTP: hosts, origins, sizes, media types),
//! reads the message, asks for its context and hands both to the [`Server`]. That refuses it, answers at once, or starts
//! the handler in a task of its own, which a cancellation, the end of the session or the time limit ends.
//!
//! [MCP 2025-11-25, Transports](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports).
//!
//! Legacy revisions, 2024-11-05 to 2025-11-25. Not offered: a stream without a request (`GET` is answered 405), resumption,
//! and requests to the client.

mod caller;
mod clock;
mod handler;
mod http;
mod live;
mod options;
mod refusal;
mod server;
mod session;
mod sessions;
mod stdio;
mod tools;
mod work;

pub use crate::caller::{Anyone, Caller, Callers, Unidentified};
pub use crate::clock::{Clock, SystemClock, SystemEntropy};
pub use crate::handler::{Handler, HandlerError, HandlerFuture, LogLevel, Notice, Outlet, Progress, Request};
pub use crate::http::{AllowList, HttpOptions, HttpServer};
pub use crate::options::{ServerOptions, SessionRules};
pub use crate::server::Server;
pub use crate::stdio::{StdioOptions, serve_stdio};
pub use crate::tools::{Block, Tool, ToolError, ToolReply, Tools};

/// The code of the guide compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/server.md")]
struct Guide;
