//! Head rules of the Streamable HTTP transport: which fields a request carries, and what the head of an answer means.
//!
//! Apart from the framing of replies, so that a transport without HTTP inherits none of it.
//!
//! [MCP 2025-11-25, Transports, Streamable HTTP](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http).

mod challenge;
mod error_body;
mod reply_head;
mod request_head;
mod retry_after;

pub use self::challenge::{AuthScheme, BearerError, Challenge};
pub use self::error_body::ErrorBody;
pub use self::reply_head::{HeadVerdict, ReplyHead};
pub use self::request_head::{constant_fields, request_fields, request_method, session_fields};
pub use self::retry_after::RetryAfter;
