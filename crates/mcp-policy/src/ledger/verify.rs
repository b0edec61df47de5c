//! The proof over a whole ledger: its chain, and that runs and steps are what the entries tell.

use std::collections::BTreeMap;

use super::chain::{Broken, Chain, ChainHash};
use super::entry::{Entry, Event};
use super::run::{Run, RunState};
use crate::port::{Audit, RunId, Step, StepId, StepState, StoreError};

/// How many entries are read at a time.
const PAGE: usize = 1_000;

/// How often runs and steps are read until nothing was written meanwhile.
const TRIES: usize = 100;

/// A ledger that was found whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Its entries.
    pub entries: u64,
    /// The hash of the last one. Noted elsewhere, it proves later that nothing up to it was changed.
    pub head: ChainHash,
    /// The runs.
    pub runs: usize,
    /// The steps.
    pub steps: usize,
    /// The steps in doubt, which a person must look at.
    pub in_doubt: usize,
}

/// Why a ledger was not found whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// It is not the one that was written.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// It could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reads a whole ledger and proves that it is the one that was written, up to the last entry at the time. What is written
/// while it is read lies beyond that.
///
/// # Errors
///
/// [`VerifyError`]; [`StoreError::Busy`] when others write so often that runs and steps are never read at one head.
///
/// # Cancel safety
///
/// Reads only.
pub async fn verify(ledger: &dyn Audit) -> Result<Verified, VerifyError> {
    let ((expected, head), runs, steps) = read_at_one_head(ledger).await?;
    let (mut chain, mut told) = (Chain::new(), Told::default());
    while chain.entries() < expected {
        let found = chain.entries();
        let page = ledger.entries(found, PAGE).await?;
        if page.is_empty() {
            return Err(Broken::Cut { found, expected }.into());
        }
        for linked in page.iter().filter(|linked| linked.entry.seq <= expected) {
            chain.check(linked)?;
            told.take(&linked.entry)?;
        }
        // Only entries beyond the head are left, so that the next page would be the same.
        if chain.entries() == found {
            let seq = chain.next_seq();
            return Err(Broken::Missing { seq }.into());
        }
    }
    if chain.head() != head {
        return Err(Broken::Altered { seq: expected }.into());
    }
    told.compare(&runs, &steps)?;
    let in_doubt = steps.iter().filter(|step| step.state == StepState::InDoubt);
    Ok(Verified {
        entries: expected,
        head,
        runs: runs.len(),
        steps: steps.len(),
        in_doubt: in_doubt.count(),
    })
}

/// Reads the head, and the runs and steps of just that head.
async fn read_at_one_head(ledger: &dyn Audit) -> Result<((u64, ChainHash), Vec<Run>, Vec<Step>), StoreError> {
    let mut head = ledger.head().await?;
    for _ in 0..TRIES {
        let (runs, steps) = (ledger.runs().await?, ledger.steps().await?);
        let after = ledger.head().await?;
        if head == after {
            return Ok((head, runs, steps));
        }
        head = after;
    }
    Err(StoreError::Busy)
}

/// Runs and steps as the entries tell of them. What a run was charged, they do not tell.
#[derive(Debug, Default)]
struct Told {
    runs: BTreeMap<RunId, Run>,
    steps: BTreeMap<StepId, Step>,
}

impl Told {
    fn take(&mut self, entry: &Entry) -> Result<(), Broken> {
        let nonsense = Broken::Disagrees { what: "an entry" };
        match &entry.event {
            Event::Opened { actor, holder, until } => {
                let run = Run {
                    id: entry.run.clone(),
                    actor: actor.clone(),
                    holder: *holder,
                    until: *until,
                    charged: 0,
                    state: RunState::Open,
                };
                if self.runs.insert(entry.run.clone(), run).is_some() {
                    return Err(nonsense);
                }
            }
            Event::Stamped { step, call, until } => {
                self.runs.get_mut(&entry.run).ok_or(nonsense)?.until = *until;
                let stamped = Step {
                    id: *step,
                    run: entry.run.clone(),
                    call: call.clone(),
                    state: StepState::Stamped,
                };
                if self.steps.insert(*step, stamped).is_some() {
                    return Err(nonsense);
                }
            }
            Event::Settled { step, outcome } => self.leave(*step, StepState::Settled(outcome.clone()))?,
            Event::NeverSent { step } => {
                self.leave(*step, StepState::Settled(crate::port::StepOutcome::never_sent()))?;
            }
            Event::InDoubt { step } => self.leave(*step, StepState::InDoubt)?,
            Event::Ended { end } => {
                self.runs.get_mut(&entry.run).ok_or(nonsense)?.state = RunState::Ended(*end);
            }
        }
        Ok(())
    }

    /// A step is left once.
    fn leave(&mut self, step: StepId, state: StepState) -> Result<(), Broken> {
        let step = self.steps.get_mut(&step);
        let step = step.filter(|step| step.state == StepState::Stamped);
        step.ok_or(Broken::Disagrees { what: "an entry" })?.state = state;
        Ok(())
    }

    fn compare(self, runs: &[Run], steps: &[Step]) -> Result<(), Broken> {
        let same_run = |(told, run): (&Run, &Run)| {
            let charged = run.charged;
            Run {
                charged,
                ..told.clone()
            } == *run
        };
        let runs_agree = self.runs.len() == runs.len() && self.runs.values().zip(runs).all(same_run);
        if !runs_agree {
            return Err(Broken::Disagrees { what: "a run" });
        }
        if self.steps.values().ne(steps) {
            return Err(Broken::Disagrees { what: "a step" });
        }
        Ok(())
    }
}
