//! Whom a transport trusts under TLS, and so whether it speaks `https` at all.
//!
//! The crate asks for the feature `tls` here, and where it exports `TlsError`. With it there are rustls (`rustls.rs`) and
//! HTTP/2 (`http2.rs`), which only TLS can agree on; without it, types of the same names that have no values (`absent.rs`).

#[cfg(not(feature = "tls"))]
mod absent;
#[cfg(feature = "tls")]
mod http2;
#[cfg(feature = "tls")]
mod rustls;

use mcp_wire::{Scheme, TransportError};

#[cfg(not(feature = "tls"))]
pub(crate) use self::absent::{Http2, Trust, broken_rule, is_refused_stream};
#[cfg(feature = "tls")]
pub(crate) use self::http2::{Http2, broken_rule, is_refused_stream};
#[cfg(feature = "tls")]
pub use self::rustls::TlsError;
#[cfg(feature = "tls")]
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
