//! The smallest pieces of the grammar: where each ends, or why it does not.
//!
//! Each function takes the text's bytes and a position and gives the position after the piece. The text is UTF-8, so
//! only ASCII bytes decide anything.

use super::block::{BLOCK, LANE, is_special, special_at, special_in};
use super::string::hex_unit;
use crate::malformed::{Malformed, MalformedKind};

/// The fault of an unexpected byte, or of an unexpected end.
pub(super) const fn syntax(at: usize) -> Malformed {
    Malformed::at(MalformedKind::InvalidJson, at)
}

/// Past the whitespace of [RFC 8259, section 2].
///
/// [RFC 8259, section 2]: https://www.rfc-editor.org/rfc/rfc8259#section-2
#[inline]
pub(super) fn whitespace_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Past the closing quotation mark of the string whose opening one is at `at`, and whether the string has escapes.
#[inline]
pub(super) fn string_end(bytes: &[u8], at: usize) -> Result<(usize, bool), Malformed> {
    let end = plain_run_end(bytes, at + 1);
    if bytes.get(end) == Some(&b'"') {
        Ok((end + 1, false))
    } else {
        escaped_string_end(bytes, end)
    }
}

/// As [`string_end`], from the first byte of the string that does not stand for itself.
fn escaped_string_end(bytes: &[u8], mut at: usize) -> Result<(usize, bool), Malformed> {
    loop {
        let Some(mut found) = special_at(bytes, at) else {
            return Err(syntax(bytes.len()));
        };
        let mut end = at;
        while let Some(special) = found.first() {
            let special = at + special;
            end = match (bytes.get(special), bytes.get(special + 1)) {
                (Some(b'"'), _) => return Ok((special + 1, true)),
                (Some(b'\\'), Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => special + 2,
                (Some(b'\\'), _) => unicode_escape_end(bytes, special)?,
                (Some(_) | None, _) => return Err(syntax(special)),
            };
            found = found.from(end - at);
        }
        at = end.max(at + BLOCK);
    }
}

/// Past the `\uXXXX` at `at`, or both of a pair. Half of a surrogate pair is refused: [RFC 8259, section 8.2] leaves its
/// meaning open.
///
/// [RFC 8259, section 8.2]: https://www.rfc-editor.org/rfc/rfc8259#section-8.2
#[cold]
fn unicode_escape_end(bytes: &[u8], at: usize) -> Result<usize, Malformed> {
    match unit(bytes, at)? {
        0xd800..=0xdbff => match unit(bytes, at + 6) {
            Ok(0xdc00..=0xdfff) => Ok(at + 12),
            Ok(_) | Err(_) => Err(Malformed::at(MalformedKind::LoneSurrogate, at)),
        },
        0xdc00..=0xdfff => Err(Malformed::at(MalformedKind::LoneSurrogate, at)),
        _ => Ok(at + 6),
    }
}

/// The UTF-16 unit of the `\uXXXX` at `at`.
fn unit(bytes: &[u8], at: usize) -> Result<u16, Malformed> {
    let escape = bytes.get(at..at + 6).unwrap_or_default();
    escape.strip_prefix(b"\\u").and_then(hex_unit).ok_or(syntax(at))
}

/// Past the number at `at`: [RFC 8259, section 6].
///
/// [RFC 8259, section 6]: https://www.rfc-editor.org/rfc/rfc8259#section-6
pub(super) fn number_end(bytes: &[u8], mut at: usize) -> Result<usize, Malformed> {
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    at = if bytes.get(at) == Some(&b'0') {
        at + 1
    } else {
        digits_end(bytes, at)?
    };
    if bytes.get(at) == Some(&b'.') {
        at = digits_end(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        at = digits_end(bytes, at)?;
    }
    Ok(at)
}

fn digits_end(bytes: &[u8], start: usize) -> Result<usize, Malformed> {
    let mut at = start;
    while let Some(b'0'..=b'9') = bytes.get(at) {
        at += 1;
    }
    if at == start { Err(syntax(at)) } else { Ok(at) }
}

/// Past `true`, `false` or `null`.
pub(super) fn literal_end(bytes: &[u8], at: usize) -> Result<usize, Malformed> {
    let rest = bytes.get(at..).unwrap_or_default();
    let word = [&b"true"[..], b"false", b"null"]
        .into_iter()
        .find(|word| rest.starts_with(word));
    word.map(|word| at + word.len()).ok_or(syntax(at))
}

/// Where the run of bytes that stand for themselves ends: at a quotation mark, a backslash, a control character or the
/// end.
#[inline]
pub(super) fn plain_run_end(bytes: &[u8], at: usize) -> usize {
    let (lanes, rest) = bytes.get(at..).unwrap_or_default().as_chunks();
    let mut end = at;
    for lane in lanes {
        match special_in(lane) {
            0 => end += LANE,
            special => return end + special.trailing_zeros() as usize,
        }
    }
    let special = rest.iter().position(|byte| is_special(*byte));
    end + special.unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    #[test]
    fn the_run_of_plain_bytes_ends_at_the_first_special_byte() {
        let plain = "abcdefghijklmnopäöü\u{80}xyz, beyond one block and into another äöü";
        for special in ["\"", "\\", "\u{1f}", "\u{0}"] {
            for prefix in plain.char_indices().map(|(at, _)| plain.get(..at).unwrap()) {
                let text = String::from(prefix) + special + "\"tail-tail";
                assert_eq!(plain_run_end(text.as_bytes(), 0), prefix.len(), "{text:?}");
            }
        }
        assert_eq!(plain_run_end(plain.as_bytes(), 0), plain.len());
    }

    #[test]
    fn of_many_special_bytes_the_first_one_counts() {
        for first in 0..40 {
            for second in first + 1..80 {
                let mut text = [b'a'; 80];
                for at in [first, second] {
                    *text.get_mut(at).unwrap() = b'"';
                }
                assert_eq!(plain_run_end(&text, 0), first, "and {second}");
            }
        }
    }

    /// A string by the grammar, byte for byte.
    fn plainly(bytes: &[u8]) -> Result<(usize, bool), Malformed> {
        let (mut at, mut escaped) = (1, false);
        loop {
            match bytes.get(at..) {
                Some([b'"', ..]) => return Ok((at + 1, escaped)),
                Some([b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..]) => at += 2,
                Some([b'\\', ..]) => at = unicode_escape_end(bytes, at)?,
                Some([byte, ..]) if *byte >= 0x20 => {
                    at += 1;
                    continue;
                }
                Some(_) | None => return Err(syntax(at)),
            }
            escaped = true;
        }
    }

    #[test]
    fn a_string_ends_where_it_does_read_byte_for_byte() {
        let runs = [
            "",
            "a",
            "seven b",
            "sixteen bytes - ",
            "a run of more than forty bytes, with ä – 😀",
        ];
        let marks = [
            "",
            "\\n",
            "\\\"",
            "\\\\",
            "\\u00e4",
            "\\ud83d\\ude00",
            "\\x",
            "\\ud800",
            "\u{1}",
            "\n",
            "\u{7f}",
        ];
        let mut faults = 0;
        for (first, one) in runs.iter().flat_map(|run| marks.map(|mark| (*run, mark))) {
            for (second, two) in runs.iter().flat_map(|run| marks.map(|mark| (*run, mark))) {
                for end in ["\"", "", "\"}, \"x\": \"\u{2}\""] {
                    let text = String::from("\"") + first + one + second + two + first + end;
                    let read = string_end(text.as_bytes(), 0);
                    assert_eq!(read, plainly(text.as_bytes()), "{text:?}");
                    faults += usize::from(read.is_err());
                }
            }
        }
        assert!(faults > 1_000, "{faults} faults");
    }
}
