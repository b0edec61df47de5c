//! The changes of the ledger. What one is, [`Run`] says; here it reads and writes its rows, and adds the entry that tells
//! of it.

use std::time::Duration;

use mcp_policy::Budget;
use mcp_policy::ledger::{Chain, Event, LeaseHolder, Run, RunEnd, StepCall};
use mcp_policy::port::{Actor, LedgerError, RunId, Step, StepId, StepOutcome, StepState, UnixTime};
use rusqlite::Transaction;

use super::{Outcome, entry, fields, run, step};
use crate::fault::Fault;

/// One change of the ledger, in a transaction that holds the file's write lock.
pub(super) struct Change<'a> {
    transaction: &'a Transaction<'a>,
    chain: Chain,
    now: UnixTime,
}

/// The latest time from which every lease ends at one that a column can hold.
fn latest() -> UnixTime {
    let longest = Run::LEASE + Budget::MAX.get();
    UnixTime(Duration::from_nanos(i64::MAX.unsigned_abs()).saturating_sub(longest))
}

/// Counts a call. No entry tells of that.
pub(super) fn charge(
    transaction: &Transaction<'_>,
    name: &RunId,
    holder: LeaseHolder,
    limit: u32,
) -> Outcome<()> {
    let Some(mut held) = run::one(transaction, name)? else {
        return Ok(Err(LedgerError::NoRun));
    };
    let charged = held.charge(holder, limit);
    if charged.is_ok() {
        run::update(transaction, &held)?;
    }
    Ok(charged)
}

impl<'a> Change<'a> {
    /// A change that goes on from the chain as it is.
    pub(super) fn at(transaction: &'a Transaction<'_>, now: UnixTime) -> Result<Self, Fault> {
        Ok(Self {
            transaction,
            chain: entry::chain(transaction)?,
            now: now.min(latest()),
        })
    }

    pub(super) fn open(mut self, name: &RunId, actor: &Actor, holder: LeaseHolder) -> Outcome<()> {
        if run::one(self.transaction, name)?.is_some() {
            return Ok(Err(LedgerError::RunExists));
        }
        let (opened, event) = Run::open(name.clone(), actor.clone(), holder, self.now);
        run::insert(self.transaction, &opened)?;
        self.tell(name, event)?;
        Ok(Ok(()))
    }

    pub(super) fn stamp(
        mut self,
        name: &RunId,
        holder: LeaseHolder,
        call: &StepCall,
        budget: Budget,
    ) -> Outcome<StepId> {
        let Some(mut held) = run::one(self.transaction, name)? else {
            return Ok(Err(LedgerError::NoRun));
        };
        let id = step::next(self.transaction)?;
        let event = match held.stamp(holder, id, call.clone(), budget, self.now) {
            Ok(event) => event,
            Err(refused) => return Ok(Err(refused)),
        };
        run::update(self.transaction, &held)?;
        let stamped = Step {
            id,
            run: name.clone(),
            call: call.clone(),
            state: StepState::Stamped,
        };
        step::insert(self.transaction, &stamped)?;
        self.tell(name, event)?;
        Ok(Ok(id))
    }

    /// Settles a stamped step.
    ///
    /// # Errors
    ///
    /// [`Fault::REFUSED`] when the step is not one.
    pub(super) fn settle(self, id: StepId, outcome: StepOutcome) -> Result<(), Fault> {
        let outcome = fields::fitted(outcome);
        let event = Event::Settled {
            step: id,
            outcome: outcome.clone(),
        };
        self.leave(id, StepState::Settled(outcome), event)
    }

    /// Settles a step that was stamped for nobody.
    ///
    /// # Errors
    ///
    /// [`Fault::REFUSED`] when the step is not stamped.
    pub(super) fn never_sent(self, id: StepId) -> Result<(), Fault> {
        let state = StepState::Settled(StepOutcome::never_sent());
        self.leave(id, state, Event::NeverSent { step: id })
    }

    pub(super) fn end(mut self, name: &RunId, holder: LeaseHolder, end: RunEnd) -> Outcome<()> {
        let Some(mut held) = run::one(self.transaction, name)? else {
            return Ok(Err(LedgerError::NoRun));
        };
        match held.end(holder, end) {
            Err(refused) => return Ok(Err(refused)),
            Ok(None) => {}
            Ok(Some(event)) => {
                run::update(self.transaction, &held)?;
                self.tell(name, event)?;
            }
        }
        Ok(Ok(()))
    }

    /// Ends the runs whose leases ran out, and gives the steps that are in doubt by that.
    pub(super) fn reclaim(mut self) -> Result<Vec<Step>, Fault> {
        let mut doubted = Vec::new();
        for mut lost in run::open(self.transaction)? {
            let Some(ended) = lost.reclaim(self.now) else {
                continue;
            };
            for mut step in step::stamped(self.transaction, &lost.id)? {
                step.state = StepState::InDoubt;
                step::update(self.transaction, &step)?;
                self.tell(&lost.id, Event::InDoubt { step: step.id })?;
                doubted.push(step);
            }
            run::update(self.transaction, &lost)?;
            self.tell(&lost.id, ended)?;
        }
        Ok(doubted)
    }

    fn leave(mut self, id: StepId, state: StepState, event: Event) -> Result<(), Fault> {
        let found = step::one(self.transaction, id)?;
        let stamped = found.filter(|step| step.state == StepState::Stamped);
        let mut left = stamped.ok_or(Fault::REFUSED)?;
        left.state = state;
        step::update(self.transaction, &left)?;
        self.tell(&left.run, event)
    }

    fn tell(&mut self, name: &RunId, event: Event) -> Result<(), Fault> {
        entry::add(self.transaction, &mut self.chain, name, event, self.now)
    }
}
