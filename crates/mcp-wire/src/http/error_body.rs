//! The body of an error status: small, and read only for the server's own no.

use alloc::vec::Vec;

use crate::limits::ReplyLimits;
use crate::message::{Expectation, Leg};
use crate::port::{Answer, ExchangeError, StatusFailure, TransportError};
use crate::reply::{BodyEnd, Reply};
use crate::response::{Response, unattributed_code};

/// Reads the JSON body of a 4xx or 5xx, up to [`ReplyLimits::error_body_bytes`].
///
/// A complete and valid JSON-RPC error for this request is surfaced as the server's answer. An error that names no
/// request lends its code number to the failure. Anything else, a result included, leaves the failure as it is.
#[derive(Debug)]
pub struct ErrorBody {
    failure: StatusFailure,
    leg: Leg,
    limits: ReplyLimits,
    text: Vec<u8>,
    overflown: bool,
}

impl ErrorBody {
    /// A reader at the start of the body.
    #[must_use]
    pub fn new(failure: StatusFailure, leg: Leg, limits: ReplyLimits) -> Self {
        Self {
            failure,
            leg,
            limits,
            text: Vec::new(),
            overflown: false,
        }
    }

    /// Takes a piece of the body. `false` when no more is wanted.
    pub fn push(&mut self, piece: &[u8]) -> bool {
        let room = self.limits.error_body_bytes - self.text.len();
        self.text
            .extend_from_slice(piece.get(..room.min(piece.len())).unwrap_or_default());
        self.overflown |= piece.len() > room;
        !self.overflown
    }

    /// Gives the verdict.
    ///
    /// # Errors
    ///
    /// The status failure, unless the body is the server's own no and the status has no meaning of its own
    /// (401, 403, 404 and 429 have).
    pub fn finish(mut self, end: BodyEnd) -> Result<Answer, ExchangeError> {
        if end == BodyEnd::Complete && !self.overflown {
            match self.attributed() {
                Some(Response::Error(error)) if self.keeps_its_meaning() => {
                    self.failure.code = Some(error.code());
                }
                Some(Response::Error(error)) => {
                    return Ok(Answer::Reply {
                        reply: Reply::Error(error),
                        session: None,
                        http_status: Some(self.failure.status),
                    });
                }
                Some(Response::Result(_)) => {}
                None => self.failure.code = unattributed_code(&self.text, &self.limits),
            }
        }
        Err(TransportError::Status(self.failure).into())
    }

    fn attributed(&self) -> Option<Response<'_>> {
        match self.leg.expectation {
            Expectation::Response(id) => Response::parse(&self.text, &id, &self.limits).ok(),
            Expectation::Acceptance | Expectation::Receipt => None,
        }
    }

    fn keeps_its_meaning(&self) -> bool {
        matches!(self.failure.status, 401 | 403 | 404 | 429)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Method;
    use alloc::format;

    /// What becomes of a body of `length` bytes under a bound of 64: the code that the failure ends with.
    fn code_of(length: usize) -> Option<i64> {
        let leg = Leg {
            method: Method::Initialized,
            expectation: Expectation::Acceptance,
            in_session: false,
        };
        let limits = ReplyLimits {
            error_body_bytes: 64,
            ..ReplyLimits::default()
        };
        let mut body = ErrorBody::new(StatusFailure::new(400, false), leg, limits);
        let text = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#;
        let text = format!("{text}{}", " ".repeat(length - text.len()));
        let whole = text.as_bytes().chunks(7).all(|piece| body.push(piece));
        assert_eq!(whole, length <= 64);
        match body.finish(BodyEnd::Complete) {
            Err(ExchangeError::Transport(TransportError::Status(failure))) => {
                failure.code.map(|code| code.get())
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_edge_of_the_bound() {
        assert_eq!(code_of(64), Some(-32_600));
        assert_eq!(code_of(65), None);
    }
}
