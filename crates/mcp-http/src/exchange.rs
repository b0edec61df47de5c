//! One exchange: opening, then the body, then one verdict.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hyper::body::{Body, Bytes, Incoming};
use mcp_wire::http::{ErrorBody, HeadVerdict, ReplyHead};
use mcp_wire::{
    Answer, BodyEnd, Delivery, Exchange, ExchangeError, ExchangeEvent, Expectation, Framing, Leg, Malformed,
    Message, ReplyDecoder, ReplyLimits, ServerMessage, SessionId, Stage, Target,
};
use tokio::time::Sleep;

use crate::connection::{Connection, Protocol};
use crate::destination::Destination;
use crate::opening::{Opened, open};
use crate::progress::Progress;
use crate::queue::Turn;
use crate::shared::Shared;

/// One request and its answer.
pub(crate) struct HttpExchange {
    shared: Arc<Shared>,
    leg: Leg,
    limits: ReplyLimits,
    progress: Progress,
    state: State,
}

enum State {
    Opening(Pin<Box<dyn Future<Output = Result<Opened, ExchangeError>> + Send>>),
    Reading(Box<Reading>),
    Failing {
        body: Wire,
        error: ErrorBody,
    },
    Discarding {
        body: Wire,
        read: usize,
        patience: Pin<Box<Sleep>>,
    },
    Done,
}

/// The body of an answer and the connection that it comes on. Dropped before its end, it closes the connection.
struct Wire {
    body: Incoming,
    connection: Connection,
    destination: Arc<Destination>,
    reusable: bool,
    /// Held as long as the exchange is under way.
    _turn: Turn,
}

impl HttpExchange {
    pub(crate) fn new(shared: Arc<Shared>, target: Arc<Target>, message: Message) -> Self {
        let (leg, limits, progress) = (message.leg(), target.limits, Progress::default());
        let opening = open(shared.clone(), target, message, progress.clone());
        Self {
            shared,
            leg,
            limits,
            progress,
            state: State::Opening(Box::pin(opening)),
        }
    }

    fn poll_state(&mut self, cx: &mut Context<'_>) -> Poll<Step> {
        Poll::Ready(match std::mem::replace(&mut self.state, State::Done) {
            State::Opening(mut opening) => match opening.as_mut().poll(cx) {
                Poll::Pending => return self.wait(State::Opening(opening)),
                Poll::Ready(Err(error)) => Step::Done(Err(error)),
                Poll::Ready(Ok(opened)) => self.judge_head(opened),
            },
            State::Reading(mut reading) => match reading.poll(cx) {
                Poll::Pending => return self.wait(State::Reading(reading)),
                Poll::Ready(Err(malformed)) => Step::Done(Err(malformed.into())),
                Poll::Ready(Ok(Read::Server(message))) => {
                    self.state = State::Reading(reading);
                    Step::Server(message)
                }
                Poll::Ready(Ok(Read::End(end))) => Step::Done(reading.finish(end, &self.shared)),
            },
            State::Failing { mut body, mut error } => match body.poll_data(cx) {
                Poll::Pending => return self.wait(State::Failing { body, error }),
                Poll::Ready(Piece::Data(piece)) if error.push(&piece) => {
                    self.state = State::Failing { body, error };
                    Step::Continue
                }
                Poll::Ready(Piece::Data(_)) => Step::Done(error.finish(BodyEnd::Incomplete)),
                Poll::Ready(Piece::End(end)) => {
                    body.keep(&self.shared);
                    Step::Done(error.finish(end))
                }
            },
            State::Discarding {
                mut body,
                read,
                mut patience,
            } => match body.poll_data(cx) {
                Poll::Pending if patience.as_mut().poll(cx).is_pending() => {
                    return self.wait(State::Discarding { body, read, patience });
                }
                Poll::Ready(Piece::Data(piece))
                    if read + piece.len() <= self.shared.options.discard_bytes =>
                {
                    self.state = State::Discarding {
                        body,
                        read: read + piece.len(),
                        patience,
                    };
                    Step::Continue
                }
                Poll::Ready(Piece::End(_)) => {
                    body.keep(&self.shared);
                    Step::Done(Ok(Answer::Accepted))
                }
                Poll::Pending | Poll::Ready(Piece::Data(_)) => Step::Done(Ok(Answer::Accepted)),
            },
            State::Done => return Poll::Pending,
        })
    }

    fn wait(&mut self, state: State) -> Poll<Step> {
        self.state = state;
        Poll::Pending
    }

    /// Decides by the head what becomes of the body.
    fn judge_head(&mut self, opened: Opened) -> Step {
        self.progress.enter(Stage::Body);
        let Opened {
            response,
            connection,
            destination,
            turn,
        } = opened;
        let (parts, body) = response.into_parts();
        let fields = parts
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()));
        let head = ReplyHead::read(parts.status.as_u16(), fields);
        let length = head.content_length();
        let body = Wire {
            body,
            connection,
            destination,
            reusable: !head.is_ambiguous(),
            _turn: turn,
        };
        self.state = match head.judge(&self.leg) {
            HeadVerdict::Refused(error) => return Step::Done(Err(error)),
            HeadVerdict::Accepted => State::Discarding {
                body,
                read: 0,
                patience: Box::pin(tokio::time::sleep(self.shared.options.discard)),
            },
            HeadVerdict::Failure { failure, json } => {
                let error = ErrorBody::new(failure, self.leg, self.limits);
                if !json {
                    return Step::Done(error.finish(BodyEnd::Incomplete));
                }
                State::Failing { body, error }
            }
            HeadVerdict::Answer { framing, session } => {
                // Only a request is answered by a body.
                let Expectation::Response(expected) = self.leg.expectation else {
                    return Step::Done(Ok(Answer::Accepted));
                };
                let mut decoder = ReplyDecoder::new(expected, framing, self.limits);
                if let Err(malformed) = length.map_or(Ok(()), |length| decoder.expect_length(length)) {
                    return Step::Done(Err(malformed.into()));
                }
                State::Reading(Box::new(Reading {
                    body,
                    decoder,
                    session,
                    rest: Bytes::new(),
                    patient: length.is_some() && framing == Framing::Json,
                }))
            }
        };
        Step::Continue
    }
}

/// What one poll of the state came to.
enum Step {
    Continue,
    Server(ServerMessage),
    Done(Result<Answer, ExchangeError>),
}

impl Exchange for HttpExchange {
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<ExchangeEvent> {
        loop {
            match ready!(self.poll_state(cx)) {
                Step::Continue => {}
                Step::Server(message) => return Poll::Ready(ExchangeEvent::Server(message)),
                Step::Done(outcome) => {
                    if let Ok(Answer::Reply { .. }) = outcome {
                        self.progress.delivered(Delivery::Answered);
                    }
                    return Poll::Ready(ExchangeEvent::Done(outcome));
                }
            }
        }
    }

    fn stage(&self) -> Stage {
        self.progress.stage()
    }

    fn delivery(&self) -> Delivery {
        self.progress.delivery()
    }
}

/// The answer to a request, on its way.
struct Reading {
    body: Wire,
    decoder: ReplyDecoder,
    session: Option<SessionId>,
    /// What has come of the body and was not fed to the decoder.
    rest: Bytes,
    /// Whether nothing can be said of the answer before its end: it is one JSON text, of a length that was judged. A piece
    /// of it stays in the buffer of its connection until another comes, so that an answer that many wait for is not twice
    /// in memory for each.
    patient: bool,
}

/// How far a poll of an answer came.
enum Read {
    Server(ServerMessage),
    End(BodyEnd),
}

impl Reading {
    /// Reads up to the next server message or to the end.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Read, Malformed>> {
        loop {
            if !self.patient
                && let Some(message) = feed(&mut self.decoder, &mut self.rest)?
            {
                return Poll::Ready(Ok(Read::Server(message)));
            }
            let piece = ready!(self.body.poll_data(cx));
            feed(&mut self.decoder, &mut self.rest)?;
            match piece {
                Piece::Data(piece) => self.rest = piece,
                Piece::End(end) => return Poll::Ready(Ok(Read::End(end))),
            }
        }
    }

    /// The verdict. The connection is kept when the answer was read to its end and is one.
    fn finish(self, end: BodyEnd, shared: &Shared) -> Result<Answer, ExchangeError> {
        let reply = self.decoder.finish(end)?;
        self.body.keep(shared);
        Ok(Answer::Reply {
            reply,
            session: self.session,
            http_status: Some(200),
        })
    }
}

/// Feeds what is left of a piece to the decoder, up to the next server message.
fn feed(decoder: &mut ReplyDecoder, rest: &mut Bytes) -> Result<Option<ServerMessage>, Malformed> {
    let mut input = &rest[..];
    let message = decoder.push(&mut input);
    let consumed = rest.len() - input.len();
    *rest = rest.slice(consumed..);
    message
}

enum Piece {
    Data(Bytes),
    End(BodyEnd),
}

impl Wire {
    /// The next piece of the body. On HTTP/1 hyper ends a body without an error only when it is complete: the declared
    /// length is met, the last chunk was read, or a body without either ended with the connection.
    fn poll_data(&mut self, cx: &mut Context<'_>) -> Poll<Piece> {
        loop {
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Poll::Ready(Piece::Data(data));
                    }
                }
                Some(Err(_error)) => {
                    self.reusable = false;
                    return Poll::Ready(Piece::End(BodyEnd::Incomplete));
                }
                None => return Poll::Ready(Piece::End(self.clean_end())),
            }
        }
    }

    /// What the end of a body without an error means. On HTTP/2 hyper ends a body in the same way when the stream was reset
    /// or the connection given up without an error; only the flag on the last frame proves the end.
    fn clean_end(&self) -> BodyEnd {
        match self.connection.protocol() {
            Protocol::Http2 if !self.body.is_end_stream() => BodyEnd::Incomplete,
            Protocol::Http1 | Protocol::Http2 => BodyEnd::Complete,
        }
    }

    /// Gives the connection back after its answer was read to the end.
    fn keep(self, shared: &Shared) {
        if self.reusable {
            shared.pool.put(&self.destination.key, self.connection);
        }
    }
}
