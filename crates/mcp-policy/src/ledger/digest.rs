//! A digest: what stands in the ledger in the place of a payload.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::hex;

/// SHA-256 over a prefix that names what it is of, a line feed, and the bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of `bytes` as what `prefix` names.
    #[must_use]
    pub fn of(prefix: &str, bytes: &[u8]) -> Self {
        Self::of_pieces(&[prefix.as_bytes(), b"\n", bytes])
    }

    /// The digest of what these pieces are, one after another.
    pub(crate) fn of_pieces(pieces: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        pieces.iter().for_each(|piece| hasher.update(piece));
        Self(hasher.finalize().into())
    }

    /// A digest that was kept as bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads the printed form: 64 hexadecimal digits in lower case.
    ///
    /// # Errors
    ///
    /// [`DigestError`] when the text is not wholly of the form.
    pub fn parse(text: &str) -> Result<Self, DigestError> {
        hex::read(text).map(Self).ok_or(DigestError)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::write(f, &self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// A text that is no digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 64 hexadecimal digits in lower case")]
pub struct DigestError;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read() {
        let digest = Digest::of("mcp-arguments/1", b"{}");
        assert_eq!(Digest::parse(&digest.to_string()), Ok(digest));
        assert_ne!(digest, Digest::of("mcp-result/1", b"{}"));
        // The prefix and the bytes are told apart.
        assert_ne!(Digest::of("a", b"b\nc"), Digest::of("a\nb", b"c\n"));
        let text = digest.to_string();
        for bad in [
            &text[1..],
            &text.to_uppercase(),
            &format!("{text}0"),
            "",
            &text.replace(&text[..1], "g"),
        ] {
            assert_eq!(Digest::parse(bad), Err(DigestError), "{bad}");
        }
    }
}
