//! Approval: a person's word for one call.

use mcp_wire::PortFuture;

use super::{CallRequest, StoreError};

/// Asks for the approval of calls to servers whose operator requires one.
pub trait Approvals: Send + Sync {
    /// The decision on one call.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be known; the call is then refused.
    fn decide(&self, call: &CallRequest<'_>) -> PortFuture<Result<ApprovalDecision, StoreError>>;
}

/// What is known of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApprovalDecision {
    /// The call may take place.
    Granted,
    /// The call may not take place.
    Denied,
    /// Nobody has decided yet.
    Pending,
}
