//! Streams that are made of whole frames: what the server says on the way comes out in its order, and touches no verdict.
//!
//! The frames are chosen, so that what must come out is known without reading them again.

use mcp_wire::{BodyEnd, Framing, MalformedKind, Reply, ReplyDecoder, ReplyLimits};

use super::input::{Input, cuttings, request_id};

/// The most frames of one stream.
const FRAMES: usize = 40;

/// What must come out.
#[derive(Default)]
struct Expected {
    messages: Vec<(String, bool, String)>,
    responses: usize,
    is_error: bool,
    fault: Option<MalformedKind>,
}

pub fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let (seed, end) = (input.byte(), input.byte());
    let mut stream = Vec::new();
    let mut expected = Expected::default();
    let mut frames = 0;
    while !input.is_empty() && frames < FRAMES {
        write_frame(&mut input, &mut stream, &mut expected);
        frames += 1;
    }
    let end = if end & 1 == 0 {
        BodyEnd::Complete
    } else {
        BodyEnd::Incomplete
    };
    for pieces in cuttings(&stream, seed) {
        check(&pieces, end, &expected);
    }
}

fn check(pieces: &[&[u8]], end: BodyEnd, expected: &Expected) {
    let mut decoder = ReplyDecoder::new(request_id(), Framing::EventStream, ReplyLimits::default());
    let (mut messages, mut fault) = (Vec::new(), None);
    'pieces: for piece in pieces {
        let mut input = *piece;
        loop {
            match decoder.push(&mut input) {
                Ok(Some(message)) => {
                    let (method, text) = (message.method().to_owned(), message.text().to_owned());
                    messages.push((method, message.is_request(), text));
                }
                Ok(None) => break,
                Err(found) => {
                    fault = Some(found.kind());
                    break 'pieces;
                }
            }
        }
    }
    assert_eq!(messages, expected.messages);
    assert_eq!(fault, expected.fault);
    let found = match decoder.finish(end) {
        Ok(Reply::Result(_)) => Ok(false),
        Ok(Reply::Error(_)) => Ok(true),
        Err(fault) => Err(fault.kind()),
    };
    let verdict = match (expected.fault, end, expected.responses) {
        (Some(fault), _, _) => Err(fault),
        (None, BodyEnd::Incomplete, _) => Err(MalformedKind::Incomplete),
        (None, BodyEnd::Complete, 0) if messages.is_empty() => Err(MalformedKind::NoMessage),
        (None, BodyEnd::Complete, 0) => Err(MalformedKind::NoResponse),
        (None, BodyEnd::Complete, _) => Ok(expected.is_error),
    };
    assert_eq!(found, verdict);
}

/// Writes one frame, and notes what must come of it.
fn write_frame(input: &mut Input<'_>, stream: &mut Vec<u8>, expected: &mut Expected) {
    let (choice, layout) = (input.byte(), input.byte());
    let id = request_id();
    let mut response = |member: &str, is_error| {
        match expected.fault {
            None if expected.responses == 1 => expected.fault = Some(MalformedKind::SecondResponse),
            None => {
                expected.responses += 1;
                expected.is_error = is_error;
            }
            Some(_) => {}
        }
        format!(r#"{{"jsonrpc":"2.0","id":"{id}",{member}}}"#)
    };
    let text = match choice % 16 {
        0 => response(r#""result":{"content":[]}"#, false),
        1 => response(r#""error":{"code":-32603,"message":"no"}"#, true),
        kind @ 2..=8 => {
            let count = usize::from(choice >> 4);
            let method = String::from_utf8_lossy(input.take(count)).into_owned();
            let (text, is_request) = server_message(kind, &method);
            if expected.fault.is_none() {
                // Where a line is cut, a line feed stands in the text that comes out.
                let text = cut_lines(&text, layout).join("\n");
                expected.messages.push((method, is_request, text));
            }
            text
        }
        9 => {
            stream.extend_from_slice(b": a comment\n");
            return;
        }
        10 => {
            stream.extend_from_slice(b"id: 7\nretry: 10\ndata:\n\n");
            return;
        }
        11 => {
            stream.extend_from_slice(b"event: message\n");
            return;
        }
        kind => {
            let (text, fault) = refused(kind);
            expected.fault = expected.fault.or(Some(fault));
            text
        }
    };
    let line_end: &[u8] = match layout & 3 {
        0 | 1 => b"\n",
        2 => b"\r\n",
        _ => b"\r",
    };
    for line in cut_lines(&text, layout) {
        stream.extend_from_slice(if layout & 4 == 0 { b"data: " } else { b"data:" });
        stream.extend_from_slice(line.as_bytes());
        stream.extend_from_slice(line_end);
    }
    stream.extend_from_slice(line_end);
}

/// The text in lines: whole, or cut after its first brace, where whitespace may stand.
fn cut_lines(text: &str, layout: u8) -> Vec<&str> {
    if layout & 8 == 0 {
        return vec![text];
    }
    let (brace, rest) = text.split_at(1);
    vec![brace, rest]
}

/// A message of the server, and whether it asks for an answer.
fn server_message(kind: u8, method: &str) -> (String, bool) {
    let method = serde_json::Value::from(method);
    let ours = request_id();
    match kind {
        2 => (format!(r#"{{"jsonrpc":"2.0","method":{method}}}"#), false),
        3 => (
            format!(r#"{{"jsonrpc":"2.0","method":{method},"params":{{"result":1,"id":"{ours}"}}}}"#),
            false,
        ),
        4 => (format!(r#"{{"jsonrpc":"2.0","id":1,"method":{method}}}"#), true),
        5 => (
            format!(r#"{{"jsonrpc":"2.0","id":"s","method":{method},"params":{{}}}}"#),
            true,
        ),
        // The id of our own request makes it no answer to it.
        6 => (
            format!(r#"{{"method":{method},"id":"{ours}","jsonrpc":"2.0"}}"#),
            true,
        ),
        7 => (
            format!(r#"{{"jsonrpc":"2.0","id":null,"\u006dethod":{method},"else":[[]]}}"#),
            true,
        ),
        _ => (
            format!(r#"{{"jsonrpc":"2.0","method":{method},"params":{{"method":"x"}},"_":"\ud83d\ude00"}}"#),
            false,
        ),
    }
}

/// A frame that refuses the whole answer, and its fault.
fn refused(kind: u8) -> (String, MalformedKind) {
    let id = request_id();
    match kind {
        12 => (
            r#"{"jsonrpc":"2.0","id":"else","result":{}}"#.to_owned(),
            MalformedKind::ForeignId,
        ),
        13 => (
            format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"m","result":{{}}}}"#),
            MalformedKind::MixedFrame,
        ),
        14 => (
            r#"{"jsonrpc":"2.0","method":"m","\u006dethod":"n"}"#.to_owned(),
            MalformedKind::DuplicateMember,
        ),
        _ => (
            format!(r#"[{{"jsonrpc":"2.0","id":"{id}","result":{{}}}}]"#),
            MalformedKind::Batch,
        ),
    }
}
