//! The settings of the adapter, each a bound or a time with its default.

use std::time::Duration;

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
