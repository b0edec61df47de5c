//! JSON read in place: RFC 8259 syntax in one pass over the text, without recursion and without copies.

mod block;
#[cfg(test)]
mod differential;
mod lexeme;
mod long_strings;
mod reader;
mod scanner;
mod string;

use core::fmt;

use crate::limits::ReplyLimits;
use crate::malformed::{Malformed, MalformedKind};

pub(crate) use self::long_strings::LongStrings;
pub use self::reader::{JsonPiece, JsonReader};
pub(crate) use self::scanner::{Position, Scanner};
pub(crate) use self::string::StringToken;
pub use self::string::write_json_string;

/// The type of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of RFC 8259, section 3")]
pub enum JsonType {
    Object,
    Array,
    String,
    Number,
    Boolean,
    Null,
}

impl JsonType {
    /// The type's name, as RFC 8259 spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Null => "null",
        }
    }
}

impl fmt::Display for JsonType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One JSON value as it stands in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JsonValue<'a> {
    pub(crate) kind: JsonType,
    /// The value's own text, without surrounding whitespace.
    pub(crate) text: &'a str,
    /// Where `text` starts, in bytes from the start of the scanned text.
    pub(crate) offset: usize,
}

impl<'a> JsonValue<'a> {
    /// The value itself when it is of type `kind`; `fault` with the found type otherwise.
    pub(crate) fn require(self, kind: JsonType, fault: MalformedKind) -> Result<Self, Malformed> {
        if self.kind == kind {
            Ok(self)
        } else {
            Err(Malformed::found(fault, self.kind))
        }
    }

    /// The string that the value is; `fault` with the found type otherwise.
    pub(crate) fn require_string(self, fault: MalformedKind) -> Result<StringToken<'a>, Malformed> {
        self.as_string().ok_or(Malformed::found(fault, self.kind))
    }

    /// The string that the value is, if it is one.
    pub(crate) fn as_string(&self) -> Option<StringToken<'a>> {
        match self.kind {
            JsonType::String => StringToken::of_quoted(self.text),
            JsonType::Object | JsonType::Array | JsonType::Number | JsonType::Boolean | JsonType::Null => {
                None
            }
        }
    }
}

/// Walks one level of a scanned object.
pub(crate) fn for_each_member<'a>(
    object: &'a str,
    mut read: impl FnMut(&str, JsonValue<'a>),
) -> Result<(), Malformed> {
    let mut scanner = Scanner::new(object, ReplyLimits::MAX_DEPTH);
    let mut position = scanner.enter()?;
    while let Some(name) = scanner.member(position)? {
        position = Position::Later;
        let value = scanner.skip()?;
        read(&name.decode(), value);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_type_is_named_as_the_grammar_names_it() {
        for (text, name) in [
            ("{}", "object"),
            ("[]", "array"),
            ("\"\"", "string"),
            ("0", "number"),
            ("true", "boolean"),
            ("null", "null"),
        ] {
            let value = Scanner::new(text, 1).skip().unwrap();
            assert_eq!(value.kind.to_string(), name);
            assert_eq!(value.kind.name(), name);
        }
    }
}
