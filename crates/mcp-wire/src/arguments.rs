//! The arguments of a call: read once, sent as they are.

use alloc::string::String;
use core::fmt;

use crate::json::{JsonType, Scanner};
use crate::limits::ReplyLimits;
use crate::malformed::MalformedKind;

/// The arguments of a tool: the text of one JSON object, sent as it is.
#[derive(Clone, PartialEq, Eq)]
pub struct Arguments(String);

impl Arguments {
    /// Takes the text of a JSON object. Numbers and the order of members are kept as they are spelled.
    ///
    /// # Errors
    ///
    /// [`ArgumentsError`] when the text is no JSON, nested deeper than 510 levels, or its root is no object. The caller
    /// is at fault, and nothing was sent.
    pub fn parse(text: &str) -> Result<Self, ArgumentsError> {
        // One level of the limit is the envelope's and one is `params`.
        let mut scanner = Scanner::new(text, ReplyLimits::default().depth - 2);
        let root = scanner
            .skip()
            .and_then(|root| scanner.end().map(|()| root))
            .map_err(|fault| match (fault.kind(), fault.offset()) {
                (MalformedKind::TooDeep, _) => ArgumentsError::TooDeep,
                (_, offset) => ArgumentsError::NotJson {
                    offset: offset.unwrap_or(0),
                },
            })?;
        if root.kind == JsonType::Object {
            Ok(Self(String::from(root.text)))
        } else {
            Err(ArgumentsError::NotObject { found: root.kind })
        }
    }

    /// No arguments: `{}`.
    #[must_use]
    pub fn none() -> Self {
        Self(String::from("{}"))
    }

    /// The JSON text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arguments({} bytes)", self.0.len())
    }
}

/// Why a text cannot be the arguments of a tool. The caller is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentsError {
    /// The text is not one JSON value.
    #[error("the arguments are not valid JSON at byte {offset}")]
    NotJson {
        /// Bytes from the start of the text.
        offset: usize,
    },
    /// The root is of another type.
    #[error("the arguments must be a JSON object, not a JSON {found}")]
    NotObject {
        /// The type of the root.
        found: JsonType,
    },
    /// The text is nested too deeply.
    #[error("the arguments are nested deeper than 510 levels")]
    TooDeep,
}

impl ArgumentsError {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::NotJson { .. } => "arguments-not-json",
            Self::NotObject { .. } => "arguments-not-object",
            Self::TooDeep => "arguments-too-deep",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn only_an_object_is_taken_and_kept_as_it_is() {
        for (text, taken) in [
            ("{}", Ok("{}")),
            (" {\"b\": 1.0, \"a\":2} \n", Ok("{\"b\": 1.0, \"a\":2}")),
            ("", Err(ArgumentsError::NotJson { offset: 0 })),
            ("{\"a\":x}", Err(ArgumentsError::NotJson { offset: 5 })),
            ("{} {}", Err(ArgumentsError::NotJson { offset: 3 })),
            (
                "[]",
                Err(ArgumentsError::NotObject {
                    found: JsonType::Array,
                }),
            ),
            (
                "null",
                Err(ArgumentsError::NotObject {
                    found: JsonType::Null,
                }),
            ),
        ] {
            let read = Arguments::parse(text);
            assert_eq!(
                read.as_ref().map(Arguments::as_str),
                taken.as_ref().copied(),
                "{text}"
            );
        }
        assert_eq!(Arguments::parse("{}"), Ok(Arguments::none()));
    }

    #[test]
    fn the_deepest_nesting_that_is_taken() {
        let nested =
            |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1));
        assert!(Arguments::parse(&nested(510)).is_ok());
        assert_eq!(Arguments::parse(&nested(511)), Err(ArgumentsError::TooDeep));
    }
}
