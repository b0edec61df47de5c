//! One JSON text as a flat tree.
//!
//! The nodes lie in one list in the order of the text, and each names the place where what is in it ends. So neither
//! reading, writing nor dropping recurses, however deep the text is nested, and no node has a list of its own.

use std::borrow::Cow;
use std::collections::BTreeSet;

use mcp_wire::{JsonPiece, JsonReader, JsonType, Malformed};

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

    /// The name of a member; empty for any other value. Borrowed from the text where it stands without an escape.
    pub(super) fn name(&self, place: Place) -> &Cow<'a, str> {
        self.nodes
            .get(place)
            .map_or(&Cow::Borrowed(""), |node| &node.name)
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
        self.items(object).map(|place| (&**self.name(place), place))
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

/// Up to how many members are compared each with each other.
pub(super) const FEW: usize = 12;
