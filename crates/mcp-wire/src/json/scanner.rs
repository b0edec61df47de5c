//! The pass over the text: syntax, nesting, and where each value starts and ends.

use super::lexeme::{literal_end, number_end, string_end, syntax, whitespace_end};
use super::long_strings::LongString;
use super::{JsonType, JsonValue, LongStrings, StringToken};
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
    long: Long<'a>,
}

/// What becomes of the long strings that the cursor passes.
enum Long<'a> {
    /// Nothing.
    Read,
    /// They are noted for the next pass.
    Noted(LongStrings),
    /// A pass before this one has noted those that come.
    Known(&'a [LongString]),
}

/// Where a walk stands in an array or object: before its first item or after one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    First,
    Later,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str, depth_limit: usize) -> Self {
        Self::with(text, depth_limit, Long::Read)
    }

    /// A cursor that notes the long strings.
    pub(crate) fn noting(text: &'a str, depth_limit: usize) -> Self {
        Self::with(text, depth_limit, Long::Noted(LongStrings::default()))
    }

    /// A cursor over a text whose long strings another one noted.
    pub(crate) fn again(text: &'a str, depth_limit: usize, long: &'a LongStrings) -> Self {
        Self::with(text, depth_limit, Long::Known(long.as_slice()))
    }

    fn with(text: &'a str, depth_limit: usize, long: Long<'a>) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            depth_limit: depth_limit.min(ReplyLimits::MAX_DEPTH),
            objects: [0; ReplyLimits::MAX_DEPTH / 64],
            long,
        }
    }

    /// The long strings that were noted.
    pub(crate) fn into_long_strings(self) -> LongStrings {
        match self.long {
            Long::Noted(long) => long,
            Long::Read | Long::Known(_) => LongStrings::default(),
        }
    }

    /// The type of the next value, by its first byte; `None` where no value can start.
    pub(crate) fn peek_type(&mut self) -> Option<JsonType> {
        self.at = whitespace_end(self.text.as_bytes(), self.at);
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
        match self.peek_type() {
            Some(JsonType::Object) => self.push(true)?,
            Some(JsonType::Array) => self.push(false)?,
            Some(JsonType::String | JsonType::Number | JsonType::Boolean | JsonType::Null) | None => {
                return Err(syntax(self.at));
            }
        }
        Ok(Position::First)
    }

    /// The name of the object's next member, its value being next; `None` when the object has ended.
    pub(crate) fn member(&mut self, position: Position) -> Result<Option<StringToken<'a>>, Malformed> {
        if self.next_item(position, b'}')? {
            self.name().map(Some)
        } else {
            Ok(None)
        }
    }

    /// Whether the array has a next element, which is then next; `false` when the array has ended.
    pub(crate) fn element(&mut self, position: Position) -> Result<bool, Malformed> {
        self.next_item(position, b']')
    }

    /// The next value, if it is a string; any other is passed over.
    pub(crate) fn string_or_skip(&mut self) -> Result<Option<StringToken<'a>>, Malformed> {
        if self.peek_type() == Some(JsonType::String) {
            self.string().map(Some)
        } else {
            self.skip().map(|_other| None)
        }
    }

    /// Where the cursor stands.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// The text from `start` to the cursor.
    pub(crate) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Accepts the end of the text, with whitespace before it.
    pub(crate) fn end(&mut self) -> Result<(), Malformed> {
        self.at = whitespace_end(self.text.as_bytes(), self.at);
        if self.at == self.text.len() {
            Ok(())
        } else {
            Err(syntax(self.at))
        }
    }

    /// Passes over the next value, however it is nested.
    pub(crate) fn skip(&mut self) -> Result<JsonValue<'a>, Malformed> {
        let kind = self.peek_type().ok_or(syntax(self.at))?;
        let start = self.at;
        match kind {
            JsonType::String => self.at = self.string_end(self.at)?.0,
            JsonType::Number => self.at = number_end(self.text.as_bytes(), self.at)?,
            JsonType::Boolean | JsonType::Null => self.at = literal_end(self.text.as_bytes(), self.at)?,
            JsonType::Object | JsonType::Array => self.skip_nested()?,
        }
        Ok(JsonValue {
            kind,
            text: self.since(start),
            offset: start,
        })
    }

    /// Passes over the array or object at the position. The hot loop: one turn for each value.
    fn skip_nested(&mut self) -> Result<(), Malformed> {
        let bytes = self.text.as_bytes();
        let base = self.depth;
        loop {
            match bytes.get(self.at) {
                Some(b'"') => self.at = self.string_end(self.at)?.0,
                Some(b'{') => {
                    self.push(true)?;
                    self.at = whitespace_end(bytes, self.at);
                    if bytes.get(self.at) != Some(&b'}') {
                        self.at = self.name_end(self.at)?;
                        continue;
                    }
                    self.pop();
                }
                Some(b'[') => {
                    self.push(false)?;
                    self.at = whitespace_end(bytes, self.at);
                    if bytes.get(self.at) != Some(&b']') {
                        continue;
                    }
                    self.pop();
                }
                Some(b'-' | b'0'..=b'9') => self.at = number_end(bytes, self.at)?,
                Some(_) | None => self.at = literal_end(bytes, self.at)?,
            }
            loop {
                if self.depth == base {
                    return Ok(());
                }
                self.at = whitespace_end(bytes, self.at);
                match (bytes.get(self.at), self.in_object()) {
                    (Some(b','), true) => {
                        self.at = self.name_end(whitespace_end(bytes, self.at + 1))?;
                        break;
                    }
                    (Some(b','), false) => {
                        self.at = whitespace_end(bytes, self.at + 1);
                        break;
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => self.pop(),
                    (Some(_) | None, _) => return Err(syntax(self.at)),
                }
            }
        }
    }

    /// Past the string at `at`, and whether it has escapes.
    #[inline]
    fn string_end(&mut self, at: usize) -> Result<(usize, bool), Malformed> {
        match &mut self.long {
            Long::Read => string_end(self.text.as_bytes(), at),
            Long::Noted(long) => {
                let (end, escaped) = string_end(self.text.as_bytes(), at)?;
                long.note(at, end, escaped);
                Ok((end, escaped))
            }
            Long::Known(coming) => match coming.split_first() {
                Some((next, later)) if next.start == at => {
                    *coming = later;
                    Ok((next.end, next.escaped))
                }
                Some(_) | None => string_end(self.text.as_bytes(), at),
            },
        }
    }

    /// Past a member's name at `at`, its colon and the whitespace after that.
    fn name_end(&mut self, at: usize) -> Result<usize, Malformed> {
        let bytes = self.text.as_bytes();
        if bytes.get(at) != Some(&b'"') {
            return Err(syntax(at));
        }
        let at = colon_end(bytes, self.string_end(at)?.0)?;
        Ok(whitespace_end(bytes, at))
    }

    fn string(&mut self) -> Result<StringToken<'a>, Malformed> {
        let start = self.at + 1;
        let (end, escaped) = self.string_end(self.at)?;
        self.at = end;
        Ok(StringToken::new(
            self.text.get(start..end - 1).unwrap_or_default(),
            escaped,
        ))
    }

    fn name(&mut self) -> Result<StringToken<'a>, Malformed> {
        if self.peek_type() != Some(JsonType::String) {
            return Err(syntax(self.at));
        }
        let name = self.string()?;
        self.at = colon_end(self.text.as_bytes(), self.at)?;
        Ok(name)
    }

    fn next_item(&mut self, position: Position, close: u8) -> Result<bool, Malformed> {
        self.at = whitespace_end(self.text.as_bytes(), self.at);
        match (self.byte(), position) {
            (Some(byte), _) if byte == close => {
                self.pop();
                Ok(false)
            }
            (Some(b','), Position::Later) => {
                self.at += 1;
                Ok(true)
            }
            (Some(_), Position::First) => Ok(true),
            (Some(_) | None, _) => Err(syntax(self.at)),
        }
    }

    /// Past the opening bracket at the position, one level down.
    fn push(&mut self, object: bool) -> Result<(), Malformed> {
        if self.depth == self.depth_limit {
            let fault = Malformed::beyond(MalformedKind::TooDeep, self.depth_limit, "depth");
            return Err(fault.seen_at(self.at));
        }
        if let Some(word) = self.objects.get_mut(self.depth / 64) {
            let bit = 1 << (self.depth % 64);
            *word = if object { *word | bit } else { *word & !bit };
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    /// Past the closing bracket at the position, one level up.
    fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.at += 1;
    }

    /// Whether the walk stands in no array or object.
    pub(crate) const fn is_at_root(&self) -> bool {
        self.depth == 0
    }

    /// Whether the innermost level that the walk stands in is an object.
    pub(crate) fn in_object(&self) -> bool {
        let level = self.depth.saturating_sub(1);
        self.objects
            .get(level / 64)
            .is_some_and(|word| word >> (level % 64) & 1 == 1)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

/// Past the colon that comes next.
fn colon_end(bytes: &[u8], at: usize) -> Result<usize, Malformed> {
    let at = whitespace_end(bytes, at);
    if bytes.get(at) == Some(&b':') {
        Ok(at + 1)
    } else {
        Err(syntax(at))
    }
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
}
