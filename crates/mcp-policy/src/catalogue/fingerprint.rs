//! What makes two definitions the same: one digest over their canonical form.

use std::fmt;

use sha2::{Digest, Sha256};

use mcp_wire::{JsonType, Malformed, ToolDefinition, write_json_string};

use super::form::{CanonicalFault, Form};
use super::tree::Tree;
use crate::hex;

/// The members of a definition that count, in the order of the canonical form.
pub(super) const MEMBERS: [&str; 6] = [
    "annotations",
    "description",
    SCHEMA,
    "name",
    "outputSchema",
    "title",
];

const SCHEMA: &str = "inputSchema";

/// The types and texts of [`MEMBERS`], where they are there.
pub(super) type Members<'a> = [Option<(JsonType, &'a str)>; MEMBERS.len()];

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
        let members = definition.members(MEMBERS);
        let [_, _, schema, _, _, _] = members;
        let schema = schema.map_or(Ok(String::new()), |(_, schema)| canonical_form(schema));
        Self::of_members(&members, schema).map(|(whole, _)| whole)
    }

    /// The fingerprint of a definition whose [`MEMBERS`] these are, and that of its input schema, whose canonical form is
    /// given.
    pub(super) fn of_members(
        members: &Members<'_>,
        schema: Result<String, CanonicalFault>,
    ) -> Result<(Self, Self), CanonicalFault> {
        let room = members.iter().flatten().map(|(_, text)| text.len() + 20).sum();
        let mut text = String::with_capacity(room);
        text.push('{');
        for (name, member) in MEMBERS.into_iter().zip(members) {
            let value = match member {
                Some((JsonType::Null, _)) if name != SCHEMA => continue,
                Some((_, value)) => value,
                None => continue,
            };
            if text.len() > 1 {
                text.push(',');
            }
            write_json_string(&mut text, name);
            text.push(':');
            if name == SCHEMA {
                text.push_str(schema.as_ref().map_err(|fault| *fault)?);
            } else {
                write_canonical(&mut text, value)?;
            }
        }
        text.push('}');
        let whole = Self::of("mcp-tool-definition/1\n", &text);
        Ok((whole, Self::of("mcp-input-schema/1\n", &schema?)))
    }

    /// Reads the printed form.
    ///
    /// # Errors
    ///
    /// [`FingerprintError`] when the text is not wholly of the form.
    pub fn parse(text: &str) -> Result<Self, FingerprintError> {
        text.strip_prefix(Self::PREFIX)
            .and_then(hex::read)
            .map(Self)
            .ok_or(FingerprintError)
    }

    /// The digest, without the prefix of the printed form.
    pub(crate) const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    fn of(prefix: &str, text: &str) -> Self {
        Self(
            Sha256::new()
                .chain_update(prefix)
                .chain_update(text)
                .finalize()
                .into(),
        )
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::PREFIX)?;
        hex::write(f, &self.0)
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
    let mut canonical = String::with_capacity(text.len());
    write_canonical(&mut canonical, text)?;
    Ok(canonical)
}

fn write_canonical(target: &mut String, text: &str) -> Result<(), CanonicalFault> {
    let tree = Tree::read(text).map_err(|_: Malformed| CanonicalFault::NotJson)?;
    tree.write(target, Form::Canonical)
}
