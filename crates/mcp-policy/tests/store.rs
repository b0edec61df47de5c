//! The store in memory holds what every store must hold.

use std::sync::Arc;

use mcp_policy::memory::MemoryStore;
use mcp_testkit::store_suite::{Opened, broken_claims};

#[test]
fn the_store_in_memory_passes_the_suite() {
    let new_place = || {
        let store = Arc::new(MemoryStore::default());
        move || -> Opened { Ok(Arc::clone(&store) as _) }
    };
    assert_eq!(broken_claims(new_place), []);
}
