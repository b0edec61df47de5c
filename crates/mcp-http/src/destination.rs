//! Where the messages to one target go: their address as each version of HTTP says it, and whose connections may carry
//! them. Made once for a target, and kept for those that were used last.

use std::sync::{Arc, Mutex, PoisonError};

use http::header::HOST;
use http::{HeaderValue, Request, Uri};
use mcp_wire::{Endpoint, Scheme, Target, TransportError};

use crate::connection::Protocol;
use crate::pool::PoolKey;
use crate::request::RequestBody;

/// What is the same for every message to a target.
pub(crate) struct Destination {
    pub(crate) target: Arc<Target>,
    pub(crate) key: PoolKey,
    address: Address,
}

impl Destination {
    fn of(target: Arc<Target>) -> Option<Self> {
        Some(Self {
            key: PoolKey::of(&target),
            address: Address::of(&target.endpoint)?,
            target,
        })
    }

    /// Addresses a request: HTTP/1.1 names the host in a field, HTTP/2 in the target.
    pub(crate) fn address(&self, request: &mut Request<RequestBody>, protocol: Protocol) {
        match protocol {
            Protocol::Http1 => {
                *request.uri_mut() = self.address.path.clone();
                request.headers_mut().insert(HOST, self.address.host.clone());
            }
            Protocol::Http2 => {
                *request.uri_mut() = self.address.absolute.clone().unwrap_or_default();
                request.headers_mut().remove(HOST);
            }
        }
    }
}

struct Address {
    path: Uri,
    /// For HTTP/2, which only TLS can agree on.
    absolute: Option<Uri>,
    host: HeaderValue,
}

impl Address {
    fn of(endpoint: &Endpoint) -> Option<Self> {
        let (target, authority) = (endpoint.request_target(), endpoint.authority());
        let absolute = match endpoint.scheme() {
            Scheme::Http => None,
            Scheme::Https => Some(Uri::try_from(format!("https://{authority}{target}")).ok()?),
        };
        Some(Self {
            path: Uri::try_from(&*target).ok()?,
            absolute,
            host: HeaderValue::try_from(authority).ok()?,
        })
    }
}

/// The destinations of the targets that were used last, the oldest first.
#[derive(Default)]
pub(crate) struct Destinations(Mutex<Vec<Arc<Destination>>>);

/// More targets than these at a time are prepared anew for each message.
const KEPT: usize = 16;

impl Destinations {
    /// The destination of this very target.
    ///
    /// # Errors
    ///
    /// None is reached: an [`Endpoint`] holds only what a request target can.
    pub(crate) fn of(&self, target: &Arc<Target>) -> Result<Arc<Destination>, TransportError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.iter().find(|known| Arc::ptr_eq(&known.target, target)) {
            return Ok(known.clone());
        }
        let destination = Destination::of(target.clone()).ok_or(TransportError::Connect)?;
        let destination = Arc::new(destination);
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push(destination.clone());
        Ok(destination)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_prepared_once_and_few_are_kept() {
        let target = |at: usize| {
            let url = format!("http://127.0.0.1:{}/mcp", 1_000 + at);
            Arc::new(Target::new(Endpoint::parse(&url).unwrap()))
        };
        let (destinations, first) = (Destinations::default(), target(0));
        let of = |target: &Arc<Target>| destinations.of(target).unwrap();
        let known = of(&first);
        assert!(Arc::ptr_eq(&known, &of(&first)));
        // An equal target is another one: what it says may be other the next time.
        assert!(!Arc::ptr_eq(&known, &of(&target(0))));
        for at in 1..KEPT - 1 {
            of(&target(at));
        }
        assert!(Arc::ptr_eq(&known, &of(&first)));
        of(&target(KEPT));
        assert_eq!(destinations.0.lock().unwrap().len(), KEPT);
        assert!(!Arc::ptr_eq(&known, &of(&first)));
    }
}
