//! Which input schemas a tool may have, and what of one is kept.
//!
//! A schema is taken as it stands or refused; it is never repaired. Only the root is filtered: of its members those in
//! [`KEPT`] stay, with everything below them, and the others go. Why these nine, and why the refused ones are refused
//! wherever they stand, is told in `docs/decisions/0012-what-is-kept-of-an-input-schema.md`.

use mcp_wire::{JsonType, MalformedKind};

use super::form::Form;
use super::tree::{Node, Place, Tree, Value};

/// The members of a root that are kept.
pub const KEPT: [&str; 9] = [
    "type",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
];

/// The names that refuse a schema: at its root, and as the name of any member below what is kept.
pub const REFUSED: [&str; 12] = [
    "$ref",
    "$dynamicRef",
    "$defs",
    "definitions",
    "if",
    "then",
    "else",
    "patternProperties",
    "propertyNames",
    "dependentSchemas",
    "dependentRequired",
    "unevaluatedProperties",
];

/// An input schema in the form that models and gates are shown: a JSON object, without whitespace, its members in the
/// server's order and its numbers in the server's digits.
#[derive(Clone, PartialEq, Eq)]
pub struct InputSchema(String);

impl InputSchema {
    /// The deepest nesting of what is kept. The root is level 1.
    pub const MAX_DEPTH: usize = 12;

    /// The longest text of what is kept, in bytes.
    pub const MAX_BYTES: usize = 16_384;

    /// Reads a server's schema.
    ///
    /// # Errors
    ///
    /// [`SchemaFault`] of the first rule that it breaks, in the order of the variants. The server is at fault.
    pub fn normalise(text: &str) -> Result<Self, SchemaFault> {
        Self::of_tree(read(text)?, text.len())
    }

    /// As [`InputSchema::normalise`], of a text of `length` bytes that was read before.
    pub(super) fn of_tree(mut tree: Tree<'_>, length: usize) -> Result<Self, SchemaFault> {
        require_object(&tree)?;
        match find(&tree, "type").map(|place| tree.value(place)) {
            Some(Value::String(name)) if name == "object" => {}
            Some(_) | None => return Err(SchemaFault::RootType),
        }
        if let Some(name) = tree.members(Tree::ROOT).find_map(|(name, _)| refused(name)) {
            return Err(SchemaFault::Refused { name });
        }
        tree.retain_root(|name| KEPT.contains(&name));
        if let Some(name) = tree.walk().find_map(|node| refused(node.name())) {
            return Err(SchemaFault::Refused { name });
        }
        check_forms(&tree)?;
        let is_too_deep = |node: &Node<'_>| {
            node.level > Self::MAX_DEPTH && matches!(node.value, Value::Object | Value::Array)
        };
        if tree.walk().any(is_too_deep) {
            return Err(SchemaFault::TooDeep);
        }
        let mut text = String::with_capacity(length.min(Self::MAX_BYTES));
        tree.write(&mut text, Form::AsWritten)
            .map_err(|_canonical_only| SchemaFault::NotJson)?;
        if text.len() > Self::MAX_BYTES {
            return Err(SchemaFault::TooLarge);
        }
        Ok(Self(text))
    }

    /// Takes a schema that was normalised before and comes back from a store.
    ///
    /// # Errors
    ///
    /// [`SchemaFault::NotJson`] or [`SchemaFault::NotObject`] when the text no longer decodes to an object; the store is
    /// at fault. The other rules were judged when it was imported.
    pub fn from_stored(text: &str) -> Result<Self, SchemaFault> {
        require_object(&read(text)?)?;
        Ok(Self(text.to_owned()))
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }

    /// The JSON text of the object.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for InputSchema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "InputSchema({} bytes)", self.0.len())
    }
}

/// Why a schema cannot be used. Names a rule of ours, never a word of the server's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaFault {
    /// The definition has no `inputSchema`.
    #[error("the definition has no input schema")]
    Missing,
    /// The text is not one JSON value.
    #[error("the input schema is not one JSON value")]
    NotJson,
    /// The schema is of another JSON type.
    #[error("the input schema is not an object")]
    NotObject,
    /// The root's `type` is missing or anything but the string `object`.
    #[error("the root's `type` is not the string \"object\"")]
    RootType,
    /// A name of [`REFUSED`] stands at the root or in what is kept.
    #[error("the schema holds `{name}`, which is not supported")]
    Refused {
        /// Which.
        name: &'static str,
    },
    /// The root's `description` is of another JSON type.
    #[error("the root's `description` is not a string")]
    Description,
    /// The root's `properties` is of another JSON type.
    #[error("the root's `properties` is not an object")]
    Properties,
    /// A member of the root's `properties` is of another JSON type.
    #[error("a property is not an object")]
    Property,
    /// The root's `required` is no array of strings.
    #[error("the root's `required` is not a list of strings")]
    Required,
    /// The root's `additionalProperties` is of another JSON type.
    #[error("the root's `additionalProperties` is not a boolean")]
    AdditionalProperties,
    /// `allOf`, `anyOf` or `oneOf` of the root is no array of objects, or an empty one.
    #[error("the root's `{name}` is not a list of one or more objects")]
    Combinator {
        /// Which.
        name: &'static str,
    },
    /// The root's `not` is of another JSON type.
    #[error("the root's `not` is not an object")]
    Not,
    /// What is kept is nested deeper than [`InputSchema::MAX_DEPTH`].
    #[error("what is kept of the schema is nested deeper than 12 levels")]
    TooDeep,
    /// What is kept is longer than [`InputSchema::MAX_BYTES`].
    #[error("what is kept of the schema is longer than 16,384 bytes")]
    TooLarge,
}

impl SchemaFault {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Missing => "schema-missing",
            Self::NotJson => "schema-not-json",
            Self::NotObject => "schema-not-object",
            Self::RootType => "schema-root-type",
            Self::Refused { .. } => "schema-refused-keyword",
            Self::Description => "schema-description",
            Self::Properties => "schema-properties",
            Self::Property => "schema-property",
            Self::Required => "schema-required",
            Self::AdditionalProperties => "schema-additional-properties",
            Self::Combinator { .. } => "schema-combinator",
            Self::Not => "schema-not",
            Self::TooDeep => "schema-too-deep",
            Self::TooLarge => "schema-too-large",
        }
    }
}

/// Reads the text of a schema.
pub(super) fn read(text: &str) -> Result<Tree<'_>, SchemaFault> {
    Tree::read(text).map_err(|fault| {
        if fault.kind() == MalformedKind::TooDeep {
            SchemaFault::TooDeep
        } else {
            SchemaFault::NotJson
        }
    })
}

fn refused(name: &str) -> Option<&'static str> {
    REFUSED.into_iter().find(|refused| *refused == name)
}

fn require_object(tree: &Tree<'_>) -> Result<(), SchemaFault> {
    match tree.value(Tree::ROOT) {
        Value::Object => Ok(()),
        Value::Array | Value::String(_) | Value::Number(_) | Value::Boolean(_) | Value::Null => {
            Err(SchemaFault::NotObject)
        }
    }
}

/// The place of a member of the root.
fn find(tree: &Tree<'_>, name: &str) -> Option<Place> {
    let found = tree.members(Tree::ROOT).find(|(member, _)| *member == name);
    found.map(|(_, place)| place)
}

/// The types of the root's members that are kept.
fn check_forms(tree: &Tree<'_>) -> Result<(), SchemaFault> {
    let is = |place: Place, kind| tree.value(place).kind() == kind;
    let check = |name, fault, holds: &dyn Fn(Place) -> bool| match find(tree, name) {
        Some(place) if !holds(place) => Err(fault),
        Some(_) | None => Ok(()),
    };
    let all = |place, kind| tree.items(place).all(|item| is(item, kind));
    check("description", SchemaFault::Description, &|place| {
        is(place, JsonType::String)
    })?;
    check("properties", SchemaFault::Properties, &|place| {
        is(place, JsonType::Object)
    })?;
    check("properties", SchemaFault::Property, &|place| {
        all(place, JsonType::Object)
    })?;
    check("required", SchemaFault::Required, &|place| {
        is(place, JsonType::Array) && all(place, JsonType::String)
    })?;
    check(
        "additionalProperties",
        SchemaFault::AdditionalProperties,
        &|place| is(place, JsonType::Boolean),
    )?;
    for name in ["allOf", "anyOf", "oneOf"] {
        check(name, SchemaFault::Combinator { name }, &|place| {
            let is_empty = tree.items(place).next().is_none();
            is(place, JsonType::Array) && !is_empty && all(place, JsonType::Object)
        })?;
    }
    check("not", SchemaFault::Not, &|place| is(place, JsonType::Object))
}
