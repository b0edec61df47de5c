//! What a host may set about the store.

use std::time::Duration;

use mcp_policy::ledger::LeaseHolder;
use mcp_policy::memory::MemoryLedger;

/// The settings of one open store. They are not kept in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SqliteOptions {
    /// How long a lock that another process holds is waited for, in whole milliseconds. Default 5 seconds; zero does not
    /// wait.
    pub busy_timeout: Duration,
    /// How many questions may lie before the store's thread; the next ones wait to be put there. Default 64, at least 1.
    pub queue: usize,
    /// The size in bytes that the file may reach, rounded down to whole pages; beyond it the store is full. A file that
    /// is larger already does not grow. Default: SQLite's own bound. The log beside the file is not counted.
    pub max_bytes: Option<u64>,
    /// By whom the runs that are opened here are held: 128 random bits that the host draws each time it opens a store.
    /// Two open stores must not have the same. Default none: such a store reads the ledger, reclaims and settles, but
    /// opens no run.
    pub holder: Option<LeaseHolder>,
    /// The remote calls that a run may make. Default 20.
    pub calls_per_run: u32,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            busy_timeout: Duration::from_secs(5),
            queue: 64,
            max_bytes: None,
            holder: None,
            calls_per_run: MemoryLedger::CALLS_PER_RUN,
        }
    }
}
