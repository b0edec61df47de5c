//! Runs: opened before their first call, ended after their last.

use crate::budget::Budget;
use crate::call::ledger_refusal;
use crate::client::Client;
use crate::deadline::Deadline;
use crate::failure::Failure;
use crate::ledger::RunEnd;
use crate::port::{Actor, LedgerError, RunId};

impl Client {
    /// Opens a run and leases it to this client's ledger. Without an open run no call leaves. Waits at most
    /// [`Budget::SETTLEMENT`].
    ///
    /// # Errors
    ///
    /// [`Failure`] of a refusal: `run-exists`, or that of the store.
    ///
    /// # Cancel safety
    ///
    /// A dropped future may leave the run opened; its lease runs out.
    pub async fn open_run(&self, run: &RunId, actor: &Actor) -> Result<(), Failure> {
        let (clock, ledger) = (&*self.ports().clock, &*self.ports().ledger);
        let opened = ledger.open(run, actor, clock.wall());
        answered(Deadline::start(clock, Budget::SETTLEMENT).within(opened).await)
    }

    /// Ends a run: no further call is made in it. Waits at most [`Budget::SETTLEMENT`].
    ///
    /// # Errors
    ///
    /// [`Failure`] of a refusal: `no-run`, or that of the store. The run's lease runs out then.
    ///
    /// # Cancel safety
    ///
    /// A dropped future may leave the run open; its lease runs out.
    pub async fn end_run(&self, run: &RunId) -> Result<(), Failure> {
        let (clock, ledger) = (&*self.ports().clock, &*self.ports().ledger);
        let ended = ledger.end(run, RunEnd::Done, clock.wall());
        answered(Deadline::start(clock, Budget::SETTLEMENT).within(ended).await)
    }
}

fn answered(answer: Result<Result<(), LedgerError>, Failure>) -> Result<(), Failure> {
    answer?.map_err(ledger_refusal)
}
