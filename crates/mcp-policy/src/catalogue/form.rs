//! The forms in which a JSON text is written, and why one may have no canonical form.

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
