//! The printed shapes: a public contract, described in `docs/mcpctl.md` and pinned by tests.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mcp_host::CallOutcome;
use mcp_policy::{Pong, ToolList};
use mcp_wire::RpcError;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::exit::Exit;
use crate::failed::Failed;
use crate::ndjson::lines;
use crate::printable::{compact, printable, printable_json, printable_line};
use crate::report::Report;

/// How to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    /// One object.
    Json,
    /// An object on a line for each thing.
    Ndjson,
}

/// What is shown at the end of a command.
#[derive(Debug)]
pub(crate) enum Shown {
    Result(ResultLine),
    ToolError {
        text: String,
        server: String,
    },
    RpcError {
        code: i64,
        message: String,
        http_status: Option<u16>,
        server: String,
    },
    Tools(ToolsLine),
    Pong(PongLine),
    Report(Report),
    Failed(Failed),
}

#[derive(Debug, Serialize)]
pub(crate) struct ResultLine {
    text: String,
    structured: Option<Box<RawValue>>,
    omitted: BTreeMap<&'static str, usize>,
    protocol_version: &'static str,
    duration_ms: u128,
    server: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct ToolsLine {
    tools: Vec<Box<RawValue>>,
    quarantined: Vec<QuarantinedLine>,
}

#[derive(Debug, Serialize)]
struct QuarantinedLine {
    name: Option<String>,
    reason: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct PongLine {
    era: &'static str,
    protocol_version: &'static str,
    server_info: ServerInfoLine,
    capabilities: Option<Box<RawValue>>,
    latency_ms: u128,
    #[serde(skip)]
    server: String,
}

#[derive(Debug, Serialize)]
struct ServerInfoLine {
    name: String,
    version: String,
}

/// The JSON forms, each with its `outcome` first.
#[derive(Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
enum Line<'a> {
    Result(&'a ResultLine),
    ToolError {
        text: &'a str,
        server: &'a str,
    },
    RpcError {
        code: i64,
        message: &'a str,
        http_status: Option<u16>,
        server: &'a str,
    },
    Tools(&'a ToolsLine),
    Pong(&'a PongLine),
    Failed {
        kind: &'a str,
        class: &'a str,
        culprit: &'a str,
        delivery: &'a str,
        message: &'a str,
        server: Option<&'a str>,
        phase: Option<&'a str>,
        elapsed_ms: Option<u128>,
        hint: Option<String>,
    },
}

impl Shown {
    pub(crate) fn call(outcome: CallOutcome, origin: &str) -> Self {
        let server = origin.to_owned();
        if outcome.is_error {
            return Self::ToolError {
                text: outcome.text,
                server,
            };
        }
        Self::Result(ResultLine {
            text: outcome.text,
            structured: outcome.structured.as_deref().and_then(raw),
            omitted: outcome.omitted.counts().collect(),
            protocol_version: outcome.version.as_str(),
            duration_ms: outcome.latency.as_millis(),
            server,
        })
    }

    pub(crate) fn rpc_error(error: &RpcError, http_status: Option<u16>, origin: &str) -> Self {
        Self::RpcError {
            code: error.code().get(),
            message: error.message().to_owned(),
            http_status,
            server: origin.to_owned(),
        }
    }

    pub(crate) fn tools(list: &ToolList) -> Self {
        let quarantined = list.quarantined.iter().map(|quarantined| QuarantinedLine {
            name: quarantined.name.as_ref().map(|name| name.as_str().to_owned()),
            reason: quarantined.reason.to_string(),
        });
        Self::Tools(ToolsLine {
            tools: list.tools.iter().filter_map(|tool| raw(tool.text())).collect(),
            quarantined: quarantined.collect(),
        })
    }

    pub(crate) fn pong(pong: Pong, origin: &str) -> Self {
        Self::Pong(PongLine {
            era: "legacy",
            protocol_version: pong.version.as_str(),
            server_info: ServerInfoLine {
                name: pong.server.name,
                version: pong.server.version,
            },
            capabilities: raw(&pong.capabilities),
            latency_ms: pong.latency.as_millis(),
            server: origin.to_owned(),
        })
    }

    pub(crate) const fn exit(&self) -> Exit {
        match self {
            Self::Result(_) | Self::Tools(_) | Self::Pong(_) => Exit::Ok,
            Self::ToolError { .. } | Self::RpcError { .. } => Exit::ToolOrRpcError,
            Self::Report(report) => report.exit,
            Self::Failed(failed) => failed.exit,
        }
    }

    /// What goes to stdout and what to stderr.
    pub(crate) fn render(&self, format: Format) -> (String, String) {
        match (self, format) {
            (Self::Report(report), _) => report.render(format),
            (Self::Tools(_), Format::Ndjson) => (lines(self.json().trim_end()), String::new()),
            (_, Format::Json | Format::Ndjson) => (self.json(), String::new()),
            (_, Format::Text) => self.text(),
        }
    }

    fn json(&self) -> String {
        let line = match self {
            Self::Result(result) => Line::Result(result),
            Self::ToolError { text, server } => Line::ToolError { text, server },
            Self::RpcError {
                code,
                message,
                http_status,
                server,
            } => Line::RpcError {
                code: *code,
                message,
                http_status: *http_status,
                server,
            },
            Self::Tools(tools) => Line::Tools(tools),
            Self::Pong(pong) => Line::Pong(pong),
            // Renders itself.
            Self::Report(_) => return String::new(),
            Self::Failed(failed) => Line::Failed {
                kind: failed.kind,
                class: failed.class,
                culprit: failed.culprit,
                delivery: failed.delivery.name(),
                message: &failed.message,
                server: failed.server.as_deref(),
                phase: failed.around.phase,
                elapsed_ms: failed.around.elapsed.map(|elapsed| elapsed.as_millis()),
                hint: failed.hint(),
            },
        };
        // Strings, integers and raw JSON: there is nothing in a line that cannot be written.
        let json = serde_json::to_string(&line).unwrap_or_default();
        printable_json(&json) + "\n"
    }

    fn text(&self) -> (String, String) {
        match self {
            Self::Result(result) => (with_line_end(printable(&result.text)), String::new()),
            Self::ToolError { text, server } => (
                with_line_end(printable(text)),
                format!("mcpctl: the tool reports an error ({server})\n"),
            ),
            Self::RpcError {
                code,
                message,
                http_status: _,
                server,
            } => (
                String::new(),
                format!(
                    "mcpctl: RPC error {code}: {} ({server})\n",
                    printable_line(message)
                ),
            ),
            Self::Tools(tools) => tools.text(),
            Self::Pong(pong) => (pong.text(), String::new()),
            Self::Report(_) => (String::new(), String::new()),
            Self::Failed(failed) => (String::new(), failed.text()),
        }
    }
}

impl ToolsLine {
    fn text(&self) -> (String, String) {
        let (mut listed, mut remarks) = (String::new(), String::new());
        for tool in &self.tools {
            let (name, description) = name_and_description(tool.get());
            let summary = description.lines().next().unwrap_or_default();
            // Writing to a `String` does not fail.
            let _infallible = writeln!(listed, "{}\t{}", printable_line(&name), printable_line(summary));
        }
        for QuarantinedLine { name, reason } in &self.quarantined {
            let name = name.as_deref().unwrap_or("a tool");
            let _infallible = writeln!(remarks, "mcpctl: {} set aside: {reason}", printable_line(name));
        }
        (listed, remarks)
    }
}

impl PongLine {
    fn text(&self) -> String {
        format!(
            "{} answered in {} ms: {} {}, protocol {} ({} era)\n",
            self.server,
            self.latency_ms,
            printable_line(&self.server_info.name),
            printable_line(&self.server_info.version),
            self.protocol_version,
            self.era,
        )
    }
}

/// Read without a look into the rest of the definition: the wire allows numbers and depths there that a decoder of
/// values does not.
fn name_and_description(definition: &str) -> (String, String) {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(definition).unwrap_or_default();
    let member = |name: &str| {
        let text = members.get(name).map(|value| value.get());
        text.and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default()
    };
    (member("name"), member("description"))
}

fn with_line_end(text: String) -> String {
    if text.is_empty() || text.ends_with('\n') {
        text
    } else {
        text + "\n"
    }
}

/// A JSON text of the server, on one line.
pub(crate) fn raw(json: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(compact(json)).ok()
}
