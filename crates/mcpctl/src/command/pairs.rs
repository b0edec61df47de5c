//! The arguments of a call as they are typed: one JSON object, or pairs that the tool's schema gives a type.

use mcp_wire::{Arguments, write_json_string};
use serde_json::Value;
use serde_json::value::RawValue;

use super::read;
use crate::alike::alike;
use crate::failed::{Failed, Local};

/// Reads the words after the tool's name. `schema` is that of a tool that was taken in.
pub(crate) fn read(words: &[String], schema: Option<&str>) -> Result<Arguments, Failed> {
    match words {
        [] => read::arguments("{}"),
        [word] if word == "-" || word.trim_start().starts_with('{') || !word.contains('=') => {
            read::arguments(word)
        }
        words => {
            let text = object(words, &Schema::of(schema))?;
            Arguments::parse(&text).map_err(|error| Failed::typed(error.kind(), error))
        }
    }
}

/// The pairs as the text of an object, in the order in which they were typed.
fn object(words: &[String], schema: &Schema) -> Result<String, Failed> {
    let mut names: Vec<&str> = Vec::new();
    let mut text = String::from("{");
    for (at, word) in words.iter().enumerate() {
        let place = at + 1;
        let (name, value) = word
            .split_once('=')
            .filter(|(name, _)| !name.trim_end_matches(':').is_empty())
            .ok_or_else(|| {
                let form = "is neither KEY=VALUE nor KEY:=JSON, and they are not one JSON object";
                invalid(format!("argument {place} {form}"))
            })?;
        let (name, value) = match name.strip_suffix(':') {
            Some(name) => (
                name,
                json(value).ok_or_else(|| invalid(format!("argument {place} is no JSON value")))?,
            ),
            None => (name, schema.value(name, value, place)?),
        };
        if names.contains(&name) {
            return Err(invalid(format!("argument {place} has the name of one before it")));
        }
        if at > 0 {
            text.push(',');
        }
        write_json_string(&mut text, name);
        text.push(':');
        text.push_str(&value);
        names.push(name);
    }
    text.push('}');
    Ok(text)
}

/// What is typed is not repeated: it could be a secret.
fn invalid(message: String) -> Failed {
    Failed::local(Local::ArgumentInvalid, message)
}

fn json(text: &str) -> Option<String> {
    serde_json::from_str::<&RawValue>(text)
        .ok()
        .map(|value| value.get().to_owned())
}

/// What the schema says of the arguments' types.
#[derive(Debug, Default)]
struct Schema {
    /// Names of arguments with the types that each may have; none when nothing is said.
    properties: Vec<(String, Vec<String>)>,
    /// Whether there are arguments that it does not name.
    closed: bool,
}

impl Schema {
    /// A schema that cannot be read here says nothing: the server has the last word.
    fn of(text: Option<&str>) -> Self {
        let schema: Value = text
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default();
        let properties = schema.get("properties").and_then(Value::as_object);
        let types = |property: &Value| match property.get("type") {
            Some(Value::String(one)) => vec![one.clone()],
            Some(Value::Array(some)) => some.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            Some(_) | None => Vec::new(),
        };
        Self {
            properties: properties
                .into_iter()
                .flatten()
                .map(|(name, property)| (name.clone(), types(property)))
                .collect(),
            closed: schema.get("additionalProperties") == Some(&Value::Bool(false)),
        }
    }

    /// A value as JSON: text where text may stand, else what it spells.
    fn value(&self, name: &str, typed: &str, place: usize) -> Result<String, Failed> {
        let known = self.properties.iter().find(|(known, _)| known == name);
        let Some((name, types)) = known else {
            if self.closed {
                let names = self.properties.iter().map(|(name, _)| name.as_str());
                return Err(
                    invalid(format!("argument {place} is none of the tool's")).like(alike(name, names))
                );
            }
            return Ok(quoted(typed));
        };
        if types.is_empty() || types.iter().any(|kind| kind == "string") {
            return Ok(quoted(typed));
        }
        let value: Option<Value> = serde_json::from_str(typed).ok();
        let fits = value.is_some_and(|value| types.iter().any(|kind| is(&value, kind)));
        json(typed).filter(|_| fits).ok_or_else(|| {
            let types = types.join(" or ");
            invalid(format!("argument {place}, {name}, must be of the type {types}"))
        })
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    write_json_string(&mut quoted, text);
    quoted
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"{"type":"object","additionalProperties":false,"properties":{
        "text":{"type":"string"},"count":{"type":"integer"},"ratio":{"type":["number","null"]},
        "deep":{"type":"boolean"},"list":{"type":"array"},"any":{},"either":{"type":["integer","string"]}}}"#;

    fn typed(words: &[&str], schema: Option<&str>) -> Result<String, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        match read(&words, schema) {
            Ok(arguments) => Ok(arguments.as_str().to_owned()),
            Err(failed) => Err(failed.message),
        }
    }

    #[test]
    fn a_value_has_the_type_that_the_schema_says() {
        for (words, object) in [
            (&[][..], "{}"),
            (&["{\"a\": 1}"], "{\"a\": 1}"),
            (&["text=12", "count=12"], r#"{"text":"12","count":12}"#),
            (&["count=9007199254740993"], r#"{"count":9007199254740993}"#),
            (&["ratio=1.50"], r#"{"ratio":1.50}"#),
            (&["ratio=null"], r#"{"ratio":null}"#),
            (
                &["deep=true", "list=[1, \"a\"]"],
                r#"{"deep":true,"list":[1, "a"]}"#,
            ),
            (&["any=true"], r#"{"any":"true"}"#),
            (&["any:=true"], r#"{"any":true}"#),
            (&["either=1"], r#"{"either":"1"}"#),
            (&["either:=1"], r#"{"either":1}"#),
            (&["text=a=b \"c\"\n"], r#"{"text":"a=b \"c\"\n"}"#),
            (&["text="], r#"{"text":""}"#),
        ] {
            assert_eq!(typed(words, Some(SCHEMA)), Ok(object.to_owned()), "{words:?}");
        }
        let open = [("n=1", r#"{"n":"1"}"#), ("n:=1", r#"{"n":1}"#)];
        for (word, object) in open {
            assert_eq!(typed(&[word], None), Ok(object.to_owned()));
            assert_eq!(
                typed(&[word], Some("{\"type\":\"object\"}")),
                Ok(object.to_owned())
            );
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_and_not_repeated() {
        for (words, message) in [
            (
                &["count=1.5"][..],
                "argument 1, count, must be of the type integer",
            ),
            (
                &["text=a", "count=x"],
                "argument 2, count, must be of the type integer",
            ),
            (&["deep=yes"], "argument 1, deep, must be of the type boolean"),
            (
                &["ratio=x"],
                "argument 1, ratio, must be of the type number or null",
            ),
            (&["list:=[1"], "argument 1 is no JSON value"),
            (&["text=a", "text=b"], "argument 2 has the name of one before it"),
            (&["txt=a"], "argument 1 is none of the tool's"),
            (
                &["text=a", "b"],
                "argument 2 is neither KEY=VALUE nor KEY:=JSON, and they are not one JSON object",
            ),
            (
                &["=a"],
                "argument 1 is neither KEY=VALUE nor KEY:=JSON, and they are not one JSON object",
            ),
            (
                &[":=1"],
                "argument 1 is neither KEY=VALUE nor KEY:=JSON, and they are not one JSON object",
            ),
            (&["s3cret"], "the arguments are not JSON, at byte 0"),
        ] {
            let refused = typed(words, Some(SCHEMA)).unwrap_err();
            assert!(!refused.contains("s3cret"), "{refused}");
            if !message.contains("at byte") {
                assert_eq!(refused, message, "{words:?}");
            }
        }
    }
}
