//! A whole answer over HTTP, head and body: the verdict on it, against the second readings of streams and frames.

use mcp_wire::http::{ErrorBody, HeadVerdict, ReplyHead};
use mcp_wire::{
    Answer, BodyEnd, ExchangeError, Expectation, Framing, Leg, Malformed, MalformedKind, Method, Reply,
    ReplyDecoder, ReplyLimits, ServerMessage, StatusFailure, TransportError,
};

use super::frame::{self, RpcError, Verdict};
use super::input::{Input, cuttings, request_id};
use super::sse::{self, Said, Told};

const STATUSES: [u16; 16] = [
    200, 200, 200, 200, 200, 202, 204, 301, 400, 401, 403, 404, 429, 500, 503, 999,
];

const NAMES: [&str; 8] = [
    "content-type",
    "content-encoding",
    "content-length",
    "transfer-encoding",
    "mcp-session-id",
    "www-authenticate",
    "retry-after",
    "x-else",
];

/// An answer as the fuzzer chose it.
struct Case<'a> {
    status: u16,
    fields: Vec<(&'static str, &'a [u8])>,
    leg: Leg,
    limits: ReplyLimits,
    end: BodyEnd,
    /// Whether the body's length is announced before its first byte.
    announced: bool,
    body: &'a [u8],
}

pub fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let seed = input.byte();
    let case = Case::choose(&mut input);
    let case = Case {
        body: input.rest(),
        ..case
    };
    for pieces in cuttings(case.body, seed) {
        case.check(&pieces);
    }
}

impl<'a> Case<'a> {
    fn choose(input: &mut Input<'a>) -> Self {
        let status = STATUSES[usize::from(input.byte()) % STATUSES.len()];
        let (head, ways) = (input.byte(), input.byte());
        let mut fields: Vec<(&'static str, &[u8])> = match head & 3 {
            0 => vec![("content-type", b"application/json")],
            1 => vec![("content-type", b"text/event-stream; charset=utf-8")],
            2 => vec![("content-type", b"Application/JSON ")],
            _ => Vec::new(),
        };
        for _ in 0..(head >> 2) & 3 {
            let name = NAMES[usize::from(input.byte()) % NAMES.len()];
            fields.push((name, input.line()));
        }
        let (method, expectation) = match (head >> 4) & 3 {
            0 | 1 => (Method::ToolsCall, Expectation::Response(request_id())),
            2 => (Method::Initialize, Expectation::Response(request_id())),
            _ if head >> 6 == 0 => (Method::EndSession, Expectation::Receipt),
            _ => (Method::Initialized, Expectation::Acceptance),
        };
        let mut limits = ReplyLimits::default();
        if ways & 8 != 0 {
            limits.body_bytes = 150;
            limits.error_body_bytes = 100;
        }
        if ways & 16 != 0 {
            limits.events = 2;
            limits.line_bytes = 120;
            limits.event_bytes = 110;
            limits.depth = 4;
        }
        Self {
            status,
            fields,
            leg: Leg {
                method,
                expectation,
                in_session: head & 128 != 0,
            },
            limits,
            end: if ways & 1 == 0 {
                BodyEnd::Complete
            } else {
                BodyEnd::Incomplete
            },
            announced: ways & 2 != 0,
            body: &[],
        }
    }

    fn check(&self, pieces: &[&[u8]]) {
        let head = ReplyHead::read(self.status, self.fields.iter().copied());
        let (ambiguous, length) = (head.is_ambiguous(), head.content_length());
        assert!(
            !ambiguous || length.is_none(),
            "a length that may not be trusted is none"
        );
        let success = (200..300).contains(&self.status);
        let has_response = matches!(self.leg.expectation, Expectation::Response(_));
        match head.judge(&self.leg) {
            HeadVerdict::Answer { framing, session } => {
                assert!(self.status == 200 && has_response && !ambiguous);
                assert!(self.count("content-length") + self.count("transfer-encoding") < 2);
                let names_one = self.count("mcp-session-id") > 0;
                assert_eq!(
                    session.is_some(),
                    names_one && self.leg.method == Method::Initialize
                );
                assert!(self.is_plain(), "a coded body is no answer");
                assert!(self.only_type().is_none_or(|only| only == framing));
                self.check_answer(framing, pieces);
            }
            HeadVerdict::Accepted => {
                let heard = self.leg.expectation == Expectation::Receipt;
                assert!(heard || self.leg.expectation == Expectation::Acceptance && success);
            }
            HeadVerdict::Failure { failure, json } => {
                assert!(!success && failure.status == self.status);
                assert!(failure.code.is_none(), "a head has no code");
                assert!(!json || self.status >= 400 && !ambiguous && self.is_plain());
                self.check_failure(failure, pieces);
            }
            HeadVerdict::Refused(fault) => {
                assert!(success && has_response, "{fault:?}");
                assert!(self.status != 200 || self.only_type().is_none(), "{fault:?}");
                assert!(fault.to_string().len() < 200);
            }
        }
    }

    /// How many fields have this name.
    fn count(&self, name: &str) -> usize {
        self.fields.iter().filter(|(known, _)| *known == name).count()
    }

    /// The framing that a head without any other field announces.
    fn only_type(&self) -> Option<Framing> {
        match self.fields[..] {
            [("content-type", b"application/json" | b"Application/JSON ")] => Some(Framing::Json),
            [("content-type", b"text/event-stream; charset=utf-8")] => Some(Framing::EventStream),
            _ => None,
        }
    }

    /// Whether no field says that the body is coded.
    fn is_plain(&self) -> bool {
        let mut codings = self.fields.iter().filter(|(name, _)| *name == "content-encoding");
        codings.all(|(_, value)| value.trim_ascii().eq_ignore_ascii_case(b"identity"))
    }

    fn check_answer(&self, framing: Framing, pieces: &[&[u8]]) {
        let (messages, verdict) = self.decode(framing, pieces);
        let (expected_messages, expected) = self.expect(framing);
        let shown = String::from_utf8_lossy(self.body);
        let messages: Vec<_> = messages.iter().map(told).collect();
        assert_eq!(messages, expected_messages, "{shown:?}");
        match verdict {
            Ok(reply) => assert_eq!(seen(reply), expected, "{shown:?}"),
            Err(fault) => assert!(
                expected.is_refusal(fault.kind()),
                "{shown:?}: {fault:?}, not {expected:?}"
            ),
        }
    }

    fn decode(&self, framing: Framing, pieces: &[&[u8]]) -> (Vec<ServerMessage>, Result<Reply, Malformed>) {
        let mut decoder = ReplyDecoder::new(request_id(), framing, self.limits);
        let (mut messages, mut taken) = (Vec::new(), 0);
        if self.announced {
            let told = decoder.expect_length(self.body.len() as u64);
            let is_beyond = self.body.len() > self.limits.body_bytes;
            assert_eq!(told.is_err(), is_beyond, "a declared length decides at once");
            if let Err(fault) = told {
                return (messages, Err(fault));
            }
        }
        for piece in pieces {
            let mut input = *piece;
            loop {
                let before = input.len();
                let step = decoder.push(&mut input);
                taken += before - input.len();
                assert!(
                    taken <= self.limits.body_bytes + 1,
                    "one byte beyond the limit at most"
                );
                match step {
                    Ok(Some(message)) => messages.push(message),
                    Ok(None) => break,
                    Err(fault) => {
                        let again = decoder.push(&mut &b"data: x\n\n"[..]).err();
                        assert_eq!(again, Some(fault), "a refusal is final");
                        assert_eq!(decoder.finish(self.end).err(), Some(fault));
                        return (messages, Err(fault));
                    }
                }
            }
            assert!(input.is_empty(), "without a message the input is used up");
        }
        (messages, decoder.finish(self.end))
    }

    /// The messages and the verdict that must follow from the body.
    fn expect(&self, framing: Framing) -> (Vec<(String, bool)>, Verdict) {
        let limits = &self.limits;
        let within = self.body.get(..limits.body_bytes).unwrap_or(self.body);
        let is_beyond = within.len() < self.body.len();
        let refused = Verdict::Refused;
        let mut messages = Vec::new();
        if self.announced && is_beyond {
            return (messages, refused(MalformedKind::TooLarge));
        }
        let said = match framing {
            Framing::Json => Said {
                at_end: Some(Told::Event(within.to_vec())),
                ..Said::default()
            },
            Framing::EventStream => sse::read(within, limits),
        };
        let mut judged = Judged::default();
        for told in &said.told {
            match judged.take(told, framing, limits) {
                Ok(message) => messages.extend(message),
                Err(refusal) => return (messages, refusal),
            }
        }
        if is_beyond {
            return (messages, refused(MalformedKind::TooLarge));
        }
        if self.end == BodyEnd::Incomplete {
            return (messages, refused(MalformedKind::Incomplete));
        }
        if let Some(told) = &said.at_end
            && let Err(refusal) = judged.take(told, framing, limits)
        {
            return (messages, refusal);
        }
        let none = if judged.has_message {
            MalformedKind::NoResponse
        } else {
            MalformedKind::NoMessage
        };
        (messages, judged.reply.unwrap_or(refused(none)))
    }

    fn check_failure(&self, failure: StatusFailure, pieces: &[&[u8]]) {
        let mut body = ErrorBody::new(failure, self.leg, self.limits);
        let wanted = pieces.iter().all(|piece| body.push(piece));
        assert_eq!(wanted, self.body.len() <= self.limits.error_body_bytes);
        let judged = wanted && self.end == BodyEnd::Complete;
        let verdict = match self.leg.expectation {
            Expectation::Response(id) => frame::judge(self.body, id.as_str(), self.limits.depth),
            Expectation::Acceptance | Expectation::Receipt => Verdict::Unreadable,
        };
        let unattributed = || frame::unattributed_code(self.body, self.limits.depth);
        let meaning = matches!(self.status, 401 | 403 | 404 | 429);
        let (reply, code) = match verdict {
            _ if !judged => (None, None),
            Verdict::Error(error) if meaning => (None, Some(error.code)),
            Verdict::Error(error) => (Some(error), None),
            Verdict::Result(_) => (None, None),
            Verdict::Server { .. } | Verdict::Refused(_) | Verdict::Unreadable => (None, unattributed()),
        };
        match body.finish(self.end) {
            Ok(Answer::Reply {
                reply: found,
                session,
                http_status,
            }) => {
                assert!(session.is_none() && http_status == Some(self.status));
                assert_eq!(Some(seen(found)), reply.map(Verdict::Error));
            }
            Ok(Answer::Accepted) => panic!("a failure accepts nothing"),
            Err(ExchangeError::Transport(TransportError::Status(failure))) => {
                assert!(reply.is_none(), "the server's own no was lost: {reply:?}");
                assert_eq!(failure.code.map(|code| code.get()), code);
            }
            Err(other) => panic!("a status fails as a status: {other:?}"),
        }
    }
}

/// What was seen of the frames of a body.
#[derive(Default)]
struct Judged {
    reply: Option<Verdict>,
    has_message: bool,
}

impl Judged {
    /// Takes one frame, and gives the server's message that it is.
    fn take(
        &mut self,
        told: &Told,
        framing: Framing,
        limits: &ReplyLimits,
    ) -> Result<Option<(String, bool)>, Verdict> {
        let data = match told {
            Told::Fault(kind) => return Err(Verdict::Refused(*kind)),
            // An event without data primes a stream and is no message.
            Told::Event(data) if framing == Framing::EventStream && data.is_empty() => return Ok(None),
            Told::Event(data) => data,
        };
        let blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        if framing == Framing::Json && data.iter().all(blank) {
            return Err(Verdict::Refused(MalformedKind::EmptyBody));
        }
        match frame::judge(data, request_id().as_str(), limits.depth) {
            Verdict::Server { method, is_request } => {
                self.has_message = true;
                Ok(Some((method, is_request)))
            }
            refusal @ (Verdict::Refused(_) | Verdict::Unreadable) => Err(refusal),
            Verdict::Result(_) | Verdict::Error(_) if self.reply.is_some() => {
                Err(Verdict::Refused(MalformedKind::SecondResponse))
            }
            answer @ (Verdict::Result(_) | Verdict::Error(_)) => {
                self.reply = Some(answer);
                Ok(None)
            }
        }
    }
}

fn told(message: &ServerMessage) -> (String, bool) {
    (message.method().to_owned(), message.is_request())
}

fn seen(reply: Reply) -> Verdict {
    match reply {
        Reply::Result(result) => Verdict::Result(result.as_str().to_owned()),
        Reply::Error(error) => Verdict::Error(RpcError {
            code: error.code().get(),
            message: error.message().to_owned(),
            data: error.data().map(str::to_owned),
        }),
    }
}
