//! `audit`: the calls that were made, from the ledger. Nothing is contacted.

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use mcp_policy::ledger::{VerifyError, verify};
use mcp_policy::port::{Actor, Audit, Denial, DenialLog, Step, StepId, StepState, UnixTime};
use serde::Serialize;

use super::block_on;
use super::status::date;
use super::stores::{Stores, failed};
use crate::arguments::{AuditCommand, Options};
use crate::failed::{Failed, Local};
use crate::output::Shown;
use crate::printable::printable_line;
use crate::report::Report;
use crate::timing::Ended;

#[derive(Serialize)]
struct StepsLine {
    outcome: &'static str,
    steps: Vec<StepLine>,
}

#[derive(Debug, Serialize)]
pub(super) struct StepLine {
    pub(super) step: u64,
    pub(super) run: String,
    pub(super) server: String,
    pub(super) tool: String,
    pub(super) definition: Option<String>,
    /// `ok`, `failed`, `cancelled`, `open` or `in doubt`.
    pub(super) state: &'static str,
    pub(super) kind: Option<String>,
    pub(super) delivery: Option<&'static str>,
    pub(super) is_error: Option<bool>,
    pub(super) arguments_sha256: String,
    pub(super) argument_bytes: u64,
    pub(super) result_sha256: Option<String>,
    pub(super) result_bytes: Option<u64>,
    pub(super) duration_ms: Option<u128>,
}

#[derive(Serialize)]
struct DenialsLine {
    outcome: &'static str,
    denials: Vec<DenialLine>,
}

#[derive(Debug, Serialize)]
pub(super) struct DenialLine {
    pub(super) at_unix_s: u64,
    pub(super) server: String,
    pub(super) tool: String,
    pub(super) run: String,
    pub(super) user: Option<String>,
    pub(super) reason: &'static str,
}

#[derive(Serialize)]
struct ShownLine {
    outcome: &'static str,
    step: StepLine,
    entries: Vec<EntryLine>,
}

#[derive(Debug, Serialize)]
struct EntryLine {
    seq: u64,
    hash: String,
    entry: String,
}

#[derive(Serialize)]
struct VerifiedLine {
    outcome: &'static str,
    entries: u64,
    head: String,
    runs: usize,
    steps: usize,
    in_doubt: usize,
}

/// The most entries that are read at a time.
const PAGE: usize = 1_000;

/// Shows steps or proves the ledger. Steps whose process has gone are put in doubt first.
pub(crate) fn run(command: &AuditCommand, options: &Options) -> Result<Ended, Failed> {
    let stores = Stores::open(options)?;
    let report = block_on(async {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let reclaimed = stores.ledger.reclaim(UnixTime(now)).await;
        reclaimed.map_err(|error| Failed::of_ledger(&error))?;
        match command {
            AuditCommand::List { in_doubt } => list(&*stores.audit, *in_doubt).await,
            AuditCommand::Denials { last } => denials(&*stores.denial_log, *last).await,
            AuditCommand::Show { step } => show(&*stores.audit, StepId(*step)).await,
            AuditCommand::Verify => prove(&*stores.audit).await,
        }
    })?;
    Ok(Ended::new(Shown::Report(report)))
}

async fn list(audit: &dyn Audit, in_doubt: bool) -> Result<Report, Failed> {
    let steps = audit.steps().await.map_err(failed)?;
    let wanted = |step: &&Step| !in_doubt || step.state == StepState::InDoubt;
    let line = StepsLine {
        outcome: "steps",
        steps: steps.iter().filter(wanted).map(StepLine::of).collect(),
    };
    let text = line.steps.iter().map(StepLine::text).collect();
    Ok(Report::new(&line, text))
}

async fn denials(log: &dyn DenialLog, last: usize) -> Result<Report, Failed> {
    let denials = log.denials(last).await.map_err(failed)?;
    let line = DenialsLine {
        outcome: "denials",
        denials: denials.iter().map(DenialLine::of).collect(),
    };
    let text = line.denials.iter().map(DenialLine::text).collect();
    Ok(Report::new(&line, text))
}

async fn show(audit: &dyn Audit, id: StepId) -> Result<Report, Failed> {
    let steps = audit.steps().await.map_err(failed)?;
    let step = steps.iter().find(|step| step.id == id);
    let step = step.ok_or_else(|| Failed::local(Local::StepUnknown, "there is no step of this number"))?;
    let (mut entries, mut after) = (Vec::new(), 0);
    loop {
        let page = audit.entries(after, PAGE).await.map_err(failed)?;
        let Some(last) = page.last() else { break };
        after = last.entry.seq;
        let own = page.iter().filter(|linked| linked.entry.event.step() == Some(id));
        entries.extend(own.map(|linked| EntryLine {
            seq: linked.entry.seq,
            hash: linked.hash.to_string(),
            entry: linked.entry.text(),
        }));
    }
    let line = ShownLine {
        outcome: "step",
        step: StepLine::of(step),
        entries,
    };
    let mut text = line.step.text();
    for entry in &line.entries {
        // Writing to a `String` does not fail.
        let _infallible = writeln!(
            text,
            "  {}\t{}\t{}",
            entry.seq,
            entry.hash,
            printable_line(&entry.entry)
        );
    }
    Ok(Report::new(&line, text))
}

async fn prove(audit: &dyn Audit) -> Result<Report, Failed> {
    let verified = verify(audit).await.map_err(|error| match error {
        VerifyError::Broken(broken) => Failed::of_check(broken.kind(), broken),
        VerifyError::Store(error) => failed(error),
    })?;
    let line = VerifiedLine {
        outcome: "verified",
        entries: verified.entries,
        head: verified.head.to_string(),
        runs: verified.runs,
        steps: verified.steps,
        in_doubt: verified.in_doubt,
    };
    let text = format!(
        "whole: {} entries, {} runs, {} steps, {} in doubt; the last entry is {}\n",
        line.entries, line.runs, line.steps, line.in_doubt, line.head
    );
    Ok(Report::new(&line, text))
}

impl StepLine {
    pub(super) fn of(step: &Step) -> Self {
        let outcome = step.outcome();
        let result = outcome.and_then(|outcome| outcome.result);
        Self {
            step: step.id.0,
            run: step.run.0.clone(),
            server: step.call.server.clone(),
            tool: step.call.tool.clone(),
            definition: step.call.definition.map(|definition| definition.to_string()),
            state: match &step.state {
                StepState::Stamped => "open",
                StepState::InDoubt => "in doubt",
                StepState::Settled(outcome) => outcome.status.name(),
            },
            kind: outcome.map(|outcome| outcome.kind.clone()),
            delivery: outcome.map(|outcome| outcome.delivery.name()),
            is_error: result.map(|result| result.is_error),
            arguments_sha256: step.call.arguments.to_string(),
            argument_bytes: step.call.argument_bytes,
            result_sha256: result.map(|result| result.digest.to_string()),
            result_bytes: result.map(|result| result.bytes),
            duration_ms: outcome.map(|outcome| outcome.timing.total().as_millis()),
        }
    }

    fn text(&self) -> String {
        let ended = match (&self.kind, self.delivery, self.duration_ms) {
            (Some(kind), Some(delivery), Some(duration)) => format!("{kind}, {delivery}, {duration} ms"),
            _ => "the server may have acted".to_owned(),
        };
        let outside = if self.definition.is_none() {
            ", outside the catalogue"
        } else {
            ""
        };
        format!(
            "{}\t{}\t{} {}\t{}\t{ended}{outside}\n",
            self.step,
            printable_line(&self.run),
            self.server,
            printable_line(&self.tool),
            self.state,
        )
    }
}

impl DenialLine {
    pub(super) fn of(denial: &Denial) -> Self {
        Self {
            at_unix_s: denial.at.0.as_secs(),
            server: denial.server.clone(),
            tool: denial.tool.clone(),
            run: denial.run.0.clone(),
            user: match &denial.actor {
                Actor::User(user) => Some(user.clone()),
                Actor::Unattended => None,
            },
            reason: denial.reason.name(),
        }
    }

    fn text(&self) -> String {
        format!(
            "{}\t{} {}\t{}\t{}\n",
            date(self.at_unix_s),
            self.server,
            printable_line(&self.tool),
            printable_line(self.user.as_deref().unwrap_or("nobody")),
            self.reason,
        )
    }
}
