//! Oracles of imports and the operator's acts between them.

use std::collections::{BTreeMap, BTreeSet};

use mcp_policy::catalogue::{CatalogueRow, Fingerprint, LocalName, Plan, Standing};
use mcp_policy::port::UnixTime;
use serde_json::{Value, json};

use crate::support::{alone, at, cases, definition, offer, written};

#[test]
fn plans() {
    for case in cases("plans") {
        let mut rows: Vec<CatalogueRow> = vec![];
        for (number, step) in case.0["steps"].as_array().unwrap().iter().enumerate() {
            let place = format!("{}, step {number}", case.id());
            if step.get("act").is_some() {
                act(&mut rows, step, &place);
            } else {
                rows = import(&rows, step, &place);
            }
        }
    }
}

fn act(rows: &mut [CatalogueRow], step: &Value, place: &str) {
    let name = step["tool"].as_str().unwrap();
    let row = rows
        .iter_mut()
        .find(|row| row.local_name.as_str() == name)
        .unwrap();
    let before = row.clone();
    let result = match step["act"].as_str().unwrap() {
        "enable" => row.enable(),
        "confirm" => {
            let shown = definition(&written(&step["shown"]));
            row.confirm(Fingerprint::of_definition(&shown).unwrap())
        }
        "disable" => {
            row.disable();
            Ok(())
        }
        other => panic!("{other}"),
    };
    let said = result.map_or_else(|refused| refused.kind(), |()| "done");
    assert_eq!(step["result"], said, "{place}");
    if said != "done" {
        assert_eq!(*row, before, "{place}");
    }
}

fn import(before: &[CatalogueRow], step: &Value, place: &str) -> Vec<CatalogueRow> {
    let offered: Vec<String> = step["offer"].as_array().unwrap().iter().map(written).collect();
    let now = at(step["at"].as_u64().unwrap());
    let draw = || Plan::draw(before, offer(&offered, &alone("s")), now);
    let plan = draw();
    let offer = offer(&offered, &alone("s"));
    let read: BTreeSet<&LocalName> = offer.tools().map(|tool| &tool.local_name).collect();
    assert_eq!(read, plan.flags.keys().collect(), "{place}");
    assert_eq!(offer.quarantined(), plan.quarantined, "{place}");
    let wanted = wanted(&step["plan"]);
    assert_eq!(shown(&plan), wanted, "{place}");
    let mut stirring = ["added", "changed", "returned", "orphaned"].into_iter();
    let stirs = stirring.any(|list| wanted.get(list).is_some());
    assert_eq!(plan.is_quiet(), !stirs, "{place}");
    let rows = draw().into_rows();
    assert!(plan.rows().eq(&rows), "{place}");
    let drifted = plan.drifted().map(|row| row.local_name.as_str());
    let wanted = step["rows"].as_object().unwrap().iter();
    let wanted = wanted.filter(|(_, row)| row.as_str().unwrap().starts_with("drifted"));
    assert!(drifted.eq(wanted.map(|(name, _)| name.as_str())), "{place}");
    let found: BTreeMap<&str, String> = rows
        .iter()
        .map(|row| (row.local_name.as_str(), row_shown(row)))
        .collect();
    assert_eq!(json!(found), step["rows"], "{place}");
    rows
}

/// A plan in the oracles' form, without its empty lists.
fn shown(plan: &Plan) -> Value {
    let names = |names: &BTreeSet<LocalName>| json!(names.iter().map(LocalName::as_str).collect::<Vec<_>>());
    let changed: BTreeMap<&str, Vec<&str>> = plan
        .changed
        .iter()
        .map(|(name, change)| {
            (
                name.as_str(),
                change.parts.iter().map(|part| part.name()).collect(),
            )
        })
        .collect();
    let drifted = plan.changed.iter().filter(|(_, change)| change.drifted);
    let drifted: Vec<&str> = drifted.map(|(name, _)| name.as_str()).collect();
    let suspects = plan.rename_suspects.iter();
    let suspects: Vec<[&str; 2]> = suspects
        .map(|suspect| [suspect.gone.as_str(), suspect.new.as_str()])
        .collect();
    let quarantined = plan.quarantined.iter();
    let quarantined: Vec<[&str; 2]> = quarantined
        .map(|set_aside| {
            [
                set_aside.name.as_ref().map_or("", |name| name.as_str()),
                set_aside.reason.kind(),
            ]
        })
        .collect();
    let mut shown = json!({
        "added": names(&plan.added),
        "changed": changed,
        "drifted": drifted,
        "returned": names(&plan.returned),
        "orphaned": names(&plan.orphaned),
        "unchanged": names(&plan.unchanged),
        "quarantined": quarantined,
        "rename_suspects": suspects,
    });
    let is_empty = |value: &Value| *value == json!([]) || *value == json!({});
    shown.as_object_mut().unwrap().retain(|_, value| !is_empty(value));
    shown
}

fn wanted(plan: &Value) -> Value {
    plan.clone()
}

fn row_shown(row: &CatalogueRow) -> String {
    let standing = match row.standing {
        Standing::Off => "off",
        Standing::On { .. } => "on",
        Standing::Drifted { .. } => "drifted",
    };
    let gone = row
        .orphaned_since
        .map_or(String::new(), |since| format!(" gone={}", seconds(since)));
    format!(
        "{standing}{gone} first={} last={}",
        seconds(row.first_seen),
        seconds(row.last_seen)
    )
}

fn seconds(time: UnixTime) -> u64 {
    time.0.as_secs()
}
