//! One connection, in the version of HTTP that both ends agreed on.

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use mcp_wire::TransportError;

use crate::dial::BoxedStream;
use crate::options::HttpOptions;
use crate::request::RequestBody;
use crate::tls::Http2;

/// The version of HTTP that a connection speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// HTTP/1.1: one exchange at a time.
    Http1,
    /// HTTP/2: many exchanges side by side.
    Http2,
}

/// A connection that can take a message.
pub(crate) enum Connection {
    Http1(http1::SendRequest<RequestBody>),
    Http2(Http2),
}

/// A message that got no answer.
pub(crate) struct Unanswered {
    /// The message itself, when no byte of it was written.
    pub(crate) unsent: Option<Request<RequestBody>>,
    pub(crate) error: hyper::Error,
}

impl Connection {
    /// Makes a connection of an open stream that speaks HTTP/1.1. hyper's driver of it runs as a task, which ends when the
    /// connection closes or its last handle is dropped.
    pub(crate) async fn http1(stream: BoxedStream, options: &HttpOptions) -> Result<Self, TransportError> {
        let mut builder = http1::Builder::new();
        builder.max_buf_size(options.head_bytes());
        // For its own number hyper has room on the stack; for any other it makes room for each answer.
        if options.head_fields != HYPER_FIELDS {
            builder.max_headers(options.head_fields);
        }
        let (sender, driver) = builder
            .handshake(stream)
            .await
            .map_err(|_error| TransportError::Connect)?;
        tokio::spawn(driver);
        Ok(Self::Http1(sender))
    }

    pub(crate) const fn protocol(&self) -> Protocol {
        match self {
            Self::Http1(_) => Protocol::Http1,
            Self::Http2(_) => Protocol::Http2,
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        match self {
            Self::Http1(sender) => sender.is_closed(),
            Self::Http2(sender) => sender.is_closed(),
        }
    }

    /// Another handle of the same connection, where the version allows exchanges side by side.
    pub(crate) fn share(&self) -> Option<Self> {
        let shared = match self {
            Self::Http1(_) => None,
            Self::Http2(sender) => Some(sender),
        };
        shared.cloned().map(Self::Http2)
    }

    /// Whether exchanges run side by side on the connection.
    pub(crate) const fn is_shared(&self) -> bool {
        matches!(self.protocol(), Protocol::Http2)
    }

    /// Waits until the connection can take a message; an error when it is closed.
    pub(crate) async fn ready(&mut self) -> Result<(), hyper::Error> {
        match self {
            Self::Http1(sender) => sender.ready().await,
            Self::Http2(sender) => sender.ready().await,
        }
    }

    /// Writes a message and waits for the head of its answer.
    pub(crate) async fn send(
        &mut self,
        request: Request<RequestBody>,
    ) -> Result<Response<Incoming>, Unanswered> {
        let sent = match self {
            Self::Http1(sender) => sender.try_send_request(request).await,
            Self::Http2(sender) => sender.try_send_request(request).await,
        };
        sent.map_err(|mut unsent| Unanswered {
            unsent: unsent.take_message(),
            error: unsent.into_error(),
        })
    }
}

/// The fields of a head that hyper takes over HTTP/1.1 where it is told no number.
const HYPER_FIELDS: usize = 100;
