//! What makes the arguments of two calls the same: one digest over what every reader must read alike.

use std::collections::BTreeSet;
use std::fmt;

use mcp_wire::{Arguments, JsonPiece, JsonReader};
use sha2::{Digest, Sha256};

use crate::catalogue::canonical_form;
use crate::hex;

/// The digest of a call's arguments.
///
/// SHA-256 over `mcp-tool-arguments/1`, a line feed and the canonical form of
/// [RFC 8785](https://www.rfc-editor.org/rfc/rfc8785): spaces, the order of members and the spelling of strings and numbers
/// do not count.
///
/// Arguments are sent as they are written, and that form forgets things that a server may read in its own way: all but the
/// last of several members with one name, and the digits of a number that no double holds. Arguments with either of them
/// have one digest for each way to write them: SHA-256 over `mcp-tool-arguments-as-written/1`, a line feed and their text.
///
/// Printed as `args1:` and 64 hexadecimal digits in lower case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArgumentsDigest([u8; 32]);

impl ArgumentsDigest {
    /// What stands before the digits.
    pub const PREFIX: &str = "args1:";

    /// The digest of these arguments.
    #[must_use]
    pub fn of(arguments: &Arguments) -> Self {
        let text = arguments.as_str();
        match canonical_form(text) {
            Ok(canonical) if has_one_reading(text) => Self::over("mcp-tool-arguments/1\n", &canonical),
            Ok(_) | Err(_) => Self::over("mcp-tool-arguments-as-written/1\n", text),
        }
    }

    /// Reads the printed form.
    ///
    /// # Errors
    ///
    /// [`ArgumentsDigestError`] when the text is not wholly of the form.
    pub fn parse(text: &str) -> Result<Self, ArgumentsDigestError> {
        text.strip_prefix(Self::PREFIX)
            .and_then(hex::read)
            .map(Self)
            .ok_or(ArgumentsDigestError)
    }

    fn over(prefix: &str, text: &str) -> Self {
        let digest = Sha256::new().chain_update(prefix).chain_update(text);
        Self(digest.finalize().into())
    }
}

impl fmt::Display for ArgumentsDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::PREFIX)?;
        hex::write(f, &self.0)
    }
}

impl fmt::Debug for ArgumentsDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArgumentsDigest({self})")
    }
}

/// A text that is no digest of arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a digest of arguments is args1: and 64 digits of 0-9 and a-f")]
pub struct ArgumentsDigestError;

/// Whether every reader must read the same out of a JSON text: no object has two members of one name, and every number is
/// the decimal that its canonical form is.
fn has_one_reading(text: &str) -> bool {
    let mut open: Vec<BTreeSet<String>> = Vec::new();
    JsonReader::new(text).all(|piece| match piece {
        Ok(JsonPiece::ObjectStart) => {
            open.push(BTreeSet::new());
            true
        }
        Ok(JsonPiece::ObjectEnd) => open.pop().is_some(),
        Ok(JsonPiece::Name(name)) => open
            .last_mut()
            .is_some_and(|names| names.insert(name.into_owned())),
        Ok(JsonPiece::Number(literal)) => {
            canonical_form(literal).is_ok_and(|canonical| significant(literal) == significant(&canonical))
        }
        Ok(
            JsonPiece::ArrayStart
            | JsonPiece::ArrayEnd
            | JsonPiece::String(_)
            | JsonPiece::Boolean(_)
            | JsonPiece::Null,
        ) => true,
        Err(_) => false,
    })
}

/// The sign of a number literal and its digits without the zeros around them. A literal and its canonical form are the same
/// decimal when they agree in these: what rounding to a double changes is never a whole power of ten. Zero has a sign, since
/// some readers keep it.
fn significant(literal: &str) -> (bool, String) {
    let (is_negative, unsigned) = match literal.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, literal),
    };
    let mantissa = unsigned.split(['e', 'E']).next().unwrap_or(unsigned);
    let digits = mantissa.replace('.', "");
    (is_negative, digits.trim_matches('0').to_owned())
}
