//! The ports of the wire: what an adapter implements and a policy consumes.

mod credential;
mod failure;
mod future;
mod outbound;
mod transport;

pub use self::credential::{
    Credential, CredentialError, CredentialHeader, CredentialHeaderError, CredentialPlacement, CredentialRef,
    CredentialSource,
};
pub use self::failure::{Delivery, ExchangeError, Stage, StatusFailure, TransportError};
pub use self::future::PortFuture;
pub use self::outbound::{OutboundPolicy, OutboundRefusal};
pub use self::transport::{Answer, Exchange, ExchangeEvent, Target, Transport};
