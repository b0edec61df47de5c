//! Store and ledger in memory hold what every store and every ledger must hold.

use std::sync::Arc;

use mcp_policy::memory::{MemoryLedger, MemoryStore};
use mcp_testkit::ledger_suite;
use mcp_testkit::store_suite::{Opened, broken_claims};

#[test]
fn the_store_in_memory_passes_the_suite() {
    let new_place = || {
        let store = Arc::new(MemoryStore::default());
        move || -> Opened { Ok(Arc::clone(&store) as _) }
    };
    assert_eq!(broken_claims(new_place), []);
}

#[test]
fn the_ledger_in_memory_passes_the_suite() {
    let new_place = || {
        let ledger = Arc::new(MemoryLedger::default());
        move |_| -> ledger_suite::Opened { Ok(Arc::clone(&ledger) as _) }
    };
    assert_eq!(ledger_suite::broken_claims(ledger_suite::CLAIMS, new_place), []);
}
