//! The suite holds when the tests run, not only when somebody asks for it.

use std::path::Path;

use mcp_conformance::{Suite, run};

#[test]
fn every_oracle_holds_under_every_profile() {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    let report = run(&Suite::load(&specs).unwrap(), "");
    assert!(report.is_green(), "{report}");
}
