//! The catalogue, judged by the oracles of `specs/029-catalogue/oracles/values` and by properties.

#![cfg(test)]

#[path = "../oracles/mod.rs"]
mod oracles;
mod plans;
mod properties;
mod support;
mod tools;
mod values;

use std::collections::BTreeSet;

use support::{cases, spec};

/// Requirements that hold for every case of these sets, or that a property shows.
const SHOWN_OTHERWISE: [&str; 2] = ["R-029-1h", "R-029-5f"];

#[test]
fn every_requirement_has_a_case_and_every_case_a_requirement() {
    let spec = spec();
    let required: BTreeSet<&str> = spec
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" |"))
        .map(|(id, _)| id)
        .filter(|id| id.starts_with("R-029-"))
        .collect();
    let mut named: BTreeSet<String> = SHOWN_OTHERWISE.map(str::to_owned).into();
    let mut ids = BTreeSet::new();
    for set in [
        "schemas",
        "names",
        "canonical",
        "fingerprints",
        "definitions",
        "flags",
        "plans",
        "tools",
    ] {
        for case in cases(set) {
            assert!(ids.insert(case.id().to_owned()), "{} occurs twice", case.id());
            named.extend(case.requirements());
        }
    }
    assert_eq!(required, named.iter().map(String::as_str).collect());
}

#[test]
fn every_kind_of_the_table_is_wanted_by_a_case() {
    let spec = spec();
    let listed: BTreeSet<&str> = spec
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        .map(|(kind, _)| kind)
        .collect();
    let mut wanted: BTreeSet<String> = support::WIRE_KINDS.map(str::to_owned).into();
    for set in ["schemas", "names", "canonical", "definitions"] {
        wanted.extend(
            cases(set)
                .iter()
                .filter_map(|case| Some(case.text("kind")?.to_owned())),
        );
    }
    wanted.extend(["name-ambiguous", "local-name-empty", "schema-not-json"].map(str::to_owned));
    assert_eq!(listed, wanted.iter().map(String::as_str).collect());
}
