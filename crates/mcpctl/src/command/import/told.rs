//! What an import prints: a plan or a failure for each server, at once or at the end.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::Duration;

use mcp_policy::ServerName;
use mcp_policy::catalogue::Plan;
use serde::Serialize;

use crate::exit::Exit;
use crate::failed::Failed;
use crate::output::Format;
use crate::printable::{printable_json, printable_line};
use crate::report::Report;

/// How the servers are told of.
pub(super) struct Telling {
    pub(super) dry_run: bool,
    pub(super) format: Format,
    /// Whether each is told as soon as it is known. Of one server there is nobody to be delayed by.
    pub(super) at_once: bool,
}

#[derive(Serialize)]
struct OneLine<'a> {
    outcome: &'static str,
    dry_run: bool,
    #[serde(flatten)]
    server: &'a PlanLine,
}

impl Telling {
    /// Prints what one server came to, where that is not left to the end.
    pub(super) fn tell(&self, line: &PlanLine) {
        let (data, remark) = match self.format {
            Format::Text if self.at_once => (line.text(self.dry_run), line.remark()),
            Format::Ndjson => {
                let one = OneLine {
                    outcome: "import",
                    dry_run: self.dry_run,
                    server: line,
                };
                // Strings and integers: there is nothing in a line that cannot be written.
                let text = serde_json::to_string(&one).unwrap_or_default();
                (printable_json(&text) + "\n", "")
            }
            Format::Text | Format::Json => return,
        };
        // A closed pipe is the reader's choice, and the exit status still tells.
        let _unprinted = io::stdout()
            .write_all(data.as_bytes())
            .and_then(|()| io::stdout().flush());
        let _unprinted = io::stderr().write_all(remark.as_bytes());
    }

    /// What is left to print at the end.
    pub(super) fn end(&self, servers: Vec<PlanLine>) -> Report {
        let failed = servers.iter().filter_map(|line| line.failed.as_ref());
        let exit = failed.map(|failed| failed.exit).next().unwrap_or(Exit::Ok);
        let report = match self.format {
            Format::Text if self.at_once => Report::told(),
            Format::Ndjson => Report::told(),
            Format::Text | Format::Json => {
                let text = servers.iter().map(|line| line.text(self.dry_run)).collect();
                let remarks: Vec<String> = servers.iter().map(|line| line.remark().to_owned()).collect();
                let line = ImportLine {
                    outcome: "import",
                    dry_run: self.dry_run,
                    servers,
                };
                Report::new(&line, text).with_lines(remarks.concat())
            }
        };
        report.ending(exit)
    }
}

#[derive(Serialize)]
struct ImportLine {
    outcome: &'static str,
    dry_run: bool,
    servers: Vec<PlanLine>,
}

/// What one import did or would do.
#[derive(Debug, Default, Serialize)]
pub(super) struct PlanLine {
    server: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<FailedLine>,
    added: Vec<String>,
    changed: Vec<ChangeLine>,
    returned: Vec<String>,
    orphaned: Vec<String>,
    unchanged: usize,
    quarantined: Vec<QuarantinedLine>,
    rename_suspects: Vec<[String; 2]>,
    flags: Vec<FlagLine>,
    took_ms: u128,
}

#[derive(Debug, Serialize)]
struct FailedLine {
    kind: &'static str,
    delivery: &'static str,
    message: String,
    hint: Option<String>,
    #[serde(skip)]
    text: String,
    #[serde(skip)]
    exit: Exit,
}

#[derive(Debug, Serialize)]
struct ChangeLine {
    tool: String,
    parts: Vec<&'static str>,
    switched_off: bool,
}

#[derive(Debug, Serialize)]
struct QuarantinedLine {
    name: Option<String>,
    kind: &'static str,
    reason: String,
}

#[derive(Debug, Serialize)]
struct FlagLine {
    tool: String,
    kind: &'static str,
    place: Option<&'static str>,
}

impl PlanLine {
    pub(super) fn of(server: &ServerName, plan: &Plan) -> Self {
        let names = |names: &std::collections::BTreeSet<_>| names.iter().map(ToString::to_string).collect();
        let flags = plan.flags.iter().flat_map(|(tool, flags)| {
            flags.iter().map(|flag| FlagLine {
                tool: tool.to_string(),
                kind: flag.kind(),
                place: flag.place().map(|place| place.name()),
            })
        });
        let changed = plan.changed.iter().map(|(tool, change)| ChangeLine {
            tool: tool.to_string(),
            parts: change.parts.iter().map(|part| part.name()).collect(),
            switched_off: change.drifted,
        });
        let quarantined = plan.quarantined.iter().map(|one| QuarantinedLine {
            name: one.name.as_ref().map(|name| name.as_str().to_owned()),
            kind: one.reason.kind(),
            reason: one.reason.to_string(),
        });
        let suspects = plan.rename_suspects.iter();
        Self {
            server: server.to_string(),
            failed: None,
            added: names(&plan.added),
            changed: changed.collect(),
            returned: names(&plan.returned),
            orphaned: names(&plan.orphaned),
            unchanged: plan.unchanged.len(),
            quarantined: quarantined.collect(),
            rename_suspects: suspects
                .map(|suspect| [suspect.gone.to_string(), suspect.new.to_string()])
                .collect(),
            flags: flags.collect(),
            took_ms: 0,
        }
    }

    pub(super) fn failed(server: &ServerName, failed: Failed) -> Self {
        let failed = failed.at(server.as_str());
        Self {
            server: server.to_string(),
            failed: Some(FailedLine {
                kind: failed.kind,
                delivery: failed.delivery.name(),
                hint: failed.advice(),
                text: failed.text(),
                exit: failed.exit,
                message: failed.message,
            }),
            ..Self::default()
        }
    }

    /// The same with the time that it took.
    pub(super) fn after(mut self, took: Duration) -> Self {
        self.took_ms = took.as_millis();
        self
    }

    fn text(&self, dry_run: bool) -> String {
        if self.failed.is_some() {
            return String::new();
        }
        let mut text = format!(
            "{}{}: {} added, {} changed, {} returned, {} orphaned, {} unchanged, {} set aside\n",
            self.server,
            if dry_run { " (nothing is changed)" } else { "" },
            self.added.len(),
            self.changed.len(),
            self.returned.len(),
            self.orphaned.len(),
            self.unchanged,
            self.quarantined.len(),
        );
        // Writing to a `String` does not fail.
        let mut say = |line: std::fmt::Arguments<'_>| {
            let _infallible = writeln!(text, "  {line}");
        };
        self.added
            .iter()
            .for_each(|tool| say(format_args!("added\t{tool}")));
        for change in &self.changed {
            let off = if change.switched_off { ", switched off" } else { "" };
            say(format_args!(
                "changed\t{} ({}{off})",
                change.tool,
                change.parts.join(", ")
            ));
        }
        self.returned
            .iter()
            .for_each(|tool| say(format_args!("returned\t{tool}")));
        self.orphaned
            .iter()
            .for_each(|tool| say(format_args!("orphaned\t{tool}")));
        for [gone, new] in &self.rename_suspects {
            say(format_args!("rename?\t{gone} -> {new}"));
        }
        for one in &self.quarantined {
            let name = printable_line(one.name.as_deref().unwrap_or("a tool"));
            say(format_args!("set aside\t{name}: {} ({})", one.reason, one.kind));
        }
        for flag in &self.flags {
            say(format_args!(
                "look at\t{}: {} in {}",
                flag.tool,
                flag.kind,
                flag.place.unwrap_or("name")
            ));
        }
        text
    }

    /// The line of one that failed, for standard error.
    fn remark(&self) -> &str {
        self.failed.as_ref().map_or("", |failed| &failed.text)
    }
}
