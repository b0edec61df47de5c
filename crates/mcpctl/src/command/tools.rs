//! `tool`: what was taken in, and the operator's word on it. No server is contacted.

use mcp_policy::catalogue::{CatalogueRow, Fingerprint, Standing};
use mcp_policy::{Act, Registry, RegistryError, ServerName};
use serde::Serialize;
use serde_json::value::RawValue;

use super::stores::{Stores, failed};
use super::{block_on, operation, read};
use crate::arguments::{Options, ToolCommand};
use crate::failed::{Failed, Local};
use crate::output::{Shown, raw};
use crate::printable::printable_line;
use crate::report::Report;
use crate::timing::Ended;

#[derive(Serialize)]
struct ToolsLine {
    outcome: &'static str,
    tools: Vec<ToolLine>,
}

#[derive(Debug, Serialize)]
struct ToolLine {
    tool: String,
    server: String,
    remote_name: String,
    state: &'static str,
    orphaned: bool,
    fingerprint: String,
    title: Option<String>,
    description: Option<String>,
    input_schema: Option<Box<RawValue>>,
    annotations: Option<Box<RawValue>>,
}

/// Shows tools, or lets the operator's word on one stand. No server is contacted.
pub(crate) fn run(command: &ToolCommand, options: &Options) -> Result<Ended, Failed> {
    let report = match command {
        ToolCommand::List { server } => {
            let server = server.as_deref().map(read::server_name).transpose()?;
            let stores = Stores::open(options)?;
            let rows = block_on(rows(&stores, server.as_ref()))?;
            report("tools", &rows, false)
        }
        ToolCommand::Show { tool } => {
            let stores = Stores::open(options)?;
            let row = block_on(async {
                let rows = rows(&stores, None).await?;
                let row = rows.into_iter().find(|row| row.local_name.as_str() == tool);
                match row {
                    Some(row) => Ok(row),
                    None => Err(stores.no_tool(tool, None).await),
                }
            })?;
            report("tool", &[row], true)
        }
        ToolCommand::Enable { tool } => decide(tool, Act::Enable, options)?,
        ToolCommand::Disable { tool } => decide(tool, Act::Disable, options)?,
        ToolCommand::Confirm { tool, fingerprint } => {
            let shown = Fingerprint::parse(fingerprint)
                .map_err(|error| Failed::local(Local::FingerprintInvalid, error))?;
            decide(tool, Act::Confirm(shown), options)?
        }
    };
    Ok(Ended::new(Shown::Report(report)))
}

fn decide(tool: &str, act: Act, options: &Options) -> Result<Report, Failed> {
    let stores = Stores::open(options)?;
    let host = operation::host(operation::wiring(options)?)?;
    let registry = Registry::new(host.client(), &*stores.servers, &*stores.catalogue, &[]);
    let row = block_on(async {
        match registry.decide(tool, act).await {
            Err(RegistryError::UnknownTool) => Err(stores.no_tool(tool, None).await),
            decided => decided.map_err(|error| Failed::of_registry(&error)),
        }
    })?;
    Ok(report("changed", &[row], false))
}

async fn rows(stores: &Stores, server: Option<&ServerName>) -> Result<Vec<CatalogueRow>, Failed> {
    if let Some(server) = server {
        stores.record(server).await?;
    }
    let snapshot = stores.catalogue.catalogue().await.map_err(failed)?;
    let servers = snapshot.servers.into_iter();
    let wanted = servers.filter(|(name, _)| server.is_none_or(|server| server == name));
    Ok(wanted.flat_map(|(_, kept)| kept.rows.into_values()).collect())
}

fn report(outcome: &'static str, rows: &[CatalogueRow], detailed: bool) -> Report {
    let line = ToolsLine {
        outcome,
        tools: rows.iter().map(ToolLine::of).collect(),
    };
    let text = line.tools.iter().map(|tool| tool.text(detailed)).collect();
    Report::new(&line, text)
}

/// The operator's word on a tool, in one of our own.
pub(super) fn state(row: &CatalogueRow) -> &'static str {
    match row.standing {
        Standing::Off => "off",
        Standing::On { .. } if row.is_on() => "on",
        Standing::On { .. } | Standing::Drifted { .. } => "changed",
    }
}

impl ToolLine {
    fn of(row: &CatalogueRow) -> Self {
        let definition = &row.definition;
        Self {
            tool: row.local_name.to_string(),
            server: row.server.to_string(),
            remote_name: row.remote_name.as_str().to_owned(),
            state: state(row),
            orphaned: row.is_orphaned(),
            fingerprint: definition.fingerprint.to_string(),
            title: definition.title.clone(),
            description: definition.description.clone(),
            input_schema: raw(&definition.input_schema),
            annotations: definition.annotations.as_deref().and_then(raw),
        }
    }

    fn text(&self, detailed: bool) -> String {
        let description = self.description.as_deref().unwrap_or_default();
        let orphaned = if self.orphaned { ", orphaned" } else { "" };
        if !detailed {
            let summary = printable_line(description.lines().next().unwrap_or_default());
            return format!("{}\t{}{orphaned}\t{summary}\n", self.tool, self.state);
        }
        let text = |value: &Option<Box<RawValue>>| {
            value
                .as_ref()
                .map_or_else(|| "none".to_owned(), |value| printable_line(value.get()))
        };
        format!(
            "tool\t{}\nserver\t{}\nremote name\t{}\nstate\t{}{orphaned}\nfingerprint\t{}\ntitle\t{}\ndescription\t{}\n\
             input schema\t{}\nannotations\t{}\n",
            self.tool,
            self.server,
            printable_line(&self.remote_name),
            self.state,
            self.fingerprint,
            printable_line(self.title.as_deref().unwrap_or("none")),
            printable_line(description),
            text(&self.input_schema),
            text(&self.annotations),
        )
    }
}
