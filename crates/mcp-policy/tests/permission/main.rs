//! Permission, approval and results, judged by the oracles of `specs/030-permission/oracles/values` and by tests over the
//! stores in memory.

#![cfg(test)]

mod approvals;
mod arguments;
mod decisions;
mod gate;
#[path = "../oracles/mod.rs"]
mod oracles;
mod results;
mod stores;
mod support;
mod world;
mod zones;

use std::collections::BTreeSet;

use support::{cases, spec};

/// Requirements that tests of this crate show, and no case of a file.
const SHOWN_BY_TESTS: [&str; 9] = [
    "R-030-3a", "R-030-3b", "R-030-3c", "R-030-3d", "R-030-3e", "R-030-4a", "R-030-4d", "R-030-4e",
    "R-030-4f",
];

#[test]
fn every_requirement_has_a_case_and_every_case_a_requirement() {
    let spec = spec();
    let required: BTreeSet<&str> = spec
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" |"))
        .map(|(id, _)| id)
        .filter(|id| id.starts_with("R-030-"))
        .collect();
    let mut named: BTreeSet<String> = SHOWN_BY_TESTS.map(str::to_owned).into();
    let mut ids = BTreeSet::new();
    for set in ["zones", "decisions", "explanations", "arguments", "results"] {
        for case in cases(set) {
            assert!(ids.insert(case.id().to_owned()), "{} occurs twice", case.id());
            named.extend(case.requirements());
        }
    }
    assert_eq!(required, named.iter().map(String::as_str).collect());
}
