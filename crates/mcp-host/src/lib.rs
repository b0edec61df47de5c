//! The composition root: the client of `mcp-policy` wired to HTTP, the tokio clock and the operating system.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let host = mcp_host::Host::in_memory()?;
//! let server = host.server("demo", "https://srv.example/mcp")?;
//! let outcome = host.call(&server, "echo", r#"{"message":"hello"}"#).await?;
//! println!("{}", outcome.text);
//! # Ok(()) }
//! ```

mod asked;
mod cancel;
mod clock;
mod host;
mod system;
mod vault;

pub use mcp_http::{Examined, Found, HttpOptions, Proxy, ProxyCredential, ProxyError, Tls, Waypoint};
pub use mcp_policy::{
    AddressClass, Budget, CallOutcome, Client, Failure, NeverDialled, OutboundRules, Server,
};

pub use crate::asked::Asked;
pub use crate::cancel::CancelToken;
pub use crate::clock::TokioClock;
pub use crate::host::{Host, HostError, Wiring};
pub use crate::system::{OsEntropy, OsProcess};
pub use crate::vault::Vault;
