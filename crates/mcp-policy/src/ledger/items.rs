//! How the text of an entry is written: the items of a JSON array, digit by digit and without a formatter.

use mcp_wire::write_json_string;

use crate::hex;
use crate::port::UnixTime;

/// An array that is being written. It is bytes, as it is made to be hashed: nothing has to be judged as UTF-8 on the way.
pub(super) struct Items<'a>(&'a mut Vec<u8>);

impl<'a> Items<'a> {
    /// Begins an array with a number.
    pub(super) fn begin(text: &'a mut Vec<u8>, first: u64) -> Self {
        text.push(b'[');
        push_number(text, first);
        Self(text)
    }

    pub(super) fn end(self) {
        self.0.push(b']');
    }

    pub(super) fn number(&mut self, value: u64) {
        self.0.push(b',');
        push_number(self.0, value);
    }

    /// `true`, `false`, `null`, or the digits of a number.
    pub(super) fn word(&mut self, word: &str) {
        self.0.push(b',');
        self.0.extend_from_slice(word.as_bytes());
    }

    pub(super) fn string(&mut self, value: &str) {
        self.0.push(b',');
        if value.bytes().all(is_plain) {
            self.quoted(value);
        } else {
            let mut escaped = String::new();
            write_json_string(&mut escaped, value);
            self.0.extend_from_slice(escaped.as_bytes());
        }
    }

    /// A string of a prefix and the digits of a digest, none of which needs an escape.
    pub(super) fn digits(&mut self, prefix: &str, digest: &[u8; 32]) {
        self.0.extend_from_slice(b",\"");
        self.0.extend_from_slice(prefix.as_bytes());
        self.0.extend_from_slice(&hex::digits(digest));
        self.0.push(b'"');
    }

    /// A time as nanoseconds since 1970.
    pub(super) fn time(&mut self, time: UnixTime) {
        let nanos = time.0.as_nanos();
        match u64::try_from(nanos) {
            Ok(nanos) => self.number(nanos),
            // After the year 2554.
            Err(_) => self.word(&nanos.to_string()),
        }
    }

    fn quoted(&mut self, value: &str) {
        self.0.push(b'"');
        self.0.extend_from_slice(value.as_bytes());
        self.0.push(b'"');
    }
}

/// Whether a byte stands for itself in a JSON string, as all do in most names.
fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && byte != b'"' && byte != b'\\'
}

/// Digits of the largest `u64`.
const MAX_DIGITS: usize = 20;

fn push_number(text: &mut Vec<u8>, value: u64) {
    // Most parts of a timing are nothing.
    if value == 0 {
        text.push(b'0');
        return;
    }
    let (digits, first) = decimal(value);
    text.extend_from_slice(digits.get(first..).unwrap_or_default());
}

/// The two digits of each number below 100.
const PAIRS: &[u8; 200] =
    b"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
      5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/// The decimal digits of a number, and where the first of them stands.
fn decimal(mut rest: u64) -> ([u8; MAX_DIGITS], usize) {
    let (pairs, _none) = PAIRS.as_chunks::<2>();
    let (mut digits, mut first) = ([b'0'; MAX_DIGITS], MAX_DIGITS);
    for pair in digits.as_chunks_mut::<2>().0.iter_mut().rev() {
        *pair = pairs.get((rest % 100) as usize).copied().unwrap_or_default();
        first -= 2;
        if rest < 100 {
            return (digits, if rest < 10 { first + 1 } else { first });
        }
        rest /= 100;
    }
    (digits, first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn numbers_and_times_are_those_of_the_formatter() {
        for value in [
            0,
            1,
            9,
            10,
            99,
            100,
            999,
            1_000,
            1_001,
            1_000_000_000,
            u64::MAX - 1,
            u64::MAX,
        ] {
            let mut text = Vec::new();
            Items::begin(&mut text, value).end();
            assert_eq!(text, format!("[{value}]").into_bytes());
        }
        for time in [
            Duration::ZERO,
            Duration::from_nanos(1),
            Duration::from_nanos(999_999_999),
            Duration::from_secs(1),
            Duration::new(1, 1),
            Duration::new(1_764_527_400, 120_000_000),
            Duration::MAX,
        ] {
            let mut text = Vec::new();
            let mut items = Items::begin(&mut text, 0);
            items.time(UnixTime(time));
            items.end();
            assert_eq!(text, format!("[0,{}]", time.as_nanos()).into_bytes());
        }
    }

    #[test]
    fn strings_are_written_as_everywhere() {
        for value in [
            "",
            "run-1",
            "ä😀",
            "a\"b",
            "a\\b",
            "\u{1f}",
            "line\nend",
            "\u{7f}",
        ] {
            let mut text = Vec::new();
            let mut items = Items::begin(&mut text, 0);
            items.string(value);
            items.end();
            let mut expected = String::new();
            write_json_string(&mut expected, value);
            assert_eq!(text, format!("[0,{expected}]").into_bytes(), "{value:?}");
        }
    }
}
