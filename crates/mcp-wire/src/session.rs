//! Session ids of the legacy revisions.

use alloc::string::String;
use core::fmt;

/// A session id that the server issued with its `initialize` reply: 1 to 1,024 visible ASCII characters.
///
/// It is secret-like: `Debug` is redacted and there is no `Display`.
///
/// [MCP 2025-11-25, Transports, Session Management].
///
/// [MCP 2025-11-25, Transports, Session Management]: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
#[derive(Clone, PartialEq, Eq)]
pub struct SessionId(String);

impl SessionId {
    /// The longest accepted id, in bytes.
    pub const MAX_BYTES: usize = 1_024;

    /// Reads the value of a session header.
    ///
    /// # Errors
    ///
    /// [`SessionIdError`] when it is empty, too long, or holds a byte outside 0x21 to 0x7E. The server is at fault.
    pub fn parse(value: &[u8]) -> Result<Self, SessionIdError> {
        let visible = value.iter().all(|byte| (0x21..=0x7e).contains(byte));
        if value.is_empty() || value.len() > Self::MAX_BYTES || !visible {
            return Err(SessionIdError);
        }
        core::str::from_utf8(value)
            .map(|text| Self(text.into()))
            .map_err(|_not_ascii| SessionIdError)
    }

    /// The value for the session header.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionId({} bytes, redacted)", self.0.len())
    }
}

/// A session id that may not be adopted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the session id must be 1 to 1,024 visible ASCII characters")]
pub struct SessionIdError;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn the_edges_of_the_alphabet_and_length() {
        assert_eq!(SessionId::parse(b"!~").unwrap().expose(), "!~");
        assert!(SessionId::parse(&vec![b'a'; 1_024]).is_ok());
        for bad in [&b""[..], b"a b", b"a\x7f", b"a\tb", b"\xc3\xa4", &[b'a'; 1_025]] {
            assert_eq!(SessionId::parse(bad), Err(SessionIdError));
        }
    }
}
