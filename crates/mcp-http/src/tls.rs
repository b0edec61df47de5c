//! Whom a transport trusts under TLS, and so whether it speaks `https` at all.
//!
//! There are rustls (`rustls.rs`) and HTTP/2 (`http2.rs`), which only TLS can agree on.

mod http2;
mod rustls;

use mcp_wire::{Scheme, TransportError};

pub(crate) use self::http2::{Http2, broken_rule, is_refused_stream};
pub use self::rustls::TlsError;
pub(crate) use self::rustls::Trust;

/// The trust of a transport.
#[derive(Debug, Clone)]
pub struct Tls {
    /// Nobody is trusted where there is none.
    trust: Option<Trust>,
}

impl Tls {
    /// Trusts nobody: every `https` URL is refused as [`TransportError::TlsTrustMissing`], before its name is looked up.
    #[must_use]
    pub const fn none() -> Self {
        Self { trust: None }
    }

    /// The trust that a connection under `scheme` needs, if it needs one.
    pub(crate) fn trust(&self, scheme: Scheme) -> Result<Option<&Trust>, TransportError> {
        match scheme {
            Scheme::Http => Ok(None),
            Scheme::Https => self
                .trust
                .as_ref()
                .map(Some)
                .ok_or(TransportError::TlsTrustMissing),
        }
    }
}
