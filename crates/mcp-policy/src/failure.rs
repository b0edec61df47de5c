//! How an operation fails: by culprit, and by whether the server may have acted.

use mcp_wire::{Delivery, ExchangeError, Malformed, RpcError, Stage, TransportError};

use crate::budget::Budget;
use crate::refusal::Refusal;
use crate::walk::WalkFault;

/// Why an operation has no result. Every failure has a stable [`Failure::kind`].
///
/// `delivery` speaks of the operation's own request. A `tools/call` whose handshake failed was not sent, whatever
/// became of the handshake.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The server's answer breaks a rule of the wire.
    #[error("{fault}")]
    Malformed {
        /// The broken rule.
        fault: Malformed,
        /// Whether the server may have acted.
        delivery: Delivery,
    },
    /// The server understood the request and refused it.
    #[error("{error}")]
    Rpc {
        /// The server's own no.
        error: RpcError,
        /// The HTTP status that carried it.
        http_status: Option<u16>,
        /// Answered, unless it was a leg of the handshake that was refused.
        delivery: Delivery,
    },
    /// The network, TLS or HTTP came between.
    #[error("{error}")]
    Transport {
        /// What came between.
        error: TransportError,
        /// Whether the server may have acted.
        delivery: Delivery,
    },
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
        /// Whether the server may have acted.
        delivery: Delivery,
    },
    /// The caller cancelled the operation.
    #[error("cancelled, at stage {stage}")]
    Cancelled {
        /// How far the current leg had come.
        stage: Stage,
        /// Whether the server may have acted.
        delivery: Delivery,
    },
    /// The list of tools goes beyond a bound, or never ends.
    #[error(transparent)]
    Walk(#[from] WalkFault),
    /// The call took place, and its outcome could not be stored.
    #[error("the outcome of the call could not be recorded")]
    Unrecorded {
        /// Whether the server may have acted.
        delivery: Delivery,
    },
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
    /// The failure of a leg, for an operation whose own request has come as far as `delivery`.
    pub(crate) fn of_leg(error: ExchangeError, delivery: Delivery) -> Self {
        match error {
            ExchangeError::Malformed(fault) => Self::Malformed { fault, delivery },
            ExchangeError::Transport(error) => Self::Transport { error, delivery },
            ExchangeError::Outbound(refusal) => Self::Refused(refusal.into()),
            ExchangeError::Credential(error) => Self::Refused(error.into()),
        }
    }

    /// The failure of a leg that comes before the operation's own request, which was not sent then.
    pub(crate) fn before_request(self) -> Self {
        self.with_delivery(Delivery::NotSent)
    }

    /// The failure of another leg, with what is known of the operation's own request.
    pub(crate) fn with_delivery(mut self, known: Delivery) -> Self {
        match &mut self {
            Self::Malformed { delivery, .. }
            | Self::Rpc { delivery, .. }
            | Self::Transport { delivery, .. }
            | Self::DeadlineExceeded { delivery, .. }
            | Self::Cancelled { delivery, .. }
            | Self::Unrecorded { delivery } => *delivery = known,
            // These never come from a leg that was sent.
            Self::Refused(_) | Self::Walk(_) => {}
        }
        self
    }

    /// The stable kebab-case kind, at least one for each rule. The table is in `docs/kinds.md`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Malformed { fault, .. } => fault.kind().name(),
            Self::Rpc { .. } => "rpc-error",
            Self::Transport { error, .. } => error.kind(),
            Self::Refused(refusal) => refusal.kind(),
            Self::DeadlineExceeded { .. } => "deadline-exceeded",
            Self::Cancelled { .. } => "cancelled",
            Self::Walk(fault) => fault.kind(),
            Self::Unrecorded { .. } => "outcome-not-recorded",
        }
    }

    /// The class.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::Malformed { .. } => Class::Malformed,
            Self::Rpc { .. } => Class::Rpc,
            Self::Transport { .. } => Class::Transport,
            Self::Refused(_) => Class::Refusal,
            Self::DeadlineExceeded { .. } => Class::Deadline,
            Self::Cancelled { .. } => Class::Cancelled,
            Self::Walk(_) => Class::Limit,
            Self::Unrecorded { .. } => Class::Store,
        }
    }

    /// Who is at fault. A deadline that strikes after the request was written is the server's, before that the way's.
    #[must_use]
    pub const fn culprit(&self) -> Culprit {
        match self {
            Self::Malformed { .. } | Self::Rpc { .. } | Self::Walk(_) => Culprit::Server,
            Self::Transport { error, .. } if error.is_from_server() => Culprit::Server,
            Self::Transport { .. } => Culprit::Transport,
            Self::Refused(Refusal::Id(_) | Refusal::Credential(_) | Refusal::SessionGone)
            | Self::Cancelled { .. } => Culprit::Caller,
            Self::Refused(_) | Self::Unrecorded { .. } => Culprit::Policy,
            Self::DeadlineExceeded {
                stage: Stage::FirstByte | Stage::Body,
                ..
            } => Culprit::Server,
            Self::DeadlineExceeded { .. } => Culprit::Transport,
        }
    }

    /// Whether the server may have acted on the operation's request.
    #[must_use]
    pub const fn delivery(&self) -> Delivery {
        match self {
            Self::Malformed { delivery, .. }
            | Self::Rpc { delivery, .. }
            | Self::Transport { delivery, .. }
            | Self::DeadlineExceeded { delivery, .. }
            | Self::Cancelled { delivery, .. }
            | Self::Unrecorded { delivery } => *delivery,
            Self::Walk(_) => Delivery::Answered,
            Self::Refused(_) => Delivery::NotSent,
        }
    }
}
