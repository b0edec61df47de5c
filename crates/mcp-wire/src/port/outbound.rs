//! Where bytes may go: decided by the host's interest, enforced where an adapter dials.

use core::net::SocketAddr;

use crate::endpoint::Endpoint;

/// Judges a target before its name is looked up, and each address before it is dialled.
///
/// An adapter asks in this order, dials only an address that was admitted, and dials exactly that address.
/// Both answers are given at once and must not block.
///
/// Through a proxy the adapter knows no address of the server: it judges the target only. For a target in plain `http` it
/// judges the proxy as a target too, because that is where the message travels as plain text.
pub trait OutboundPolicy: Send + Sync {
    /// Judges the target's scheme and host, before any look-up and before a credential is read.
    ///
    /// # Errors
    ///
    /// [`OutboundRefusal`]: nothing may be contacted.
    fn admit_target(&self, endpoint: &Endpoint) -> Result<(), OutboundRefusal>;

    /// Judges one address, be it a literal or the answer of a look-up.
    ///
    /// # Errors
    ///
    /// [`OutboundRefusal`]: this address may not be dialled.
    fn admit_address(&self, endpoint: &Endpoint, address: SocketAddr) -> Result<(), OutboundRefusal>;
}

/// Why nothing is sent to a target or an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum OutboundRefusal {
    /// Plain `http` beyond this machine.
    #[error("plain http is allowed to this machine only; use https, or allow http explicitly")]
    PlainHttp,
    /// The address is of a class that is not allowed.
    #[error("the server's address is of a class that is not allowed: {class}")]
    Address {
        /// The class, by a name from the policy's own list.
        class: &'static str,
    },
}

impl OutboundRefusal {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::PlainHttp => "plain-http-refused",
            Self::Address { .. } => "address-refused",
        }
    }
}
