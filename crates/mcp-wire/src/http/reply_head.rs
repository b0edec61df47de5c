//! What the head of an answer means for the leg.

use alloc::vec::Vec;

use crate::http::{Challenge, RetryAfter};
use crate::malformed::{Malformed, MalformedKind};
use crate::message::{Expectation, Leg, Method};
use crate::port::{ExchangeError, StatusFailure, TransportError};
use crate::reply::Framing;
use crate::session::SessionId;

/// The parts of an answer's head that decide anything.
#[derive(Debug)]
pub struct ReplyHead {
    status: u16,
    media: Media,
    coded: bool,
    session: Session,
    lengths: Lengths,
    challenges: Vec<Challenge>,
    retry_after: Option<RetryAfter>,
}

/// What to do with the body of an answer.
#[derive(Debug)]
pub enum HeadVerdict {
    /// The body holds the answer.
    Answer {
        /// How it holds it.
        framing: Framing,
        /// The session that the server issued.
        session: Option<SessionId>,
    },
    /// The message was accepted; the body is discarded.
    Accepted,
    /// The status is a failure; its body may hold the server's own no.
    Failure {
        /// The failure as the status tells it.
        failure: StatusFailure,
        /// Whether the body is JSON text that is worth reading.
        json: bool,
    },
    /// The leg has failed; the body is of no interest.
    Refused(ExchangeError),
}

impl ReplyHead {
    /// Reads a head. Names are in lower case, as `http` libraries give them.
    pub fn read<'a>(status: u16, fields: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let mut head = Self {
            status,
            media: Media::Missing,
            coded: false,
            session: Session::None,
            lengths: Lengths::default(),
            challenges: Vec::new(),
            retry_after: None,
        };
        let (mut challenges, mut delays) = (Vec::new(), Vec::new());
        for (name, value) in fields {
            match name {
                "content-type" => head.media = head.media.and(value),
                "content-encoding" => head.coded |= !trim(value).eq_ignore_ascii_case(b"identity"),
                "content-length" => head.lengths.add_length(value),
                "transfer-encoding" => head.lengths.add_coding(value),
                "mcp-session-id" => head.session = head.session.and(value),
                "www-authenticate" if matches!(status, 401 | 403) => challenges.push(value),
                "retry-after" if matches!(status, 429 | 503) => delays.push(value),
                _ => {}
            }
        }
        head.challenges = Challenge::read_all(challenges);
        if let [delay] = delays[..] {
            head.retry_after = RetryAfter::parse(delay);
        }
        head
    }

    /// Decides what the head means for `leg`.
    ///
    /// A notification is accepted by any 2xx, whatever its body looks like. A request is answered by 200 only, with one
    /// of the two offered media types, uncoded, and with a length that is declared at most once. The end of a session is
    /// heard by any status: a server may refuse it with 405, and one that answers 404 has ended the session itself.
    #[must_use]
    pub fn judge(self, leg: &Leg) -> HeadVerdict {
        match (leg.expectation, self.status) {
            (Expectation::Acceptance, 200..300) | (Expectation::Receipt, _) => HeadVerdict::Accepted,
            (Expectation::Response(_), 200) => self.judge_answer(leg).unwrap_or_else(HeadVerdict::Refused),
            (Expectation::Response(_), 201..300) => {
                HeadVerdict::Refused(Malformed::new(MalformedKind::UnexpectedSuccess).into())
            }
            (Expectation::Response(_) | Expectation::Acceptance, status) => HeadVerdict::Failure {
                json: (400..600).contains(&status)
                    && self.media.framing() == Ok(Framing::Json)
                    && !self.coded
                    && !self.lengths.ambiguous(),
                failure: StatusFailure {
                    challenges: self.challenges,
                    retry_after: self.retry_after,
                    ..StatusFailure::new(status, leg.in_session)
                },
            },
        }
    }

    /// The declared length of the body, in bytes, if it is declared once.
    #[must_use]
    pub fn content_length(&self) -> Option<u64> {
        self.lengths.length.filter(|_| !self.lengths.ambiguous())
    }

    /// Whether the body's length is declared in more than one way, so that its end cannot be trusted and the
    /// connection must not be used again.
    ///
    /// [RFC 9112, section 6.3](https://www.rfc-editor.org/rfc/rfc9112#section-6.3).
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        self.lengths.ambiguous()
    }

    fn judge_answer(self, leg: &Leg) -> Result<HeadVerdict, ExchangeError> {
        if self.lengths.ambiguous() {
            return Err(Malformed::new(MalformedKind::AmbiguousFraming).into());
        }
        let framing = self
            .media
            .framing()
            .map_err(|found| TransportError::MediaType { found })?;
        if self.coded {
            return Err(Malformed::new(MalformedKind::ContentCoded).into());
        }
        let session = if leg.method == Method::Initialize {
            self.session.adopt()?
        } else {
            None
        };
        Ok(HeadVerdict::Answer { framing, session })
    }
}

/// The session id of an answer.
#[derive(Debug)]
enum Session {
    None,
    One(Vec<u8>),
    Several,
}

impl Session {
    fn and(self, value: &[u8]) -> Self {
        match self {
            Self::None => Self::One(value.into()),
            Self::One(_) | Self::Several => Self::Several,
        }
    }

    fn adopt(self) -> Result<Option<SessionId>, Malformed> {
        match self {
            Self::None => Ok(None),
            Self::One(value) => SessionId::parse(&value)
                .map(Some)
                .map_err(|_invalid| MalformedKind::SessionIdInvalid.into()),
            Self::Several => Err(MalformedKind::SessionIdInvalid.into()),
        }
    }
}

/// The media type of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Media {
    Missing,
    Json,
    EventStream,
    /// Another type, by a name from our own list.
    Unreadable(&'static str),
}

impl Media {
    /// This one and one more field line. Two lines are unreadable, even when they agree.
    fn and(self, value: &[u8]) -> Self {
        match self {
            Self::Missing => Self::parse(value),
            Self::Json | Self::EventStream | Self::Unreadable(_) => Self::Unreadable("several media types"),
        }
    }

    /// [RFC 9110, section 8.3.1]: compared without case, parameters ignored.
    ///
    /// [RFC 9110, section 8.3.1]: https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1
    fn parse(value: &[u8]) -> Self {
        let essence = trim(value.split(|byte| *byte == b';').next().unwrap_or_default());
        let is = |name: &str| essence.eq_ignore_ascii_case(name.as_bytes());
        if is("application/json") {
            Self::Json
        } else if is("text/event-stream") {
            Self::EventStream
        } else if is("text/html") || is("application/xhtml+xml") {
            Self::Unreadable("an HTML page")
        } else if is("text/plain") {
            Self::Unreadable("plain text")
        } else if is("application/xml") || is("text/xml") {
            Self::Unreadable("XML")
        } else if is("application/octet-stream") {
            Self::Unreadable("binary data")
        } else if essence.to_ascii_lowercase().ends_with(b"json") {
            Self::Unreadable("another JSON media type")
        } else {
            Self::Unreadable("an unknown media type")
        }
    }

    fn framing(self) -> Result<Framing, &'static str> {
        match self {
            Self::Json => Ok(Framing::Json),
            Self::EventStream => Ok(Framing::EventStream),
            Self::Missing => Err("no media type"),
            Self::Unreadable(found) => Err(found),
        }
    }
}

/// How the body's length is declared.
#[derive(Debug, Default)]
struct Lengths {
    length: Option<u64>,
    length_lines: usize,
    coding_lines: usize,
    odd: bool,
}

impl Lengths {
    fn add_length(&mut self, value: &[u8]) {
        self.length_lines += 1;
        self.length = core::str::from_utf8(trim(value))
            .ok()
            .and_then(|text| text.parse().ok());
        self.odd |= self.length.is_none();
    }

    fn add_coding(&mut self, value: &[u8]) {
        self.coding_lines += 1;
        self.odd |= !trim(value).eq_ignore_ascii_case(b"chunked");
    }

    fn ambiguous(&self) -> bool {
        self.odd || self.length_lines + self.coding_lines > 1
    }
}

fn trim(value: &[u8]) -> &[u8] {
    value.trim_ascii()
}

#[cfg(test)]
mod tests;
