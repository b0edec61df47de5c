//! JSON strings: compared and decoded where they stand, and written.

use alloc::borrow::Cow;
use alloc::string::String;

use super::block::{BLOCK, special_at};
use super::lexeme::plain_run_end;

/// A string of a scanned text, without its quotation marks. Its escapes are known to be valid.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StringToken<'a> {
    raw: &'a str,
    escaped: bool,
}

impl<'a> StringToken<'a> {
    pub(super) fn new(raw: &'a str, escaped: bool) -> Self {
        Self { raw, escaped }
    }

    /// The string of a scanned value's text.
    pub(super) fn of_quoted(text: &'a str) -> Option<Self> {
        let raw = text.strip_prefix('"')?.strip_suffix('"')?;
        Some(Self {
            raw,
            escaped: raw.contains('\\'),
        })
    }

    /// Whether the string's value is `value`, however it is spelled.
    pub(crate) fn is(&self, value: &str) -> bool {
        if self.escaped {
            self.chars().eq(value.chars())
        } else {
            self.raw == value
        }
    }

    /// Whether the value is the empty string.
    pub(crate) const fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// The string's value; borrowed when nothing is escaped.
    pub(crate) fn decode(&self) -> Cow<'a, str> {
        if !self.escaped {
            return Cow::Borrowed(self.raw);
        }
        let mut decoded = String::new();
        self.decode_into(&mut decoded);
        Cow::Owned(decoded)
    }

    /// Appends the string's value. No value is longer than its spelling, so room is made once.
    pub(crate) fn decode_into(&self, target: &mut String) {
        target.reserve(self.raw.len());
        let bytes = self.raw.as_bytes();
        // What of the spelling is copied, and where the block begins that is looked at next. Nothing but a backslash is
        // special here, or what it escapes.
        let (mut copied, mut at) = (0, 0);
        while let Some(mut found) = special_at(bytes, at) {
            let mut end = at;
            while let Some(escape) = found.first() {
                let escape = at + escape;
                target.push_str(self.raw.get(copied..escape).unwrap_or_default());
                (copied, end) = (escape + 2, escape + 2);
                match bytes.get(escape + 1) {
                    // An escaped quotation mark stands for itself without its backslash.
                    Some(b'"' | b'\\' | b'/') => copied = escape + 1,
                    Some(b'n') => target.push('\n'),
                    Some(b'r') => target.push('\r'),
                    Some(b't') => target.push('\t'),
                    Some(_) | None => {
                        let rest = self.raw.get(escape..).unwrap_or_default();
                        let mut chars = Chars { rest };
                        target.extend(chars.next());
                        end = self.raw.len() - chars.rest.len();
                        copied = end;
                    }
                }
                found = found.from(end - at);
            }
            at = end.max(at + BLOCK);
        }
        target.push_str(self.raw.get(copied..).unwrap_or_default());
    }

    fn chars(&self) -> Chars<'a> {
        Chars { rest: self.raw }
    }
}

/// The characters that a string stands for.
struct Chars<'a> {
    rest: &'a str,
}

impl Iterator for Chars<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let first = chars.next()?;
        if first != '\\' {
            self.rest = chars.as_str();
            return Some(first);
        }
        let escape = chars.next()?;
        self.rest = chars.as_str();
        Some(match escape {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => self.scalar(),
            itself => itself,
        })
    }
}

impl Chars<'_> {
    /// The scalar value of one or two units, the first one's `\u` being passed. The scanner has refused everything that
    /// would need the replacement character.
    fn scalar(&mut self) -> char {
        let high = self.unit();
        let scalar = if (0xd800..0xdc00).contains(&high) {
            self.rest = self.rest.strip_prefix("\\u").unwrap_or(self.rest);
            let low = self.unit();
            0x1_0000 + ((high & 0x3ff) << 10 | low & 0x3ff)
        } else {
            high
        };
        char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn unit(&mut self) -> u32 {
        let (digits, rest) = self.rest.split_at_checked(4).unwrap_or((self.rest, ""));
        self.rest = rest;
        hex_unit(digits.as_bytes()).map_or(0, u32::from)
    }
}

/// The value of four hexadecimal digits.
pub(super) fn hex_unit(digits: &[u8]) -> Option<u16> {
    let &[a, b, c, d] = digits else { return None };
    [a, b, c, d].into_iter().try_fold(0_u16, |unit, digit| {
        let value = char::from(digit).to_digit(16)?;
        Some(unit << 4 | u16::try_from(value).ok()?)
    })
}

/// Appends `value` as a JSON string: what [RFC 8259, section 7] requires is escaped and nothing else, in the spelling of
/// [RFC 8785, section 3.2.2.2].
///
/// [RFC 8259, section 7]: https://www.rfc-editor.org/rfc/rfc8259#section-7
/// [RFC 8785, section 3.2.2.2]: https://www.rfc-editor.org/rfc/rfc8785#section-3.2.2.2
pub fn write_json_string(target: &mut String, value: &str) {
    target.push('"');
    let mut rest = value;
    loop {
        let (plain, special) = rest.split_at(plain_run_end(rest.as_bytes(), 0));
        target.push_str(plain);
        let mut chars = special.chars();
        match chars.next() {
            Some('"') => target.push_str("\\\""),
            Some('\\') => target.push_str("\\\\"),
            Some('\u{8}') => target.push_str("\\b"),
            Some('\u{c}') => target.push_str("\\f"),
            Some('\n') => target.push_str("\\n"),
            Some('\r') => target.push_str("\\r"),
            Some('\t') => target.push_str("\\t"),
            Some(control) => {
                target.push_str("\\u00");
                target.extend(
                    [u32::from(control) >> 4, u32::from(control) & 0xf]
                        .map(|nibble| char::from_digit(nibble, 16).unwrap_or('0')),
                );
            }
            None => break,
        }
        rest = chars.as_str();
    }
    target.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decoding_in_blocks_is_decoding_one_by_one(
            raw in "([ a-z!äß€😀]{0,40}(\\\\[\"\\\\/bfnrt]|\\\\u00e4|\\\\ud83d\\\\ude0[0-9]){0,3}){0,6}",
            before in "[ -~]{0,3}",
        ) {
            let token = StringToken { raw: &raw, escaped: true };
            let one_by_one: String = token.chars().collect();
            let mut target = before.clone();
            token.decode_into(&mut target);
            prop_assert_eq!(target, before + &one_by_one);
            prop_assert_eq!(&one_by_one, &serde_json::from_str::<String>(&alloc::format!("\"{raw}\"")).unwrap());
        }

        #[test]
        fn writing_in_runs_is_writing_one_by_one(value in "([ -~äß😀]{0,40}[\"\\\\\u{0}-\u{1f}]{0,3}){0,4}") {
            let mut written = String::new();
            write_json_string(&mut written, &value);
            prop_assert_eq!(written, serde_json::to_string(&value).unwrap());
        }
    }

    #[test]
    fn decodes_every_escape() {
        let token = StringToken::of_quoted(r#""a\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00z""#).unwrap();
        assert_eq!(token.decode(), "a\"\\/\u{8}\u{c}\n\r\tä😀z");
        assert!(token.is("a\"\\/\u{8}\u{c}\n\r\tä😀z"));
        assert!(!token.is("a"));
    }

    #[test]
    fn spelling_does_not_matter_to_equality() {
        assert!(StringToken::of_quoted(r#""\u0072esult""#).unwrap().is("result"));
        assert!(!StringToken::of_quoted(r#""Result""#).unwrap().is("result"));
    }

    #[test]
    fn controls_have_one_spelling() {
        let mut text = String::new();
        write_json_string(&mut text, "\u{8}\t\n\u{b}\u{c}\r\u{1f}\u{7f}\"\\/");
        assert_eq!(text, "\"\\b\\t\\n\\u000b\\f\\r\\u001f\u{7f}\\\"\\\\/\"");
    }

    #[test]
    fn written_strings_read_back() {
        for value in [
            "",
            "plain",
            "q\"b\\s",
            "\u{0}\u{1f}\u{7f}\u{85}",
            "line\nend\r\t",
            "ä😀",
        ] {
            let mut text = String::new();
            write_json_string(&mut text, value);
            assert_eq!(serde_json::from_str::<String>(&text).unwrap(), value);
            assert_eq!(StringToken::of_quoted(&text).unwrap().decode(), value);
        }
    }
}
