//! Ids that clients give to their requests: echoed as they are spelled, compared by what they mean.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::code::ErrorCode;
use crate::json::{JsonType, JsonValue};

/// The id of a client's request: a JSON string, or a number that is an integer.
///
/// Two ids are equal when they have the same type and value, however they are spelled: `1` and `1.0` are, `1` and `"1"`
/// are not. An answer repeats the spelling.
///
/// [MCP 2025-11-25, Base Protocol, Requests](https://modelcontextprotocol.io/specification/2025-11-25/basic#requests).
#[derive(Clone)]
pub struct ClientId {
    spelling: Box<str>,
    value: Value,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Value {
    Integer(i64),
    Text(Box<str>),
}

impl ClientId {
    /// The longest accepted spelling, in bytes.
    pub const MAX_BYTES: usize = 1_024;

    pub(super) fn parse(value: &JsonValue<'_>) -> Option<Self> {
        if value.text.len() > Self::MAX_BYTES {
            return None;
        }
        let meaning = match value.kind {
            JsonType::String => Value::Text(value.as_string()?.decode().into_owned().into_boxed_str()),
            JsonType::Number => Value::Integer(ErrorCode::from_literal(value.text).ok()?.get()),
            JsonType::Object | JsonType::Array | JsonType::Boolean | JsonType::Null => return None,
        };
        Some(Self {
            spelling: value.text.to_owned().into_boxed_str(),
            value: meaning,
        })
    }

    /// Appends the id as the client spelled it.
    pub(super) fn write(&self, target: &mut String) {
        target.push_str(&self.spelling);
    }
}

impl PartialEq for ClientId {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for ClientId {}

impl Hash for ClientId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

impl fmt::Debug for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClientId({} bytes)", self.spelling.len())
    }
}
