//! The scanner beside `serde_json`: what it accepts, the other accepts with the same value; what the other refuses, it
//! refuses.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::{JsonType, Position, Scanner};
use crate::malformed::Malformed;

/// The value that the scanner's walk gives, or its refusal.
fn read(text: &str) -> Result<Value, Malformed> {
    let mut scanner = Scanner::new(text, 64);
    let value = read_value(&mut scanner)?;
    scanner.end()?;
    Ok(value)
}

fn read_value(scanner: &mut Scanner<'_>) -> Result<Value, Malformed> {
    match scanner.peek_type() {
        Some(JsonType::Object) => {
            let mut object = Map::new();
            let mut position = scanner.enter()?;
            while let Some(name) = scanner.member(position)? {
                position = Position::Later;
                object.insert(name.decode().into_owned(), read_value(scanner)?);
            }
            Ok(Value::Object(object))
        }
        Some(JsonType::Array) => {
            let mut array = Vec::new();
            let mut position = scanner.enter()?;
            while scanner.element(position)? {
                position = Position::Later;
                array.push(read_value(scanner)?);
            }
            Ok(Value::Array(array))
        }
        Some(JsonType::String) => {
            let token = scanner.string_or_skip()?;
            Ok(Value::String(
                token.map(|token| token.decode().into_owned()).unwrap_or_default(),
            ))
        }
        Some(JsonType::Number) => {
            let number = scanner.skip()?.text.to_string();
            Ok(serde_json::from_str(&number).unwrap_or(Value::String(number)))
        }
        Some(JsonType::Boolean) => Ok(Value::Bool(scanner.skip()?.text == "true")),
        Some(JsonType::Null) | None => scanner.skip().map(|_null| Value::Null),
    }
}

/// Whether the scanner's own pass over nested values comes to the same end as the walk.
fn skip(text: &str) -> Result<(), Malformed> {
    let mut scanner = Scanner::new(text, 64);
    scanner.skip()?;
    scanner.end()
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let (walked, skipped) = (read(text), skip(text));
    prop_assert_eq!(walked.as_ref().err(), skipped.as_ref().err(), "{:?}", text);
    match (walked, serde_json::from_str::<Value>(text)) {
        (Ok(ours), Ok(theirs)) => prop_assert_eq!(ours, theirs, "{:?}", text),
        (Err(_), Err(_)) => {}
        // A number that no `f64` holds is valid JSON; the other refuses it for its value.
        (Ok(_), Err(error)) => prop_assert!(error.to_string().contains("out of range"), "{text:?}: {error}"),
        (Err(error), Ok(_)) => prop_assert!(false, "{:?} refused: {}", text, error),
    }
    Ok(())
}

/// JSON texts in every spelling: whitespace, escapes, numbers.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_string()),
        Just("true".to_string()),
        Just("false".to_string()),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?",
        string(),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let space = "[ \n\r\t]{0,2}";
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..6), space).prop_map(|(items, space)| format!(
                "{space}[{space}{}{space}]",
                items.join(&format!("{space},{space}"))
            )),
            (prop::collection::vec((string(), inner), 0..6), space).prop_map(|(members, space)| {
                let members: Vec<String> = members
                    .iter()
                    .map(|(name, value)| format!("{name}{space}:{space}{value}"))
                    .collect();
                format!(
                    "{space}{{{space}{}{space}}}",
                    members.join(&format!("{space},{space}"))
                )
            }),
        ]
    })
}

fn string() -> impl Strategy<Value = String> {
    "(([ a-z!äß€]|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-cA-C][0-9a-fA-F]{3}|\\\\ud83d\\\\ude0[0-9]|\u{1f600}){0,12})"
        .prop_map(|inner| format!("\"{inner}\""))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn valid_texts_have_the_same_value(text in json()) {
        check(&text)?;
    }

    #[test]
    fn damaged_texts_have_the_same_fate(
        text in json(),
        at in any::<prop::sample::Index>(),
        damage in prop_oneof![
            Just(String::new()),
            "[\\[\\]{}:,\"\\\\0-9eE+.tfn\u{0}\u{1f}\u{7f}-]",
            "[\u{1}-\u{1f}]{1,2}",
            Just("\\ud800".to_string()),
            Just("\\udc00\\ud800".to_string()),
        ],
    ) {
        let mut characters: Vec<char> = text.chars().collect();
        let at = at.index(characters.len());
        characters.splice(at..=at, damage.chars());
        check(&characters.into_iter().collect::<String>())?;
    }
}
