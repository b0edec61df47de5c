//! The ports of policy kept in memory: for tests, and for hosts that keep nothing beyond the process.

mod gate;
mod ledger;
mod store;

pub use self::gate::{FixedApprovals, MemoryDenials, PermitAll};
pub use self::ledger::MemoryLedger;
pub use self::store::MemoryStore;
