//! HTTP/2: its connections, and what its errors say. Only TLS can agree on it.

use std::error::Error;

use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use mcp_wire::{MalformedKind, TransportError};

use crate::dial::BoxedStream;
use crate::options::HttpOptions;
use crate::request::RequestBody;

/// A handle of a connection, for many exchanges side by side.
pub(crate) type Http2 = http2::SendRequest<RequestBody>;

/// Makes a connection of a stream on which HTTP/2 was agreed. hyper's driver of it runs as a task, as that of HTTP/1.1
/// does.
pub(super) async fn start(stream: BoxedStream, options: &HttpOptions) -> Result<Http2, TransportError> {
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
    Ok(sender)
}

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
