//! A transport without HTTP: a script answers messages in memory.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use mcp_wire::{
    Answer, BodyEnd, Delivery, Exchange, ExchangeError, ExchangeEvent, Expectation, Framing, Message,
    ReplyDecoder, SessionId, Stage, Target, Transport,
};

/// Hands each message to a script and judges its answer with the wire's own decoder.
pub struct MemoryTransport {
    script: Arc<Mutex<MemoryScript>>,
}

type MemoryScript = dyn FnMut(&Message) -> MemoryAnswer + Send;

/// What the script answers.
#[derive(Debug)]
pub enum MemoryAnswer {
    /// The bytes of one JSON text.
    Json(Vec<u8>),
    /// The bytes of one JSON text in pieces, and whether all of them have come.
    Pieces(Vec<Vec<u8>>, BodyEnd),
    /// The bytes of one JSON text, and a session with them.
    JsonInSession(Vec<u8>, SessionId),
    /// The notification was accepted.
    Accepted,
    /// No answer ever comes.
    Silence,
    /// The leg fails.
    Failed(ExchangeError),
}

impl MemoryTransport {
    /// A transport whose messages `script` answers, one after another.
    pub fn new(script: impl FnMut(&Message) -> MemoryAnswer + Send + 'static) -> Self {
        Self {
            script: Arc::new(Mutex::new(script)),
        }
    }
}

impl Transport for MemoryTransport {
    fn open(&self, target: &Arc<Target>, message: Message) -> Box<dyn Exchange> {
        Box::new(MemoryExchange {
            script: self.script.clone(),
            target: target.clone(),
            message: Some(message),
            delivery: Delivery::NotSent,
        })
    }
}

struct MemoryExchange {
    script: Arc<Mutex<MemoryScript>>,
    target: Arc<Target>,
    message: Option<Message>,
    delivery: Delivery,
}

impl MemoryExchange {
    fn judge(
        &self,
        message: &Message,
        pieces: &[Vec<u8>],
        end: BodyEnd,
        session: Option<SessionId>,
    ) -> Result<Answer, ExchangeError> {
        let Expectation::Response(id) = message.leg().expectation else {
            return Ok(Answer::Accepted);
        };
        let mut decoder = ReplyDecoder::new(id, Framing::Json, self.target.limits);
        for piece in pieces {
            let mut input = &piece[..];
            while decoder.push(&mut input)?.is_some() {}
        }
        Ok(Answer::Reply {
            reply: decoder.finish(end)?,
            session,
            http_status: None,
        })
    }
}

impl Exchange for MemoryExchange {
    fn poll_event(&mut self, _cx: &mut Context<'_>) -> Poll<ExchangeEvent> {
        let Some(message) = self.message.take() else {
            return Poll::Pending;
        };
        self.delivery = Delivery::Unknown;
        let answer = (self.script.lock().unwrap_or_else(PoisonError::into_inner))(&message);
        let outcome = match answer {
            MemoryAnswer::Json(body) => self.judge(&message, &[body], BodyEnd::Complete, None),
            MemoryAnswer::Pieces(pieces, end) => self.judge(&message, &pieces, end, None),
            MemoryAnswer::JsonInSession(body, session) => {
                self.judge(&message, &[body], BodyEnd::Complete, Some(session))
            }
            MemoryAnswer::Accepted => Ok(Answer::Accepted),
            MemoryAnswer::Silence => return Poll::Pending,
            MemoryAnswer::Failed(error) => Err(error),
        };
        if let Ok(Answer::Reply { .. }) = outcome {
            self.delivery = Delivery::Answered;
        }
        Poll::Ready(ExchangeEvent::Done(outcome))
    }

    fn stage(&self) -> Stage {
        if self.message.is_some() {
            Stage::Start
        } else {
            Stage::FirstByte
        }
    }

    fn delivery(&self) -> Delivery {
        self.delivery
    }
}
