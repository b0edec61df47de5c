//! `server`: the records that an operator keeps. None of these commands contacts a server.

use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;

use mcp_policy::port::ServerStore;
use mcp_policy::{ApprovalRule, RegistryError, ServerRecord, Switch};
use mcp_wire::CredentialPlacement;
use serde::Serialize;

use super::config::{Config, Expansion, FILE_BYTES};
use super::stores::{Stores, failed};
use super::{block_on, read};
use crate::arguments::{NewServer, Options, ServerCommand};
use crate::exit::Exit;
use crate::failed::{Failed, Local};
use crate::output::Shown;
use crate::report::Report;
use crate::timing::Ended;

/// A record as it is shown: without the path and the query of its URL, which may hold a secret.
#[derive(Debug, Serialize)]
struct RecordLine {
    name: String,
    url: Option<String>,
    credentials: Vec<String>,
    data_class: Option<&'static str>,
    approval: &'static str,
    enabled: bool,
    group: String,
    budget_s: f64,
    max_pages: u32,
    max_tools: usize,
    max_list_bytes: usize,
    max_body_bytes: usize,
}

#[derive(Serialize)]
struct ServersLine {
    outcome: &'static str,
    servers: Vec<RecordLine>,
    remarks: Vec<String>,
}

pub(crate) fn run(command: &ServerCommand, options: &Options) -> Result<Ended, Failed> {
    let report = match command {
        ServerCommand::Add(new) => add(new, options)?,
        ServerCommand::List => {
            let stores = Stores::open(options)?;
            let records = block_on(async { stores.servers.servers().await.map_err(failed) })?;
            report("servers", &records, vec![])
        }
        ServerCommand::Show { name } => {
            let (stores, name) = (Stores::open(options)?, read::server_name(name)?);
            let record = block_on(stores.record(&name))?;
            detailed(&record)
        }
        ServerCommand::Remove { name } => {
            let (stores, name) = (Stores::open(options)?, read::server_name(name)?);
            let record = block_on(async {
                let record = stores.record(&name).await?;
                stores.servers.remove(&name).await.map_err(failed)?;
                Ok(record)
            })?;
            report("removed", &[record], vec![])
        }
        ServerCommand::Enable { name } => change(name, options, |record| record.switch = Switch::On)?,
        ServerCommand::Disable { name } => change(name, options, |record| record.switch = Switch::Off)?,
        ServerCommand::Classify { name, class } => {
            let class = read::class(class)?;
            change(name, options, |record| record.class = Some(class))?
        }
    };
    Ok(Ended::new(Shown::Report(report)))
}

fn change(name: &str, options: &Options, change: impl FnOnce(&mut ServerRecord)) -> Result<Report, Failed> {
    let (stores, name) = (Stores::open(options)?, read::server_name(name)?);
    let record = block_on(async {
        let mut record = stores.record(&name).await?;
        change(&mut record);
        match stores.servers.replace(record.clone()).await.map_err(failed)? {
            true => Ok(record),
            false => Err(Failed::of_registry(&RegistryError::UnknownServer).at(name.as_str())),
        }
    })?;
    Ok(report("changed", &[record], vec![]))
}

fn add(new: &NewServer, options: &Options) -> Result<Report, Failed> {
    let config = match (&new.from, &new.name) {
        (Some(path), _) => from_file(path, new.expand)?,
        (None, Some(name)) => Config {
            records: vec![from_options(name, new, options)?],
            remarks: vec![],
        },
        // The command line asks for one of the two.
        (None, None) => Config::default(),
    };
    let stores = Stores::open(options)?;
    let is_file = new.from.is_some();
    let (added, mut remarks) = block_on(add_all(&*stores.servers, config, is_file))?;
    let whole = remarks.is_empty() || !is_file;
    remarks.sort();
    Ok(report("added", &added, remarks).ending(if whole { Exit::Ok } else { Exit::Configuration }))
}

/// Adds records one after another. One that is there stays as it is: of a file that is a remark, else a refusal.
async fn add_all(
    servers: &dyn ServerStore,
    config: Config,
    is_file: bool,
) -> Result<(Vec<ServerRecord>, Vec<String>), Failed> {
    let Config { records, mut remarks } = config;
    let mut added = Vec::new();
    for record in records {
        if servers.add(record.clone()).await.map_err(failed)? {
            added.push(record);
        } else if is_file {
            remarks.push(format!(
                "{} was left out: there is a server of this name",
                record.name
            ));
        } else {
            let message = format!("there is a server of the name {}", record.name);
            return Err(Failed::local(Local::ServerExists, message));
        }
    }
    Ok((added, remarks))
}

fn from_options(name: &str, new: &NewServer, options: &Options) -> Result<ServerRecord, Failed> {
    let url = new.url.as_deref().map(read::endpoint).transpose()?;
    let mut record = ServerRecord::new(read::server_name(name)?, url);
    record.credentials = read::credentials(options.bearer.as_deref(), &options.header)?;
    record.class = new.class.as_deref().map(read::class).transpose()?;
    if new.no_approval {
        record.approval = ApprovalRule::NotRequired;
    }
    if let Some(group) = &new.group {
        record.group = read::group(group)?;
    }
    record.budget = read::budget(&options.budget)?;
    let bound = |value: Option<usize>, bound: &mut usize| {
        if let Some(value) = value {
            *bound = value;
        }
    };
    bound(new.max_tools, &mut record.walk.tools);
    bound(new.max_list_bytes, &mut record.walk.bytes);
    bound(new.max_body_bytes, &mut record.limits.body_bytes);
    record.limits.line_bytes = record.limits.line_bytes.max(record.limits.body_bytes);
    record.limits.event_bytes = record.limits.event_bytes.max(record.limits.body_bytes);
    record.walk.pages = new.max_pages.unwrap_or(record.walk.pages);
    Ok(record)
}

/// What a file holds, without keeping it.
pub(crate) fn check(path: &Path, expand: bool) -> Result<Ended, Failed> {
    let Config { records, remarks } = from_file(path, expand)?;
    let exit = if remarks.is_empty() {
        Exit::Ok
    } else {
        Exit::Configuration
    };
    let report = report("checked", &records, remarks).ending(exit);
    Ok(Ended::new(Shown::Report(report)))
}

fn from_file(path: &Path, expand: bool) -> Result<Config, Failed> {
    let unreadable = || Failed::local(Local::ConfigUnreadable, "the file of --from could not be read");
    let file = std::fs::File::open(path).map_err(|_error| unreadable())?;
    let mut text = String::new();
    let read = file.take(FILE_BYTES + 1).read_to_string(&mut text);
    if read.map_err(|_error| unreadable())? as u64 > FILE_BYTES {
        return Err(Failed::local(
            Local::ConfigInvalid,
            "the file of --from is larger than 1 MiB",
        ));
    }
    let expansion = if expand {
        Expansion::Allowed
    } else {
        Expansion::Refused
    };
    Config::read(&text, expansion, |name| std::env::var(name).ok())
}

fn report(outcome: &'static str, records: &[ServerRecord], remarks: Vec<String>) -> Report {
    let line = ServersLine {
        outcome,
        servers: records.iter().map(RecordLine::of).collect(),
        remarks: remarks.clone(),
    };
    let mut text = String::new();
    for record in &line.servers {
        // Writing to a `String` does not fail.
        let _infallible = writeln!(
            text,
            "{}\t{}\t{}\tapproval {}\t{}",
            record.name,
            if record.enabled { "enabled" } else { "disabled" },
            record.data_class.unwrap_or("unclassified"),
            record.approval,
            record.url.as_deref().unwrap_or("no URL"),
        );
    }
    Report::new(&line, text).with_remarks(remarks)
}

fn detailed(record: &ServerRecord) -> Report {
    let shown = RecordLine::of(record);
    let text = format!(
        "name\t{}\nurl\t{}\ncredentials\t{}\ndata class\t{}\napproval\t{}\nstate\t{}\ngroup\t{}\nbudget\t{} s\n\
         bounds\t{} pages, {} tools, {} bytes of list, {} bytes of reply\n",
        shown.name,
        shown.url.as_deref().unwrap_or("none"),
        if shown.credentials.is_empty() {
            "none".to_owned()
        } else {
            shown.credentials.join(", ")
        },
        shown.data_class.unwrap_or("none"),
        shown.approval,
        if shown.enabled { "enabled" } else { "disabled" },
        shown.group,
        shown.budget_s,
        shown.max_pages,
        shown.max_tools,
        shown.max_list_bytes,
        shown.max_body_bytes,
    );
    let line = ServersLine {
        outcome: "server",
        servers: vec![shown],
        remarks: vec![],
    };
    Report::new(&line, text)
}

impl RecordLine {
    fn of(record: &ServerRecord) -> Self {
        let credentials = record.credentials.iter().map(|credential| {
            let header = match &credential.placement {
                CredentialPlacement::Bearer => "bearer",
                CredentialPlacement::Header(name) => name.as_str(),
            };
            format!("{header}={}", credential.reference)
        });
        Self {
            name: record.name.to_string(),
            url: record
                .endpoint
                .as_ref()
                .map(|endpoint| endpoint.origin().to_owned()),
            credentials: credentials.collect(),
            data_class: record.class.map(|class| class.name()),
            approval: record.approval.as_stored(),
            enabled: record.switch == Switch::On,
            group: record.group.as_str().to_owned(),
            budget_s: record.budget.get().as_secs_f64(),
            max_pages: record.walk.pages,
            max_tools: record.walk.tools,
            max_list_bytes: record.walk.bytes,
            max_body_bytes: record.limits.body_bytes,
        }
    }
}
