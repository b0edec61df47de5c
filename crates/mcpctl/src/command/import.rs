//! `import`: what servers offer is taken in, or shown beforehand.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Instant;

use mcp_host::Host;
use mcp_policy::catalogue::Plan;
use mcp_policy::{Registry, ServerName, Switch};
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::stores::{Stores, failed};
use super::{block_on, operation, read};
use crate::arguments::Options;
use crate::exit::Exit;
use crate::failed::Failed;
use crate::output::{Format, Shown};
use crate::printable::{printable_json, printable_line};
use crate::progress::Progress;
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

/// The command as it was typed.
pub(crate) struct Typed<'a> {
    /// None of them are all that are enabled.
    pub(crate) servers: &'a [String],
    pub(crate) dry_run: bool,
    /// How many servers are asked at once.
    pub(crate) parallel: usize,
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

/// Imports servers, some at once. One that is refused does not stop the others, and one that does not answer does not
/// delay what is said of the others: in text and in lines of JSON each is told as soon as it is known.
pub(crate) fn run(typed: &Typed<'_>, options: &Options) -> Result<Ended, Failed> {
    let named: Vec<ServerName> = typed
        .servers
        .iter()
        .map(|name| read::server_name(name))
        .collect::<Result<_, _>>()?;
    let stores = Stores::open(options)?;
    let mut wiring = operation::wiring(options)?;
    wiring.health = stores.health.clone();
    let host = Arc::new(operation::host(wiring)?);
    let report = block_on(async {
        let names = if named.is_empty() {
            enabled(&stores).await?
        } else {
            named
        };
        let telling = Telling {
            dry_run: typed.dry_run,
            format: options.format(),
            at_once: names.len() > 1,
        };
        let lines = import_all(&host, &stores, names, typed.parallel, &telling).await;
        Ok(telling.end(lines))
    })?;
    Ok(Ended::new(Shown::Report(report)))
}

/// Fetches from so many servers at once, and carries out what came, one after another. In the order of `names`.
async fn import_all(
    host: &Arc<Host>,
    stores: &Stores,
    names: Vec<ServerName>,
    parallel: usize,
    telling: &Telling,
) -> Vec<PlanLine> {
    let places = Arc::new(Semaphore::new(parallel));
    let mut fetching = JoinSet::new();
    for name in &names {
        let (host, name, places) = (host.clone(), name.clone(), places.clone());
        let (servers, catalogue) = (stores.servers.clone(), stores.catalogue.clone());
        fetching.spawn(async move {
            // The semaphore is never closed.
            let _place = places.acquire().await.ok();
            let start = Instant::now();
            let registry = Registry::new(host.client(), &*servers, &*catalogue, &[]);
            let fetched = registry.fetch(&name).await;
            (name, fetched, start)
        });
    }
    let registry = Registry::new(host.client(), &*stores.servers, &*stores.catalogue, &[]);
    let mut progress = Progress::of(&names);
    let mut done = BTreeMap::new();
    while let Some(joined) = progress.while_waiting(fetching.join_next()).await {
        let Ok((name, fetched, start)) = joined else {
            continue;
        };
        let plan = match fetched {
            Ok(list) if telling.dry_run => registry.plan_of(&name, &list).await,
            Err(error) if telling.dry_run => Err(error),
            fetched => registry.import_fetched(&name, fetched).await,
        };
        let line = match plan {
            Ok(plan) => PlanLine::of(&name, &plan),
            Err(error) => PlanLine::failed(&name, Failed::of_registry(&error)),
        };
        let line = PlanLine {
            took_ms: start.elapsed().as_millis(),
            ..line
        };
        progress.done(&name);
        telling.tell(&line);
        done.insert(name, line);
    }
    names.iter().filter_map(|name| done.remove(name)).collect()
}

/// How the servers are told of.
struct Telling {
    dry_run: bool,
    format: Format,
    /// Whether each is told as soon as it is known. Of one server there is nobody to be delayed by.
    at_once: bool,
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
    fn tell(&self, line: &PlanLine) {
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
    fn end(&self, servers: Vec<PlanLine>) -> Report {
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
            took_ms: 0,
        }
    }

    fn failed(server: &ServerName, failed: Failed) -> Self {
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
