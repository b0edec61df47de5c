//! Wire rules of an MCP client, without I/O.
//!
//! This crate decides what the specification decides: which id a request carries, what bytes it is made of, which
//! reply answers it, and what the typed payloads mean. It opens no socket, reads no clock and knows no
//! operating system; it needs an allocator and nothing else.
//!
//! The way of one exchange:
//!
//! 1. [`RequestIds`] gives the leg its [`RequestId`].
//! 2. A [`Message`] is encoded once, for one [`Endpoint`].
//! 3. An adapter behind [`Transport`] sends it and pumps the bytes of the answer into a [`ReplyDecoder`].
//! 4. The decoder yields server messages on the way and one verdict at the proven end: a [`Reply`] or a
//!    [`Malformed`].
//! 5. The typed payload is read from the reply's raw text: [`InitializeResult`], [`ToolsPage`], [`CallResult`].
//!
//! Specification: [MCP 2025-11-25, Base Protocol] and [MCP 2025-11-25, Transports, Streamable HTTP].
//!
//! [MCP 2025-11-25, Base Protocol]: https://modelcontextprotocol.io/specification/2025-11-25/basic
//! [MCP 2025-11-25, Transports, Streamable HTTP]: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http

#![no_std]

extern crate alloc;

mod arguments;
mod call_result;
mod code;
pub mod context;
mod endpoint;
mod envelope;
pub mod http;
mod id;
mod initialize;
mod json;
mod limits;
mod malformed;
mod message;
mod port;
mod reply;
mod response;
mod secret;
pub mod server;
mod session;
mod sse;
mod text;
mod tools;
mod trace;
mod version;

pub use crate::arguments::{Arguments, ArgumentsError};
pub use crate::call_result::{CallResult, OmittedBlocks};
pub use crate::code::{CodeFault, ErrorCode};
pub use crate::endpoint::{Endpoint, EndpointError, Host, Scheme};
pub use crate::id::{
    Entropy, EntropyUnavailable, IdError, ProcessId, ProcessIdentity, RequestId, RequestIds, ReservedIds,
};
pub use crate::initialize::{InitializeResult, PeerInfo};
pub use crate::json::{JsonPiece, JsonReader, JsonType, write_json_string};
pub use crate::limits::ReplyLimits;
pub use crate::malformed::{Limit, Malformed, MalformedKind};
pub use crate::message::{ClientInfo, Expectation, Leg, Message, Method, RequestMeta};
pub use crate::port::{
    Answer, Credential, CredentialError, CredentialHeader, CredentialHeaderError, CredentialPlacement,
    CredentialRef, CredentialSource, Delivery, Exchange, ExchangeError, ExchangeEvent, OutboundPolicy,
    OutboundRefusal, PortFuture, Stage, StatusFailure, Target, Transport, TransportError,
};
pub use crate::reply::{BodyEnd, Framing, Reply, ReplyDecoder, ResultText, ServerMessage};
pub use crate::response::{Response, RpcError};
pub use crate::secret::Secret;
pub use crate::session::{SessionId, SessionIdError};
pub use crate::sse::{SseDecoder, SseEvent};
pub use crate::text::clip;
pub use crate::tools::{Cursor, ToolDefinition, ToolName, ToolNameError, ToolsPage};
pub use crate::trace::{TraceContext, TraceContextError};
pub use crate::version::{ProtocolVersion, UnsupportedVersion};
