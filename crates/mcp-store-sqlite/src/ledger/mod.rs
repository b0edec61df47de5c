//! The ledger in the file: each method of its ports is one question to the store's thread.

mod change;
mod entry;
mod fields;
mod run;
mod step;

use mcp_policy::ledger::{ChainHash, Linked, Run, RunEnd, StepCall};
use mcp_policy::port::{
    Actor, Audit, CallRequest, LedgerError, RunId, RunLedger, Step, StepId, StepOutcome, StoreError, UnixTime,
};
use mcp_wire::PortFuture;
use rusqlite::Transaction;

use self::change::Change;
use crate::fault::Fault;
use crate::store::SqliteStore;

/// What a change of the ledger comes to: done, refused by the ledger's own rules, or failed.
type Outcome<T> = Result<Result<T, LedgerError>, Fault>;

impl SqliteStore {
    fn ledger_change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Outcome<T> + Send + 'static,
    ) -> PortFuture<Result<T, LedgerError>> {
        judged(self.thread.change(change))
    }
}

/// A refusal is an answer to the store's thread, and an error to the caller.
fn judged<T: Send + 'static>(
    answer: PortFuture<Result<Result<T, LedgerError>, StoreError>>,
) -> PortFuture<Result<T, LedgerError>> {
    PortFuture::pending(async move { answer.await? })
}

/// Without [`SqliteOptions::holder`](crate::SqliteOptions::holder) no run can be opened or held here: what needs a lease is
/// [`LedgerError::NoRun`]. A time beyond the year 2261 counts as that year's end.
impl RunLedger for SqliteStore {
    fn open(&self, run: &RunId, actor: &Actor, now: UnixTime) -> PortFuture<Result<(), LedgerError>> {
        let (run, actor, holder) = (run.clone(), actor.clone(), self.holder);
        self.ledger_change(move |transaction| match holder {
            Some(holder) => Change::at(transaction, now)?.open(&run, &actor, holder),
            None => Ok(Err(LedgerError::NoRun)),
        })
    }

    fn charge(&self, run: &RunId) -> PortFuture<Result<(), LedgerError>> {
        let (run, holder, limit) = (run.clone(), self.holder, self.calls_per_run);
        self.ledger_change(move |transaction| match holder {
            Some(holder) => change::charge(transaction, &run, holder, limit),
            None => Ok(Err(LedgerError::NoRun)),
        })
    }

    fn stamp(&self, call: &CallRequest<'_>, now: UnixTime) -> PortFuture<Result<StepId, LedgerError>> {
        let (run, step, budget) = (call.run.clone(), StepCall::of(call), call.server.budget);
        let holder = self.holder;
        let stamp = move |transaction: &Transaction<'_>| match holder {
            Some(holder) => Change::at(transaction, now)?.stamp(&run, holder, &step, budget),
            None => Ok(Err(LedgerError::NoRun)),
        };
        let make_good =
            move |transaction: &Transaction<'_>, stamped: &Result<StepId, LedgerError>| match stamped {
                Ok(step) => Change::at(transaction, now)?.never_sent(*step),
                Err(_) => Ok(()),
            };
        judged(self.thread.change_for_somebody(stamp, make_good))
    }

    fn settle(
        &self,
        step: StepId,
        outcome: StepOutcome,
        now: UnixTime,
    ) -> PortFuture<Result<(), LedgerError>> {
        self.ledger_change(move |transaction| {
            Change::at(transaction, now)?.settle(step, outcome)?;
            Ok(Ok(()))
        })
    }

    fn end(&self, run: &RunId, end: RunEnd, now: UnixTime) -> PortFuture<Result<(), LedgerError>> {
        let (run, holder) = (run.clone(), self.holder);
        self.ledger_change(move |transaction| match holder {
            Some(holder) => Change::at(transaction, now)?.end(&run, holder, end),
            None => Ok(Err(LedgerError::NoRun)),
        })
    }

    fn reclaim(&self, now: UnixTime) -> PortFuture<Result<Vec<Step>, LedgerError>> {
        self.ledger_change(move |transaction| Ok(Ok(Change::at(transaction, now)?.reclaim()?)))
    }
}

impl Audit for SqliteStore {
    fn runs(&self) -> PortFuture<Result<Vec<Run>, StoreError>> {
        self.thread.read(run::all)
    }

    fn steps(&self) -> PortFuture<Result<Vec<Step>, StoreError>> {
        self.thread.read(step::all)
    }

    fn entries(&self, after: u64, limit: usize) -> PortFuture<Result<Vec<Linked>, StoreError>> {
        self.thread
            .read(move |transaction| entry::after(transaction, after, limit))
    }

    fn head(&self) -> PortFuture<Result<(u64, ChainHash), StoreError>> {
        self.thread.read(|transaction| {
            let chain = entry::chain(transaction)?;
            Ok((chain.entries(), chain.head()))
        })
    }
}
