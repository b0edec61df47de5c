//! One JSON text as a flat tree, and the two ways to write it: as it stood, and in the canonical form of RFC 8785.
//!
//! The nodes lie in one list and name each other by place, so that neither reading, writing nor dropping recurses,
//! however deep the text is nested.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeSet;

use mcp_wire::{JsonPiece, JsonReader, JsonType, Malformed, write_json_string};

use super::number::write_number;

/// A JSON text that was read whole. Of several members with one name the last is kept, in its own place.
pub(super) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
}

/// The place of a value in its tree.
pub(super) type Place = usize;

/// A value; an array or object names the places of its items.
pub(super) enum Node<'a> {
    Object(Vec<(Cow<'a, str>, Place)>),
    Array(Vec<Place>),
    String(Cow<'a, str>),
    Number(&'a str),
    Boolean(bool),
    Null,
}

/// How a tree is written.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// Members in their order, numbers in their own digits.
    AsWritten,
    /// [RFC 8785](https://www.rfc-editor.org/rfc/rfc8785): members by the UTF-16 units of their names, numbers as
    /// ECMAScript prints them.
    Canonical,
}

/// Why a text has no canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum CanonicalFault {
    /// A number is beyond the range of a double, so that no reader is bound to know it
    /// ([RFC 8785, section 3.2.2.3](https://www.rfc-editor.org/rfc/rfc8785#section-3.2.2.3)).
    #[error("a number is beyond the range of a double")]
    NumberBeyondDouble,
    /// The text is not one JSON value.
    #[error("the text is not one JSON value")]
    NotJson,
}

impl CanonicalFault {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::NumberBeyondDouble => "number-beyond-double",
            Self::NotJson => "not-json",
        }
    }
}

impl Node<'_> {
    pub(super) const fn kind(&self) -> JsonType {
        match self {
            Self::Object(_) => JsonType::Object,
            Self::Array(_) => JsonType::Array,
            Self::String(_) => JsonType::String,
            Self::Number(_) => JsonType::Number,
            Self::Boolean(_) => JsonType::Boolean,
            Self::Null => JsonType::Null,
        }
    }
}

impl<'a> Tree<'a> {
    /// Where the text's one value stands.
    pub(super) const ROOT: Place = 0;

    /// Reads a text.
    ///
    /// # Errors
    ///
    /// [`Malformed`] when the text is not one JSON value.
    pub(super) fn read(text: &'a str) -> Result<Self, Malformed> {
        // A value and its name seldom take fewer bytes.
        let mut tree = Self {
            nodes: Vec::with_capacity(text.len() / 24),
        };
        let mut open: Vec<Place> = Vec::new();
        let mut name = None;
        for piece in JsonReader::new(text) {
            let node = match piece? {
                JsonPiece::Name(text) => {
                    name = Some(text);
                    continue;
                }
                JsonPiece::ObjectEnd | JsonPiece::ArrayEnd => {
                    if let Some(Node::Object(members)) =
                        open.pop().and_then(|place| tree.nodes.get_mut(place))
                    {
                        keep_last(members);
                    }
                    continue;
                }
                JsonPiece::ObjectStart => Node::Object(Vec::new()),
                JsonPiece::ArrayStart => Node::Array(Vec::new()),
                JsonPiece::String(text) => Node::String(text),
                JsonPiece::Number(text) => Node::Number(text),
                JsonPiece::Boolean(value) => Node::Boolean(value),
                JsonPiece::Null => Node::Null,
            };
            let place = tree.nodes.len();
            match open.last().and_then(|parent| tree.nodes.get_mut(*parent)) {
                Some(Node::Object(members)) => members.push((name.take().unwrap_or_default(), place)),
                Some(Node::Array(items)) => items.push(place),
                Some(Node::String(_) | Node::Number(_) | Node::Boolean(_) | Node::Null) | None => {}
            }
            if matches!(node, Node::Object(_) | Node::Array(_)) {
                open.push(place);
            }
            tree.nodes.push(node);
        }
        Ok(tree)
    }

    /// The value at a place of this tree.
    pub(super) fn node(&self, place: Place) -> &Node<'a> {
        self.nodes.get(place).unwrap_or(&Node::Null)
    }

    /// The members of the root; `None` when it is no object.
    pub(super) fn root_members(&self) -> Option<&[(Cow<'a, str>, Place)]> {
        match self.node(Self::ROOT) {
            Node::Object(members) => Some(members),
            Node::Array(_) | Node::String(_) | Node::Number(_) | Node::Boolean(_) | Node::Null => None,
        }
    }

    /// Drops the members of the root that `keep` does not name.
    pub(super) fn retain_root(&mut self, keep: impl Fn(&str) -> bool) {
        if let Some(Node::Object(members)) = self.nodes.first_mut() {
            members.retain(|(name, _)| keep(name));
        }
    }

    /// Everything below the root and the root itself, in the order of the text, with its level; the root's is 1.
    pub(super) fn walk(&self) -> impl Iterator<Item = (&Node<'a>, usize)> {
        let mut ahead = vec![(Self::ROOT, 1)];
        std::iter::from_fn(move || {
            let (place, level) = ahead.pop()?;
            let node = self.node(place);
            match node {
                Node::Object(members) => {
                    ahead.extend(members.iter().rev().map(|(_, place)| (*place, level + 1)));
                }
                Node::Array(items) => ahead.extend(items.iter().rev().map(|place| (*place, level + 1))),
                Node::String(_) | Node::Number(_) | Node::Boolean(_) | Node::Null => {}
            }
            Some((node, level))
        })
    }

    /// Appends the text of the whole tree, without whitespace.
    ///
    /// # Errors
    ///
    /// [`CanonicalFault::NumberBeyondDouble`], in the canonical form only; what is written by then stays.
    pub(super) fn write(&self, text: &mut String, form: Form) -> Result<(), CanonicalFault> {
        /// An open array or object: what of it is still to be written.
        enum Open<'t, 'a> {
            Object(std::slice::Iter<'t, (Cow<'a, str>, Place)>),
            Sorted(std::vec::IntoIter<&'t (Cow<'a, str>, Place)>),
            Array(std::slice::Iter<'t, Place>),
        }
        let mut open: Vec<Open<'_, 'a>> = Vec::new();
        let mut next = Some(Self::ROOT);
        loop {
            let begun = match next.take().map(|place| self.node(place)) {
                Some(Node::Object(members)) => {
                    text.push('{');
                    open.push(match form {
                        Form::Canonical if !members.is_sorted_by(|one, other| is_before(one, other)) => {
                            let mut order: Vec<_> = members.iter().collect();
                            order.sort_unstable_by(|(one, _), (other, _)| by_units(one, other));
                            Open::Sorted(order.into_iter())
                        }
                        Form::Canonical | Form::AsWritten => Open::Object(members.iter()),
                    });
                    true
                }
                Some(Node::Array(items)) => {
                    text.push('[');
                    open.push(Open::Array(items.iter()));
                    true
                }
                Some(Node::String(value)) => {
                    write_json_string(text, value);
                    false
                }
                Some(Node::Number(literal)) => {
                    match form {
                        Form::AsWritten => text.push_str(literal),
                        Form::Canonical => write_number(text, literal)?,
                    }
                    false
                }
                Some(Node::Boolean(value)) => {
                    text.push_str(if *value { "true" } else { "false" });
                    false
                }
                Some(Node::Null) => {
                    text.push_str("null");
                    false
                }
                None => false,
            };
            let Some(innermost) = open.last_mut() else {
                return Ok(());
            };
            let (member, close) = match innermost {
                Open::Object(members) => (members.next(), '}'),
                Open::Sorted(members) => (members.next(), '}'),
                Open::Array(items) => {
                    next = items.next().copied();
                    (None, ']')
                }
            };
            if let Some((name, place)) = member {
                if !begun {
                    text.push(',');
                }
                write_json_string(text, name);
                text.push(':');
                next = Some(*place);
            } else if next.is_some() {
                if !begun {
                    text.push(',');
                }
            } else {
                text.push(close);
                open.pop();
            }
        }
    }
}

/// The order of two names by their UTF-16 units. It is that of their bytes unless one has a character beyond U+D7FF.
fn by_units(one: &str, other: &str) -> Ordering {
    if one.is_ascii() && other.is_ascii() {
        one.cmp(other)
    } else {
        one.encode_utf16().cmp(other.encode_utf16())
    }
}

/// Whether a member may stand before another in the canonical form. No two have one name.
fn is_before((one, _): &(Cow<'_, str>, Place), (other, _): &(Cow<'_, str>, Place)) -> bool {
    by_units(one, other).is_lt()
}

/// Keeps the last of the members that have one name.
fn keep_last(members: &mut Vec<(Cow<'_, str>, Place)>) {
    // A few are compared with each other without a list of their own.
    if members.len() <= FEW && !has_twins(members) {
        return;
    }
    let mut ordered: Vec<(&str, Place)> = members.iter().map(|(name, place)| (&**name, *place)).collect();
    ordered.sort_unstable();
    // Places rise with the text, so of one name all but the last are followed by a twin.
    let gone = ordered
        .array_windows()
        .filter(|[(one, _), (other, _)]| one == other);
    let gone: BTreeSet<Place> = gone.map(|[(_, place), _]| *place).collect();
    if !gone.is_empty() {
        members.retain(|(_, place)| !gone.contains(place));
    }
}

/// Up to how many names are compared each with each other.
const FEW: usize = 12;

fn has_twins(members: &[(Cow<'_, str>, Place)]) -> bool {
    let mut later = members;
    while let Some(((name, _), rest)) = later.split_first() {
        if rest.iter().any(|(other, _)| name == other) {
            return true;
        }
        later = rest;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, form: Form) -> String {
        let mut written = String::new();
        Tree::read(text).unwrap().write(&mut written, form).unwrap();
        written
    }

    #[test]
    fn as_written_keeps_order_and_digits() {
        assert_eq!(
            written(
                r#" { "b" : [ 1.50 , 9007199254740993 ] , "a" : "\u0041\/" } "#,
                Form::AsWritten
            ),
            r#"{"b":[1.50,9007199254740993],"a":"A/"}"#
        );
    }

    #[test]
    fn the_last_member_of_a_name_is_kept_at_every_level() {
        let text = r#"{"a":{"x":1,"y":2,"\u0078":3},"b":0,"a":{"x":[],"x":{}}}"#;
        assert_eq!(written(text, Form::AsWritten), r#"{"b":0,"a":{"x":{}}}"#);
        assert_eq!(written(text, Form::Canonical), r#"{"a":{"x":{}},"b":0}"#);
    }

    #[test]
    fn the_last_member_of_a_name_is_kept_among_few_and_among_many() {
        for count in 1..=2 * FEW {
            let members = |value: usize| (0..count).map(move |name| format!(r#""n{name:02}":{value}"#));
            let once: Vec<String> = members(1).collect();
            let twice: Vec<String> = members(0).chain(members(1)).collect();
            let expected = format!("{{{}}}", once.join(","));
            for text in [&once, &twice] {
                assert_eq!(
                    written(&format!("{{{}}}", text.join(",")), Form::Canonical),
                    expected
                );
            }
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let text = "[".repeat(1_024) + &"]".repeat(1_024);
        assert_eq!(written(&text, Form::Canonical), text);
        assert_eq!(
            Tree::read(&text).unwrap().walk().map(|(_, level)| level).max(),
            Some(1_024)
        );
    }
}
