//! The Streamable HTTP adapter: what the operating system and the network decide.
//!
//! It dials, speaks TLS and HTTP/1.1, and pumps bytes. What a request says and what an answer means is `mcp-wire`'s;
//! where bytes may go is the host's [`OutboundPolicy`](mcp_wire::OutboundPolicy), asked here before each look-up and
//! each dial. With a [`Proxy`] the addresses of servers are the proxy's concern.
//!
//! The way of one leg: [`HttpTransport`] opens an exchange; the exchange takes a connection from the pool or dials one,
//! reads the credentials, writes one request, judges the head of the answer and feeds the body to the reply decoder.
//! The tasks that run beside the caller's are hyper's connection drivers, and one that closes idle connections in time.
//!
//! `https` is the feature `tls`, which is on by default. Without it there is [`Tls::none`] alone, HTTP/1.1 in the clear, and
//! half of the dependencies.
//!
//! [MCP 2025-11-25, Transports, Streamable HTTP](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http).

mod connect;
mod connection;
mod destination;
mod dial;
mod examine;
mod exchange;
mod opening;
mod options;
mod pool;
mod progress;
mod proxy;
mod queue;
mod request;
mod shared;
mod steps;
mod tls;
mod transport;

pub use crate::dial::{BoxedStream, Dialler, Stream, TcpDialler};
pub use crate::examine::{Examined, Found, Waypoint};
pub use crate::options::HttpOptions;
pub use crate::proxy::{Proxy, ProxyCredential, ProxyError};
pub use crate::tls::Tls;
#[cfg(feature = "tls")]
pub use crate::tls::TlsError;
pub use crate::transport::HttpTransport;
