//! How an operation fails: by culprit, by whether the server may have acted, and after how long.

use std::fmt;

use mcp_wire::{Delivery, ExchangeError, Malformed, RpcError, Stage, TransportError};

use crate::budget::Budget;
use crate::refusal::Refusal;
use crate::timing::Timing;
use crate::walk::WalkFault;

/// Why an operation has no result, whether the server may have acted, and where its time went.
///
/// The delivery speaks of the operation's own request. A `tools/call` whose handshake failed was not sent, whatever
/// became of the handshake. Two failures are equal when cause and delivery are.
#[derive(Debug, Clone)]
pub struct Failure(Box<Told>);

#[derive(Debug, Clone)]
struct Told {
    cause: Cause,
    delivery: Delivery,
    timing: Timing,
}

/// What came between an operation and its result. Every cause has a stable [`Failure::kind`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// The server's answer breaks a rule of the wire.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The server understood the request and refused it.
    #[error("{error}")]
    Rpc {
        /// The server's own no.
        error: RpcError,
        /// The HTTP status that carried it.
        http_status: Option<u16>,
    },
    /// The network, TLS or HTTP came between.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The operation was refused on this side, before its request could leave.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The operation's time is spent.
    #[error("the budget of {budget} is spent, at stage {stage}")]
    DeadlineExceeded {
        /// The time that the operation had.
        budget: Budget,
        /// How far the current leg had come.
        stage: Stage,
    },
    /// The caller cancelled the operation.
    #[error("cancelled, at stage {stage}")]
    Cancelled {
        /// How far the current leg had come.
        stage: Stage,
    },
    /// The list of tools goes beyond a bound, or never ends.
    #[error(transparent)]
    Walk(#[from] WalkFault),
    /// The call took place, and its outcome could not be stored.
    #[error("the outcome of the call could not be recorded")]
    Unrecorded,
}

/// The class of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named after the variants of `Failure`")]
pub enum Class {
    Malformed,
    Rpc,
    Transport,
    Refusal,
    Deadline,
    Cancelled,
    Limit,
    Store,
}

impl Class {
    /// The stable kebab-case name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Rpc => "rpc",
            Self::Transport => "transport",
            Self::Refusal => "refusal",
            Self::Deadline => "deadline",
            Self::Cancelled => "cancelled",
            Self::Limit => "limit",
            Self::Store => "store",
        }
    }
}

/// Who is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Culprit {
    /// The server: it broke a rule, said no, or did not answer.
    Server,
    /// The way to the server.
    Transport,
    /// The host's own rules.
    Policy,
    /// The caller, or the configuration that the caller stands for.
    Caller,
}

impl Culprit {
    /// The stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Transport => "transport",
            Self::Policy => "policy",
            Self::Caller => "caller",
        }
    }
}

impl Failure {
    /// A failure whose time is not known. A refusal was never sent and an ended walk was answered, whatever `delivery`
    /// says.
    #[must_use]
    pub fn new(cause: impl Into<Cause>, delivery: Delivery) -> Self {
        let cause = cause.into();
        let delivery = match cause {
            Cause::Refused(_) => Delivery::NotSent,
            Cause::Walk(_) => Delivery::Answered,
            Cause::Malformed(_)
            | Cause::Rpc { .. }
            | Cause::Transport(_)
            | Cause::DeadlineExceeded { .. }
            | Cause::Cancelled { .. }
            | Cause::Unrecorded => delivery,
        };
        Self(Box::new(Told {
            cause,
            delivery,
            timing: Timing::default(),
        }))
    }

    /// The failure of a leg, for an operation whose own request has come as far as `delivery`.
    #[must_use]
    pub fn of_leg(error: ExchangeError, delivery: Delivery) -> Self {
        match error {
            ExchangeError::Malformed(fault) => Self::new(fault, delivery),
            ExchangeError::Transport(error) => Self::new(error, delivery),
            ExchangeError::Outbound(refusal) => Refusal::from(refusal).into(),
            ExchangeError::Credential(error) => Refusal::from(error).into(),
        }
    }

    /// The failure of a leg that comes before the operation's own request, which was not sent then.
    pub(crate) fn before_request(self) -> Self {
        self.with_delivery(Delivery::NotSent)
    }

    /// The failure of a leg that comes after one with the operation's own request, so that the server may have acted.
    pub(crate) fn after_request(self) -> Self {
        match self.delivery() {
            Delivery::NotSent => self.with_delivery(Delivery::Unknown),
            Delivery::Unknown | Delivery::Answered => self,
        }
    }

    /// The failure of another leg, with what is known of the operation's own request.
    pub(crate) fn with_delivery(self, delivery: Delivery) -> Self {
        let timing = self.0.timing;
        Self::new(self.0.cause, delivery).after(timing)
    }

    /// The failure of an operation that spent its time like this.
    pub(crate) fn after(mut self, timing: Timing) -> Self {
        self.0.timing = timing;
        self
    }

    /// What came between.
    #[must_use]
    pub fn cause(&self) -> &Cause {
        &self.0.cause
    }

    /// Takes the cause out.
    #[must_use]
    pub fn into_cause(self) -> Cause {
        self.0.cause
    }

    /// Whether the server may have acted on the operation's request.
    #[must_use]
    pub fn delivery(&self) -> Delivery {
        self.0.delivery
    }

    /// Where the operation's time went.
    #[must_use]
    pub fn timing(&self) -> Timing {
        self.0.timing
    }

    /// The stable kebab-case kind, at least one for each rule. The table is in `docs/kinds.md`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.cause() {
            Cause::Malformed(fault) => fault.kind().name(),
            Cause::Rpc { .. } => "rpc-error",
            Cause::Transport(error) => error.kind(),
            Cause::Refused(refusal) => refusal.kind(),
            Cause::DeadlineExceeded { .. } => "deadline-exceeded",
            Cause::Cancelled { .. } => "cancelled",
            Cause::Walk(fault) => fault.kind(),
            Cause::Unrecorded => "outcome-not-recorded",
        }
    }

    /// The class.
    #[must_use]
    pub fn class(&self) -> Class {
        match self.cause() {
            Cause::Malformed(_) => Class::Malformed,
            Cause::Rpc { .. } => Class::Rpc,
            Cause::Transport(_) => Class::Transport,
            Cause::Refused(_) => Class::Refusal,
            Cause::DeadlineExceeded { .. } => Class::Deadline,
            Cause::Cancelled { .. } => Class::Cancelled,
            Cause::Walk(_) => Class::Limit,
            Cause::Unrecorded => Class::Store,
        }
    }

    /// Who is at fault. A deadline that strikes after the request was written is the server's, before that the way's.
    #[must_use]
    pub fn culprit(&self) -> Culprit {
        match self.cause() {
            Cause::Malformed(_) | Cause::Rpc { .. } | Cause::Walk(_) => Culprit::Server,
            Cause::Transport(error) if error.is_from_server() => Culprit::Server,
            Cause::Transport(_) => Culprit::Transport,
            Cause::Refused(Refusal::Id(_) | Refusal::Credential(_) | Refusal::SessionGone)
            | Cause::Cancelled { .. } => Culprit::Caller,
            Cause::Refused(_) | Cause::Unrecorded => Culprit::Policy,
            Cause::DeadlineExceeded {
                stage: Stage::FirstByte | Stage::Body,
                ..
            } => Culprit::Server,
            Cause::DeadlineExceeded { .. } => Culprit::Transport,
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::new(refusal, Delivery::NotSent)
    }
}

impl From<WalkFault> for Failure {
    fn from(fault: WalkFault) -> Self {
        Self::new(fault, Delivery::Answered)
    }
}

impl PartialEq for Failure {
    fn eq(&self, other: &Self) -> bool {
        (self.cause(), self.delivery()) == (other.cause(), other.delivery())
    }
}

impl Eq for Failure {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.cause.fmt(f)
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.source()
    }
}
