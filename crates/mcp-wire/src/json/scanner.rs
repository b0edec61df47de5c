//! The pass over the text: syntax, nesting, and where each value starts and ends.

use super::{JsonType, JsonValue, StringToken};
use crate::limits::ReplyLimits;
use crate::malformed::{Malformed, MalformedKind};

/// A cursor over one JSON text.
///
/// The caller walks the levels that it knows with [`Scanner::enter`], [`Scanner::member`] and [`Scanner::element`], and
/// passes over everything else with [`Scanner::skip`]. Every byte that the cursor has passed is valid JSON. Nesting is
/// kept as one bit for each level in a fixed array, so the stack does not grow with the input.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    depth_limit: usize,
    /// Bit `n` is set when level `n` is an object.
    objects: [u64; ReplyLimits::MAX_DEPTH / 64],
}

/// Where a walk stands in an array or object: before its first item or after one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    First,
    Later,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str, depth_limit: usize) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            depth_limit: depth_limit.min(ReplyLimits::MAX_DEPTH),
            objects: [0; ReplyLimits::MAX_DEPTH / 64],
        }
    }

    /// The type of the next value, by its first byte; `None` where no value can start.
    pub(crate) fn peek_type(&mut self) -> Option<JsonType> {
        self.whitespace();
        Some(match self.byte()? {
            b'{' => JsonType::Object,
            b'[' => JsonType::Array,
            b'"' => JsonType::String,
            b'-' | b'0'..=b'9' => JsonType::Number,
            b't' | b'f' => JsonType::Boolean,
            b'n' => JsonType::Null,
            _ => return None,
        })
    }

    /// Steps into the array or object that comes next.
    pub(crate) fn enter(&mut self) -> Result<Position, Malformed> {
        self.whitespace();
        match self.byte() {
            Some(b'{') => self.push(true),
            Some(b'[') => self.push(false),
            _ => Err(self.syntax()),
        }
    }

    /// The name of the object's next member, its value being next; `None` when the object has ended.
    pub(crate) fn member(&mut self, position: Position) -> Result<Option<StringToken<'a>>, Malformed> {
        if !self.next_item(position, b'}')? {
            return Ok(None);
        }
        self.name().map(Some)
    }

    /// Whether the array has a next element, which is then next; `false` when the array has ended.
    pub(crate) fn element(&mut self, position: Position) -> Result<bool, Malformed> {
        self.next_item(position, b']')
    }

    /// Passes over the next value, however it is nested.
    pub(crate) fn skip(&mut self) -> Result<JsonValue<'a>, Malformed> {
        let kind = self.peek_type().ok_or_else(|| self.syntax())?;
        let (offset, base) = (self.at, self.depth);
        self.value(kind, base)?;
        Ok(JsonValue {
            kind,
            text: self.text.get(offset..self.at).unwrap_or_default(),
            offset,
        })
    }

    /// The next value, which must be a string.
    pub(crate) fn string(&mut self) -> Result<StringToken<'a>, Malformed> {
        let start = self.at + 1;
        let mut end = start;
        let mut escaped = false;
        loop {
            end = plain_run_end(self.text.as_bytes(), end);
            match self.text.as_bytes().get(end) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    end = self.escape(end)?;
                }
                Some(_) | None => return Err(Malformed::at(MalformedKind::InvalidJson, end)),
            }
        }
        self.at = end + 1;
        Ok(StringToken::new(
            self.text.get(start..end).unwrap_or_default(),
            escaped,
        ))
    }

    /// Accepts the end of the text, with whitespace before it.
    pub(crate) fn end(&mut self) -> Result<(), Malformed> {
        self.whitespace();
        if self.at == self.text.len() {
            Ok(())
        } else {
            Err(self.syntax())
        }
    }

    /// The fault of an unexpected byte, or of an unexpected end, at the position.
    pub(crate) fn syntax(&self) -> Malformed {
        Malformed::at(MalformedKind::InvalidJson, self.at)
    }

    fn value(&mut self, mut kind: JsonType, base: usize) -> Result<(), Malformed> {
        loop {
            let opened = match kind {
                JsonType::Object | JsonType::Array => Some(self.enter()?),
                JsonType::String => self.string().map(|_passed| None)?,
                JsonType::Number => self.number().map(|()| None)?,
                JsonType::Boolean | JsonType::Null => self.literal().map(|()| None)?,
            };
            if !self.next_value(opened, base)? {
                return Ok(());
            }
            kind = self.peek_type().ok_or_else(|| self.syntax())?;
        }
    }

    /// After a value or an opening bracket: goes on to the next value, closing what ends on the way. `false` when the
    /// nesting is back at `base`.
    fn next_value(&mut self, opened: Option<Position>, base: usize) -> Result<bool, Malformed> {
        let mut position = opened.unwrap_or(Position::Later);
        while self.depth > base {
            let more = if self.in_object() {
                self.member(position)?.is_some()
            } else {
                self.element(position)?
            };
            if more {
                return Ok(true);
            }
            position = Position::Later;
        }
        Ok(false)
    }

    fn next_item(&mut self, position: Position, close: u8) -> Result<bool, Malformed> {
        self.whitespace();
        match (self.byte(), position) {
            (Some(byte), _) if byte == close => {
                self.at += 1;
                self.depth = self.depth.saturating_sub(1);
                Ok(false)
            }
            (Some(b','), Position::Later) => {
                self.at += 1;
                Ok(true)
            }
            (Some(_), Position::First) => Ok(true),
            (Some(_) | None, _) => Err(self.syntax()),
        }
    }

    fn name(&mut self) -> Result<StringToken<'a>, Malformed> {
        self.whitespace();
        if self.byte() != Some(b'"') {
            return Err(self.syntax());
        }
        let name = self.string()?;
        self.whitespace();
        if self.byte() != Some(b':') {
            return Err(self.syntax());
        }
        self.at += 1;
        Ok(name)
    }

    fn push(&mut self, object: bool) -> Result<Position, Malformed> {
        if self.depth == self.depth_limit {
            return Err(Malformed::at(MalformedKind::TooDeep, self.at));
        }
        if let Some(word) = self.objects.get_mut(self.depth / 64) {
            let bit = 1 << (self.depth % 64);
            *word = if object { *word | bit } else { *word & !bit };
        }
        self.depth += 1;
        self.at += 1;
        Ok(Position::First)
    }

    fn in_object(&self) -> bool {
        let level = self.depth.saturating_sub(1);
        self.objects
            .get(level / 64)
            .is_some_and(|word| word >> (level % 64) & 1 == 1)
    }

    /// [RFC 8259, section 6].
    ///
    /// [RFC 8259, section 6]: https://www.rfc-editor.org/rfc/rfc8259#section-6
    fn number(&mut self) -> Result<(), Malformed> {
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        match self.byte() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            Some(_) | None => return Err(self.syntax()),
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        while matches!(self.byte(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            Err(self.syntax())
        } else {
            Ok(())
        }
    }

    fn literal(&mut self) -> Result<(), Malformed> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let word = [&b"true"[..], b"false", b"null"]
            .into_iter()
            .find(|word| rest.starts_with(word));
        self.at += word.ok_or_else(|| self.syntax())?.len();
        Ok(())
    }

    /// Checks the escape at `at` and gives the position after it. Half of a surrogate pair is refused:
    /// [RFC 8259, section 8.2] leaves its meaning open.
    ///
    /// [RFC 8259, section 8.2]: https://www.rfc-editor.org/rfc/rfc8259#section-8.2
    fn escape(&self, at: usize) -> Result<usize, Malformed> {
        match self.text.as_bytes().get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
            Some(b'u') => match self.unit(at)? {
                0xd800..=0xdbff => match self.unit(at + 6) {
                    Ok(0xdc00..=0xdfff) => Ok(at + 12),
                    Ok(_) | Err(_) => Err(Malformed::at(MalformedKind::LoneSurrogate, at)),
                },
                0xdc00..=0xdfff => Err(Malformed::at(MalformedKind::LoneSurrogate, at)),
                _ => Ok(at + 6),
            },
            Some(_) | None => Err(Malformed::at(MalformedKind::InvalidJson, at)),
        }
    }

    /// The UTF-16 unit of the `\uXXXX` at `at`.
    fn unit(&self, at: usize) -> Result<u16, Malformed> {
        let escape = self.text.as_bytes().get(at..at + 6).unwrap_or_default();
        match escape.strip_prefix(b"\\u").map(super::string::hex_unit) {
            Some(Some(unit)) => Ok(unit),
            Some(None) | None => Err(Malformed::at(MalformedKind::InvalidJson, at)),
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn whitespace(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }
}

/// Where the run of bytes that stand for themselves ends: at a quotation mark, a backslash, a control character or the
/// end. Eight bytes at a time.
fn plain_run_end(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*chunk);
        let quote = word ^ (ONES * b'"' as u64);
        let backslash = word ^ (ONES * b'\\' as u64);
        // Subtracting borrows only out of bytes that match, so the lowest marked byte is always a true match.
        let controls = word.wrapping_sub(ONES * 0x20) & !word;
        let quotes = quote.wrapping_sub(ONES) & !quote;
        let backslashes = backslash.wrapping_sub(ONES) & !backslash;
        let marks = (controls | quotes | backslashes) & HIGH;
        if marks != 0 {
            return at + (marks.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while let Some(byte) = bytes.get(at) {
        if matches!(byte, b'"' | b'\\' | 0..0x20) {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn scan(text: &str) -> Result<(), (MalformedKind, Option<usize>)> {
        let mut scanner = Scanner::new(text, 512);
        scanner
            .skip()
            .and_then(|_value| scanner.end())
            .map_err(|fault| (fault.kind(), fault.offset()))
    }

    #[test]
    fn accepts_what_the_grammar_accepts() {
        for text in [
            "{}",
            " [ ] ",
            r#"{"a":[1,2,{"b":null}],"c":"\u00e4\n\ud83d\ude00","d":-0.5e+10}"#,
            "0",
            "-0",
            "1E400",
            "true",
            r#""""#,
            "[[],[],{}]",
            r#"{"":{}}"#,
        ] {
            assert_eq!(scan(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn refuses_what_the_grammar_refuses_and_says_where() {
        use MalformedKind::{InvalidJson, LoneSurrogate};
        for (text, kind, at) in [
            ("", InvalidJson, 0),
            ("[1,]", InvalidJson, 3),
            ("[,1]", InvalidJson, 1),
            ("{,}", InvalidJson, 1),
            (r#"{"a":1,}"#, InvalidJson, 7),
            (r#"{"a" 1}"#, InvalidJson, 5),
            ("[1 2]", InvalidJson, 3),
            ("[1}", InvalidJson, 2),
            ("01", InvalidJson, 1),
            ("+1", InvalidJson, 0),
            (".5", InvalidJson, 0),
            ("1.", InvalidJson, 2),
            ("0x1", InvalidJson, 1),
            ("1e", InvalidJson, 2),
            ("NaN", InvalidJson, 0),
            ("nul", InvalidJson, 0),
            ("[1]]", InvalidJson, 3),
            ("[1", InvalidJson, 2),
            ("\"a\nb\"", InvalidJson, 2),
            ("\"abcdefgh\u{1}\"", InvalidJson, 9),
            (r#""\x""#, InvalidJson, 1),
            (r#""\u12g4""#, InvalidJson, 1),
            (r#""ab"#, InvalidJson, 3),
            ("{} // x", InvalidJson, 3),
            (r#""\ud800""#, LoneSurrogate, 1),
            (r#""\udc00""#, LoneSurrogate, 1),
            (r#""\ud800\u0041""#, LoneSurrogate, 1),
        ] {
            assert_eq!(scan(text), Err((kind, Some(at))), "{text}");
        }
    }

    #[test]
    fn nesting_is_accepted_at_the_limit_and_refused_one_above() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert_eq!(scan(&nested(512)), Ok(()));
        assert_eq!(scan(&nested(513)), Err((MalformedKind::TooDeep, Some(512))));
        assert_eq!(
            scan(&"[".repeat(1_000_000)),
            Err((MalformedKind::TooDeep, Some(512)))
        );
    }

    #[test]
    fn objects_and_arrays_close_in_their_order() {
        assert_eq!(scan(r#"[{"a":[{"b":[]}]}]"#), Ok(()));
        assert_eq!(
            scan(r#"[{"a":[{"b":[}]}]"#).map_err(|(kind, _)| kind),
            Err(MalformedKind::InvalidJson)
        );
    }

    #[test]
    fn a_walk_sees_members_and_elements() {
        let mut scanner = Scanner::new(r#" { "a" : [ 1 , "x" ] , "b" : {} } "#, 512);
        let mut seen = String::new();
        let mut position = scanner.enter().unwrap();
        while let Some(name) = scanner.member(position).unwrap() {
            position = Position::Later;
            seen += &name.decode();
            seen += "=";
            seen += scanner.skip().unwrap().text;
            seen += ";";
        }
        scanner.end().unwrap();
        assert_eq!(seen, r#"a=[ 1 , "x" ];b={};"#);
    }

    #[test]
    fn the_run_of_plain_bytes_ends_at_the_first_special_byte() {
        let plain = "abcdefghijklmnopäöü\u{80}xyz";
        for special in ["\"", "\\", "\u{1f}", "\u{0}"] {
            for prefix in plain.char_indices().map(|(at, _)| plain.get(..at).unwrap()) {
                let text = String::from(prefix) + special + "\"tail-tail";
                assert_eq!(plain_run_end(text.as_bytes(), 0), prefix.len(), "{text:?}");
            }
        }
        assert_eq!(plain_run_end(plain.as_bytes(), 0), plain.len());
    }
}
