//! A gate without rules, and denials kept in memory.

use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_wire::PortFuture;

use crate::port::{
    CallAttempt, CallOrigin, Denial, DenialLog, DenialReason, Denials, Gate, StoreError, UnixTime,
};

/// Permits every call, as one outside catalogue and gate. For a host whose own code decides before it calls.
#[derive(Debug, Clone, Copy, Default)]
pub struct PermitAll;

impl Gate for PermitAll {
    fn judge(&self, _attempt: &CallAttempt<'_>) -> PortFuture<Result<CallOrigin, DenialReason>> {
        PortFuture::ready(Ok(CallOrigin::AdHoc))
    }
}

/// Keeps denials as long as the process lives.
#[derive(Debug, Default)]
pub struct MemoryDenials(Mutex<Vec<Denial>>);

impl MemoryDenials {
    /// What was kept, in order.
    #[must_use]
    pub fn all(&self) -> Vec<Denial> {
        self.kept().clone()
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Denial>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Denials for MemoryDenials {
    fn record(
        &self,
        attempt: &CallAttempt<'_>,
        reason: DenialReason,
        now: UnixTime,
    ) -> PortFuture<Result<(), StoreError>> {
        self.kept().push(Denial::of(attempt, reason, now));
        PortFuture::ready(Ok(()))
    }
}

impl DenialLog for MemoryDenials {
    fn denials(&self, limit: usize) -> PortFuture<Result<Vec<Denial>, StoreError>> {
        let kept = self.kept();
        let first = kept.len().saturating_sub(limit);
        PortFuture::ready(Ok(kept.iter().skip(first).cloned().collect()))
    }
}
