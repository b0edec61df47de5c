//! One JSON text as a flat tree, and the two ways to write it: as it stood, and in the canonical form of RFC 8785.
//!
//! The nodes lie in one list in the order of the text, and each names the place where what is in it ends. So neither
//! reading, writing nor dropping recurses, however deep the text is nested, and no node has a list of its own.

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

/// A value, and its name where it is a member.
pub(super) struct Node<'a> {
    name: Cow<'a, str>,
    pub(super) value: Value<'a>,
    /// How deep it lies. The root's level is 1.
    pub(super) level: usize,
    /// The place after everything that is in it.
    end: Place,
    /// Whether it and everything in it is passed over.
    gone: bool,
}

/// What a value is, apart from what is in it.
pub(super) enum Value<'a> {
    Object,
    Array,
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
    /// Its name; empty where it is no member.
    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl Value<'_> {
    pub(super) const fn kind(&self) -> JsonType {
        match self {
            Self::Object => JsonType::Object,
            Self::Array => JsonType::Array,
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
        let mut name = Cow::default();
        for piece in JsonReader::new(text) {
            let value = match piece? {
                JsonPiece::Name(text) => {
                    name = text;
                    continue;
                }
                JsonPiece::ObjectEnd => {
                    if let Some(object) = tree.close(&mut open) {
                        tree.keep_last(object);
                    }
                    continue;
                }
                JsonPiece::ArrayEnd => {
                    tree.close(&mut open);
                    continue;
                }
                JsonPiece::ObjectStart => Value::Object,
                JsonPiece::ArrayStart => Value::Array,
                JsonPiece::String(text) => Value::String(text),
                JsonPiece::Number(text) => Value::Number(text),
                JsonPiece::Boolean(value) => Value::Boolean(value),
                JsonPiece::Null => Value::Null,
            };
            let place = tree.nodes.len();
            let level = open.len() + 1;
            if matches!(value, Value::Object | Value::Array) {
                open.push(place);
            }
            tree.nodes.push(Node {
                name: std::mem::take(&mut name),
                value,
                level,
                end: place + 1,
                gone: false,
            });
        }
        Ok(tree)
    }

    /// Everything from here on is no more in the innermost open value. Which one that is.
    fn close(&mut self, open: &mut Vec<Place>) -> Option<Place> {
        let (place, end) = (open.pop()?, self.nodes.len());
        self.nodes.get_mut(place)?.end = end;
        Some(place)
    }

    /// Keeps the last of the members that have one name.
    fn keep_last(&mut self, object: Place) {
        // A few are compared with each other without a list of their own.
        if self.items(object).nth(FEW).is_none() && !self.has_twins(object) {
            return;
        }
        let mut ordered: Vec<(&str, Place)> = self.members(object).collect();
        ordered.sort_unstable();
        // Places rise with the text, so of one name all but the last are followed by a twin.
        let gone = ordered
            .array_windows()
            .filter(|[(one, _), (other, _)]| one == other);
        let gone: BTreeSet<Place> = gone.map(|[(_, place), _]| *place).collect();
        self.pass_over(gone);
    }

    fn has_twins(&self, object: Place) -> bool {
        let mut later = self.members(object);
        while let Some((name, _)) = later.next() {
            if later.clone().any(|(other, _)| name == other) {
                return true;
            }
        }
        false
    }

    fn pass_over(&mut self, gone: impl IntoIterator<Item = Place>) {
        for place in gone {
            if let Some(node) = self.nodes.get_mut(place) {
                node.gone = true;
            }
        }
    }

    /// The value at a place of this tree.
    pub(super) fn value(&self, place: Place) -> &Value<'a> {
        self.nodes.get(place).map_or(&Value::Null, |node| &node.value)
    }

    fn name(&self, place: Place) -> &str {
        self.nodes.get(place).map_or("", Node::name)
    }

    /// The places of what is directly in an array or object; none for any other value.
    pub(super) fn items(&self, place: Place) -> Items<'_, 'a> {
        Items {
            nodes: &self.nodes,
            next: place + 1,
            end: self.nodes.get(place).map_or(0, |node| node.end),
        }
    }

    /// The names and places of what is directly in an object.
    pub(super) fn members(&self, object: Place) -> impl Iterator<Item = (&str, Place)> + Clone {
        self.items(object).map(|place| (self.name(place), place))
    }

    /// Drops the members of the root that `keep` does not name.
    pub(super) fn retain_root(&mut self, keep: impl Fn(&str) -> bool) {
        let gone = self.members(Self::ROOT).filter(|(name, _)| !keep(name));
        let gone: Vec<Place> = gone.map(|(_, place)| place).collect();
        self.pass_over(gone);
    }

    /// The root and everything in it, in the order of the text.
    pub(super) fn walk(&self) -> impl Iterator<Item = &Node<'a>> {
        let mut at = Self::ROOT;
        std::iter::from_fn(move || {
            loop {
                let node = self.nodes.get(at)?;
                if !node.gone {
                    at += 1;
                    return Some(node);
                }
                at = node.end;
            }
        })
    }

    /// Appends the text of the whole tree, without whitespace.
    ///
    /// # Errors
    ///
    /// [`CanonicalFault::NumberBeyondDouble`], in the canonical form only; what is written by then stays.
    pub(super) fn write(&self, text: &mut String, form: Form) -> Result<(), CanonicalFault> {
        /// An array or object that is being written: what closes it, and where in the list of all items its own begin.
        struct Open {
            close: char,
            begin: usize,
            next: usize,
        }
        let mut open: Vec<Open> = Vec::new();
        let mut items: Vec<Place> = Vec::new();
        let mut place = Self::ROOT;
        loop {
            let value = self.value(place);
            match value {
                Value::Object | Value::Array => {
                    let (begin, is_object) = (items.len(), matches!(value, Value::Object));
                    items.extend(self.items(place));
                    if let (Form::Canonical, true, Some(own)) = (form, is_object, items.get_mut(begin..)) {
                        self.sort(own);
                    }
                    text.push(if is_object { '{' } else { '[' });
                    let close = if is_object { '}' } else { ']' };
                    open.push(Open {
                        close,
                        begin,
                        next: begin,
                    });
                }
                Value::String(value) => write_string(text, value),
                Value::Number(literal) => match form {
                    Form::AsWritten => text.push_str(literal),
                    Form::Canonical => write_number(text, literal)?,
                },
                Value::Boolean(value) => text.push_str(if *value { "true" } else { "false" }),
                Value::Null => text.push_str("null"),
            }
            // The next item of the innermost that has one; those that have none end here.
            place = loop {
                let Some(innermost) = open.last_mut() else {
                    return Ok(());
                };
                if let Some(next) = items.get(innermost.next) {
                    if innermost.next > innermost.begin {
                        text.push(',');
                    }
                    innermost.next += 1;
                    if innermost.close == '}' {
                        if let Some(node) = self.nodes.get(*next) {
                            write_string(text, &node.name);
                        }
                        text.push(':');
                    }
                    break *next;
                }
                text.push(innermost.close);
                items.truncate(innermost.begin);
                open.pop();
            };
        }
    }

    /// Puts members into the order of the canonical form. No two have one name.
    fn sort(&self, members: &mut [Place]) {
        let order = |one: &Place, other: &Place| by_units(self.name(*one), self.name(*other));
        if !members.is_sorted_by(|one, other| order(one, other).is_lt()) {
            members.sort_unstable_by(order);
        }
    }
}

/// What is directly in an array or object, by place.
#[derive(Clone)]
pub(super) struct Items<'t, 'a> {
    nodes: &'t [Node<'a>],
    next: Place,
    end: Place,
}

impl Iterator for Items<'_, '_> {
    type Item = Place;

    fn next(&mut self) -> Option<Place> {
        while self.next < self.end {
            let (place, node) = (self.next, self.nodes.get(self.next)?);
            self.next = node.end;
            if !node.gone {
                return Some(place);
            }
        }
        None
    }
}

/// Appends a string that was read. One that is borrowed from its text had no escape there and needs none.
#[expect(clippy::ptr_arg, reason = "whether it is borrowed is what it is asked for")]
fn write_string(text: &mut String, value: &Cow<'_, str>) {
    match value {
        Cow::Borrowed(plain) => {
            text.push('"');
            text.push_str(plain);
            text.push('"');
        }
        Cow::Owned(value) => write_json_string(text, value),
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

/// Up to how many members are compared each with each other.
const FEW: usize = 12;

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
            Tree::read(&text).unwrap().walk().map(|node| node.level).max(),
            Some(1_024)
        );
    }
}
