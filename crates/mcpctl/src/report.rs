//! What a command on the store shows: one line of JSON, or lines for people.

use serde::Serialize;

use crate::exit::Exit;
use crate::ndjson::lines;
use crate::output::Format;
use crate::printable::printable_json;

/// The end of a command on the store.
#[derive(Debug)]
pub(crate) struct Report {
    json: String,
    text: String,
    remarks: Vec<String>,
    lines: String,
    pub(crate) exit: Exit,
}

impl Report {
    /// A report whose JSON is that of `line`, a struct with `outcome` as its first field.
    pub(crate) fn new(line: &impl Serialize, text: String) -> Self {
        Self {
            // Strings, integers and raw JSON: there is nothing in a line that cannot be written.
            json: serde_json::to_string(line).unwrap_or_default(),
            text,
            remarks: Vec::new(),
            lines: String::new(),
            exit: Exit::Ok,
        }
    }

    /// A report that was printed while it came.
    pub(crate) const fn told() -> Self {
        Self {
            json: String::new(),
            text: String::new(),
            remarks: Vec::new(),
            lines: String::new(),
            exit: Exit::Ok,
        }
    }

    /// The same with remarks for standard error.
    pub(crate) fn with_remarks(mut self, remarks: impl IntoIterator<Item = String>) -> Self {
        self.remarks.extend(remarks);
        self
    }

    /// The same with whole lines for standard error, as a failure prints them.
    pub(crate) fn with_lines(mut self, lines: String) -> Self {
        self.lines = lines;
        self
    }

    /// The same with another end.
    pub(crate) const fn ending(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// What goes to stdout and what to stderr. In JSON the remarks are a part of the line.
    pub(crate) fn render(&self, format: Format) -> (String, String) {
        match format {
            Format::Json => (printable_json(&self.json) + "\n", String::new()),
            Format::Ndjson => (lines(&printable_json(&self.json)), String::new()),
            Format::Text => {
                let remarks = self.remarks.iter().map(|remark| format!("mcpctl: {remark}\n"));
                (self.text.clone(), remarks.collect::<String>() + &self.lines)
            }
        }
    }
}
