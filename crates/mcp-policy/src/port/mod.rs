//! The ports of policy: what a host or a store implements.
//!
//! Each answers with a [`PortFuture`](mcp_wire::PortFuture): at once, or later. An operation waits for the answer within
//! its own deadline. A dropped answer means that the operation has gone; a store must then not begin a write that it
//! had not begun.

mod approvals;
mod cancellation;
mod catalogue;
mod clock;
mod gate;
mod health;
mod ledger;
mod servers;
mod store;
mod trace;

pub use self::approvals::{Approval, ApprovalDecision, ApprovalDesk, ApprovalId, Approvals, Word};
pub use self::cancellation::{Cancellation, CancellationUnknown, Never};
pub use self::catalogue::{
    CatalogueChange, CatalogueStore, Committed, Generation, ImportFailure, ImportStatus, ImportSuccess,
    Imports, ServerCatalogue, SetAside, Snapshot,
};
pub use self::clock::{Clock, Moment, Timer, UnixTime};
pub use self::gate::{
    Actor, CallAttempt, CallOrigin, CallRequest, Denial, DenialLog, DenialReason, Denials, Gate, RunId,
};
pub use self::health::{Contact, HealthStore};
pub use self::ledger::{Audit, LedgerError, RunLedger, Step, StepId, StepOutcome, StepState, StepStatus};
pub use self::servers::ServerStore;
pub use self::store::StoreError;
pub use self::trace::{TraceSource, Untraced};
