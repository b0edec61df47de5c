//! The fields of a request.

use crate::message::Message;

/// The fields that the specification gives a POST of this message, names in lower case. `host`, `content-length` and
/// credentials are the adapter's.
///
/// Both media types are offered on every POST. No content coding is offered. The revision and the session id stand on
/// every message after the handshake's first.
pub fn request_fields(message: &Message) -> impl Iterator<Item = (&'static str, &str)> {
    let version = message
        .version()
        .map(|version| ("mcp-protocol-version", version.as_str()));
    let session = message
        .session()
        .map(|session| ("mcp-session-id", session.expose()));
    [
        Some(("accept", "application/json, text/event-stream")),
        Some(("accept-encoding", "identity")),
        Some(("content-type", "application/json")),
        version,
        session,
    ]
    .into_iter()
    .flatten()
}
