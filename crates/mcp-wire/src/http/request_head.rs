//! The method and the fields of a request.

use crate::message::{Message, Method};

/// The method of HTTP that carries this message: `DELETE` for the end of a session, else `POST`.
#[must_use]
pub const fn request_method(message: &Message) -> &'static str {
    if has_body(message) { "POST" } else { "DELETE" }
}

/// The fields that the specification gives the request of this message, names in lower case. `host`, `content-length`
/// and credentials are the adapter's.
///
/// Both media types are offered on every POST. No content coding is offered. The revision and the session id stand on
/// every message after the handshake's first. The end of a session has no body, so it names and offers no media type.
pub fn request_fields(message: &Message) -> impl Iterator<Item = (&'static str, &str)> {
    let shorter = |(name, value): (&'static str, &'static str)| (name, value);
    constant_fields(message)
        .map(shorter)
        .chain(session_fields(message))
}

/// Those of [`request_fields`] that are the same on every message with a body, and on every one without.
pub fn constant_fields(message: &Message) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
    let with_body = |field| has_body(message).then_some(field);
    [
        with_body(("accept", "application/json, text/event-stream")),
        Some(("accept-encoding", "identity")),
        with_body(("content-type", "application/json")),
    ]
    .into_iter()
    .flatten()
}

/// Those of [`request_fields`] that tell the revision and the session.
pub fn session_fields(message: &Message) -> impl Iterator<Item = (&'static str, &str)> {
    let version = message
        .version()
        .map(|version| ("mcp-protocol-version", version.as_str()));
    let session = message
        .session()
        .map(|session| ("mcp-session-id", session.expose()));
    [version, session].into_iter().flatten()
}

/// Whether a request has a body; one without has no `content-length` either.
const fn has_body(message: &Message) -> bool {
    match message.leg().method {
        Method::Initialize
        | Method::Initialized
        | Method::Ping
        | Method::ToolsList
        | Method::ToolsCall
        | Method::Cancelled => true,
        Method::EndSession => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::SessionId;
    use crate::version::ProtocolVersion;
    use alloc::vec::Vec;

    #[test]
    fn the_end_of_a_session_is_a_bare_delete_in_it() {
        let session = SessionId::parse(b"s-1").unwrap();
        let end = Message::end_session(ProtocolVersion::OFFERED, session.clone());
        assert_eq!((request_method(&end), end.body()), ("DELETE", &b""[..]));
        let fields: Vec<_> = request_fields(&end).collect();
        let expected = [
            ("accept-encoding", "identity"),
            ("mcp-protocol-version", "2025-11-25"),
            ("mcp-session-id", "s-1"),
        ];
        assert_eq!(fields, expected);
        let posted = Message::initialized().in_session(ProtocolVersion::OFFERED, Some(&session));
        assert_eq!(request_method(&posted), "POST");
        let fields: Vec<_> = request_fields(&posted).collect();
        let expected = [
            ("accept", "application/json, text/event-stream"),
            ("accept-encoding", "identity"),
            ("content-type", "application/json"),
            ("mcp-protocol-version", "2025-11-25"),
            ("mcp-session-id", "s-1"),
        ];
        assert_eq!(fields, expected);
        assert!(constant_fields(&posted).eq(expected.into_iter().take(3)));
        assert!(session_fields(&posted).eq(expected.into_iter().skip(3)));
    }
}
