//! The suite of every store, each claim in a file of its own.

use std::sync::Arc;

use mcp_testkit::store_suite::{Opened, broken_claims};

use crate::support::{Directory, open};

#[test]
fn the_store_in_a_file_passes_the_suite() {
    let new_place = || {
        let directory = Directory::new();
        move || -> Opened { Ok(Arc::new(open(&directory.file())?)) }
    };
    assert_eq!(broken_claims(new_place), []);
}
