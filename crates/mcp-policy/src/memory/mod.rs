//! The ports of policy kept in memory: for tests, and for hosts that keep nothing beyond the process.

mod approvals;
mod gate;
mod ledger;
mod store;

pub use self::approvals::{FixedApprovals, MemoryApprovals, UnknownApproval};
pub use self::gate::{MemoryDenials, PermitAll};
pub use self::ledger::MemoryLedger;
pub use self::store::MemoryStore;
pub use crate::port::{Approval, Word};
