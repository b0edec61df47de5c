//! The fence and the audit: a step is stamped before its first byte and settled after its outcome.

use mcp_wire::{Delivery, PortFuture};

use super::{CallRequest, RunId, StoreError};

/// Keeps the steps of runs.
///
/// The order for each call: [`RunLedger::charge`], [`RunLedger::stamp`], bytes, [`RunLedger::settle`]. A stamp without a
/// settlement, after a crash, is a step in doubt and must never be repeated.
pub trait RunLedger: Send + Sync {
    /// Counts one remote call of the run.
    ///
    /// # Errors
    ///
    /// [`LedgerError::RunLimit`] when the run has used up its calls; nothing is counted then.
    fn charge(&self, run: &RunId) -> PortFuture<Result<(), LedgerError>>;

    /// Makes the stamp of a step durable. Only after that may a byte leave.
    ///
    /// # Errors
    ///
    /// [`LedgerError`]; the call is then refused.
    fn stamp(&self, call: &CallRequest<'_>) -> PortFuture<Result<StepId, LedgerError>>;

    /// Stores the outcome of a stamped step. An outcome that was not sent clears the stamp; any other leaves it on the
    /// step for good.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Store`] when the outcome is not durable. The step stays in doubt.
    fn settle(&self, step: StepId, outcome: StepOutcome) -> PortFuture<Result<(), LedgerError>>;
}

/// The number of a step in its ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId(pub u64);

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepOutcome {
    /// How it ended.
    pub status: StepStatus,
    /// Whether the server may have acted.
    pub delivery: Delivery,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepStatus {
    /// The tool answered, be it with an error of its own.
    Ok,
    /// The call failed.
    Failed,
    /// The caller cancelled.
    Cancelled,
}

/// A step as a ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its number.
    pub id: StepId,
    /// Its run.
    pub run: RunId,
    /// The server's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// Whether the stamp stands.
    pub stamped: bool,
    /// Its outcome; `None` while it is under way or in doubt.
    pub outcome: Option<StepOutcome>,
}

/// Why a ledger does not let a call pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The run has used up its remote calls.
    #[error("the run has used up its {limit} remote calls")]
    RunLimit {
        /// The calls that a run may make.
        limit: u32,
    },
    /// There is no such run, or its lease is not held here.
    #[error("there is no such run, or it is not leased to this process")]
    NoRun,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
