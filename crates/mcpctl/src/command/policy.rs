//! `policy`: what the permission gate says, without a call.

use mcp_policy::ServerName;
use mcp_policy::catalogue::{CatalogueRow, RemoteTool};
use mcp_policy::gate::{Candidate, GateRules, ModelZones, TrustZone, judge};
use mcp_policy::port::Actor;
use serde::Serialize;

use super::stores::{Stores, failed};
use super::{block_on, read};
use crate::arguments::{Options, PolicyCommand, Standing};
use crate::exit::Exit;
use crate::failed::{Failed, Local};
use crate::output::Shown;
use crate::report::Report;
use crate::timing::Ended;

#[derive(Serialize)]
struct DecisionLine {
    outcome: &'static str,
    permitted: bool,
    reason: Option<&'static str>,
    lines: Vec<String>,
}

pub(crate) fn run(command: &PolicyCommand, options: &Options) -> Result<Ended, Failed> {
    let PolicyCommand::Explain {
        server,
        tool,
        standing,
    } = command;
    let (name, (rules, actor)) = (read::server_name(server)?, rules(standing)?);
    let stores = Stores::open(options)?;
    let decision = block_on(async {
        let record = stores.record(&name).await?;
        let row = row(&stores, &name, tool).await?;
        let remote = row.and_then(|row| RemoteTool::of_row(&row, record.terms()).ok());
        Ok(judge(remote.as_ref().map(Candidate::from), &actor, &rules))
    })?;
    let line = DecisionLine {
        outcome: "decision",
        permitted: decision.is_permitted(),
        reason: decision.reason().map(|reason| reason.name()),
        lines: decision.lines(),
    };
    let text = line.lines.iter().map(|line| format!("{line}\n")).collect();
    let exit = if line.permitted {
        Exit::Ok
    } else {
        Exit::CheckFailed
    };
    Ok(Ended::new(Shown::Report(Report::new(&line, text).ending(exit))))
}

/// The rules and the caller that were typed. Whoever calls as an administrator is the one that the rules name.
pub(crate) fn rules(standing: &Standing) -> Result<(GateRules, Actor), Failed> {
    let zone = TrustZone::named(&standing.zone).ok_or_else(|| {
        let names: Vec<&str> = TrustZone::ALL.iter().map(|zone| zone.name()).collect();
        Failed::local(
            Local::ZoneUnknown,
            format!("the trust zone is one of {}", names.join(", ")),
        )
    })?;
    let mut rules = GateRules::default();
    rules.zones = ModelZones::of(zone);
    let operator = || Actor::User("operator".to_owned());
    let actor = match standing.role.as_str() {
        "admin" => {
            rules.administrators.insert("operator".to_owned());
            operator()
        }
        "user" => operator(),
        "nobody" => Actor::Unattended,
        _ => {
            return Err(Failed::local(
                Local::RoleUnknown,
                "the role is one of admin, user, nobody",
            ));
        }
    };
    Ok((rules, actor))
}

/// The row of a tool, by its name on the wire or by its local name; `None` when it was never taken in.
pub(crate) async fn row(
    stores: &Stores,
    server: &ServerName,
    tool: &str,
) -> Result<Option<CatalogueRow>, Failed> {
    let mut snapshot = stores.catalogue.catalogue().await.map_err(failed)?;
    let Some(kept) = snapshot.servers.remove(server) else {
        return Err(stores.no_server(server).await);
    };
    let named = |row: &CatalogueRow| row.remote_name.as_str() == tool || row.local_name.as_str() == tool;
    Ok(kept.rows.into_values().find(named))
}
