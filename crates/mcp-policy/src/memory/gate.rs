//! A gate without rules, and denials kept in memory.

use std::sync::{Mutex, PoisonError};

use mcp_wire::PortFuture;

use crate::port::{CallAttempt, CallOrigin, DenialReason, Denials, Gate, StoreError};

/// Permits every call, as one outside catalogue and gate. For a host whose own code decides before it calls.
#[derive(Debug, Clone, Copy, Default)]
pub struct PermitAll;

impl Gate for PermitAll {
    fn judge(&self, _attempt: &CallAttempt<'_>) -> PortFuture<Result<CallOrigin, DenialReason>> {
        PortFuture::ready(Ok(CallOrigin::AdHoc))
    }
}

/// Keeps denials as lines of server, tool and reason.
#[derive(Debug, Default)]
pub struct MemoryDenials(Mutex<Vec<(String, String, DenialReason)>>);

impl MemoryDenials {
    /// What was kept, in order.
    #[must_use]
    pub fn all(&self) -> Vec<(String, String, DenialReason)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Denials for MemoryDenials {
    fn record(&self, attempt: &CallAttempt<'_>, reason: DenialReason) -> PortFuture<Result<(), StoreError>> {
        let row = (
            attempt.server.name.to_string(),
            attempt.tool.as_str().to_owned(),
            reason,
        );
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(row);
        PortFuture::ready(Ok(()))
    }
}
