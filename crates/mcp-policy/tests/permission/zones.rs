//! The matrix of classes and zones, what stored texts mean, and which zone counts.

use mcp_policy::DataClass;
use mcp_policy::Switch;
use mcp_policy::gate::{
    Audience, Candidate, GateRules, Mode, ModelZones, Provenance, StepAnswer, TrustZone, judge,
};
use mcp_policy::port::Actor;

use crate::support::{Case, cases};

#[test]
fn zones() {
    for case in cases("zones") {
        let id = case.id();
        if let Some(zone) = case.text("zone") {
            check_row(&case, TrustZone::named(zone).expect(id));
        } else if let Some(text) = case.text("stored_zone") {
            assert_eq!(
                Some(TrustZone::from_stored(text).name()),
                case.text("means"),
                "{id}"
            );
        } else if let Some(text) = case.text("stored_class") {
            assert_eq!(
                Some(DataClass::from_stored(text).name()),
                case.text("means"),
                "{id}"
            );
        } else {
            let zones = ModelZones {
                primary: TrustZone::named(case.text("primary").unwrap()).unwrap(),
                fallbacks: case
                    .list("fallbacks")
                    .iter()
                    .map(|zone| TrustZone::named(zone).unwrap())
                    .collect(),
            };
            assert_eq!(Some(zones.worst().name()), case.text("counts"), "{id}");
        }
    }
}

fn check_row(case: &Case, zone: TrustZone) {
    let named = |admitted: bool| -> Vec<String> {
        DataClass::ALL
            .into_iter()
            .filter(|class| zone.admits(*class) == admitted)
            .map(|class| class.name().to_owned())
            .collect()
    };
    assert_eq!(named(true), case.list("admits"), "{}", case.id());
    assert_eq!(named(false), case.list("refuses"), "{}", case.id());
    assert_eq!(
        zone.ceiling().name().to_owned(),
        *case.list("admits").last().unwrap()
    );
}

#[test]
fn the_orders_are_those_of_the_names() {
    assert!(TrustZone::ALL.is_sorted() && DataClass::ALL.is_sorted());
    let named = cases("zones");
    let rows: Vec<&str> = named.iter().filter_map(|case| case.text("zone")).collect();
    assert_eq!(TrustZone::ALL.map(TrustZone::name), *rows);
    assert_eq!(
        DataClass::ALL.map(|class| class.name().to_owned()),
        *named[0].list("admits")
    );
}

/// What the whole gate says of a tool that has nothing against it but class and zone, one letter for each zone: it passes,
/// it denies, or it is only observed.
const MATRIX: [(&str, [&str; 4]); 6] = [
    ("publicContent", ["pppp", "pppp", "pppp", "pppp"]),
    ("editorContent", ["pppp", "pppp", "pppp", "pppp"]),
    ("sourceCode", ["pppd", "pppd", "pppd", "pppo"]),
    ("internalConfiguration", ["pppd", "pppd", "pppd", "pppo"]),
    ("systemDiagnostics", ["ppdd", "ppdd", "ppdd", "ppoo"]),
    ("secretAdjacent", ["pddd", "pddd", "pddd", "pooo"]),
];

const COLUMNS: [(&str, Provenance, Mode); 4] = [
    ("remote, enforce", Provenance::Remote, Mode::Enforce),
    ("remote, observe", Provenance::Remote, Mode::Observe),
    ("host, enforce", Provenance::Host, Mode::Enforce),
    ("host, observe", Provenance::Host, Mode::Observe),
];

#[test]
fn the_matrix_cell_by_cell() {
    for (at, (name, provenance, mode)) in COLUMNS.into_iter().enumerate() {
        println!("{name:<22} local          privateHosted  externalEu     externalGlobal");
        for (class, expected) in MATRIX {
            let class = DataClass::named(class).unwrap();
            let row = TrustZone::ALL.map(|zone| cell(provenance, mode, class, zone));
            let words = row.map(|answer| format!("{:<14}", word(answer)));
            println!("{:<22} {}", class.name(), words.join(" ").trim_end());
            let letters: String = row.into_iter().map(|answer| &word(answer)[..1]).collect();
            assert_eq!(letters, expected[at], "{name}, {}", class.name());
        }
        println!();
    }
}

fn cell(provenance: Provenance, mode: Mode, class: DataClass, zone: TrustZone) -> StepAnswer {
    let mut rules = GateRules::default();
    (rules.mode, rules.zones) = (mode, ModelZones::of(zone));
    let tool = Candidate {
        provenance,
        switch: Switch::On,
        audience: Audience::Everyone,
        group: None,
        class,
    };
    let decision = judge(Some(tool), &Actor::Unattended, &rules);
    let (_, answer) = *decision.steps().last().unwrap();
    assert_eq!(decision.is_permitted(), answer != StepAnswer::Denies);
    answer
}

fn word(answer: StepAnswer) -> &'static str {
    match answer {
        StepAnswer::Passes => "passes",
        StepAnswer::Denies => "denies",
        StepAnswer::Observed => "observed",
        StepAnswer::NotAsked => "not asked",
    }
}
