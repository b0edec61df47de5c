//! A run: who may make calls in it, and what a change of it is.

use std::time::Duration;

use super::entry::{Event, LeaseHolder, RunEnd, StepCall};
use crate::budget::Budget;
use crate::port::{Actor, LedgerError, RunId, StepId, UnixTime};

/// One run of a host: a series of calls on behalf of one actor, held by one process at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Its name, chosen by the host.
    pub id: RunId,
    /// On whose behalf.
    pub actor: Actor,
    /// Who holds it.
    pub holder: LeaseHolder,
    /// Until when it is held unless it is renewed.
    pub until: UnixTime,
    /// The remote calls that were charged.
    pub charged: u32,
    /// Whether it goes on.
    pub state: RunState,
}

/// Whether a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunState {
    /// Calls can be made.
    Open,
    /// No call is made any more.
    Ended(RunEnd),
}

impl Run {
    /// How long a lease lasts: from the opening of its run, and beyond the budget of each call in it. A lease that ran out
    /// can still be renewed until another process has reclaimed its run.
    pub const LEASE: Duration = Duration::from_secs(10 * 60);

    /// Opens a run.
    #[must_use]
    pub fn open(id: RunId, actor: Actor, holder: LeaseHolder, now: UnixTime) -> (Self, Event) {
        let until = UnixTime(now.0.saturating_add(Self::LEASE));
        let event = Event::Opened {
            actor: actor.clone(),
            holder,
            until,
        };
        let run = Self {
            id,
            actor,
            holder,
            until,
            charged: 0,
            state: RunState::Open,
        };
        (run, event)
    }

    /// Counts one remote call.
    ///
    /// # Errors
    ///
    /// [`LedgerError::NoRun`] when the run is over or held elsewhere, [`LedgerError::RunLimit`] when it has used up its
    /// calls; nothing is counted then.
    pub fn charge(&mut self, holder: LeaseHolder, limit: u32) -> Result<(), LedgerError> {
        self.check_held(holder)?;
        if self.charged >= limit {
            return Err(LedgerError::RunLimit { limit });
        }
        self.charged += 1;
        Ok(())
    }

    /// Stamps a step and renews the lease, for a call with this budget.
    ///
    /// # Errors
    ///
    /// [`LedgerError::NoRun`] when the run is over or held elsewhere.
    pub fn stamp(
        &mut self,
        holder: LeaseHolder,
        step: StepId,
        call: StepCall,
        budget: Budget,
        now: UnixTime,
    ) -> Result<Event, LedgerError> {
        self.check_held(holder)?;
        let lasts = budget.get().saturating_add(Self::LEASE);
        self.until = self.until.max(UnixTime(now.0.saturating_add(lasts)));
        Ok(Event::Stamped {
            step,
            call,
            until: self.until,
        })
    }

    /// Ends the run; `None` when it is over already.
    ///
    /// # Errors
    ///
    /// [`LedgerError::NoRun`] when it is held elsewhere.
    pub fn end(&mut self, holder: LeaseHolder, end: RunEnd) -> Result<Option<Event>, LedgerError> {
        if self.holder != holder {
            return Err(LedgerError::NoRun);
        }
        Ok(match self.state {
            RunState::Ended(_) => None,
            RunState::Open => Some(self.close(end)),
        })
    }

    /// Ends a run whose holder has gone, if it has.
    pub fn reclaim(&mut self, now: UnixTime) -> Option<Event> {
        (self.state == RunState::Open && self.is_expired(now)).then(|| self.close(RunEnd::Failed))
    }

    /// Whether nobody holds it any more.
    #[must_use]
    pub fn is_expired(&self, now: UnixTime) -> bool {
        now >= self.until
    }

    fn close(&mut self, end: RunEnd) -> Event {
        self.state = RunState::Ended(end);
        Event::Ended { end }
    }

    fn check_held(&self, holder: LeaseHolder) -> Result<(), LedgerError> {
        match self.state {
            RunState::Open if self.holder == holder => Ok(()),
            RunState::Open | RunState::Ended(_) => Err(LedgerError::NoRun),
        }
    }
}
