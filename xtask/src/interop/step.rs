//! One invocation of `mcpctl`, and what it has to print.

use serde_json::Value;

use self::Field::{Equals, Kind, Tools};

/// One invocation of `mcpctl` and what is expected of it.
pub(super) struct Step {
    /// `ping`, `tools` or `call`.
    pub(super) command: &'static str,
    /// What follows the URL.
    pub(super) arguments: &'static [&'static str],
    outcome: &'static str,
    fields: Vec<Field>,
}

/// What a field of the answer has to be. The place is a JSON pointer.
pub(super) enum Field {
    /// Equal to this value.
    Equals(&'static str, Value),
    /// Of this kind, as [`kind`] names it.
    Kind(&'static str, &'static str),
    /// `/tools` has tools of these names, and may have more.
    Tools(&'static [&'static str]),
}

impl Step {
    pub(super) const fn new(
        command: &'static str,
        arguments: &'static [&'static str],
        outcome: &'static str,
        fields: Vec<Field>,
    ) -> Self {
        Self {
            command,
            arguments,
            outcome,
            fields,
        }
    }

    /// The command, and the tool if there is one.
    pub(super) fn name(&self) -> String {
        match self.arguments.first() {
            Some(tool) => format!("{} {tool}", self.command),
            None => String::from(self.command),
        }
    }

    /// Every way in which an answer and an exit status differ from what this step expects.
    pub(super) fn mismatches(&self, answer: &Value, exit: i32) -> Vec<String> {
        let outcome = answer.get("outcome").and_then(Value::as_str);
        if outcome != Some(self.outcome) {
            return vec![format!("the outcome is not {}: {answer}", self.outcome)];
        }
        let mut lines = Vec::new();
        if exit != self.exit() {
            lines.push(format!("the exit status is {exit}, not {}", self.exit()));
        }
        let usual = self.fields_of_outcome();
        let fields = usual.iter().chain(&self.fields);
        lines.extend(fields.filter_map(|field| field.mismatch(answer)));
        lines
    }

    fn exit(&self) -> i32 {
        match self.outcome {
            "tool_error" | "rpc_error" => 5,
            _ => 0,
        }
    }

    /// What an answer with this outcome holds, whoever the peer is.
    fn fields_of_outcome(&self) -> Vec<Field> {
        match self.outcome {
            "pong" => vec![
                Kind("/era", "string"),
                Kind("/protocol_version", "string"),
                Kind("/server_info/version", "string"),
                Kind("/capabilities/tools", "object"),
                Kind("/latency_ms", "number"),
            ],
            "tools" => vec![Equals("/quarantined", Value::Array(Vec::new()))],
            "result" => vec![
                Kind("/protocol_version", "string"),
                Kind("/duration_ms", "number"),
                Kind("/server", "string"),
            ],
            _ => vec![Kind("/server", "string")],
        }
    }
}

impl Field {
    fn mismatch(&self, answer: &Value) -> Option<String> {
        match self {
            Equals(pointer, expected) => {
                let found = answer.pointer(pointer).unwrap_or(&Value::Null);
                (found != expected).then(|| format!("{pointer} is {found}, not {expected}"))
            }
            Kind(pointer, expected) => {
                let found = answer.pointer(pointer).unwrap_or(&Value::Null);
                (kind(found) != *expected).then(|| format!("{pointer} is {found}, not of kind {expected}"))
            }
            Tools(expected) => {
                let tools = answer.get("tools").and_then(Value::as_array);
                let names: Vec<_> = tools
                    .into_iter()
                    .flatten()
                    .filter_map(|tool| tool.get("name"))
                    .collect();
                let missing: Vec<_> = expected
                    .iter()
                    .copied()
                    .filter(|name| !names.iter().any(|found| *found == name))
                    .collect();
                (!missing.is_empty()).then(|| format!("/tools is without {}", missing.join(", ")))
            }
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn add() -> Step {
        Step::new("call", &["add"], "result", vec![Equals("/text", json!("5"))])
    }

    fn fail() -> Step {
        Step::new("call", &["fail"], "tool_error", Vec::new())
    }

    fn list() -> Step {
        Step::new("tools", &[], "tools", vec![Tools(&["add", "greet"])])
    }

    #[test]
    fn an_expected_answer_has_no_mismatch() {
        let result = json!({"outcome": "result", "text": "5", "protocol_version": "v", "duration_ms": 1, "server": "s"});
        assert_eq!(add().mismatches(&result, 0), [""; 0]);
        assert_eq!(
            fail().mismatches(&json!({"outcome": "tool_error", "text": "", "server": "s"}), 5),
            [""; 0]
        );
        let tools =
            json!({"outcome": "tools", "tools": [{"name": "greet"}, {"name": "add"}], "quarantined": []});
        assert_eq!(list().mismatches(&tools, 0), [""; 0]);
    }

    #[test]
    fn each_differing_field_is_named() {
        let result = json!({"outcome": "result", "text": "6", "protocol_version": "v", "duration_ms": "1"});
        assert_eq!(
            add().mismatches(&result, 5),
            [
                "the exit status is 5, not 0",
                r#"/duration_ms is "1", not of kind number"#,
                "/server is null, not of kind string",
                r#"/text is "6", not "5""#,
            ]
        );
        let tools = json!({"outcome": "tools", "tools": [{"name": "greet"}, 7], "quarantined": []});
        assert_eq!(list().mismatches(&tools, 0), ["/tools is without add"]);
    }

    #[test]
    fn another_outcome_is_shown_as_it_is() {
        assert_eq!(
            add().mismatches(&json!({"outcome": "failed"}), 4),
            [r#"the outcome is not result: {"outcome":"failed"}"#]
        );
    }
}
