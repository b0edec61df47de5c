//! Event streams: events out of bytes, blind to how the bytes were cut.
//!
//! Line rules of [WHATWG HTML, section 9.2.6], on bytes; whether the text is UTF-8 is decided where a frame is judged.
//!
//! [WHATWG HTML, section 9.2.6]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

use alloc::vec::Vec;

use crate::limits::ReplyLimits;
use crate::malformed::{Malformed, MalformedKind};

/// Unframes an event stream. Takes any cutting of the bytes and yields the same events for all of them.
///
/// LF, CR and CRLF end a line, also mixed; one byte order mark at the start is passed over; comments and unknown
/// fields are ignored. A line that has not ended is kept, so memory is bounded by the limits for lines and events.
#[derive(Debug)]
pub struct SseDecoder {
    limits: ReplyLimits,
    /// The line that has not ended; of a `data` field only what stands before its value.
    line: Vec<u8>,
    /// Where in `data` the value begins that the open line has. Copied there as it comes, a long value is copied once.
    value: Option<usize>,
    data: Vec<u8>,
    /// Whether the open event has a `data` field, be it empty.
    has_data: bool,
    /// Whether `data` was yielded and is to be cleared before the next byte.
    dispatched: bool,
    after_cr: bool,
    /// Bytes of the byte order mark that were seen; past it or without one, [`BOM_PASSED`].
    bom: usize,
    events: usize,
    id: EventId,
    retry: Option<u64>,
}

/// The id of the last event, and the one of the event that is open.
#[derive(Debug, Default)]
struct EventId {
    last: Vec<u8>,
    open: Option<Vec<u8>>,
}

/// One event: the joined value of its `data` fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// The values of the `data` fields, joined with LF. Empty for an event that only primes a stream.
    pub data: &'a [u8],
}

const BOM: [u8; 3] = [0xef, 0xbb, 0xbf];
const BOM_PASSED: usize = BOM.len();

/// The bytes after which it is known whether a line is a `data` field, and whether it loses a space.
const DATA: usize = b"data:".len() + 1;

impl SseDecoder {
    /// The longest event id that is kept, in bytes.
    pub const ID_BYTES: usize = 1_024;

    /// A decoder at the start of a stream.
    #[must_use]
    pub fn new(limits: ReplyLimits) -> Self {
        Self {
            limits,
            line: Vec::new(),
            value: None,
            data: Vec::new(),
            has_data: false,
            dispatched: false,
            after_cr: false,
            bom: 0,
            events: 0,
            id: EventId::default(),
            retry: None,
        }
    }

    /// The id of the last event that has ended, for a resumption to come. Empty when there is none. An id that holds
    /// NUL or is longer than [`SseDecoder::ID_BYTES`] is ignored.
    #[must_use]
    pub fn last_event_id(&self) -> &[u8] {
        &self.id.last
    }

    /// The time that the server asks to wait before a resumption, in milliseconds. A value that is not wholly digits is
    /// ignored; one beyond `u64` counts as its maximum.
    #[must_use]
    pub const fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Reads from the front of `input` up to the end of the next event with a `data` field, and leaves the rest there.
    /// `None` when the input is used up.
    ///
    /// # Errors
    ///
    /// [`Malformed`] when a line, an event or the number of events goes beyond its limit; the peer is at fault. The
    /// decoder must not be used after that.
    pub fn next<'d>(&'d mut self, input: &mut &[u8]) -> Result<Option<SseEvent<'d>>, Malformed> {
        self.clear_dispatched();
        self.pass_bom(input);
        while let Some(&first) = input.first() {
            if core::mem::take(&mut self.after_cr) && first == b'\n' {
                *input = input.get(1..).unwrap_or_default();
                continue;
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', input) else {
                self.keep(input)?;
                *input = &[];
                break;
            };
            let (piece, rest) = input.split_at(end);
            self.after_cr = rest.first() == Some(&b'\r');
            *input = rest.get(1..).unwrap_or_default();
            if self.end_line(piece)? {
                self.dispatched = true;
                return Ok(Some(SseEvent { data: &self.data }));
            }
        }
        Ok(None)
    }

    /// The event that the stream's end left open, if it has a `data` field.
    ///
    /// The format drops such an event. The caller may take it when the framing beneath proves that the body is complete.
    ///
    /// # Errors
    ///
    /// As [`SseDecoder::next`].
    pub fn finish(&mut self) -> Result<Option<SseEvent<'_>>, Malformed> {
        self.clear_dispatched();
        if !self.line.is_empty() {
            self.end_line(&[])?;
        }
        if self.end_line(&[])? {
            self.dispatched = true;
            return Ok(Some(SseEvent { data: &self.data }));
        }
        Ok(None)
    }

    /// The data of the event that was yielded last, to keep. Empty when it was taken before.
    pub(crate) fn take_data(&mut self) -> Vec<u8> {
        if self.dispatched {
            core::mem::take(&mut self.data)
        } else {
            Vec::new()
        }
    }

    fn clear_dispatched(&mut self) {
        if core::mem::take(&mut self.dispatched) {
            self.data.clear();
        }
    }

    /// Passes over one byte order mark at the start of the stream.
    fn pass_bom(&mut self, input: &mut &[u8]) {
        while self.bom < BOM_PASSED {
            let Some((&first, rest)) = input.split_first() else {
                return;
            };
            if BOM.get(self.bom) == Some(&first) {
                self.bom += 1;
                *input = rest;
            } else {
                // No mark after all: the bytes that looked like one are the start of the line.
                self.line
                    .extend_from_slice(BOM.get(..self.bom).unwrap_or_default());
                self.bom = BOM_PASSED;
            }
        }
    }

    /// Keeps the start of a line whose end has not come.
    fn keep(&mut self, piece: &[u8]) -> Result<(), Malformed> {
        self.require_room(piece)?;
        let mut rest = piece;
        if self.value.is_none() {
            let start = DATA.saturating_sub(self.line.len()).min(piece.len());
            let (start, after) = piece.split_at(start);
            self.line.extend_from_slice(start);
            rest = after;
            if let [b'd', b'a', b't', b'a', b':', first] = *self.line {
                let value: &[u8] = if first == b' ' { &[] } else { &[first] };
                self.line.truncate(DATA - value.len());
                self.value = Some(self.start_data(value));
            }
        }
        let (target, limit) = match self.value {
            Some(_) => (&mut self.data, self.limits.event_bytes),
            None => (&mut self.line, self.limits.line_bytes),
        };
        make_room(target, rest.len(), limit);
        target.extend_from_slice(rest);
        Ok(())
    }

    /// Takes in the line that ends with `piece`. `true` when it was blank and dispatches an event.
    fn end_line(&mut self, piece: &[u8]) -> Result<bool, Malformed> {
        if self.line.is_empty() {
            self.require_room(piece)?;
            return self.take_line(piece);
        }
        self.keep(piece)?;
        let mut line = core::mem::take(&mut self.line);
        let dispatches = match self.value.take() {
            Some(_) => self.end_data().map(|()| false),
            None => self.take_line(&line),
        };
        line.clear();
        self.line = line;
        dispatches
    }

    fn require_room(&self, piece: &[u8]) -> Result<(), Malformed> {
        let value = self.value.map_or(0, |start| self.data.len() - start);
        if self.line.len() + value + piece.len() > self.limits.line_bytes {
            return Err(Malformed::beyond(
                MalformedKind::LineTooLong,
                self.limits.line_bytes,
                "line_bytes",
            ));
        }
        Ok(())
    }

    fn take_line(&mut self, line: &[u8]) -> Result<bool, Malformed> {
        if line.is_empty() {
            if let Some(id) = self.id.open.take() {
                self.id.last = id;
            }
            if core::mem::take(&mut self.has_data) {
                return self.count_event().map(|()| true);
            }
            return Ok(false);
        }
        // Most lines are data, and their names need no search for the colon.
        if let Some(value) = field_value(line, b"data") {
            self.start_data(value);
            self.end_data()?;
        } else if let Some(value) = field_value(line, b"id") {
            if value.len() <= Self::ID_BYTES && !value.contains(&0) {
                self.id.open = Some(value.into());
            }
        } else if let Some(value) = field_value(line, b"retry")
            && !value.is_empty()
            && value.iter().all(u8::is_ascii_digit)
        {
            let digits = value.iter().map(|digit| u64::from(digit - b'0'));
            self.retry = Some(digits.fold(0, |sum: u64, digit| sum.saturating_mul(10).saturating_add(digit)));
        }
        Ok(false)
    }

    /// Where in `data` the value begins.
    fn start_data(&mut self, value: &[u8]) -> usize {
        if self.has_data {
            self.data.push(b'\n');
        }
        let start = self.data.len();
        self.data.extend_from_slice(value);
        start
    }

    /// Judged only at the end of a line, the bound is blind to how the line was cut.
    fn end_data(&mut self) -> Result<(), Malformed> {
        if self.data.len() > self.limits.event_bytes {
            return Err(Malformed::beyond(
                MalformedKind::EventTooLarge,
                self.limits.event_bytes,
                "event_bytes",
            ));
        }
        self.has_data = true;
        Ok(())
    }

    fn count_event(&mut self) -> Result<(), Malformed> {
        if self.events == self.limits.events {
            return Err(Malformed::beyond(
                MalformedKind::TooManyEvents,
                self.limits.events,
                "events",
            ));
        }
        self.events += 1;
        Ok(())
    }
}

/// Makes room for more bytes: twice as much as there is, but no more than the limit where that is enough. What goes beyond
/// it is refused at the end of its line, and until then costs no more for each byte than any other.
fn make_room(target: &mut Vec<u8>, more: usize, limit: usize) {
    let wanted = target.len() + more;
    if wanted > target.capacity() {
        let twice = target.capacity() * 2;
        let room = wanted.max(if wanted <= limit { twice.min(limit) } else { twice });
        target.reserve_exact(room - target.len());
    }
}

/// The value of the line's field when that is `name`: what follows the colon, less one space; empty without a colon.
fn field_value<'l>(line: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    match line.strip_prefix(name)? {
        [] => Some(&[]),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        [_, ..] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec;

    /// The events of `stream`, fed in pieces of `size` bytes, the open one at the end included.
    fn events(stream: &[u8], size: usize) -> Result<Vec<String>, Malformed> {
        let mut decoder = SseDecoder::new(ReplyLimits::default());
        let mut events = vec![];
        let mut take = |event: SseEvent<'_>| events.push(String::from_utf8(event.data.to_vec()).unwrap());
        for mut piece in stream.chunks(size) {
            while let Some(event) = decoder.next(&mut piece)? {
                take(event);
            }
        }
        if let Some(event) = decoder.finish()? {
            take(event);
        }
        Ok(events)
    }

    fn check(stream: &str, expected: &[&str]) {
        for size in 1..=stream.len().max(1) {
            assert_eq!(
                events(stream.as_bytes(), size).unwrap(),
                expected,
                "{stream:?} by {size}"
            );
        }
    }

    #[test]
    fn line_ends_of_every_form_give_the_same_events() {
        check("data: a\n\ndata: b\n\n", &["a", "b"]);
        check("data: a\r\rdata: b\r\r", &["a", "b"]);
        check("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]);
        check("data: a\r\n\ndata: b\n\r\n", &["a", "b"]);
        check("data: a\n\rdata: b\r\n\r", &["a", "b"]);
    }

    #[test]
    fn data_lines_join_and_lose_one_space() {
        check("data: a\r\ndata:b\ndata:  c\n\n", &["a\nb\n c"]);
        check("data\n\n", &[""]);
        check("data:\ndata:\n\n", &["\n"]);
    }

    #[test]
    fn other_fields_and_comments_are_no_data() {
        check(": hi\nevent: x\nid: 1\nretry: 5\nData: no\ndatax: no\n\n", &[]);
        check("id: 1\n\ndata: a\n\n", &["a"]);
    }

    #[test]
    fn one_byte_order_mark_is_passed_over() {
        check("\u{feff}data: a\n\n", &["a"]);
        check("\u{feff}\u{feff}data: a\n\n", &[]);
        check("\n\u{feff}data: a\n\n", &[]);
        assert_eq!(events(b"\xef\xbbdata: a\n\n", 1).unwrap(), [""; 0]);
    }

    #[test]
    fn the_open_event_is_left_to_the_caller() {
        check("data: a\n\ndata: b\n", &["a", "b"]);
        check("data: a\n\ndata: b", &["a", "b"]);
        check("data: a\n\n: c", &["a"]);
    }

    #[test]
    fn ids_and_retry_are_kept_for_later() {
        let read = |stream: &[u8]| {
            let mut decoder = SseDecoder::new(ReplyLimits::default());
            let mut input = stream;
            while decoder.next(&mut input).unwrap().is_some() {}
            (
                String::from_utf8(decoder.last_event_id().to_vec()).unwrap(),
                decoder.retry(),
            )
        };
        assert_eq!(read(b"id: a\nretry: 300\n\n"), ("a".into(), Some(300)));
        assert_eq!(read(b"id: a\n\ndata: x\n\n"), ("a".into(), None));
        assert_eq!(read(b"id: a\n\nid\n\n"), (String::new(), None));
        assert_eq!(read(b"id: a\n\nid: b\n"), ("a".into(), None));
        assert_eq!(read(b"id: a\n\nid: b\0\n\n"), ("a".into(), None));
        assert_eq!(
            read(b"retry: 5\nretry: 6x\nretry:\nretry: -1\n\n"),
            (String::new(), Some(5))
        );
        assert_eq!(read(b"retry: 99999999999999999999999\n\n").1, Some(u64::MAX));
        let long = |bytes| [&b"id: "[..], &vec![b'a'; bytes], b"\n\n"].concat();
        assert_eq!(read(&long(1_024)).0.len(), 1_024);
        assert_eq!(read(&long(1_025)).0.len(), 0);
    }

    #[test]
    fn limits_hold_at_their_edge() {
        let limits = ReplyLimits {
            line_bytes: 8,
            event_bytes: 3,
            events: 2,
            ..ReplyLimits::default()
        };
        let run = |stream: &str, size: usize| {
            let mut decoder = SseDecoder::new(limits);
            let mut count = 0;
            for mut piece in stream.as_bytes().chunks(size) {
                while decoder.next(&mut piece).map_err(|fault| fault.kind())?.is_some() {
                    count += 1;
                }
            }
            Ok(count)
        };
        for (stream, expected) in [
            ("data: ab\n\n", Ok(1)),
            ("data: abc\n\n", Err(MalformedKind::LineTooLong)),
            ("data: abc", Err(MalformedKind::LineTooLong)),
            ("data:abc\n\n", Ok(1)),
            ("data:abc", Ok(0)),
            ("data:abcd", Err(MalformedKind::LineTooLong)),
            ("data:a\ndata:b\n\n", Ok(1)),
            ("data:a\ndata:bc\n", Err(MalformedKind::EventTooLarge)),
            ("data:a\ndata:bc", Ok(0)),
            ("data:a\ndata:bcde", Err(MalformedKind::LineTooLong)),
            ("data:a\n\ndata:a\n\n", Ok(2)),
            (
                "data:a\n\ndata:a\n\ndata:a\n\n",
                Err(MalformedKind::TooManyEvents),
            ),
        ] {
            for size in 1..=stream.len() {
                assert_eq!(run(stream, size), expected, "{stream:?} by {size}");
            }
        }
    }

    #[test]
    fn an_event_takes_no_more_room_than_it_may_have() {
        for size in 1..=64 {
            let limits = ReplyLimits {
                line_bytes: 1_030,
                event_bytes: 1_024,
                ..ReplyLimits::default()
            };
            let mut decoder = SseDecoder::new(limits);
            let line = [&b"data: "[..], &[b'x'; 1_024]].concat();
            for mut piece in line.chunks(size) {
                assert_eq!(decoder.next(&mut piece), Ok(None));
            }
            assert_eq!(decoder.data.capacity(), 1_024, "by {size}");
        }
    }

    #[test]
    fn a_line_that_is_doomed_is_not_copied_for_each_of_its_pieces() {
        let limits = ReplyLimits {
            event_bytes: 16,
            ..ReplyLimits::default()
        };
        let mut decoder = SseDecoder::new(limits);
        let (mut room, mut moves) = (0, 0);
        for mut piece in [&b"data: "[..], &[b'x'; 100_000]].concat().chunks(1) {
            assert_eq!(decoder.next(&mut piece), Ok(None));
            moves += usize::from(decoder.data.capacity() != room);
            room = decoder.data.capacity();
        }
        assert!(moves < 20, "{moves}");
        assert_eq!(
            decoder.next(&mut &b"\n"[..]).unwrap_err().kind(),
            MalformedKind::EventTooLarge
        );
    }
}
