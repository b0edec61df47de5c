//! How the text of an entry is written: the items of a JSON array, digit by digit and without a formatter.

use mcp_wire::write_json_string;

use crate::hex;
use crate::port::UnixTime;

/// An array that is being written.
pub(super) struct Items<'a>(&'a mut String);

impl<'a> Items<'a> {
    /// Begins an array with a number.
    pub(super) fn begin(text: &'a mut String, first: u64) -> Self {
        text.push('[');
        push_number(text, first);
        Self(text)
    }

    pub(super) fn end(self) {
        self.0.push(']');
    }

    pub(super) fn number(&mut self, value: u64) {
        self.0.push(',');
        push_number(self.0, value);
    }

    /// `true`, `false` or `null`.
    pub(super) fn word(&mut self, word: &str) {
        self.0.push(',');
        self.0.push_str(word);
    }

    pub(super) fn string(&mut self, value: &str) {
        self.0.push(',');
        write_json_string(self.0, value);
    }

    /// A string of a prefix and the digits of a digest, none of which needs an escape.
    pub(super) fn digits(&mut self, prefix: &str, digest: &[u8; 32]) {
        self.0.push_str(",\"");
        self.0.push_str(prefix);
        hex::append(self.0, digest);
        self.0.push('"');
    }

    /// A time as nanoseconds since 1970: its seconds, and nine digits for what is beyond them.
    pub(super) fn time(&mut self, time: UnixTime) {
        self.0.push(',');
        let (seconds, nanos) = (time.0.as_secs(), u64::from(time.0.subsec_nanos()));
        if seconds == 0 {
            push_number(self.0, nanos);
            return;
        }
        push_number(self.0, seconds);
        // A leading one keeps the zeroes.
        let (digits, first) = decimal(NANOS + nanos);
        push_digits(self.0, digits.get(first + 1..));
    }
}

const NANOS: u64 = 1_000_000_000;

/// Digits of the largest `u64`.
const MAX_DIGITS: usize = 20;

fn push_number(text: &mut String, value: u64) {
    // Most parts of a timing are nothing.
    if value == 0 {
        text.push('0');
        return;
    }
    let (digits, first) = decimal(value);
    push_digits(text, digits.get(first..));
}

fn push_digits(text: &mut String, digits: Option<&[u8]>) {
    text.push_str(
        digits
            .and_then(|digits| str::from_utf8(digits).ok())
            .unwrap_or_default(),
    );
}

/// The decimal digits of a number, and where the first of them stands.
fn decimal(mut rest: u64) -> ([u8; MAX_DIGITS], usize) {
    let (mut digits, mut first) = ([b'0'; MAX_DIGITS], MAX_DIGITS);
    // Two digits for each division.
    for pair in digits.as_chunks_mut::<2>().0.iter_mut().rev() {
        let two = u8::try_from(rest % 100).unwrap_or_default();
        *pair = [b'0' + two / 10, b'0' + two % 10];
        first -= if rest < 10 { 1 } else { 2 };
        rest /= 100;
        if rest == 0 {
            break;
        }
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
            let mut text = String::new();
            Items::begin(&mut text, value).end();
            assert_eq!(text, format!("[{value}]"));
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
            let mut text = String::new();
            let mut items = Items::begin(&mut text, 0);
            items.time(UnixTime(time));
            items.end();
            assert_eq!(text, format!("[0,{}]", time.as_nanos()));
        }
    }
}
