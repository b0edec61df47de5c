//! The verdict on a whole answer: bytes and the end of the body in, server messages and one verdict out.
//!
//! Requirements R-227-3a to R-227-3g in `specs/025-mcp-response-correlation`.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::id::RequestId;
use crate::json::Scanner;
use crate::limits::ReplyLimits;
use crate::malformed::{Malformed, MalformedKind};
use crate::response::{Frame, ResultPart, RpcError, ServerFrame};
use crate::sse::SseDecoder;

/// How the body holds its frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// The body is one JSON text.
    Json,
    /// The body is an event stream; each event's data is one JSON text.
    EventStream,
}

/// How the body ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyEnd {
    /// The framing beneath proves that no byte is missing.
    Complete,
    /// Bytes are missing, or may be.
    Incomplete,
}

/// Reads one answer to one request.
///
/// A refusal is given as soon as it is certain; acceptance only by [`ReplyDecoder::finish`]. Of several faults the first
/// in the order of the bytes wins: the fault of a frame lies at its last byte, `too-large` at the byte after the limit,
/// `incomplete` at the end. So the verdict is the same however the bytes were cut.
#[derive(Debug)]
pub struct ReplyDecoder {
    expected: RequestId,
    limits: ReplyLimits,
    consumed: usize,
    body: Body,
    fault: Option<Malformed>,
}

#[derive(Debug)]
enum Body {
    Json(Vec<u8>),
    EventStream(Box<Stream>),
}

impl ReplyDecoder {
    /// A decoder for the answer to `expected`.
    #[must_use]
    pub fn new(expected: RequestId, framing: Framing, limits: ReplyLimits) -> Self {
        let body = match framing {
            Framing::Json => Body::Json(Vec::new()),
            Framing::EventStream => Body::EventStream(Box::new(Stream::new(limits))),
        };
        Self {
            expected,
            limits,
            consumed: 0,
            body,
            fault: None,
        }
    }

    /// Makes room for a declared length, within the limit.
    ///
    /// # Errors
    ///
    /// `too-large` at once when the declared length is above the limit.
    pub fn expect_length(&mut self, bytes: u64) -> Result<(), Malformed> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        if bytes > self.limits.body_bytes {
            return self.refuse(self.too_large());
        }
        if let Body::Json(text) = &mut self.body {
            text.reserve_exact(bytes);
        }
        Ok(())
    }

    /// Takes bytes from the front of `input` up to the next server message. Call again while it yields one; on `None`
    /// the input is used up. At most one byte beyond the limit is taken.
    ///
    /// # Errors
    ///
    /// [`Malformed`] as soon as the answer is certain to be refused, and again on every later call.
    pub fn push(&mut self, input: &mut &[u8]) -> Result<Option<ServerMessage>, Malformed> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let room = self.limits.body_bytes.saturating_sub(self.consumed);
        let (mut within, beyond) = input.split_at(room.min(input.len()));
        let offered = within.len();
        let message = match &mut self.body {
            Body::Json(text) => {
                text.extend_from_slice(core::mem::take(&mut within));
                Ok(None)
            }
            Body::EventStream(stream) => stream.push(&mut within, &self.expected, &self.limits),
        };
        self.consumed += offered - within.len();
        *input = input.get(offered - within.len()..).unwrap_or_default();
        match message {
            Err(fault) => self.refuse(fault),
            Ok(None) if !beyond.is_empty() => {
                *input = beyond.get(1..).unwrap_or_default();
                self.refuse(self.too_large())
            }
            Ok(message) => Ok(message),
        }
    }

    /// Gives the verdict. An event that the end of a complete event stream left open is judged with the others.
    ///
    /// # Errors
    ///
    /// [`Malformed`]: the fault that was found before, `incomplete`, or the fault of the whole.
    pub fn finish(self, end: BodyEnd) -> Result<Reply, Malformed> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        match end {
            BodyEnd::Incomplete => return Err(MalformedKind::Incomplete.into()),
            BodyEnd::Complete => {}
        }
        match self.body {
            Body::Json(text) => judge_json(text, &self.expected, &self.limits),
            Body::EventStream(stream) => stream.finish(&self.expected, &self.limits),
        }
    }

    fn too_large(&self) -> Malformed {
        Malformed::beyond(MalformedKind::TooLarge, self.limits.body_bytes, "body_bytes")
    }

    fn refuse<T>(&mut self, fault: Malformed) -> Result<T, Malformed> {
        self.fault = Some(fault);
        Err(fault)
    }
}

fn judge_json(text: Vec<u8>, expected: &RequestId, limits: &ReplyLimits) -> Result<Reply, Malformed> {
    let text = utf8(text)?;
    if text
        .bytes()
        .all(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t'))
    {
        return Err(MalformedKind::EmptyBody.into());
    }
    match Judged::of(text, expected, limits)? {
        Judged::Reply(reply) => Ok(reply),
        Judged::Server(_) => Err(MalformedKind::NoResponse.into()),
    }
}

/// One text that was judged, and kept as far as it is needed.
enum Judged {
    Reply(Reply),
    Server(ServerMessage),
}

impl Judged {
    fn of(text: String, expected: &RequestId, limits: &ReplyLimits) -> Result<Self, Malformed> {
        Ok(match Frame::parse(&text, expected, limits)? {
            Frame::Result(part) => Self::Reply(Reply::Result(ResultText { text, part })),
            Frame::Error(error) => Self::Reply(Reply::Error(error)),
            Frame::Server(ServerFrame { method, is_request }) => Self::Server(ServerMessage {
                method,
                is_request,
                text,
            }),
        })
    }
}

fn utf8(text: Vec<u8>) -> Result<String, Malformed> {
    String::from_utf8(text)
        .map_err(|fault| Malformed::at(MalformedKind::InvalidUtf8, fault.utf8_error().valid_up_to()))
}

/// An event stream on its way: its events, and the response that was seen.
#[derive(Debug)]
struct Stream {
    events: SseDecoder,
    seen: Seen,
}

#[derive(Debug)]
enum Seen {
    Nothing,
    ServerMessage,
    Response(Reply),
}

impl Stream {
    fn new(limits: ReplyLimits) -> Self {
        Self {
            events: SseDecoder::new(limits),
            seen: Seen::Nothing,
        }
    }

    fn push(
        &mut self,
        input: &mut &[u8],
        expected: &RequestId,
        limits: &ReplyLimits,
    ) -> Result<Option<ServerMessage>, Malformed> {
        while self.events.next(input)?.is_some() {
            if let Some(message) = self.take_in(expected, limits)? {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }

    fn finish(mut self, expected: &RequestId, limits: &ReplyLimits) -> Result<Reply, Malformed> {
        if self.events.finish()?.is_some() {
            self.take_in(expected, limits)?;
        }
        match self.seen {
            Seen::Response(reply) => Ok(reply),
            Seen::ServerMessage => Err(MalformedKind::NoResponse.into()),
            Seen::Nothing => Err(MalformedKind::NoMessage.into()),
        }
    }

    /// Judges the event that has ended. Empty data primes a stream for resumption and is no message.
    fn take_in(
        &mut self,
        expected: &RequestId,
        limits: &ReplyLimits,
    ) -> Result<Option<ServerMessage>, Malformed> {
        let data = self.events.take_data();
        if data.is_empty() {
            return Ok(None);
        }
        match (Judged::of(utf8(data)?, expected, limits)?, &self.seen) {
            (Judged::Reply(_), Seen::Response(_)) => Err(MalformedKind::SecondResponse.into()),
            (Judged::Reply(reply), Seen::Nothing | Seen::ServerMessage) => {
                self.seen = Seen::Response(reply);
                Ok(None)
            }
            (Judged::Server(message), Seen::Response(_) | Seen::ServerMessage) => Ok(Some(message)),
            (Judged::Server(message), Seen::Nothing) => {
                self.seen = Seen::ServerMessage;
                Ok(Some(message))
            }
        }
    }
}

/// The one response to the request.
#[derive(Debug)]
pub enum Reply {
    /// The raw text of the result.
    Result(ResultText),
    /// The server's own no.
    Error(RpcError),
}

/// The raw text of a `result` object: valid JSON, kept as the server wrote it.
pub struct ResultText {
    text: String,
    part: ResultPart,
}

impl ResultText {
    #[cfg(test)]
    pub(crate) fn of_test(text: &str) -> Self {
        let (range, long) = (0..text.len(), Default::default());
        Self {
            text: text.into(),
            part: ResultPart { range, long },
        }
    }

    /// A cursor over the object, which steps over the long strings that were judged before.
    pub(crate) fn scanner(&self) -> Scanner<'_> {
        Scanner::again(self.as_str(), ReplyLimits::MAX_DEPTH, &self.part.long)
    }

    /// The JSON text of the object.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.text.get(self.part.range.clone()).unwrap_or_default()
    }
}

impl fmt::Debug for ResultText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResultText({} bytes)", self.part.range.len())
    }
}

/// A notification or request that the server put on the stream of an answer.
///
/// It does not touch the verdict, and this crate never answers it.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerMessage {
    method: String,
    is_request: bool,
    text: String,
}

impl ServerMessage {
    /// The method, as the server wrote it.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Whether it carries an id and so asks for an answer.
    #[must_use]
    pub const fn is_request(&self) -> bool {
        self.is_request
    }

    /// The whole message as JSON text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for ServerMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerMessage")
            .field("is_request", &self.is_request)
            .finish_non_exhaustive()
    }
}
