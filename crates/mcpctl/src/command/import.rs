//! `import`: what servers offer is taken in, or shown beforehand.

use std::fmt::Write as _;

use mcp_policy::catalogue::Plan;
use mcp_policy::{Registry, ServerName, Switch};
use serde::Serialize;

use super::stores::{Stores, failed};
use super::{block_on, operation, read};
use crate::arguments::Options;
use crate::exit::Exit;
use crate::failed::Failed;
use crate::output::Shown;
use crate::printable::printable_line;
use crate::report::Report;
use crate::timing::Ended;

#[derive(Serialize)]
struct ImportLine {
    outcome: &'static str,
    dry_run: bool,
    servers: Vec<PlanLine>,
}

/// What one import did or would do.
#[derive(Debug, Default, Serialize)]
struct PlanLine {
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
}

#[derive(Debug, Serialize)]
struct FailedLine {
    kind: &'static str,
    delivery: &'static str,
    message: String,
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

/// Imports servers one after another. One that is refused does not stop the others.
pub(crate) fn run(servers: &[String], dry_run: bool, options: &Options) -> Result<Ended, Failed> {
    let named: Vec<ServerName> = servers
        .iter()
        .map(|name| read::server_name(name))
        .collect::<Result<_, _>>()?;
    let stores = Stores::open(options)?;
    let mut wiring = operation::wiring(options)?;
    wiring.health = stores.health.clone();
    let host = operation::host(wiring)?;
    let report = block_on(async {
        let names = if named.is_empty() {
            enabled(&stores).await?
        } else {
            named
        };
        let registry = Registry::new(host.client(), &*stores.servers, &*stores.catalogue, &[]);
        let mut lines = Vec::new();
        let mut exit = Exit::Ok;
        for name in &names {
            let plan = if dry_run {
                registry.plan(name).await
            } else {
                registry.import(name).await
            };
            lines.push(match plan {
                Ok(plan) => PlanLine::of(name, &plan),
                Err(error) => {
                    let failed = Failed::of_registry(&error);
                    if exit == Exit::Ok {
                        exit = failed.exit;
                    }
                    PlanLine::failed(name, failed)
                }
            });
        }
        let text = lines.iter().map(|line| line.text(dry_run)).collect();
        let remarks: Vec<String> = lines.iter().filter_map(PlanLine::remark).collect();
        let line = ImportLine {
            outcome: "import",
            dry_run,
            servers: lines,
        };
        Ok(Report::new(&line, text).with_remarks(remarks).ending(exit))
    })?;
    Ok(Ended::new(Shown::Report(report)))
}

async fn enabled(stores: &Stores) -> Result<Vec<ServerName>, Failed> {
    let records = stores.servers.servers().await.map_err(failed)?;
    let enabled = records.into_iter().filter(|record| record.switch == Switch::On);
    Ok(enabled.map(|record| record.name).collect())
}

impl PlanLine {
    fn of(server: &ServerName, plan: &Plan) -> Self {
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
        }
    }

    fn failed(server: &ServerName, failed: Failed) -> Self {
        Self {
            server: server.to_string(),
            failed: Some(FailedLine {
                kind: failed.kind,
                delivery: failed.delivery.name(),
                message: failed.message,
            }),
            ..Self::default()
        }
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

    fn remark(&self) -> Option<String> {
        let failed = self.failed.as_ref()?;
        let message = printable_line(&failed.message);
        Some(format!(
            "{message} ({}, {}, {})",
            self.server, failed.kind, failed.delivery
        ))
    }
}
