//! One connection, in the version of HTTP that both ends agreed on.

use std::error::Error;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use mcp_wire::{MalformedKind, TransportError};

use crate::dial::BoxedStream;
use crate::request::RequestBody;
use crate::transport::HttpOptions;

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
    Http2(http2::SendRequest<RequestBody>),
}

/// A message that got no answer.
pub(crate) struct Unanswered {
    /// The message itself, when no byte of it was written.
    pub(crate) unsent: Option<Request<RequestBody>>,
    pub(crate) error: hyper::Error,
}

impl Connection {
    /// Makes a connection of an open stream. hyper's driver of it runs as a task, which ends when the connection closes
    /// or its last handle is dropped.
    pub(crate) async fn start(
        stream: BoxedStream,
        protocol: Protocol,
        options: &HttpOptions,
    ) -> Result<Self, TransportError> {
        match protocol {
            Protocol::Http1 => {
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
            Protocol::Http2 => {
                let (sender, driver) = http2::Builder::new(TokioExecutor::new())
                    .timer(TokioTimer::new())
                    .initial_stream_window_size(STREAM_WINDOW)
                    .initial_connection_window_size(CONNECTION_WINDOW)
                    .max_frame_size(FRAME)
                    .max_header_list_size(u32::try_from(options.head_bytes()).unwrap_or(u32::MAX))
                    .keep_alive_interval(KEEP_ALIVE)
                    .handshake(stream)
                    .await
                    .map_err(|_error| TransportError::Connect)?;
                tokio::spawn(driver);
                Ok(Self::Http2(sender))
            }
        }
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
        match self {
            Self::Http1(_) => None,
            Self::Http2(sender) => Some(Self::Http2(sender.clone())),
        }
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

/// The bytes of one answer that HTTP/2 may have under way before they are read.
const STREAM_WINDOW: u32 = 256 * 1_024;

/// The bytes of the largest frame: as few as a client may ask for.
const FRAME: u32 = 16 * 1_024;

/// The bytes of all answers on one connection that may be under way.
const CONNECTION_WINDOW: u32 = 1_024 * 1_024;

/// How often an HTTP/2 connection with an exchange on it is asked whether it lives.
const KEEP_ALIVE: std::time::Duration = std::time::Duration::from_secs(20);

/// Whether the server says that it did not look at the message.
///
/// [RFC 9113, section 8.7](https://www.rfc-editor.org/rfc/rfc9113#section-8.7).
pub(crate) fn is_refused_stream(error: &hyper::Error) -> bool {
    h2_cause(error).is_some_and(|h2| h2.is_remote() && h2.reason() == Some(h2::Reason::REFUSED_STREAM))
}

/// What is wrong with the head of an answer over HTTP/2, when it is that and not the network that failed.
///
/// h2 ends a stream or a connection of its own accord only when the server breaks a rule. That a head, or what comes in
/// its place, has no end, it tells from the rest; a head that is only too long it does not.
pub(crate) fn broken_rule(error: &hyper::Error) -> Option<MalformedKind> {
    let h2 = h2_cause(error).filter(|h2| h2.is_library())?;
    match h2.reason() {
        Some(h2::Reason::ENHANCE_YOUR_CALM | h2::Reason::COMPRESSION_ERROR) => {
            Some(MalformedKind::HeadTooLarge)
        }
        Some(_) | None => Some(MalformedKind::InvalidHttp),
    }
}

fn h2_cause(error: &hyper::Error) -> Option<&h2::Error> {
    std::iter::successors(error.source(), |&cause| cause.source()).find_map(|cause| cause.downcast_ref())
}
