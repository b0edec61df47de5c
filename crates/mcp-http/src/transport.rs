//! The transport: how it is wired, and where its exchanges begin.

use std::sync::Arc;

use mcp_wire::{CredentialSource, Exchange, Message, OutboundPolicy, Target, Transport};

use crate::destination::Destinations;
use crate::dial::{Dialler, TcpDialler};
use crate::exchange::HttpExchange;
use crate::options::HttpOptions;
use crate::pool::Pool;
use crate::proxy::Proxy;
use crate::queue::Queue;
use crate::request::ConstantFields;
use crate::shared::Shared;
use crate::tls::Tls;

/// Sends messages over HTTP: 1.1 in the clear, 2 or 1.1 under TLS as the server chooses. Cheap to clone; clones share the pool.
///
/// Must be polled inside a tokio runtime with I/O and time enabled. Connections belong to the runtime in which they were made: a
/// transport serves one runtime.
#[derive(Clone)]
pub struct HttpTransport {
    shared: Arc<Shared>,
}

impl HttpTransport {
    /// A transport over TCP. Nothing is dialled, read or started before the first message.
    #[must_use]
    pub fn new(
        outbound: Arc<dyn OutboundPolicy>,
        credentials: Arc<dyn CredentialSource>,
        tls: Tls,
        options: HttpOptions,
    ) -> Self {
        Self::with_dialler(outbound, credentials, Arc::new(TcpDialler), tls, options)
    }

    /// A transport over the connections that `dialler` makes.
    #[must_use]
    pub fn with_dialler(
        outbound: Arc<dyn OutboundPolicy>,
        credentials: Arc<dyn CredentialSource>,
        dialler: Arc<dyn Dialler>,
        tls: Tls,
        options: HttpOptions,
    ) -> Self {
        let (pool, queue) = (Pool::new(options), Queue::new(options.exchanges));
        Self {
            shared: Arc::new(Shared {
                outbound,
                credentials,
                dialler,
                tls,
                proxy: None,
                options,
                pool,
                queue,
                destinations: Destinations::default(),
                fields: ConstantFields::new(),
            }),
        }
    }
}

impl HttpTransport {
    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The same transport with every connection going through `proxy`. It shares no connection with this one.
    ///
    /// The names of servers are then looked up by the proxy, and [`OutboundPolicy::admit_address`] is not asked: no address
    /// of a server is known here. [`OutboundPolicy::admit_target`] still is. Without this, there is no proxy.
    #[must_use]
    pub fn through(&self, proxy: Proxy) -> Self {
        let shared = &self.shared;
        let options = shared.options;
        Self {
            shared: Arc::new(Shared {
                outbound: shared.outbound.clone(),
                credentials: shared.credentials.clone(),
                dialler: shared.dialler.clone(),
                tls: shared.tls.clone(),
                proxy: Some(proxy),
                options,
                pool: Pool::new(options),
                queue: Queue::new(options.exchanges),
                destinations: Destinations::default(),
                fields: ConstantFields::new(),
            }),
        }
    }
}

impl Transport for HttpTransport {
    fn open(&self, target: &Arc<Target>, message: Message) -> Box<dyn Exchange> {
        Box::new(HttpExchange::new(self.shared.clone(), target.clone(), message))
    }
}

impl std::fmt::Debug for HttpTransport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpTransport")
            .field("proxy", &self.shared.proxy)
            .field("options", &self.shared.options)
            .finish_non_exhaustive()
    }
}
