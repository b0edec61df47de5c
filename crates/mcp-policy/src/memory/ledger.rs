//! A ledger in memory: every run exists, and its steps live as long as the process.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_wire::{Delivery, PortFuture};

use crate::port::{CallRequest, LedgerError, RunId, RunLedger, Step, StepId, StepOutcome, StoreError};

/// Keeps steps in memory. A run may make 20 remote calls unless it is told otherwise.
#[derive(Debug)]
pub struct MemoryLedger {
    calls_per_run: u32,
    rows: Mutex<Rows>,
}

#[derive(Debug, Default)]
struct Rows {
    charged: BTreeMap<RunId, u32>,
    steps: Vec<Step>,
}

impl MemoryLedger {
    /// The remote calls of a run, if nothing else is said.
    pub const CALLS_PER_RUN: u32 = 20;

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
        self.rows().steps.clone()
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

impl RunLedger for MemoryLedger {
    fn charge(&self, run: &RunId) -> PortFuture<Result<(), LedgerError>> {
        let mut rows = self.rows();
        let charged = rows.charged.entry(run.clone()).or_default();
        if *charged >= self.calls_per_run {
            return PortFuture::ready(Err(LedgerError::RunLimit {
                limit: self.calls_per_run,
            }));
        }
        *charged += 1;
        PortFuture::ready(Ok(()))
    }

    fn stamp(&self, call: &CallRequest<'_>) -> PortFuture<Result<StepId, LedgerError>> {
        let mut rows = self.rows();
        let id = StepId(rows.steps.len() as u64);
        rows.steps.push(Step {
            id,
            run: call.run.clone(),
            server: call.server.name.to_string(),
            tool: call.tool.as_str().to_owned(),
            stamped: true,
            outcome: None,
        });
        PortFuture::ready(Ok(id))
    }

    fn settle(&self, step: StepId, outcome: StepOutcome) -> PortFuture<Result<(), LedgerError>> {
        let mut rows = self.rows();
        let row = rows
            .steps
            .iter_mut()
            .find(|row| row.id == step && row.outcome.is_none());
        PortFuture::ready(row.map_or(Err(StoreError::Unavailable.into()), |row| {
            row.stamped = outcome.delivery != Delivery::NotSent;
            row.outcome = Some(outcome);
            Ok(())
        }))
    }
}
