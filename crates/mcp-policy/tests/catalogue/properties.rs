//! What holds for every history of imports and acts, and for every JSON text.

use std::collections::BTreeSet;

use mcp_policy::catalogue::{CatalogueRow, InputSchema, Plan, Standing, canonical_form};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{alone, at, definitions, offer, written};

/// What happens to the catalogue.
#[derive(Debug, Clone)]
enum Event {
    /// Each tool as (name, description, schema); some of the schemas cannot be used, and names can occur twice.
    Import(Vec<(u8, u8, u8)>),
    Enable(u8),
    Disable(u8),
    /// Confirms what the row holds.
    Confirm(u8),
}

fn event() -> impl Strategy<Value = Event> {
    let tool = (0..6_u8, 0..3_u8, 0..4_u8);
    prop_oneof![
        3 => prop::collection::vec(tool, 0..7).prop_map(Event::Import),
        1 => (0..6_u8).prop_map(Event::Enable),
        1 => (0..6_u8).prop_map(Event::Disable),
        1 => (0..6_u8).prop_map(Event::Confirm),
    ]
}

fn texts(tools: &[(u8, u8, u8)]) -> Vec<String> {
    let schemas = [
        json!({ "type": "object" }),
        json!({ "type": "object", "properties": { "a": {} } }),
        json!({ "type": "object", "title": "left out" }),
        json!({ "type": "string" }),
    ];
    let one = |(name, description, schema): &(u8, u8, u8)| {
        written(&json!({
            "name": format!("t{name}"),
            "description": description.to_string(),
            "inputSchema": schemas[usize::from(*schema)],
        }))
    };
    tools.iter().map(one).collect()
}

fn names(rows: &[CatalogueRow]) -> BTreeSet<&str> {
    rows.iter().map(|row| row.local_name.as_str()).collect()
}

fn is_on(rows: &[CatalogueRow], name: &str) -> bool {
    rows.iter()
        .any(|row| row.local_name.as_str() == name && matches!(row.standing, Standing::On { .. }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn imports_lose_nothing_switch_nothing_on_and_come_to_rest(events in prop::collection::vec(event(), 1..12)) {
        let mut rows: Vec<CatalogueRow> = vec![];
        let foreign = Plan::draw(&[], offer(&texts(&[(0, 0, 0), (1, 1, 1)]), &alone("other")), at(1)).into_rows();
        for (time, event) in (1_u64..).zip(events) {
            let act = |rows: &mut Vec<CatalogueRow>, tool: u8, act: fn(&mut CatalogueRow)| {
                let name = format!("mcp_s_t{tool}");
                rows.iter_mut().filter(|row| row.local_name.as_str() == name).for_each(act);
            };
            let tools = match event {
                Event::Import(tools) => texts(&tools),
                Event::Enable(tool) => { act(&mut rows, tool, |row| { let _refused = row.enable(); }); continue }
                Event::Disable(tool) => { act(&mut rows, tool, CatalogueRow::disable); continue }
                Event::Confirm(tool) => {
                    act(&mut rows, tool, |row| { let _refused = row.confirm(row.definition.fingerprint); });
                    continue;
                }
            };
            let draw = |rows: &[CatalogueRow], time| Plan::draw(rows, offer(&tools, &alone("s")), at(time));
            let everything: Vec<_> = rows.iter().chain(&foreign).cloned().collect();
            let plan = draw(&everything, time);

            // Every row stays, in one place; those of others do not come in.
            let after: Vec<CatalogueRow> = plan.clone().into_rows();
            prop_assert!(names(&after).is_superset(&names(&rows)));
            prop_assert_eq!(names(&after).len(), after.len());
            prop_assert!(after.iter().all(|row| row.server.as_str() == "s"));
            for row in &after {
                let name = row.local_name.as_str();
                // On is what was on; and what is on is on in what the row holds.
                prop_assert!(!is_on(&after, name) || is_on(&rows, name), "{}", name);
                prop_assert!(row.is_on() == is_on(&after, name), "{}", name);
                prop_assert!(row.first_seen <= row.last_seen);
                prop_assert!(row.orphaned_since.is_none_or(|since| since > row.last_seen));
                let before = rows.iter().find(|before| before.local_name == row.local_name);
                if let Some(before) = before {
                    prop_assert_eq!(before.first_seen, row.first_seen);
                    if before.is_orphaned() && row.is_orphaned() {
                        prop_assert_eq!(before, row);
                    }
                }
            }
            // Each tool that is offered is in one list of these, and each row is offered or orphaned.
            let there = after.iter().filter(|row| !row.is_orphaned()).count();
            let listed = plan.added.len() + plan.unchanged.len() + plan.changed.len()
                + plan.returned.iter().filter(|name| !plan.changed.contains_key(name)).count();
            prop_assert_eq!(there, listed);
            prop_assert!(plan.orphaned.iter().all(|name| after.iter().any(|row| row.local_name == *name && row.is_orphaned())));

            // The same again is nothing.
            let again = draw(&after, time);
            prop_assert!(again.is_quiet());
            prop_assert_eq!(&again.into_rows(), &after);
            prop_assert!(draw(&after, time + 1).is_quiet());
            rows = after;
        }
    }

    #[test]
    fn the_order_of_the_offer_is_of_no_interest(
        tools in prop::collection::vec((0..6_u8, 0..3_u8, 0..4_u8), 0..7).prop_shuffle(),
    ) {
        let mut sorted = tools.clone();
        sorted.sort_unstable();
        let draw = |tools: &[_]| Plan::draw(&[], offer(&texts(tools), &alone("s")), at(1)).into_rows();
        prop_assert_eq!(draw(&tools), draw(&sorted));
    }

    #[test]
    fn canonical_forms_are_values_and_stable(value in value()) {
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        let canonical = canonical_form(&pretty).unwrap();
        prop_assert_eq!(canonical_form(&value.to_string()), Ok(canonical.clone()));
        prop_assert_eq!(canonical_form(&canonical), Ok(canonical.clone()));
        prop_assert_eq!(serde_json::from_str::<Value>(&canonical).unwrap(), value);
    }

    #[test]
    fn any_text_is_normalised_or_refused_and_what_is_kept_stays_so(
        mut value in value(),
        members in prop::collection::vec((prop::sample::select(WORDS), value()), 0..4),
    ) {
        if let Some(object) = value.as_object_mut() {
            object.insert("type".to_owned(), json!("object"));
            object.extend(members.into_iter().map(|(name, value)| (name.to_owned(), value)));
        }
        let text = value.to_string();
        if let Ok(schema) = InputSchema::normalise(&text) {
            prop_assert!(schema.as_str().len() <= InputSchema::MAX_BYTES.min(text.len()));
            prop_assert_eq!(InputSchema::normalise(schema.as_str()), Ok(schema.clone()));
            let kept: Value = serde_json::from_str(schema.as_str()).unwrap();
            for (name, member) in kept.as_object().unwrap() {
                prop_assert_eq!(Some(member), value.get(name));
            }
        }
        let _no_panic = definitions(&[text]);
    }
}

const WORDS: &[&str] = &[
    "properties",
    "required",
    "description",
    "anyOf",
    "not",
    "$ref",
    "title",
    "x",
];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        // Whole numbers would lose their point.
        any::<i32>().prop_map(|value| Value::from((f64::from(value) + 0.5) / 4.0)),
        "[a-z\u{e9}\u{20ac}\u{1f600}\"\\\\\n\u{1}]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-c\u{fb33}\u{1f600}$]{0,2}", inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}
