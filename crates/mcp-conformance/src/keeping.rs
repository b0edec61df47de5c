//! What an operation may leave in the catalogue: the stated expectation, and what holds for every operation.

use crate::catalogue::Row;
use crate::check::{CANARY, Miss};
use crate::evidence::Done;
use crate::oracle::Operation;
use crate::outcome::Outcome;
use crate::step::Turn;

/// Compares the catalogue after an operation with what the oracle says of it, and with the catalogue before.
pub(crate) fn compare_keeping(turn: Turn<'_>, done: &Done, misses: &mut Vec<Miss>) {
    let (before, after) = (&done.before, &done.after);
    if let Some(expected) = turn.catalogue
        && !after.meets(expected)
    {
        misses.push(Miss(format!(
            "the catalogue is to be {expected:?}, and is {after:?}"
        )));
    }
    if after
        .reason
        .as_ref()
        .is_some_and(|reason| reason.contains(CANARY))
    {
        misses.push(Miss("the reason of a failed import quotes the server".to_owned()));
    }
    match turn.operation {
        Operation::Import => compare_import(done, misses),
        Operation::CallTool
        | Operation::ListTools
        | Operation::Ping
        | Operation::Probe
        | Operation::RemoteTools => {
            if after != before {
                misses.push(Miss("the catalogue was changed by what is no import".to_owned()));
            }
        }
    }
}

/// An import that fails changes nothing but the status and its reason; one that goes well deletes no row and switches no
/// tool on.
fn compare_import(done: &Done, misses: &mut Vec<Miss>) {
    let (before, after) = (&done.before, &done.after);
    let kind = match &done.outcome {
        Outcome::Failed { kind, .. } => Some(kind.as_str()),
        Outcome::RpcError { .. } => Some("rpc-error"),
        Outcome::Imported { .. }
        | Outcome::Result { .. }
        | Outcome::ToolError { .. }
        | Outcome::Pong { .. }
        | Outcome::Tools { .. }
        | Outcome::Offered { .. } => None,
    };
    let status = match kind {
        Some(_) => "error",
        None if after.set_aside.is_empty() => "ok",
        None => "partial",
    };
    if after.status != status || after.reason.as_deref() != kind {
        misses.push(Miss(format!(
            "the import is noted as {:?}, {:?}",
            after.status, after.reason
        )));
    }
    if kind.is_some() && (&after.rows, &after.set_aside) != (&before.rows, &before.set_aside) {
        misses.push(Miss("an import that failed changed the catalogue".to_owned()));
    }
    for row in &before.rows {
        let same = |later: &Row| later.name == row.name && later.first_seen_ms == row.first_seen_ms;
        if !after.rows.iter().any(same) {
            misses.push(Miss(format!("the row {} is gone, or is another one", row.name)));
        }
    }
    for row in after.rows.iter().filter(|row| row.on) {
        if !before
            .rows
            .iter()
            .any(|earlier| earlier.name == row.name && earlier.on)
        {
            misses.push(Miss(format!("an import switched {} on", row.name)));
        }
    }
}
