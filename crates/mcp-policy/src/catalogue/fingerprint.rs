//! What makes two definitions the same: one digest over their canonical form.

use std::fmt;

use sha2::{Digest, Sha256};

use mcp_wire::{JsonType, Malformed, ToolDefinition, write_json_string};

use super::tree::{CanonicalFault, Form, Tree};

/// The members of a definition that count, in the order of the canonical form.
const MEMBERS: [&str; 6] = [
    "annotations",
    "description",
    "inputSchema",
    "name",
    "outputSchema",
    "title",
];

/// The digest of a definition, or of one input schema.
///
/// SHA-256 over a prefix and the canonical form of [RFC 8785](https://www.rfc-editor.org/rfc/rfc8785). For a definition
/// the prefix is `mcp-tool-definition/1` and a line feed, and the form is that of an object with `name`, `title`,
/// `description`, `inputSchema`, `outputSchema` and `annotations` as the server wrote them. A member that is absent stays
/// absent; a `null` in place of an optional one counts as absent; other members do not count. For an input schema alone
/// the prefix is `mcp-input-schema/1` and a line feed.
///
/// Printed as `mcp1:` and 64 hexadecimal digits in lower case. The `1` is that of the prefix: another canonical form or
/// another set of members would be another number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// What stands before the digits.
    pub const PREFIX: &str = "mcp1:";

    /// The fingerprint of a definition.
    ///
    /// # Errors
    ///
    /// [`CanonicalFault`]: the definition has no canonical form. The server is at fault.
    pub fn of_definition(definition: &ToolDefinition) -> Result<Self, CanonicalFault> {
        let mut text = String::from("mcp-tool-definition/1\n{");
        let members = MEMBERS
            .into_iter()
            .filter_map(|name| match definition.member(name) {
                Some((JsonType::Null, _)) if name != "inputSchema" => None,
                member => Some((name, member?.1)),
            });
        for (at, (name, value)) in members.enumerate() {
            if at > 0 {
                text.push(',');
            }
            write_json_string(&mut text, name);
            text.push(':');
            text.push_str(&canonical_form(value)?);
        }
        text.push('}');
        Ok(Self::of(&text))
    }

    /// The fingerprint of an input schema as the server wrote it.
    ///
    /// # Errors
    ///
    /// [`CanonicalFault`]: the schema has no canonical form. The server is at fault.
    pub fn of_schema(text: &str) -> Result<Self, CanonicalFault> {
        Ok(Self::of(
            &(String::from("mcp-input-schema/1\n") + &canonical_form(text)?),
        ))
    }

    /// Reads the printed form.
    ///
    /// # Errors
    ///
    /// [`FingerprintError`] when the text is not wholly of the form.
    pub fn parse(text: &str) -> Result<Self, FingerprintError> {
        let digits = text
            .strip_prefix(Self::PREFIX)
            .ok_or(FingerprintError)?
            .as_bytes();
        let mut bytes = [0; 32];
        if digits.len() != 2 * bytes.len() {
            return Err(FingerprintError);
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            for digit in pair {
                let value = match digit {
                    b'0'..=b'9' => digit - b'0',
                    b'a'..=b'f' => digit - b'a' + 10,
                    _ => return Err(FingerprintError),
                };
                *byte = *byte << 4 | value;
            }
        }
        Ok(Self(bytes))
    }

    fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

/// A text that is no fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a fingerprint is mcp1: and 64 digits of 0-9 and a-f")]
pub struct FingerprintError;

/// Whether two JSON texts have one canonical form. A text that has none is like no other.
pub(super) fn same_value(one: &str, other: &str) -> bool {
    one == other || canonical_form(one).is_ok_and(|one| canonical_form(other).is_ok_and(|other| one == other))
}

/// The canonical form of a JSON text by [RFC 8785](https://www.rfc-editor.org/rfc/rfc8785). Of several members with one
/// name the last counts.
///
/// # Errors
///
/// [`CanonicalFault`]; whoever wrote the text is at fault.
pub fn canonical_form(text: &str) -> Result<String, CanonicalFault> {
    let tree = Tree::read(text).map_err(|_: Malformed| CanonicalFault::NotJson)?;
    tree.write(Form::Canonical)
}
