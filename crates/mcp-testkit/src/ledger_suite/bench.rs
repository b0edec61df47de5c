//! What a claim works with: the ledger, others in the same place, and all that a ledger keeps as one value.

use std::sync::Arc;

use mcp_policy::ledger::{ChainHash, LeaseHolder, Linked, Run, RunEnd, verify};
use mcp_policy::port::{Actor, LedgerError, RunId, Step, StepId, StepOutcome, StoreError};

use super::samples::{Call, at};
use super::{HOLDER, Ledgers, Opened};
use crate::block_on;
use crate::store_suite::{Broken, Held, same};

/// A ledger in its place.
pub struct Bench<'a> {
    open: &'a mut dyn FnMut(LeaseHolder) -> Opened,
    ledger: Arc<dyn Ledgers>,
}

/// All that a ledger keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) runs: Vec<Run>,
    pub(super) steps: Vec<Step>,
    pub(super) entries: Vec<Linked>,
    pub(super) head: (u64, ChainHash),
}

impl Kept {
    pub(super) fn of(ledger: &dyn Ledgers) -> Result<Self, StoreError> {
        Ok(Self {
            runs: block_on(ledger.runs())?,
            steps: block_on(ledger.steps())?,
            entries: block_on(ledger.entries(0, usize::MAX))?,
            head: block_on(ledger.head())?,
        })
    }

    /// The run of this name.
    pub(super) fn run(&self, name: &str) -> Result<&Run, Broken> {
        let run = self.runs.iter().find(|run| run.id.0 == name);
        run.ok_or_else(|| Broken(format!("the run {name} is not kept")))
    }

    /// The step of this number.
    pub(super) fn step(&self, id: StepId) -> Result<&Step, Broken> {
        let step = self.steps.iter().find(|step| step.id == id);
        step.ok_or_else(|| Broken(format!("step {} is not kept", id.0)))
    }

    /// The names of the events, with the numbers of their steps.
    pub(super) fn events(&self) -> Vec<(&'static str, Option<u64>)> {
        let events = self.entries.iter().map(|linked| &linked.entry.event);
        events
            .map(|event| (event.name(), event.step().map(|step| step.0)))
            .collect()
    }
}

impl<'a> Bench<'a> {
    pub(super) fn new(open: &'a mut dyn FnMut(LeaseHolder) -> Opened) -> Result<Self, Broken> {
        let ledger = open(HOLDER)?;
        Ok(Self { open, ledger })
    }

    /// Another ledger in the same place, beside this one.
    pub(super) fn beside(&mut self, holder: LeaseHolder) -> Result<Arc<dyn Ledgers>, Broken> {
        Ok((self.open)(holder)?)
    }

    pub(super) fn ledger(&self) -> Arc<dyn Ledgers> {
        Arc::clone(&self.ledger)
    }

    /// All that is kept. It is the same before and after the ledger is opened anew.
    pub(super) fn kept(&mut self) -> Result<Kept, Broken> {
        let before = Kept::of(&*self.ledger)?;
        self.ledger = (self.open)(HOLDER)?;
        let after = Kept::of(&*self.ledger)?;
        same("what is kept after reopening", &after, &before)?;
        Ok(after)
    }

    pub(super) fn verify(&mut self) -> Held {
        let kept = self.kept()?;
        let verified = block_on(verify(&*self.ledger));
        let verified = verified.map_err(|error| Broken(format!("the ledger is not whole: {error}")))?;
        let found = (verified.entries, verified.head);
        same("what was verified", found, kept.head)
    }

    /// What opening a run says.
    pub(super) fn opening(&self, run: &str, actor: &Actor, second: u64) -> Result<(), LedgerError> {
        block_on(self.ledger.open(&RunId(run.to_owned()), actor, at(second)))
    }

    /// Opens a run of nobody in particular, at second 0.
    pub(super) fn open(&self, run: &str) -> Held {
        same("opening a run", self.opening(run, &Actor::Unattended, 0), Ok(()))
    }

    pub(super) fn charge(&self, run: &str) -> Result<(), LedgerError> {
        block_on(self.ledger.charge(&RunId(run.to_owned())))
    }

    /// What stamping says.
    pub(super) fn stamping(&self, call: &Call, second: u64) -> Result<StepId, LedgerError> {
        block_on(self.ledger.stamp(&call.request(), at(second)))
    }

    /// Stamps a step.
    pub(super) fn stamp(&self, call: &Call, second: u64) -> Result<StepId, Broken> {
        let stamped = self.stamping(call, second);
        stamped.map_err(|error| Broken(format!("a stamp was refused: {error}")))
    }

    pub(super) fn settle(&self, step: StepId, outcome: StepOutcome, second: u64) -> Result<(), LedgerError> {
        block_on(self.ledger.settle(step, outcome, at(second)))
    }

    pub(super) fn end(&self, run: &str, end: RunEnd, second: u64) -> Result<(), LedgerError> {
        block_on(self.ledger.end(&RunId(run.to_owned()), end, at(second)))
    }

    pub(super) fn reclaim(&self, second: u64) -> Result<Vec<Step>, LedgerError> {
        block_on(self.ledger.reclaim(at(second)))
    }
}
