//! What is kept of an input schema, against a second reading of the rules over `serde_json`.

use mcp_policy::catalogue::{InputSchema, SchemaFault};
use serde_json::{Map, Value};

use super::frame::is_readable;

const KEPT: [&str; 9] = [
    "type",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
];

const REFUSED: [&str; 12] = [
    "$ref",
    "$dynamicRef",
    "$defs",
    "definitions",
    "if",
    "then",
    "else",
    "patternProperties",
    "propertyNames",
    "dependentSchemas",
    "dependentRequired",
    "unevaluatedProperties",
];

const DEPTH: usize = 12;
const BYTES: usize = 16_384;

pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let found = InputSchema::normalise(text);
    if let Ok(schema) = &found {
        check_kept(schema);
    }
    if !is_readable(text, mcp_wire::ReplyLimits::MAX_DEPTH) {
        let fault = found.expect_err("what cannot be read is no schema");
        assert!(
            matches!(fault, SchemaFault::NotJson | SchemaFault::TooDeep),
            "{fault:?}"
        );
        return;
    }
    // The other reader stops at a number beyond its doubles and at 127 levels; neither is a rule here.
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return;
    };
    match (found, judge(&value)) {
        (Ok(schema), Ok(kept)) => {
            let written: Value = serde_json::from_str(schema.as_str()).expect("what is kept is JSON");
            assert_eq!(written, Value::Object(kept), "{text:?}");
        }
        (Err(fault), Err(kind)) => assert_eq!(fault.kind(), kind, "{text:?}"),
        // Only the size of the text as it was written is not known to the other reader.
        (Err(SchemaFault::TooLarge), Ok(_)) => assert!(text.len() > BYTES, "{text:?}"),
        (found, expected) => panic!("{text:?}: {found:?}, not {expected:?}"),
    }
}

fn check_kept(schema: &InputSchema) {
    let text = schema.as_str();
    assert!(text.len() <= BYTES);
    let again = InputSchema::normalise(text).expect("what is kept is a schema");
    assert_eq!(again.as_str(), text, "what is kept is kept again");
    let stored = InputSchema::from_stored(text).expect("what is kept comes back");
    assert_eq!(stored.as_str(), text);
}

/// Whether a value keeps a rule.
type Holds = fn(&Value) -> bool;

/// What is kept of a schema, or the kind of the first rule that it breaks.
fn judge(value: &Value) -> Result<Map<String, Value>, &'static str> {
    let root = value.as_object().ok_or("schema-not-object")?;
    if root.get("type") != Some(&Value::from("object")) {
        return Err("schema-root-type");
    }
    if root.keys().any(|name| REFUSED.contains(&name.as_str())) {
        return Err("schema-refused-keyword");
    }
    let kept = root.iter().filter(|(name, _)| KEPT.contains(&name.as_str()));
    let kept: Map<String, Value> = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    if kept.values().any(names_refused) {
        return Err("schema-refused-keyword");
    }
    let rules: [(&str, &'static str, Holds); 9] = [
        ("description", "schema-description", Value::is_string),
        ("properties", "schema-properties", Value::is_object),
        ("properties", "schema-property", |value| {
            value
                .as_object()
                .is_some_and(|members| members.values().all(Value::is_object))
        }),
        ("required", "schema-required", |value| {
            value
                .as_array()
                .is_some_and(|items| items.iter().all(Value::is_string))
        }),
        (
            "additionalProperties",
            "schema-additional-properties",
            Value::is_boolean,
        ),
        ("allOf", "schema-combinator", is_combination),
        ("anyOf", "schema-combinator", is_combination),
        ("oneOf", "schema-combinator", is_combination),
        ("not", "schema-not", Value::is_object),
    ];
    for (name, kind, holds) in rules {
        if kept.get(name).is_some_and(|value| !holds(value)) {
            return Err(kind);
        }
    }
    if kept.values().map(levels).max().unwrap_or(0) >= DEPTH {
        return Err("schema-too-deep");
    }
    Ok(kept)
}

fn is_combination(value: &Value) -> bool {
    let items = value.as_array().filter(|items| !items.is_empty());
    items.is_some_and(|items| items.iter().all(Value::is_object))
}

fn names_refused(value: &Value) -> bool {
    match value {
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| REFUSED.contains(&name.as_str()) || names_refused(value)),
        Value::Array(items) => items.iter().any(names_refused),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn levels(value: &Value) -> usize {
    match value {
        Value::Object(members) => 1 + members.values().map(levels).max().unwrap_or(0),
        Value::Array(items) => 1 + items.iter().map(levels).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
