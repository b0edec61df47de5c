//! The fence and the audit: a step is stamped before its first byte and settled after its outcome.

use mcp_wire::{Delivery, PortFuture};

use super::{Actor, CallRequest, RunId, StoreError, UnixTime};
use crate::ledger::{ChainHash, Linked, ResultNote, Run, RunEnd, StepCall};
use crate::timing::Timing;

/// Keeps runs and their steps.
///
/// The order for each call: [`RunLedger::charge`], [`RunLedger::stamp`], bytes, [`RunLedger::settle`]. A stamp without a
/// settlement, after a crash, is a step in doubt and is never repeated. What a change is, [`Run`] says; each leaves one
/// entry in the chain.
///
/// Several processes may share one ledger. A run is held by the ledger value that opened it.
///
/// # Cancel safety
///
/// A change whose answer is dropped before it began is not begun. A stamp that became durable for nobody is settled as
/// never sent.
pub trait RunLedger: Send + Sync {
    /// Opens a run and leases it to this ledger.
    ///
    /// # Errors
    ///
    /// [`LedgerError::RunExists`]: the name was used before, by whomever. [`LedgerError::Store`].
    fn open(&self, run: &RunId, actor: &Actor, now: UnixTime) -> PortFuture<Result<(), LedgerError>>;

    /// Counts one remote call of the run.
    ///
    /// # Errors
    ///
    /// [`LedgerError::RunLimit`] when the run has used up its calls; nothing is counted then. [`LedgerError::NoRun`],
    /// [`LedgerError::Store`].
    fn charge(&self, run: &RunId) -> PortFuture<Result<(), LedgerError>>;

    /// Makes the stamp of a step durable and renews the lease of its run. Only after that may a byte leave.
    ///
    /// # Errors
    ///
    /// [`LedgerError`]; the call is then refused.
    fn stamp(&self, call: &CallRequest<'_>, now: UnixTime) -> PortFuture<Result<StepId, LedgerError>>;

    /// Stores the outcome of a stamped step. An outcome that was not sent clears the stamp; any other leaves it on the
    /// step for good.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Store`] when the outcome is not durable, or the step is settled or in doubt already.
    fn settle(
        &self,
        step: StepId,
        outcome: StepOutcome,
        now: UnixTime,
    ) -> PortFuture<Result<(), LedgerError>>;

    /// Ends a run. One that is over stays as it ended.
    ///
    /// # Errors
    ///
    /// [`LedgerError::NoRun`], [`LedgerError::Store`].
    fn end(&self, run: &RunId, end: RunEnd, now: UnixTime) -> PortFuture<Result<(), LedgerError>>;

    /// Ends the runs whose holders have gone, and puts their stamped steps in doubt. Gives the steps that this call put
    /// in doubt.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Store`].
    fn reclaim(&self, now: UnixTime) -> PortFuture<Result<Vec<Step>, LedgerError>>;
}

/// Reads what a ledger keeps.
pub trait Audit: Send + Sync {
    /// All runs, by name.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    fn runs(&self) -> PortFuture<Result<Vec<Run>, StoreError>>;

    /// All steps, by number.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    fn steps(&self) -> PortFuture<Result<Vec<Step>, StoreError>>;

    /// At most `limit` entries after the one of this number, in order.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    fn entries(&self, after: u64, limit: usize) -> PortFuture<Result<Vec<Linked>, StoreError>>;

    /// The number and the hash of the last entry.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    fn head(&self) -> PortFuture<Result<(u64, ChainHash), StoreError>>;
}

/// The number of a step in its ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId(pub u64);

/// What became of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepOutcome {
    /// How it ended.
    pub status: StepStatus,
    /// Whether the server may have acted.
    pub delivery: Delivery,
    /// `ok`, or the kind of the failure; one of our own words.
    pub kind: String,
    /// What is kept of the result, if there was one.
    pub result: Option<ResultNote>,
    /// Where the time of the call went, up to its outcome.
    pub timing: Timing,
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

impl StepStatus {
    /// The stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A step as a ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its number.
    pub id: StepId,
    /// Its run.
    pub run: RunId,
    /// What it calls.
    pub call: StepCall,
    /// How far it has come.
    pub state: StepState,
}

/// How far a step has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepState {
    /// It is stamped, and its outcome is not known: bytes may be on their way.
    Stamped,
    /// Its outcome is stored.
    Settled(StepOutcome),
    /// It was stamped, and whoever would know its outcome has gone.
    InDoubt,
}

impl Step {
    /// Whether the stamp stands: the server may have acted, or may still act.
    #[must_use]
    pub fn is_stamped(&self) -> bool {
        match &self.state {
            StepState::Stamped | StepState::InDoubt => true,
            StepState::Settled(outcome) => outcome.delivery != Delivery::NotSent,
        }
    }

    /// Its outcome, where it has one.
    #[must_use]
    pub const fn outcome(&self) -> Option<&StepOutcome> {
        match &self.state {
            StepState::Settled(outcome) => Some(outcome),
            StepState::Stamped | StepState::InDoubt => None,
        }
    }
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
    /// There is no such run, it is over, or its lease is not held here.
    #[error("there is no such run, or it is not leased to this process")]
    NoRun,
    /// A run of this name was opened before.
    #[error("a run of this name was opened before")]
    RunExists,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
