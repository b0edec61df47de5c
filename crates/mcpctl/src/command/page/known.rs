//! What the page shows beside the status of the servers, read from the store and put into words.

use std::time::{SystemTime, UNIX_EPOCH};

use mcp_policy::catalogue::{CatalogueRow, Fingerprint, Neighbour, Standing, Surroundings, inspect};
use mcp_policy::port::{Snapshot, UnixTime};
use mcp_policy::{ServerRecord, Switch};

use crate::command::approval::ApprovalLine;
use crate::command::audit::{DenialLine, StepLine};
use crate::command::stores::{Stores, failed};
use crate::command::tools;
use crate::failed::Failed;

/// The most denials and the most calls that are shown, the last ones.
pub(super) const LAST: usize = 50;

pub(super) struct Known {
    pub(super) at_unix_s: u64,
    /// The origin of each server's URL, by its name.
    pub(super) origins: Vec<(String, String)>,
    pub(super) tools: Vec<Tool>,
    pub(super) set_aside: Vec<SetAside>,
    pub(super) approvals: Vec<ApprovalLine>,
    /// The last one first, as with the calls.
    pub(super) denials: Vec<DenialLine>,
    pub(super) steps: Vec<StepLine>,
    /// How many calls there are in all.
    pub(super) all_steps: usize,
    /// How many of all calls a person must look at.
    pub(super) in_doubt: usize,
}

pub(super) struct Tool {
    pub(super) name: String,
    pub(super) server: String,
    pub(super) remote_name: String,
    pub(super) description: Option<String>,
    /// `on`, `off` or `changed`.
    pub(super) state: &'static str,
    pub(super) orphaned: bool,
    pub(super) class: Option<&'static str>,
    pub(super) fingerprint: String,
    /// The definition that the operator saw last.
    pub(super) confirmed: Option<String>,
    /// What a person should look at: the kind, and where.
    pub(super) flags: Vec<(&'static str, &'static str)>,
}

pub(super) struct SetAside {
    pub(super) server: String,
    pub(super) name: Option<String>,
    pub(super) reason: String,
}

impl Known {
    /// Reads the store. Steps whose process has gone are put in doubt first, as `audit` does.
    pub(super) async fn read(stores: &Stores, records: &[ServerRecord]) -> Result<Self, Failed> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let reclaimed = stores.ledger.reclaim(UnixTime(now)).await;
        reclaimed.map_err(|error| Failed::of_ledger(&error))?;
        let snapshot = stores.catalogue.catalogue().await.map_err(failed)?;
        let steps = stores.audit.steps().await.map_err(failed)?;
        let steps: Vec<StepLine> = steps.iter().rev().map(StepLine::of).collect();
        let approvals = stores.desk.approvals().await.map_err(failed)?;
        let denials = stores.denial_log.denials(LAST).await.map_err(failed)?;
        let origins = records.iter().filter_map(|record| {
            let endpoint = record.endpoint.as_ref()?;
            Some((record.name.to_string(), endpoint.origin().to_owned()))
        });
        Ok(Self {
            at_unix_s: now.as_secs(),
            origins: origins.collect(),
            tools: tools(records, &snapshot),
            set_aside: set_aside(&snapshot),
            approvals: approvals.iter().map(ApprovalLine::of).collect(),
            denials: denials.iter().rev().map(DenialLine::of).collect(),
            all_steps: steps.len(),
            in_doubt: steps.iter().filter(|step| step.state == "in doubt").count(),
            steps: steps.into_iter().take(LAST).collect(),
        })
    }
}

/// Every tool of every server, with what an import would point at.
fn tools(records: &[ServerRecord], snapshot: &Snapshot) -> Vec<Tool> {
    let rows: Vec<(&ServerRecord, Vec<CatalogueRow>)> = records
        .iter()
        .map(|record| {
            let kept = snapshot.servers.get(&record.name).into_iter();
            (
                record,
                kept.flat_map(|kept| kept.rows.values().cloned()).collect(),
            )
        })
        .collect();
    let neighbours = rows.iter().map(|(record, rows)| Neighbour {
        server: &record.name,
        enabled: record.switch == Switch::On,
        rows,
    });
    let mut tools = Vec::new();
    for (record, rows) in &rows {
        let surroundings = Surroundings::of(&record.name, [], neighbours.clone());
        tools.extend(rows.iter().map(|row| Tool::of(row, record, &surroundings)));
    }
    tools
}

fn set_aside(snapshot: &Snapshot) -> Vec<SetAside> {
    let servers = snapshot.servers.iter();
    let lists = servers.filter_map(|(name, kept)| Some((name, &kept.imports.success.as_ref()?.set_aside)));
    let all = lists.flat_map(|(server, list)| {
        list.iter().map(|one| SetAside {
            server: server.to_string(),
            name: one.name.as_ref().map(|name| name.as_str().to_owned()),
            reason: one.reason.clone(),
        })
    });
    all.collect()
}

impl Tool {
    fn of(row: &CatalogueRow, record: &ServerRecord, surroundings: &Surroundings) -> Self {
        let confirmed = match row.standing {
            Standing::Off => None,
            Standing::On { confirmed } | Standing::Drifted { confirmed } => Some(confirmed),
        };
        let flags = inspect(&row.remote_name, &row.definition, surroundings);
        let place = |flag: &mcp_policy::catalogue::Flag| flag.place().map_or("name", |place| place.name());
        Self {
            name: row.local_name.to_string(),
            server: row.server.to_string(),
            remote_name: row.remote_name.as_str().to_owned(),
            description: row.definition.description.clone(),
            state: tools::state(row),
            orphaned: row.is_orphaned(),
            class: record.class.map(|class| class.name()),
            fingerprint: short(row.definition.fingerprint),
            confirmed: confirmed.map(short),
            flags: flags.iter().map(|flag| (flag.kind(), place(flag))).collect(),
        }
    }
}

/// So much of a fingerprint that two are told apart at a glance. Nothing is decided by it.
fn short(fingerprint: Fingerprint) -> String {
    fingerprint
        .to_string()
        .chars()
        .take(Fingerprint::PREFIX.len() + 12)
        .collect()
}
