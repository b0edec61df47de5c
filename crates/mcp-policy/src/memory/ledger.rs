//! A ledger in memory: its runs, steps and entries live as long as the process.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_wire::PortFuture;

use crate::ledger::{Chain, ChainHash, Entry, Event, LeaseHolder, Linked, Run, RunEnd, StepCall};
use crate::port::{
    Actor, Audit, CallRequest, LedgerError, RunId, RunLedger, Step, StepId, StepOutcome, StepState,
    StoreError, UnixTime,
};

/// Keeps runs and steps in memory. A run may make 20 remote calls unless it is told otherwise.
#[derive(Debug)]
pub struct MemoryLedger {
    calls_per_run: u32,
    rows: Mutex<Rows>,
}

#[derive(Debug, Default)]
struct Rows {
    runs: BTreeMap<RunId, Run>,
    /// By number; the first is 1.
    steps: Vec<StepRow>,
    chain: Chain,
    entries: Vec<Linked>,
}

/// Where the entries tell of a step: all that is kept of it stands there.
#[derive(Debug, Clone, Copy)]
struct StepRow {
    stamped: usize,
    settled: Settled,
}

#[derive(Debug, Clone, Copy)]
enum Settled {
    NotYet,
    /// By the entry at this place.
    By(usize),
    InDoubt,
}

impl MemoryLedger {
    /// The remote calls of a run, if nothing else is said.
    pub const CALLS_PER_RUN: u32 = 20;

    /// Who holds its runs. There is one ledger value for each ledger in memory, so nobody must be told apart.
    pub const HOLDER: LeaseHolder = LeaseHolder(0);

    /// A ledger whose runs may make `calls_per_run` remote calls.
    #[must_use]
    pub fn new(calls_per_run: u32) -> Self {
        Self {
            calls_per_run,
            rows: Mutex::default(),
        }
    }

    /// The steps, in order.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        let rows = self.rows();
        rows.steps.iter().filter_map(|row| rows.step(*row)).collect()
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryLedger {
    fn default() -> Self {
        Self::new(Self::CALLS_PER_RUN)
    }
}

impl Rows {
    fn run(&mut self, run: &RunId) -> Result<&mut Run, LedgerError> {
        self.runs.get_mut(run).ok_or(LedgerError::NoRun)
    }

    fn tell(&mut self, run: RunId, event: Event, at: UnixTime) {
        let seq = self.chain.next_seq();
        let entry = Entry { seq, at, run, event };
        let hash = self.chain.link(&entry);
        self.entries.push(Linked { entry, hash });
    }

    fn open(&mut self, run: &RunId, actor: &Actor, now: UnixTime) -> Result<(), LedgerError> {
        if self.runs.contains_key(run) {
            return Err(LedgerError::RunExists);
        }
        let (opened, event) = Run::open(run.clone(), actor.clone(), MemoryLedger::HOLDER, now);
        self.runs.insert(run.clone(), opened);
        self.tell(run.clone(), event, now);
        Ok(())
    }

    fn stamp(&mut self, call: &CallRequest<'_>, now: UnixTime) -> Result<StepId, LedgerError> {
        let id = StepId(self.steps.len() as u64 + 1);
        let step = StepCall::of(call);
        let budget = call.server.budget;
        let event = self
            .run(call.run)?
            .stamp(MemoryLedger::HOLDER, id, step, budget, now)?;
        self.steps.push(StepRow {
            stamped: self.entries.len(),
            settled: Settled::NotYet,
        });
        self.tell(call.run.clone(), event, now);
        Ok(id)
    }

    fn settle(&mut self, step: StepId, outcome: StepOutcome, now: UnixTime) -> Result<(), LedgerError> {
        let (told, entries) = (self.entries.len(), &self.entries);
        let place = usize::try_from(step.0.wrapping_sub(1)).ok();
        let row = place.and_then(|place| self.steps.get_mut(place));
        let row = row.filter(|row| matches!(row.settled, Settled::NotYet));
        let row = row.ok_or(StoreError::Unavailable)?;
        let stamp = entries.get(row.stamped).ok_or(StoreError::Unavailable)?;
        row.settled = Settled::By(told);
        let run = stamp.entry.run.clone();
        self.tell(run, Event::Settled { step, outcome }, now);
        Ok(())
    }

    fn end(&mut self, run: &RunId, end: RunEnd, now: UnixTime) -> Result<(), LedgerError> {
        if let Some(event) = self.run(run)?.end(MemoryLedger::HOLDER, end)? {
            self.tell(run.clone(), event, now);
        }
        Ok(())
    }

    fn reclaim(&mut self, now: UnixTime) -> Vec<Step> {
        let ended = self.runs.values_mut();
        let ended: Vec<_> = ended
            .filter_map(|run| Some((run.id.clone(), run.reclaim(now)?)))
            .collect();
        let mut doubted = Vec::new();
        for (run, event) in ended {
            let entries = &self.entries;
            let is_of_run = |row: &StepRow| {
                let stamp = entries.get(row.stamped);
                stamp.is_some_and(|stamp| stamp.entry.run == run)
            };
            let open = self.steps.iter_mut();
            let open = open.filter(|row| matches!(row.settled, Settled::NotYet) && is_of_run(row));
            let lost: Vec<StepRow> = open
                .map(|row| {
                    row.settled = Settled::InDoubt;
                    *row
                })
                .collect();
            for step in lost
                .into_iter()
                .filter_map(|row| self.step(row))
                .collect::<Vec<_>>()
            {
                self.tell(run.clone(), Event::InDoubt { step: step.id }, now);
                doubted.push(step);
            }
            self.tell(run, event, now);
        }
        doubted
    }

    /// The step that a row points to.
    fn step(&self, row: StepRow) -> Option<Step> {
        let Entry { run, event, .. } = &self.entries.get(row.stamped)?.entry;
        let Event::Stamped { step, call, .. } = event else {
            return None;
        };
        let state = match row.settled {
            Settled::NotYet => StepState::Stamped,
            Settled::InDoubt => StepState::InDoubt,
            Settled::By(entry) => match &self.entries.get(entry)?.entry.event {
                Event::Settled { outcome, .. } => StepState::Settled(outcome.clone()),
                Event::Opened { .. }
                | Event::Stamped { .. }
                | Event::NeverSent { .. }
                | Event::InDoubt { .. }
                | Event::Ended { .. } => return None,
            },
        };
        Some(Step {
            id: *step,
            run: run.clone(),
            call: call.clone(),
            state,
        })
    }
}

impl RunLedger for MemoryLedger {
    fn open(&self, run: &RunId, actor: &Actor, now: UnixTime) -> PortFuture<Result<(), LedgerError>> {
        PortFuture::ready(self.rows().open(run, actor, now))
    }

    fn charge(&self, run: &RunId) -> PortFuture<Result<(), LedgerError>> {
        let limit = self.calls_per_run;
        let mut rows = self.rows();
        PortFuture::ready(
            rows.run(run)
                .and_then(|run| run.charge(MemoryLedger::HOLDER, limit)),
        )
    }

    fn stamp(&self, call: &CallRequest<'_>, now: UnixTime) -> PortFuture<Result<StepId, LedgerError>> {
        PortFuture::ready(self.rows().stamp(call, now))
    }

    fn settle(
        &self,
        step: StepId,
        outcome: StepOutcome,
        now: UnixTime,
    ) -> PortFuture<Result<(), LedgerError>> {
        PortFuture::ready(self.rows().settle(step, outcome, now))
    }

    fn end(&self, run: &RunId, end: RunEnd, now: UnixTime) -> PortFuture<Result<(), LedgerError>> {
        PortFuture::ready(self.rows().end(run, end, now))
    }

    fn reclaim(&self, now: UnixTime) -> PortFuture<Result<Vec<Step>, LedgerError>> {
        PortFuture::ready(Ok(self.rows().reclaim(now)))
    }
}

impl Audit for MemoryLedger {
    fn runs(&self) -> PortFuture<Result<Vec<Run>, StoreError>> {
        PortFuture::ready(Ok(self.rows().runs.values().cloned().collect()))
    }

    fn steps(&self) -> PortFuture<Result<Vec<Step>, StoreError>> {
        PortFuture::ready(Ok(self.steps()))
    }

    fn entries(&self, after: u64, limit: usize) -> PortFuture<Result<Vec<Linked>, StoreError>> {
        let rows = self.rows();
        let later = rows.entries.iter().filter(|linked| linked.entry.seq > after);
        PortFuture::ready(Ok(later.take(limit).cloned().collect()))
    }

    fn head(&self) -> PortFuture<Result<(u64, ChainHash), StoreError>> {
        let chain = self.rows().chain;
        PortFuture::ready(Ok((chain.entries(), chain.head())))
    }
}
