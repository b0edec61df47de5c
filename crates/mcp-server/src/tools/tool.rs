//! The definition of a tool, as its author writes it.

use mcp_wire::{JsonType, write_json_string};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// What a client is told of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    name: String,
    title: Option<String>,
    description: String,
    input: String,
    output: Option<String>,
    annotations: Option<String>,
}

impl Tool {
    /// A tool that takes any object, until [`Tool::input`] says what.
    #[must_use]
    pub fn new(name: &str, description: &str) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            input: String::from(r#"{"type":"object"}"#),
            output: None,
            annotations: None,
        }
    }

    /// The name that people see.
    #[must_use]
    pub fn title(mut self, title: &str) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The JSON schema of the arguments; its root must have the type `object`.
    #[must_use]
    pub fn input(mut self, schema: &str) -> Self {
        self.input = schema.into();
        self
    }

    /// The JSON schema of the structured content; its root must have the type `object`.
    #[must_use]
    pub fn output(mut self, schema: &str) -> Self {
        self.output = Some(schema.into());
        self
    }

    /// The raw text of the annotations, a JSON object.
    #[must_use]
    pub fn annotations(mut self, annotations: &str) -> Self {
        self.annotations = Some(annotations.into());
        self
    }

    /// The name, and the raw text of the definition.
    pub(super) fn define(self) -> Result<(String, String), ToolError> {
        let usable = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        if self.name.is_empty() || self.name.len() > 128 || !self.name.chars().all(usable) {
            return Err(ToolError::Name);
        }
        let mut text = String::from("{\"name\":");
        write_json_string(&mut text, &self.name);
        if let Some(title) = &self.title {
            text.push_str(",\"title\":");
            write_json_string(&mut text, title);
        }
        text.push_str(",\"description\":");
        write_json_string(&mut text, &self.description);
        text.push_str(",\"inputSchema\":");
        text.push_str(&schema(&self.input, ToolError::Input)?);
        if let Some(output) = &self.output {
            text.push_str(",\"outputSchema\":");
            text.push_str(&schema(output, ToolError::Output)?);
        }
        if let Some(annotations) = &self.annotations {
            text.push_str(",\"annotations\":");
            text.push_str(object(annotations, ToolError::Annotations)?.get());
        }
        text.push('}');
        Ok((self.name, text))
    }
}

/// Why a tool cannot be offered. Its author is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// [MCP 2025-11-25, Tools, Tool Names](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names).
    #[error("a tool's name must be 1 to 128 of the characters A-Z, a-z, 0-9, _, . and -")]
    Name,
    /// Another tool has it.
    #[error("a tool with this name exists already")]
    NameTaken,
    /// The schema of the arguments is no JSON object of the type `object`.
    #[error("the schema of the arguments must be a JSON object whose `type` is `object`")]
    Input,
    /// The schema of the structured content is no JSON object of the type `object`.
    #[error("the schema of the structured content must be a JSON object whose `type` is `object`")]
    Output,
    /// The annotations are no JSON object.
    #[error("the annotations must be a JSON object")]
    Annotations,
}

/// A schema as it was written, without line ends, so that it fits a line of stdio as it is.
fn schema(text: &str, fault: ToolError) -> Result<String, ToolError> {
    let read: Map<String, Value> = serde_json::from_str(text).map_err(|_no_object| fault)?;
    if read.get("type").and_then(Value::as_str) != Some(JsonType::Object.name()) {
        return Err(fault);
    }
    Ok(text.replace(['\n', '\r'], " "))
}

fn object(text: &str, fault: ToolError) -> Result<&RawValue, ToolError> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|_no_json| fault)?;
    if raw.get().starts_with('{') {
        Ok(raw)
    } else {
        Err(fault)
    }
}
