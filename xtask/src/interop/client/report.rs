//! What a client prints of its walk, and what that has to be: the same for all clients and links.

use serde_json::{Value, json};

use crate::interop::steps::weather;

/// The lines of a client: an object for each step, in order.
#[derive(Debug)]
pub(in crate::interop) struct Report(Vec<Value>);

impl Report {
    /// A line that is no JSON is kept as a string.
    pub(super) fn read(output: &str) -> Self {
        let line = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| Value::from(line));
        Self(output.lines().map(line).collect())
    }

    /// The revision that was agreed on.
    pub(in crate::interop) fn revision(&self) -> &str {
        let revision = self.0.first().and_then(|line| line.get("protocol_version"));
        revision.and_then(Value::as_str).unwrap_or("-")
    }

    /// The steps, and in what each differs. A line that nothing was expected of is a step too.
    pub(in crate::interop) fn steps(&self, version: &str) -> Vec<(String, Option<String>)> {
        let expected = expected(version);
        let mut steps = Vec::new();
        for (at, expected) in expected.iter().enumerate() {
            let mismatch = match self.0.get(at) {
                Some(found) if found == expected => None,
                Some(found) => Some(format!("{found} in place of {expected}")),
                None => Some(String::from("not reached")),
            };
            steps.push((name(expected), mismatch));
        }
        for found in self.0.iter().skip(expected.len()) {
            steps.push((name(found), Some(format!("{found} is one too many"))));
        }
        steps
    }
}

fn name(line: &Value) -> String {
    let step = line.get("step").and_then(Value::as_str);
    step.unwrap_or("-").to_owned()
}

/// What each client has to print on the server of this version.
fn expected(version: &str) -> Vec<Value> {
    let pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let tools = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_error_handling",
        "test_tool_with_logging",
        "test_tool_with_progress",
        "weather",
        "json_schema_2020_12_tool",
        "echo",
        "add",
    ];
    vec![
        json!({"step": "initialize", "protocol_version": "2025-11-25",
            "server_info": {"name": "conformance-server", "version": version}}),
        json!({"step": "ping"}),
        json!({"step": "list", "tools": tools}),
        json!({"step": "text", "text": "grüß dich – 你好 👋"}),
        json!({"step": "structured", "structured": weather()}),
        json!({"step": "error", "is_error": true, "text": "This tool intentionally returns an error for testing"}),
        json!({"step": "missing", "code": -32602}),
        json!({"step": "progress", "text": "done", "progress": [
            [0, 100, "Completed step 0 of 100"],
            [50, 100, "Completed step 50 of 100"],
            [100, 100, "Completed step 100 of 100"]]}),
        json!({"step": "logging", "text": "logged", "log": [
            ["info", "Tool execution started"],
            ["info", "Tool processing data"],
            ["info", "Tool execution completed"]]}),
        json!({"step": "image", "media_type": "image/png", "data": pixel}),
        json!({"step": "close"}),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mismatches(lines: &[Value]) -> Vec<(String, String)> {
        let output: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let steps = Report::read(&output).steps("1");
        steps
            .into_iter()
            .filter_map(|(step, mismatch)| Some((step, mismatch?)))
            .collect()
    }

    #[test]
    fn every_line_has_to_be_the_expected_one() {
        let whole = expected("1");
        assert_eq!(mismatches(&whole), []);
        assert_eq!(
            mismatches(&whole[..whole.len() - 1]),
            [("close".into(), "not reached".into())]
        );
        let more = [&whole[..], &[json!({"step": "more"})]].concat();
        assert_eq!(
            mismatches(&more),
            [("more".into(), r#"{"step":"more"} is one too many"#.into())]
        );
        let mut other = whole;
        other[1] = json!("words");
        assert_eq!(
            mismatches(&other),
            [("ping".into(), r#""words" in place of {"step":"ping"}"#.into())]
        );
    }
}
