//! Where the long strings of a text stand: noted by the pass that judges it, so that the next one steps over them.

use alloc::vec::Vec;
use core::ops::Range;

/// The long strings of one text, in its order.
#[derive(Debug, Default)]
pub(crate) struct LongStrings(Vec<LongString>);

/// One of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct LongString {
    /// Where its opening quotation mark stands.
    pub(super) start: usize,
    /// Past its closing one.
    pub(super) end: usize,
    pub(super) escaped: bool,
}

/// A string of fewer bytes costs less to read again than to note.
const LONG: usize = 128;

impl LongStrings {
    /// Notes the string when it is long.
    #[inline]
    pub(super) fn note(&mut self, start: usize, end: usize, escaped: bool) {
        if end - start >= LONG {
            self.0.push(LongString { start, end, escaped });
        }
    }

    pub(super) fn as_slice(&self) -> &[LongString] {
        &self.0
    }

    /// Those of a part of the text, as they stand in that part.
    pub(crate) fn within(mut self, part: &Range<usize>) -> Self {
        self.0
            .retain(|string| part.start <= string.start && string.end <= part.end);
        for string in &mut self.0 {
            string.start -= part.start;
            string.end -= part.start;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Position, Scanner};
    use super::*;
    use alloc::format;
    use alloc::string::String;

    /// Names and values of an object: strings decoded, others as they stand.
    fn read(mut scanner: Scanner<'_>) -> Vec<String> {
        let (mut read, mut position) = (Vec::new(), scanner.enter().unwrap());
        while let Some(name) = scanner.member(position).unwrap() {
            position = Position::Later;
            read.push(name.decode().into_owned());
            if scanner.peek_type() == Some(super::super::JsonType::String) {
                let string = scanner.string_or_skip().unwrap().unwrap();
                read.push(string.decode().into_owned());
            } else {
                read.push(scanner.skip().unwrap().text.into());
            }
        }
        scanner.end().unwrap();
        read
    }

    #[test]
    fn the_second_pass_over_a_part_reads_what_one_without_notes_reads() {
        let long = |unit: &str| unit.repeat(LONG);
        let (plain, escaped) = (long("ä"), long(r#"line\n\u00e4 \"quoted\" "#));
        let edge = "e".repeat(LONG - 3) + "\\\\";
        let part = format!(
            r#"{{"a":"{plain}","{escaped}":["{escaped}",{{"{plain}":"x"}}],"short":"\n","b":"{escaped}","{edge}":"{edge}"}}"#
        );
        let whole = format!(r#" {{"{plain}":"{escaped}","result": {part} ,"after":"{plain}"}}"#);
        let mut scanner = Scanner::noting(&whole, 512);
        scanner.skip().unwrap();
        let start = whole.find(&part).unwrap();
        let noted = scanner.into_long_strings();
        assert_eq!(noted.as_slice().len(), 10);
        let noted = noted.within(&(start..start + part.len()));
        assert_eq!(noted.as_slice().len(), 7);
        for string in noted.as_slice() {
            let text = part.get(string.start..string.end).unwrap();
            assert!(text.starts_with('"') && text.ends_with('"'), "{text}");
        }
        let again = read(Scanner::again(&part, 512, &noted));
        assert_eq!(again, read(Scanner::new(&part, 512)));
        assert_eq!(again.len(), 10);
    }
}
