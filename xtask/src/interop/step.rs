//! What each peer is asked, and what `mcpctl` has to print about the answer.

use serde_json::Value;

use self::Field::{Equals, Kind, Tools};

/// One invocation of `mcpctl` and what is expected of it.
pub(super) struct Step {
    /// `ping`, `tools` or `call`.
    pub(super) command: &'static str,
    /// What follows the URL.
    pub(super) arguments: &'static [&'static str],
    outcome: &'static str,
    fields: &'static [Field],
}

/// What a field of the answer has to be. The place is a JSON pointer.
enum Field {
    /// Equal to this JSON text.
    Equals(&'static str, &'static str),
    /// Of this kind, as [`kind`] names it.
    Kind(&'static str, &'static str),
    /// `/tools` has tools of these names, and may have more.
    Tools(&'static [&'static str]),
}

/// The reference server of the TypeScript SDK.
pub(super) const EVERYTHING: &[Step] = &[
    step(
        "ping",
        &[],
        "pong",
        &[Equals("/server_info/name", r#""mcp-servers/everything""#)],
    ),
    step(
        "tools",
        &[],
        "tools",
        &[Tools(&[
            "echo",
            "get-sum",
            "get-structured-content",
            "get-tiny-image",
        ])],
    ),
    step(
        "call",
        &["echo", r#"{"message":"grüß dich"}"#],
        "result",
        &[Equals("/text", r#""Echo: grüß dich""#)],
    ),
    step(
        "call",
        &["get-sum", r#"{"a":2,"b":3}"#],
        "result",
        &[Equals("/text", r#""The sum of 2 and 3 is 5.""#)],
    ),
    step(
        "call",
        &["get-structured-content", r#"{"location":"Chicago"}"#],
        "result",
        &[Equals(
            "/structured",
            r#"{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}"#,
        )],
    ),
    step(
        "call",
        &["get-tiny-image", "{}"],
        "result",
        &[Equals("/omitted", r#"{"image":1}"#)],
    ),
];

/// `xtask/peers/python-sdk/server.py`.
pub(super) const PYTHON_SDK: &[Step] = &[
    step(
        "ping",
        &[],
        "pong",
        &[Equals("/server_info/name", r#""python-sdk""#)],
    ),
    step(
        "tools",
        &[],
        "tools",
        &[Tools(&["add", "fail", "greet", "picture"])],
    ),
    step(
        "call",
        &["add", r#"{"a":2,"b":3}"#],
        "result",
        &[Equals("/text", r#""5""#)],
    ),
    step(
        "call",
        &["fail", "{}"],
        "tool_error",
        &[Equals(
            "/text",
            r#""Error executing tool fail: this tool always fails""#,
        )],
    ),
    step(
        "call",
        &["greet", r#"{"name":"Zoë"}"#],
        "result",
        &[
            Equals("/text", r#""Grüß dich, Zoë – 你好 👋""#),
            Equals("/structured", r#"{"result":"Grüß dich, Zoë – 你好 👋"}"#),
        ],
    ),
    step(
        "call",
        &["picture", "{}"],
        "result",
        &[
            Equals("/text", r#""[1 content block omitted: 1 image]\none pixel""#),
            Equals("/omitted", r#"{"image":1}"#),
        ],
    ),
];

const fn step(
    command: &'static str,
    arguments: &'static [&'static str],
    outcome: &'static str,
    fields: &'static [Field],
) -> Step {
    Step {
        command,
        arguments,
        outcome,
        fields,
    }
}

impl Step {
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
        let fields = self.fields_of_outcome().iter().chain(self.fields);
        lines.extend(fields.filter_map(|field| field.mismatch(answer)));
        lines
    }

    fn exit(&self) -> i32 {
        match self.outcome {
            "tool_error" => 5,
            _ => 0,
        }
    }

    /// What an answer with this outcome holds, whoever the peer is.
    fn fields_of_outcome(&self) -> &'static [Field] {
        match self.outcome {
            "pong" => &[
                Kind("/era", "string"),
                Kind("/protocol_version", "string"),
                Kind("/server_info/version", "string"),
                Kind("/capabilities/tools", "object"),
                Kind("/latency_ms", "number"),
            ],
            "tools" => &[Equals("/quarantined", "[]")],
            "result" => &[
                Kind("/protocol_version", "string"),
                Kind("/duration_ms", "number"),
                Kind("/server", "string"),
            ],
            _ => &[Kind("/server", "string")],
        }
    }
}

impl Field {
    fn mismatch(&self, answer: &Value) -> Option<String> {
        match *self {
            Equals(pointer, expected) => {
                let found = answer.pointer(pointer).unwrap_or(&Value::Null);
                let equal = serde_json::from_str::<Value>(expected).is_ok_and(|expected| expected == *found);
                (!equal).then(|| format!("{pointer} is {found}, not {expected}"))
            }
            Kind(pointer, expected) => {
                let found = answer.pointer(pointer).unwrap_or(&Value::Null);
                (kind(found) != expected).then(|| format!("{pointer} is {found}, not of kind {expected}"))
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

    const ADD: Step = step("call", &["add"], "result", &[Equals("/text", r#""5""#)]);
    const FAIL: Step = step("call", &["fail"], "tool_error", &[]);
    const LIST: Step = step("tools", &[], "tools", &[Tools(&["add", "greet"])]);

    #[test]
    fn an_expected_answer_has_no_mismatch() {
        let result = json!({"outcome": "result", "text": "5", "protocol_version": "v", "duration_ms": 1, "server": "s"});
        assert_eq!(ADD.mismatches(&result, 0), [""; 0]);
        assert_eq!(
            FAIL.mismatches(&json!({"outcome": "tool_error", "text": "", "server": "s"}), 5),
            [""; 0]
        );
        let tools =
            json!({"outcome": "tools", "tools": [{"name": "greet"}, {"name": "add"}], "quarantined": []});
        assert_eq!(LIST.mismatches(&tools, 0), [""; 0]);
    }

    #[test]
    fn each_differing_field_is_named() {
        let result = json!({"outcome": "result", "text": "6", "protocol_version": "v", "duration_ms": "1"});
        assert_eq!(
            ADD.mismatches(&result, 5),
            [
                "the exit status is 5, not 0",
                r#"/duration_ms is "1", not of kind number"#,
                "/server is null, not of kind string",
                r#"/text is "6", not "5""#,
            ]
        );
        let tools = json!({"outcome": "tools", "tools": [{"name": "greet"}, 7], "quarantined": []});
        assert_eq!(LIST.mismatches(&tools, 0), ["/tools is without add"]);
    }

    #[test]
    fn another_outcome_is_shown_as_it_is() {
        assert_eq!(
            ADD.mismatches(&json!({"outcome": "failed"}), 4),
            [r#"the outcome is not result: {"outcome":"failed"}"#]
        );
    }
}
