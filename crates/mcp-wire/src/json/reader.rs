//! A JSON text in pieces, for who needs all of it: one piece at a time, without recursion.

use alloc::borrow::Cow;

use super::{JsonType, Position, Scanner};
use crate::limits::ReplyLimits;
use crate::malformed::Malformed;

/// Reads one JSON text from its first value to its end.
///
/// An iterator over [`JsonPiece`]s in the order of the text. Duplicate members are handed out as they stand. It ends
/// after the text's one value, or after the first fault.
pub struct JsonReader<'a> {
    scanner: Scanner<'a>,
    next: Next,
}

/// What comes next in the text.
#[derive(Clone, Copy)]
enum Next {
    /// A value: the text's one, or a member's.
    Value,
    /// An item of the innermost open level, or that level's end.
    Item(Position),
    /// The end of the text.
    End,
    /// Nothing; the end or a fault was reached.
    Nothing,
}

/// A piece of a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonPiece<'a> {
    /// An object begins: names and values in turn, then [`JsonPiece::ObjectEnd`].
    ObjectStart,
    /// The innermost open object ends.
    ObjectEnd,
    /// An array begins.
    ArrayStart,
    /// The innermost open array ends.
    ArrayEnd,
    /// The name of a member, decoded; its value comes next.
    Name(Cow<'a, str>),
    /// A string, decoded.
    String(Cow<'a, str>),
    /// A number as it is written.
    Number(&'a str),
    /// `true` or `false`.
    Boolean(bool),
    /// `null`.
    Null,
}

impl<'a> JsonReader<'a> {
    /// Stands before `text`. Nesting is read to [`ReplyLimits::MAX_DEPTH`] levels.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self {
            scanner: Scanner::new(text, ReplyLimits::MAX_DEPTH),
            next: Next::Value,
        }
    }

    #[inline]
    fn read(&mut self) -> Result<Option<JsonPiece<'a>>, Malformed> {
        match self.next {
            Next::Value => self.value().map(Some),
            Next::Item(position) if self.scanner.in_object() => {
                if let Some(name) = self.scanner.member(position)? {
                    self.next = Next::Value;
                    return Ok(Some(JsonPiece::Name(name.decode())));
                }
                self.after_value();
                Ok(Some(JsonPiece::ObjectEnd))
            }
            Next::Item(position) => {
                if self.scanner.element(position)? {
                    return self.value().map(Some);
                }
                self.after_value();
                Ok(Some(JsonPiece::ArrayEnd))
            }
            Next::End => {
                self.next = Next::Nothing;
                self.scanner.end().map(|()| None)
            }
            Next::Nothing => Ok(None),
        }
    }

    #[inline]
    fn value(&mut self) -> Result<JsonPiece<'a>, Malformed> {
        let kind = self.scanner.peek_type();
        let piece = match kind {
            Some(JsonType::Object | JsonType::Array) => {
                self.next = Next::Item(self.scanner.enter()?);
                return Ok(if kind == Some(JsonType::Object) {
                    JsonPiece::ObjectStart
                } else {
                    JsonPiece::ArrayStart
                });
            }
            Some(JsonType::String) => {
                let string = self.scanner.string_or_skip()?;
                JsonPiece::String(string.map(|string| string.decode()).unwrap_or_default())
            }
            Some(JsonType::Number) => JsonPiece::Number(self.scanner.skip()?.text),
            Some(JsonType::Boolean) => JsonPiece::Boolean(self.scanner.skip()?.text == "true"),
            Some(JsonType::Null) | None => self.scanner.skip().map(|_null| JsonPiece::Null)?,
        };
        self.after_value();
        Ok(piece)
    }

    #[inline]
    fn after_value(&mut self) {
        self.next = if self.scanner.is_at_root() {
            Next::End
        } else {
            Next::Item(Position::Later)
        };
    }
}

impl<'a> Iterator for JsonReader<'a> {
    type Item = Result<JsonPiece<'a>, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let piece = self.read();
        if piece.is_err() {
            self.next = Next::Nothing;
        }
        piece.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::malformed::MalformedKind;
    use alloc::string::String;
    use alloc::vec;
    use alloc::vec::Vec;

    #[test]
    fn a_text_comes_in_the_order_of_its_pieces() {
        use JsonPiece::{ArrayEnd, ArrayStart, Boolean, Name, Null, Number, ObjectEnd, ObjectStart};
        let text = r#" {"a":[1.50,true,null,[]],"\u0061":{}} "#;
        let pieces: Vec<JsonPiece<'_>> = JsonReader::new(text).map(Result::unwrap).collect();
        let expected = vec![
            ObjectStart,
            Name("a".into()),
            ArrayStart,
            Number("1.50"),
            Boolean(true),
            Null,
            ArrayStart,
            ArrayEnd,
            ArrayEnd,
            Name("a".into()),
            ObjectStart,
            ObjectEnd,
            ObjectEnd,
        ];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn a_text_of_one_value_has_one_piece() {
        let pieces: Vec<_> = JsonReader::new(r#""x\ny""#).collect();
        assert_eq!(pieces, [Ok(JsonPiece::String("x\ny".into()))]);
    }

    #[test]
    fn a_fault_is_told_once_and_ends_the_text() {
        let deep = "[".repeat(ReplyLimits::MAX_DEPTH + 1);
        for (text, kind) in [
            ("", MalformedKind::InvalidJson),
            ("{} x", MalformedKind::InvalidJson),
            ("[1,]", MalformedKind::InvalidJson),
            (r#"{"a":1 "b"}"#, MalformedKind::InvalidJson),
            (r#"["\ud800"]"#, MalformedKind::LoneSurrogate),
            (&deep, MalformedKind::TooDeep),
        ] {
            let faults: Vec<_> = JsonReader::new(text).skip_while(Result::is_ok).collect();
            let kinds: Vec<_> = faults
                .iter()
                .map(|fault| fault.as_ref().unwrap_err().kind())
                .collect();
            assert_eq!(kinds, [kind], "{}", text.chars().take(20).collect::<String>());
        }
    }
}
