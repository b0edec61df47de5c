//! The server's side of the wire: what a client's message is, and how it is answered.
//!
//! A transport reads each message with [`ClientMessage::parse`], asks
//! [`create_context`](crate::context::create_context) whether it may be acted on, and answers with an [`Answer`]. The
//! same scanner reads requests and replies.
//!
//! [MCP 2025-11-25, Base Protocol](https://modelcontextprotocol.io/specification/2025-11-25/basic).

mod answer;
mod fault;
mod id;
mod initialize;
mod lifecycle;
mod message;

pub use self::answer::{Answer, notification};
pub use self::fault::{RequestFault, RequestRule};
pub use self::id::ClientId;
pub use self::initialize::{InitializeFault, InitializeRequest, Introduction};
pub use self::lifecycle::{Lifecycle, LifecycleRefusal};
pub use self::message::{ClientMessage, ClientRequest, Notification, RequestLimits};
