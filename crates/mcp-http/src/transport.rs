//! The transport: the parts that every leg shares.

use std::sync::Arc;
use std::time::Duration;

use mcp_wire::{CredentialSource, Exchange, Message, OutboundPolicy, Target, Transport};

use crate::destination::Destinations;
use crate::dial::{Dialler, TcpDialler};
use crate::exchange::HttpExchange;
use crate::pool::Pool;
use crate::proxy::Proxy;
use crate::queue::Queue;
use crate::request::ConstantFields;
use crate::tls::Tls;

/// Sends messages over HTTP: 1.1 in the clear, 2 or 1.1 under TLS as the server chooses. Cheap to clone; clones share the pool.
///
/// Must be polled inside a tokio runtime with I/O and time enabled. Connections belong to the runtime in which they were made: a
/// transport serves one runtime.
#[derive(Clone)]
pub struct HttpTransport {
    shared: Arc<Shared>,
}

/// What the legs of one transport share.
pub(crate) struct Shared {
    pub(crate) outbound: Arc<dyn OutboundPolicy>,
    pub(crate) credentials: Arc<dyn CredentialSource>,
    pub(crate) dialler: Arc<dyn Dialler>,
    pub(crate) tls: Tls,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) options: HttpOptions,
    pub(crate) pool: Pool,
    pub(crate) queue: Queue,
    pub(crate) destinations: Destinations,
    pub(crate) fields: ConstantFields,
}

/// Settings of the adapter. None of them can switch a bound off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpOptions {
    /// How long an idle connection may be used again; then it is closed. Default 4 s: common servers close at 5 s.
    pub idle: Duration,
    /// Idle connections that are kept for one origin and credential. Default 8.
    pub idle_connections: usize,
    /// The time for one attempt to connect, for the answer of a proxy, and for one TLS handshake. Default 10 s; the
    /// operation's deadline holds too.
    pub connect: Duration,
    /// Bytes of the head of an answer. Default 65,536; settings below 8,192 count as that. hyper may read one more buffer
    /// of the same size before it looks.
    pub head_bytes: usize,
    /// Fields of the head of an answer, over HTTP/1.1. Default 100.
    pub head_fields: usize,
    /// Exchanges with one origin at a time. Default 64, at least 2; one place is kept for farewells, and further exchanges
    /// wait within their deadline.
    pub exchanges: usize,
    /// How long the body of the answer to a notification or to the end of a session is waited for once its head was
    /// accepted, so that its connection can be used again. Default 250 ms. When that time is up the message counts as
    /// accepted and the connection is given up.
    pub discard: Duration,
    /// How much of that body is read, in bytes. Default 16,384 (16 KiB). Beyond it the message counts as accepted and the
    /// connection is given up.
    pub discard_bytes: usize,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(4),
            idle_connections: 8,
            connect: Duration::from_secs(10),
            head_bytes: 64 * 1_024,
            head_fields: 100,
            exchanges: 64,
            discard: Duration::from_millis(250),
            discard_bytes: 16 * 1_024,
        }
    }
}

impl HttpOptions {
    /// hyper takes no smaller buffer.
    pub(crate) fn head_bytes(&self) -> usize {
        self.head_bytes.max(8 * 1_024)
    }
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
