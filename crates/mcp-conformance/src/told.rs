//! What a model is given of a call, as plain data: the stated expectation, and what holds for every call.

use mcp_policy::{CallOutcome, Failure, RunEffect, ServerName, ToolResult};
use mcp_wire::Delivery;
use serde::Deserialize;

use crate::check::{CANARY, Miss};
use crate::evidence::Done;
use crate::outcome::Outcome;
use crate::profile::SERVER;

/// A result has no more bytes.
const RESULT_BYTES: usize = 50_000;

/// A failure is told in fewer bytes.
const FAILURE_BYTES: usize = 1_000;

/// The result of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) text: String,
    /// The part of the text that is ours.
    pub(crate) lead: String,
    pub(crate) is_error: bool,
    /// The note on omitted blocks, as the client words it.
    pub(crate) note: Option<String>,
    /// Whether the server may have acted, as the caller is told.
    pub(crate) delivery: Delivery,
    /// `goes_on`, `suspends` or `ends`.
    pub(crate) run: &'static str,
}

/// The expected result of the oracle's own call. A member that is absent is unchecked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedTold {
    is_error: bool,
    #[serde(default)]
    begins: String,
    #[serde(default)]
    ends: String,
    #[serde(default)]
    bytes: Option<usize>,
    run: String,
}

impl Told {
    pub(crate) fn of(server: &ServerName, called: Result<CallOutcome, Failure>) -> Self {
        let note = called.as_ref().ok().and_then(|call| call.omitted.note());
        let delivery = called
            .as_ref()
            .map_or_else(Failure::delivery, |_| Delivery::Answered);
        let result = ToolResult::of(server, called);
        Self {
            text: result.to_string(),
            lead: result.lead().to_owned(),
            is_error: result.is_error(),
            note,
            delivery,
            run: match result.run() {
                RunEffect::GoesOn => "goes_on",
                RunEffect::Suspends(_) => "suspends",
                RunEffect::Ends => "ends",
            },
        }
    }

    fn meets(&self, expected: &ExpectedTold) -> bool {
        self.is_error == expected.is_error
            && self.text.starts_with(&expected.begins)
            && self.text.ends_with(&expected.ends)
            && expected.bytes.is_none_or(|bytes| bytes == self.text.len())
            && self.run == expected.run
    }
}

/// Compares the results of all calls with what they came to, and the last one with what the oracle says of it.
pub(crate) fn compare_told(done: &[Done], expected: Option<&ExpectedTold>, misses: &mut Vec<Miss>) {
    let calls = done.iter().filter(|done| done.is_call);
    for Done { outcome, told, .. } in calls {
        match told {
            Some(told) => compare_one(told, outcome, misses),
            None => misses.push(Miss("a call has no result for the model".to_owned())),
        }
    }
    let Some(expected) = expected else {
        return;
    };
    let last = done.last().and_then(|done| done.told.as_ref());
    if !last.is_some_and(|told| told.meets(expected)) {
        let shown = last.map(|told| {
            let beginning: String = told.text.chars().take(400).collect();
            (beginning, told.text.len(), told.is_error, told.run)
        });
        misses.push(Miss(format!(
            "the model is to be told {expected:?}, and is told {shown:?}"
        )));
    }
}

fn compare_one(told: &Told, outcome: &Outcome, misses: &mut Vec<Miss>) {
    let mut expect = |holds: bool, miss: &str| {
        if !holds {
            misses.push(Miss(format!("{miss}: {:?}", told.lead)));
        }
    };
    let answered = matches!(outcome, Outcome::Result { .. });
    expect(
        told.is_error != answered,
        "a failure is told as an answer, or an answer as a failure",
    );
    expect(
        answered || told.lead.contains(&format!("[server {SERVER}]")),
        "an error does not name the server",
    );
    expect(
        told.text.len() <= RESULT_BYTES,
        "a result is longer than its bound",
    );
    expect(
        outcome.kind().is_none() || told.text.len() < FAILURE_BYTES,
        "a failure is told at length",
    );
    expect(
        !told.lead.contains(CANARY),
        "a byte of the server stands in our own words",
    );
    let note = told.note.as_deref().unwrap_or_default();
    expect(
        told.text.starts_with(note),
        "the note on omitted blocks does not stand first",
    );
    expect(
        told.run == run_after(outcome),
        "the run does not go on as it should",
    );
}

/// What becomes of the run after an outcome.
fn run_after(outcome: &Outcome) -> &'static str {
    match outcome.kind() {
        Some("approval-pending") => "suspends",
        Some("no-run" | "cancelled" | "outcome-not-recorded") => "ends",
        Some(kind) if kind.starts_with("store-") => "ends",
        Some(_) | None => "goes_on",
    }
}
