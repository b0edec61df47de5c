//! What a script is made of, and what a server without faults would say.

use std::time::Duration;

/// What a server does on a connection. After its last step, or its first that cannot be done, it drops the connection.
///
/// In what is written, `$ID` stands for the id of the request that was read last. `$LEN` stands for the bytes after the
/// head: in a [`Step::Write`] of both, and in the fields of a [`Step::Head`], where a number may follow that is added to
/// it, as in `$LEN+10`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Reads one request.
    Read,
    /// Answers the request that was read last as a server without faults does.
    Respond,
    /// Writes bytes on the connection.
    Write(Vec<u8>),
    /// Writes the head of an answer to the request that was read last: its status and its fields.
    Head(u16, Vec<(String, String)>),
    /// Writes a piece of the body: over HTTP/1.1 the bytes themselves, over HTTP/2 as data within the client's windows.
    Body(Vec<u8>),
    /// Writes a piece of the body that brings the whole body to this many bytes, with what the other steps write of it.
    PadTo(usize),
    /// Writes one chunk of HTTP/1.1: its size, then its bytes.
    Chunk(Vec<u8>),
    /// Writes the same piece of the body for ever.
    Endless(Vec<u8>),
    /// Writes the body a byte at a time, with a pause after each. The pauses are the fault; no test waits for them.
    Drip(Vec<u8>, Duration),
    /// Ends the answer: over HTTP/2 with its flag, over HTTP/1.1 without a sign.
    Finish,
    /// Writes one frame of HTTP/2.
    Frame(Frame),
    /// Writes the same frame for ever.
    EndlessFrame(Frame),
    /// Ends the server's own direction in order: under TLS with `close_notify`.
    Shutdown,
    /// Drops the connection: under TLS without `close_notify`. The last step.
    Drop,
    /// Ends the connection by a reset. The last step.
    Reset,
    /// Reads until the client has ended the connection.
    AwaitEnd,
}

impl Step {
    /// Writes a text on the connection.
    #[must_use]
    pub fn write(text: &str) -> Self {
        Self::Write(text.as_bytes().to_vec())
    }

    /// Writes the head of an answer with these fields.
    #[must_use]
    pub fn head(status: u16, fields: &[(&str, &str)]) -> Self {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self::Head(status, fields.iter().map(own).collect())
    }

    /// Writes a text as a piece of the body.
    #[must_use]
    pub fn body(text: &str) -> Self {
        Self::Body(text.as_bytes().to_vec())
    }

    /// Resets the stream of the request that was read last.
    ///
    /// [RFC 9113, section 6.4](https://www.rfc-editor.org/rfc/rfc9113#section-6.4).
    #[must_use]
    pub fn reset_stream(code: u32) -> Self {
        Self::Frame(Frame::on_stream(3, 0, &code.to_be_bytes()))
    }

    /// Gives the connection up, having seen the streams up to `last`.
    ///
    /// [RFC 9113, section 6.8](https://www.rfc-editor.org/rfc/rfc9113#section-6.8).
    #[must_use]
    pub fn go_away(last: u32, code: u32) -> Self {
        let payload = [last.to_be_bytes(), code.to_be_bytes()].concat();
        Self::Frame(Frame::on_connection(7, 0, &payload))
    }
}

/// One frame of HTTP/2, right or wrong.
///
/// [RFC 9113, section 4.1](https://www.rfc-editor.org/rfc/rfc9113#section-4.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The type.
    pub kind: u8,
    /// The flags.
    pub flags: u8,
    /// Whether it is of the stream of the request that was read last; otherwise of the connection.
    pub on_stream: bool,
    /// The payload.
    pub payload: Vec<u8>,
}

impl Frame {
    /// A frame of the stream of the request that was read last.
    #[must_use]
    pub fn on_stream(kind: u8, flags: u8, payload: &[u8]) -> Self {
        Self {
            kind,
            flags,
            on_stream: true,
            payload: payload.to_vec(),
        }
    }

    /// A frame of the connection.
    #[must_use]
    pub fn on_connection(kind: u8, flags: u8, payload: &[u8]) -> Self {
        Self {
            on_stream: false,
            ..Self::on_stream(kind, flags, payload)
        }
    }
}

/// The answer with the id of its request for `$ID`, and the bytes after its head for `$LEN`.
#[must_use]
pub fn fill(reply: &[u8], id: &str) -> Vec<u8> {
    if !reply.contains(&b'$') {
        return reply.to_vec();
    }
    let reply = replace(reply, b"$ID", id.as_bytes());
    match reply.windows(4).position(|window| window == b"\r\n\r\n") {
        Some(end) if reply.iter().take(end).any(|byte| *byte == b'$') => {
            let (head, body) = reply.split_at(end);
            let length = body.len().saturating_sub(4).to_string();
            [replace(head, b"$LEN", length.as_bytes()), body.to_vec()].concat()
        }
        Some(_) | None => reply,
    }
}

fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(text.len() + to.len());
    let mut rest = text;
    while let Some((first, tail)) = rest.split_first() {
        if let Some(after) = rest.strip_prefix(from) {
            replaced.extend_from_slice(to);
            rest = after;
        } else {
            replaced.push(*first);
            rest = tail;
        }
    }
    replaced
}

/// The steps of the answer that the step at `place` belongs to.
fn answer_around(script: &[Step], place: usize) -> impl Iterator<Item = &Step> {
    let (before, after) = script.split_at(place);
    let before = before.iter().rev().take_while(|step| **step != Step::Read);
    before.chain(after.iter().take_while(|step| **step != Step::Read))
}

/// The bytes of the body that the step at `place` belongs to: what it is padded to, else what its steps write.
pub(super) fn length_of_body(script: &[Step], place: usize, id: &str) -> usize {
    let padded = answer_around(script, place).find_map(|step| {
        if let Step::PadTo(size) = step {
            Some(*size)
        } else {
            None
        }
    });
    padded.unwrap_or_else(|| written(script, place, id))
}

/// The bytes that the step at `place`, a [`Step::PadTo`], has to write.
pub(super) fn padding(script: &[Step], place: usize, id: &str) -> usize {
    length_of_body(script, place, id).saturating_sub(written(script, place, id))
}

/// The bytes of body that the steps around `place` write without padding.
fn written(script: &[Step], place: usize, id: &str) -> usize {
    answer_around(script, place)
        .map(|step| match step {
            Step::Body(bytes) | Step::Drip(bytes, _) => fill(bytes, id).len(),
            Step::PadTo(_)
            | Step::Chunk(_)
            | Step::Read
            | Step::Respond
            | Step::Write(_)
            | Step::Head(..)
            | Step::Endless(_)
            | Step::Finish
            | Step::Frame(_)
            | Step::EndlessFrame(_)
            | Step::Shutdown
            | Step::Drop
            | Step::Reset
            | Step::AwaitEnd => 0,
        })
        .sum()
}

/// The fields with the length of the body for `$LEN`.
pub(super) fn with_length(fields: &[(String, String)], length: usize) -> Vec<(String, String)> {
    let filled = |value: &str| match value.strip_prefix("$LEN") {
        None => value.to_owned(),
        Some(more) => length
            .saturating_add_signed(more.parse().unwrap_or(0))
            .to_string(),
    };
    fields
        .iter()
        .map(|(name, value)| (name.clone(), filled(value)))
        .collect()
}

/// The id of a request; empty when it has none.
pub(super) fn id_of(request: &str) -> &str {
    let (_, rest) = request.split_once("\"id\":\"").unwrap_or_default();
    rest.split_once('"').map_or("", |(id, _)| id)
}

/// What a server without faults answers to a request: status, fields, body.
pub(super) fn healthy(request: &str) -> (u16, Vec<(String, String)>, String) {
    let id = id_of(request);
    let field = |name: &str, value: String| (name.to_owned(), value);
    if id.is_empty() {
        return (202, vec![field("content-length", "0".to_owned())], String::new());
    }
    let result = if request.contains("\"method\":\"initialize\"") {
        r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"peer","version":"1"}}"#
    } else {
        r#"{"content":[]}"#
    };
    let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"result\":{result}}}");
    let fields = vec![
        field("content-type", "application/json".to_owned()),
        field("content-length", body.len().to_string()),
    ];
    (200, fields, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_something_is_filled_in() {
        let reply = b"HTTP/1.1 200 OK\r\ncontent-length: $LEN\r\n\r\n{\"id\":\"$ID\"}";
        let filled = fill(reply, "a7");
        assert_eq!(
            filled,
            b"HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{\"id\":\"a7\"}"
        );
        let script = [
            Step::head(200, &[("content-length", "$LEN+10"), ("x", "$LEN-1")]),
            Step::body("$ID"),
            Step::body("!"),
            Step::Read,
            Step::body("of the next answer"),
        ];
        let Step::Head(_, fields) = &script[0] else {
            panic!("the first step is a head");
        };
        let filled = with_length(fields, length_of_body(&script, 0, "a7"));
        let values: Vec<_> = filled.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["13", "2"]);
        let script = [
            Step::Read,
            Step::head(200, &[]),
            Step::body("$ID"),
            Step::PadTo(9),
            Step::body("!"),
        ];
        assert_eq!(
            (length_of_body(&script, 1, "a7"), padding(&script, 3, "a7")),
            (9, 6)
        );
    }
}
