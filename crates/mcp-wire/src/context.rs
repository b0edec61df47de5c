//! Whether a message of a client may be acted on: asked once for each message, answered by a closed sum.
//!
//! The server's side of a legacy session. Each transport turns the one answer into its own error, and an exhaustive
//! match proves that it forgot none. Requirements R-0009-1 to R-0009-7 in `specs/028-server-context`.

use core::fmt;

use crate::code::ErrorCode;
use crate::session::SessionId;
use crate::version::ProtocolVersion;

/// What a server knows about its sessions and revisions, as far as one caller may see it.
pub trait SessionLookup {
    /// A live session.
    type Session;

    /// Whether messages must name a session. A server that issues none says `false`: a message without an id then has a
    /// valid context without a session, and one with an id names a session that does not exist.
    fn issues_sessions(&self) -> bool;

    /// The session with this id, if it lives and belongs to the caller. Expired, ended, unknown and foreign ids are all
    /// `None`. It never makes a session, and it allocates nothing for an id that it does not know.
    fn find(&self, id: &[u8]) -> Option<Self::Session>;

    /// The revisions that the server speaks. Nobody else knows them.
    fn versions(&self) -> &[ProtocolVersion];
}

/// The answer of [`create_context`]. Closed: another variant breaks every transport on purpose.
#[derive(Debug)]
pub enum ContextResult<S> {
    /// The message may be acted on in this context.
    Valid(Context<S>),
    /// The message names no session and must.
    SessionIdRequired(ContextRefusal),
    /// The session that the message names is not there, for whatever reason.
    SessionNotFound(ContextRefusal),
    /// The message names a revision that the server does not speak.
    ProtocolVersionMismatch(ContextRefusal),
}

/// Judges what a message says about its session and revision.
///
/// The order is: the id (an empty one is an absent one), the look-up, the revision. An absent revision is accepted.
/// Whether the session has been initialized is not asked here: [`Lifecycle`](crate::server::Lifecycle) answers that
/// where a message is handled. A refusal is one of the answers and no error of Rust's: a transport matches all four, and `?`
/// cannot pass one on unread.
///
/// [MCP 2025-11-25, Transports, Session Management] and [Protocol Version Header].
///
/// [MCP 2025-11-25, Transports, Session Management]: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
/// [Protocol Version Header]: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header
pub fn create_context<L: SessionLookup>(
    lookup: &L,
    session_id: Option<&[u8]>,
    version: Option<&[u8]>,
) -> ContextResult<L::Session> {
    let (session_id, session) = match session_id.filter(|id| !id.is_empty()) {
        None if lookup.issues_sessions() => {
            return ContextResult::SessionIdRequired(ContextRefusal::SESSION_ID_REQUIRED);
        }
        None => (None, None),
        Some(id) => match lookup
            .find(id)
            .and_then(|session| Some((SessionId::parse(id).ok()?, session)))
        {
            Some((id, session)) => (Some(id), Some(session)),
            None => return ContextResult::SessionNotFound(ContextRefusal::SESSION_NOT_FOUND),
        },
    };
    let spoken = |named: &[u8]| {
        let mut versions = lookup.versions().iter().copied();
        versions.find(|version| version.as_str().as_bytes() == named)
    };
    let version = match version.map(spoken) {
        None => None,
        Some(Some(version)) => Some(version),
        Some(None) => {
            return ContextResult::ProtocolVersionMismatch(ContextRefusal::PROTOCOL_VERSION_MISMATCH);
        }
    };
    ContextResult::Valid(Context {
        session_id,
        version,
        session,
    })
}

/// The context in which one message is acted on.
///
/// Made by [`create_context`], or, for `initialize` alone, by [`Context::empty`].
#[derive(Debug)]
pub struct Context<S> {
    session_id: Option<SessionId>,
    version: Option<ProtocolVersion>,
    session: Option<S>,
}

impl<S> Context<S> {
    /// The context of `initialize`, which has no session yet and names its revision in its parameters.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            session_id: None,
            version: None,
            session: None,
        }
    }

    /// The session that the message names.
    #[must_use]
    pub const fn session_id(&self) -> Option<&SessionId> {
        self.session_id.as_ref()
    }

    /// The revision that the message names; none when it names none.
    #[must_use]
    pub const fn version(&self) -> Option<ProtocolVersion> {
        self.version
    }

    /// The session itself; none when the server issues none.
    #[must_use]
    pub const fn session(&self) -> Option<&S> {
        self.session.as_ref()
    }
}

/// Why a message may not be acted on: a code and a text, and nothing that explains it further.
///
/// A transport sends both as they are. One that speaks to people in their own language maps the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextRefusal {
    code: ErrorCode,
    text: &'static str,
}

impl ContextRefusal {
    const SESSION_ID_REQUIRED: Self = Self {
        code: ErrorCode::new(-32_000),
        text: "the message must name a session",
    };
    const SESSION_NOT_FOUND: Self = Self {
        code: ErrorCode::new(-32_001),
        text: "there is no such session",
    };
    const PROTOCOL_VERSION_MISMATCH: Self = Self {
        code: ErrorCode::new(-32_000),
        text: "the protocol revision is not supported",
    };

    /// The code of the JSON-RPC error.
    #[must_use]
    pub const fn code(self) -> ErrorCode {
        self.code
    }

    /// The message of the JSON-RPC error.
    #[must_use]
    pub const fn text(self) -> &'static str {
        self.text
    }
}

impl fmt::Display for ContextRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl core::error::Error for ContextRefusal {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    /// Knows the session `s-1`, which is number 7.
    struct Sessions {
        issued: bool,
    }

    impl SessionLookup for Sessions {
        type Session = u8;

        fn issues_sessions(&self) -> bool {
            self.issued
        }

        fn find(&self, id: &[u8]) -> Option<u8> {
            (id == b"s-1").then_some(7)
        }

        fn versions(&self) -> &[ProtocolVersion] {
            &[ProtocolVersion::V2025_11_25, ProtocolVersion::V2025_03_26]
        }
    }

    fn refusal(answer: ContextResult<u8>) -> Option<(&'static str, i64)> {
        let (name, refusal) = match answer {
            ContextResult::Valid(_) => return None,
            ContextResult::SessionIdRequired(refusal) => ("required", refusal),
            ContextResult::SessionNotFound(refusal) => ("not found", refusal),
            ContextResult::ProtocolVersionMismatch(refusal) => ("mismatch", refusal),
        };
        assert_eq!(refusal.to_string(), refusal.text());
        assert!(refusal.text().contains(' '), "a refusal says why");
        Some((name, refusal.code().get()))
    }

    #[test]
    fn the_answers_come_in_their_order() {
        let ask = |id: Option<&[u8]>, version: Option<&[u8]>| {
            refusal(create_context(&Sessions { issued: true }, id, version))
        };
        assert_eq!(ask(None, Some(b"1999-01-01")), Some(("required", -32_000)));
        assert_eq!(ask(Some(b""), None), Some(("required", -32_000)));
        assert_eq!(
            ask(Some(b"s-2"), Some(b"1999-01-01")),
            Some(("not found", -32_001))
        );
        assert_eq!(
            ask(Some(b"s-1"), Some(b"1999-01-01")),
            Some(("mismatch", -32_000))
        );
        assert_eq!(
            ask(Some(b"s-1"), Some(b"2025-06-18")),
            Some(("mismatch", -32_000))
        );
        assert_eq!(ask(Some(b"s-1"), Some(b"2025-03-26")), None);
        assert_eq!(ask(Some(b"s-1"), None), None);
    }

    #[test]
    fn a_context_holds_what_the_message_names() {
        let ContextResult::Valid(context) =
            create_context(&Sessions { issued: true }, Some(b"s-1"), Some(b"2025-03-26"))
        else {
            panic!("the session is there");
        };
        assert_eq!(context.session_id(), SessionId::parse(b"s-1").ok().as_ref());
        assert_eq!(context.version(), Some(ProtocolVersion::V2025_03_26));
        assert_eq!(context.session(), Some(&7));
    }

    #[test]
    fn a_server_without_sessions_wants_no_id() {
        let ask = |id| create_context(&Sessions { issued: false }, id, None);
        assert_eq!(refusal(ask(Some(b"s-2"))), Some(("not found", -32_001)));
        let ContextResult::Valid(context) = ask(None) else {
            panic!("nothing is missing");
        };
        assert!(context.session_id().is_none() && context.session().is_none() && context.version().is_none());
    }
}
