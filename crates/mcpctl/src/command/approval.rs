//! `approval`: what calls wait for, and a person's word on it. Nothing is contacted.

use mcp_policy::port::{Approval, ApprovalDesk, ApprovalId, CallOrigin, Word};
use serde::Serialize;

use super::block_on;
use super::stores::{Stores, failed};
use crate::arguments::{ApprovalCommand, Options};
use crate::failed::{Failed, Local};
use crate::output::Shown;
use crate::printable::printable_line;
use crate::report::Report;
use crate::timing::Ended;

#[derive(Serialize)]
struct ApprovalsLine {
    outcome: &'static str,
    approvals: Vec<ApprovalLine>,
}

#[derive(Debug, Serialize)]
pub(super) struct ApprovalLine {
    pub(super) approval: u64,
    pub(super) server: String,
    pub(super) tool: String,
    pub(super) definition: Option<String>,
    pub(super) arguments_digest: String,
    pub(super) word: &'static str,
}

pub(crate) fn run(command: &ApprovalCommand, options: &Options) -> Result<Ended, Failed> {
    let stores = Stores::open(options)?;
    let desk = &*stores.desk;
    let approvals = block_on(async {
        let approvals = desk.approvals().await.map_err(failed)?;
        let (id, word) = match command {
            ApprovalCommand::List => return Ok(approvals),
            ApprovalCommand::Grant { id } => (ApprovalId(*id), Some(Word::Granted)),
            ApprovalCommand::Deny { id } => (ApprovalId(*id), Some(Word::Denied)),
            ApprovalCommand::Withdraw { id } => (ApprovalId(*id), None),
        };
        said(desk, approvals, id, word).await
    })?;
    let line = ApprovalsLine {
        outcome: "approvals",
        approvals: approvals.iter().map(ApprovalLine::of).collect(),
    };
    let text = line.approvals.iter().map(ApprovalLine::text).collect();
    Ok(Ended::new(Shown::Report(Report::new(&line, text))))
}

/// Gives a word on one of the approvals, or takes it back; the approval as it is then.
async fn said(
    desk: &dyn ApprovalDesk,
    approvals: Vec<Approval>,
    id: ApprovalId,
    word: Option<Word>,
) -> Result<Vec<Approval>, Failed> {
    let done = match word {
        Some(word) => desk.say(id, word).await,
        None => desk.withdraw(id).await,
    };
    let known = approvals.into_iter().filter(|approval| approval.id == id);
    let said: Vec<Approval> = known.map(|approval| Approval { word, ..approval }).collect();
    if done.map_err(failed)? && !said.is_empty() {
        Ok(said)
    } else {
        Err(Failed::local(
            Local::ApprovalUnknown,
            "there is no approval of this number, or it was used up",
        ))
    }
}

impl ApprovalLine {
    pub(super) fn of(approval: &Approval) -> Self {
        let subject = &approval.subject;
        Self {
            approval: approval.id.0,
            server: subject.server.to_string(),
            tool: subject.tool.as_str().to_owned(),
            definition: match &subject.origin {
                CallOrigin::Catalogued { fingerprint, .. } => Some(fingerprint.to_string()),
                CallOrigin::AdHoc => None,
            },
            arguments_digest: subject.arguments.to_string(),
            word: match approval.word {
                Some(Word::Granted) => "granted",
                Some(Word::Denied) => "denied",
                None => "pending",
            },
        }
    }

    fn text(&self) -> String {
        format!(
            "{}\t{}\t{} {}\t{}\n",
            self.approval,
            self.word,
            self.server,
            printable_line(&self.tool),
            self.arguments_digest,
        )
    }
}
