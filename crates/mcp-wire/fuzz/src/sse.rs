//! Event streams against a reading of the whole stream at once.

use mcp_wire::{MalformedKind, ReplyLimits, SseDecoder};

use super::input::{Input, cuttings};

/// What a stream says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// In order, up to its last byte.
    pub told: Vec<Told>,
    /// What its end adds, if nothing was refused before: the event that was left open, or a last fault.
    pub at_end: Option<Told>,
    /// The last id. After a fault it counts for nothing.
    pub id: Vec<u8>,
    /// The time before a resumption.
    pub retry: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    Event(Vec<u8>),
    Fault(MalformedKind),
}

pub fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (limits, seed) = (limits(input.byte()), input.byte());
    let stream = input.rest();
    let expected = read(stream, &limits);
    for pieces in cuttings(stream, seed) {
        assert_eq!(decode(&pieces, limits), expected, "{limits:?}");
    }
}

/// Tight bounds for all choices but one.
fn limits(choice: u8) -> ReplyLimits {
    let mut limits = ReplyLimits::default();
    if choice > 0 {
        limits.events = usize::from(choice & 7);
        limits.line_bytes = usize::from(choice >> 3) + 4;
        limits.event_bytes = usize::from(choice & 15) + 2;
    }
    limits
}

fn decode(pieces: &[&[u8]], limits: ReplyLimits) -> Said {
    let mut decoder = SseDecoder::new(limits);
    let mut said = Said::default();
    for piece in pieces {
        let mut input = *piece;
        loop {
            match decoder.next(&mut input) {
                Ok(Some(event)) => said.told.push(Told::Event(event.data.to_vec())),
                Ok(None) => break,
                Err(fault) => {
                    said.told.push(Told::Fault(fault.kind()));
                    return said;
                }
            }
        }
        assert!(input.is_empty(), "without an event the input is used up");
    }
    let at_end = match decoder.finish() {
        Ok(event) => event.map(|event| Told::Event(event.data.to_vec())),
        Err(fault) => {
            said.at_end = Some(Told::Fault(fault.kind()));
            return said;
        }
    };
    Said {
        at_end,
        id: decoder.last_event_id().to_vec(),
        retry: decoder.retry(),
        ..said
    }
}

/// What a whole stream says: line by line, as the format has it.
///
/// <https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation>
pub fn read(stream: &[u8], limits: &ReplyLimits) -> Said {
    const BOM: &[u8] = b"\xef\xbb\xbf";
    let stream = stream.strip_prefix(BOM).unwrap_or(stream);
    // The start of a mark may still become one, so at the end of the stream it is nothing.
    let stream = if BOM.starts_with(stream) { &[] } else { stream };
    let (lines, open) = lines(stream);
    let mut reading = Reading::default();
    let mut told = Vec::new();
    for line in lines {
        let fault = match reading.take(line, limits) {
            Ok(event) => {
                told.extend(event.map(Told::Event));
                continue;
            }
            Err(fault) => fault,
        };
        told.push(Told::Fault(fault));
        return Said {
            told,
            ..Said::default()
        };
    }
    if open.len() > limits.line_bytes {
        told.push(Told::Fault(MalformedKind::LineTooLong));
        return Said {
            told,
            ..Said::default()
        };
    }
    // An open line has no event in it, and the blank line that is not there would end an open event.
    let last = if open.is_empty() {
        Ok(None)
    } else {
        reading.take(open, limits)
    };
    match last.and_then(|_none| reading.take(&[], limits)) {
        Ok(event) => Said {
            told,
            at_end: event.map(Told::Event),
            id: reading.last_id,
            retry: reading.retry,
        },
        Err(fault) => Said {
            told,
            at_end: Some(Told::Fault(fault)),
            ..Said::default()
        },
    }
}

/// The lines without their ends, and what follows the last end.
fn lines(mut stream: &[u8]) -> (Vec<&[u8]>, &[u8]) {
    let mut lines = Vec::new();
    while let Some(at) = stream.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        let (line, end) = stream.split_at(at);
        lines.push(line);
        stream = end
            .strip_prefix(b"\r\n")
            .unwrap_or_else(|| end.get(1..).unwrap_or_default());
    }
    (lines, stream)
}

#[derive(Default)]
struct Reading {
    events: usize,
    data: Option<Vec<u8>>,
    id: Option<Vec<u8>>,
    last_id: Vec<u8>,
    retry: Option<u64>,
}

impl Reading {
    /// Takes a line, and gives the event that it ends.
    fn take(&mut self, line: &[u8], limits: &ReplyLimits) -> Result<Option<Vec<u8>>, MalformedKind> {
        if line.len() > limits.line_bytes {
            return Err(MalformedKind::LineTooLong);
        }
        if line.is_empty() {
            self.last_id = self.id.take().unwrap_or(std::mem::take(&mut self.last_id));
            self.events += usize::from(self.data.is_some());
            if self.events > limits.events {
                return Err(MalformedKind::TooManyEvents);
            }
            return Ok(self.data.take());
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = line.split_at(colon.unwrap_or(line.len()));
        let value = value.get(1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                let data = match &self.data {
                    Some(before) => [before, &b"\n"[..], value].concat(),
                    None => value.to_vec(),
                };
                if data.len() > limits.event_bytes {
                    return Err(MalformedKind::EventTooLarge);
                }
                self.data = Some(data);
            }
            b"id" if value.len() <= SseDecoder::ID_BYTES && !value.contains(&0) => {
                self.id = Some(value.to_vec());
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let digits = std::str::from_utf8(value).unwrap_or_default();
                // Digits alone fail to parse only when there are too many.
                self.retry = Some(digits.parse().unwrap_or(u64::MAX));
            }
            _ => {}
        }
        Ok(None)
    }
}
