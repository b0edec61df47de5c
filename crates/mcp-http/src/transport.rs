//! The transport: the parts that every leg shares.

use std::sync::Arc;
use std::time::Duration;

use mcp_wire::{CredentialSource, Exchange, Message, OutboundPolicy, Target, Transport};

use crate::dial::{Dialler, TcpDialler};
use crate::exchange::HttpExchange;
use crate::pool::Pool;
use crate::tls::Tls;

/// Sends messages over HTTP/1.1, in the clear or under TLS. Cheap to clone; clones share the pool.
///
/// Must be polled inside a tokio runtime with I/O and time enabled.
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
    pub(crate) options: HttpOptions,
    pub(crate) pool: Pool,
}

/// Settings of the adapter. None of them can switch a bound off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpOptions {
    /// How long an idle connection may be used again. Default 4 s: common servers close at 5 s.
    pub idle: Duration,
    /// Idle connections that are kept for one origin and credential. Default 8.
    pub idle_connections: usize,
    /// How long the body of the answer to a notification or to the end of a session is waited for once its head was
    /// accepted, so that its connection can be used again. Default 250 ms. When that time is up the message counts as
    /// accepted and the connection is given up.
    pub discard: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(4),
            idle_connections: 8,
            discard: Duration::from_millis(250),
        }
    }
}

impl HttpTransport {
    /// A transport over TCP.
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
        let pool = Pool::new(options);
        Self {
            shared: Arc::new(Shared {
                outbound,
                credentials,
                dialler,
                tls,
                options,
                pool,
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
            .field("options", &self.shared.options)
            .finish_non_exhaustive()
    }
}
