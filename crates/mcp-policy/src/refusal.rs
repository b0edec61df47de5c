//! Local refusals: the operation ended before its request could leave.

use mcp_wire::{CredentialError, IdError, OutboundRefusal};

use crate::port::{ApprovalId, DenialReason, StoreError};

/// Why an operation was refused on this side. Its own request was not sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The permission gate said no.
    #[error("not permitted: {0}")]
    NotPermitted(DenialReason),
    /// The approval was denied.
    #[error("the approval of this call was denied")]
    ApprovalDenied,
    /// The approval is still open. The step is suspended; the same call, made again once a person has decided, resumes it.
    #[error("this call waits for approval {id}")]
    ApprovalPending {
        /// The number under which a person decides on it.
        id: ApprovalId,
    },
    /// The run has used up its remote calls.
    #[error("the run has used up its {limit} remote calls")]
    RunLimit {
        /// The calls that a run may make.
        limit: u32,
    },
    /// A store that must answer before a call did not: the approvals or the ledger.
    #[error("not permitted: {0}")]
    Store(#[from] StoreError),
    /// The ledger holds no run under this lease.
    #[error("there is no such run, or it is not leased to this process")]
    NoRun,
    /// A run of this name was opened before.
    #[error("a run of this name was opened before; choose another name")]
    RunExists,
    /// The held session was lost before.
    #[error("the session is gone; open another one")]
    SessionGone,
    /// No request id can be given out.
    #[error(transparent)]
    Id(#[from] IdError),
    /// The target or its address is not allowed.
    #[error(transparent)]
    Outbound(#[from] OutboundRefusal),
    /// The credential could not be read.
    #[error(transparent)]
    Credential(#[from] CredentialError),
}

impl Refusal {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::NotPermitted(reason) => reason.kind(),
            Self::ApprovalDenied => "approval-denied",
            Self::ApprovalPending { .. } => "approval-pending",
            Self::RunLimit { .. } => "run-limit",
            Self::Store(error) => error.kind(),
            Self::NoRun => "no-run",
            Self::RunExists => "run-exists",
            Self::SessionGone => "session-gone",
            Self::Id(error) => error.kind(),
            Self::Outbound(refusal) => refusal.kind(),
            Self::Credential(error) => error.kind(),
        }
    }
}
