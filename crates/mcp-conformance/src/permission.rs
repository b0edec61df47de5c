//! What gate, approvals, denials and ledger were asked and keep: the stated expectation, and what holds for every call.

use mcp_policy::port::{StepOutcome, StepStatus};
use serde::Deserialize;

use crate::check::Miss;
use crate::evidence::{Done, Evidence};
use crate::governance::{Asked, Judged};
use crate::oracle::Oracle;
use crate::reply::{Values, fill};
use crate::setup::{LedgerChange, RunSetup};

/// What an oracle says of the ports around its calls. A member that is absent is unchecked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedPermission {
    /// Every call that was put to the gate, in order.
    #[serde(default)]
    judged: Option<Vec<ExpectedJudged>>,
    /// Every call that was put to the approvals, in order.
    #[serde(default)]
    asked: Option<Vec<ExpectedAsked>>,
    /// The reasons of the denials that are kept, in order.
    #[serde(default)]
    denials: Option<Vec<String>>,
    /// How many steps the ledger keeps.
    #[serde(default)]
    steps: Option<usize>,
    /// How the run stands: `open`, `done`, `failed`, or `none`.
    #[serde(default)]
    run: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedJudged {
    /// The name on the wire.
    remote_name: String,
    /// The local name, when the call was permitted.
    #[serde(default)]
    tool: Option<String>,
    /// `{{class}}` stands for that of the profile.
    class: String,
    /// `on` or `off`; `{{approval}}` stands for that of the profile.
    approval: String,
    /// The reason, when it was denied.
    #[serde(default)]
    denied: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedAsked {
    /// The local name.
    tool: String,
    /// `granted`, `denied` or `pending`.
    word: String,
    /// Whether it is asked only under a profile whose servers need an approval.
    #[serde(default)]
    only_with_approval: bool,
}

/// Compares what the ports hold with the calls that were made, and with what the oracle says of it.
pub(crate) fn compare_permission(
    oracle: &Oracle,
    evidence: &Evidence,
    values: &Values,
    misses: &mut Vec<Miss>,
) {
    let calls: Vec<&Done> = evidence.done.iter().filter(|done| done.is_call).collect();
    compare_order(evidence, &calls, misses);
    compare_steps(evidence, &calls, misses);
    compare_run(oracle, evidence, misses);
    if let Some(expected) = &oracle.permission {
        expected.compare(evidence, values, misses);
    }
}

/// Each call is put to the gate once; what it denies is kept, and nothing else; what it permits is put to the approvals
/// under the same names where the server's rule says so.
fn compare_order(evidence: &Evidence, calls: &[&Done], misses: &mut Vec<Miss>) {
    let kept = &evidence.kept;
    if kept.judged.len() != calls.len() {
        misses.push(Miss(format!(
            "{} of {} calls were put to the gate",
            kept.judged.len(),
            calls.len()
        )));
    }
    let denied = kept.judged.iter().filter_map(|judged| {
        let reason = judged.denied.clone()?;
        Some((judged.remote_name.clone(), reason))
    });
    if !denied.eq(kept.denials.iter().cloned()) {
        misses.push(Miss(format!("the denials that are kept are {:?}", kept.denials)));
    }
    let by_the_gate = calls
        .iter()
        .filter(|done| done.outcome.is_denied_by_gate())
        .count();
    if kept.denials.len() != by_the_gate {
        misses.push(Miss(format!(
            "{} denials are kept of {by_the_gate}",
            kept.denials.len()
        )));
    }
    let to_be_asked = |judged: &&Judged| judged.denied.is_none() && judged.approval == "on";
    let names = |judged: &Judged| (judged.local_name.clone(), judged.remote_name.clone());
    let to_be_asked = kept.judged.iter().filter(to_be_asked).map(names);
    let asked = |asked: &Asked| (asked.local_name.clone(), asked.remote_name.clone());
    if !to_be_asked.eq(kept.asked.iter().map(asked)) {
        misses.push(Miss(format!(
            "the gate let {:?} pass, and the approvals were asked about {:?}",
            kept.judged, kept.asked
        )));
    }
}

/// Each call that came to its stamp leaves one settled step, with the delivery that the caller is told, by which the stamp
/// stands or does not; one whose outcome could not be stored stays stamped.
fn compare_steps(evidence: &Evidence, calls: &[&Done], misses: &mut Vec<Miss>) {
    let steps = &evidence.kept.steps;
    let stamped: Vec<&&Done> = calls
        .iter()
        .filter(|done| !done.outcome.is_refused_before_stamp())
        .collect();
    if steps.len() != stamped.len() {
        misses.push(Miss(format!(
            "expected {} steps, found {}",
            stamped.len(),
            steps.len()
        )));
    }
    for (step, Done { outcome, told, .. }) in steps.iter().zip(stamped) {
        let unrecorded = outcome.kind() == Some(UNRECORDED);
        let Some(&StepOutcome { status, delivery, .. }) = step.outcome() else {
            if !unrecorded || !step.is_stamped() {
                misses.push(Miss("a step has no outcome".to_owned()));
            }
            continue;
        };
        let expected = match outcome.kind() {
            _ if outcome.is_completed() => StepStatus::Ok,
            Some("cancelled") => StepStatus::Cancelled,
            Some(_) | None => StepStatus::Failed,
        };
        if unrecorded || status != expected {
            misses.push(Miss(format!("the step is settled as {status:?}")));
        }
        // What is known of the call decides whether its stamp stands.
        if told.as_ref().is_some_and(|told| told.delivery != delivery) {
            misses.push(Miss(format!("the step is settled as {}", delivery.name())));
        }
    }
}

/// The kind of an outcome that could not be stored.
const UNRECORDED: &str = "outcome-not-recorded";

/// A run fails by an outcome that could not be stored, and by nothing else.
fn compare_run(oracle: &Oracle, evidence: &Evidence, misses: &mut Vec<Miss>) {
    let ledger = &oracle.client.ledger;
    let mut outcomes = evidence.done.iter().map(|done| done.outcome.kind());
    let fails = outcomes.any(|kind| kind == Some(UNRECORDED)) && !ledger.fails.contains(&LedgerChange::End);
    let expected = match ledger.run {
        RunSetup::Never => None,
        RunSetup::Ended => Some("done"),
        RunSetup::Opened if fails => Some("failed"),
        RunSetup::Opened => Some("open"),
    };
    // Without a client nobody opened a run.
    let found = evidence.kept.run.as_deref();
    if evidence.has_client && found != expected {
        misses.push(Miss(format!("the run is {found:?}, not {expected:?}")));
    }
}

impl ExpectedPermission {
    fn compare(&self, evidence: &Evidence, values: &Values, misses: &mut Vec<Miss>) {
        let kept = &evidence.kept;
        let is_on = values.get("approval").is_some_and(|approval| approval == "on");
        let judged = self.judged.as_ref().map(|expected| {
            let expected: Vec<Judged> = expected.iter().map(|judged| judged.filled(values)).collect();
            expected == kept.judged
        });
        let asked = self.asked.as_ref().map(|expected| {
            let expected = expected
                .iter()
                .filter(|asked| is_on || !asked.only_with_approval)
                .map(|asked| (Some(asked.tool.as_str()), asked.word.as_str()));
            let found = kept.asked.iter();
            expected.eq(found.map(|asked| (asked.local_name.as_deref(), asked.word.as_str())))
        });
        let denials = self.denials.as_ref().map(|expected| {
            let found = kept.denials.iter().map(|(_, reason)| reason);
            expected.iter().eq(found)
        });
        let steps = self.steps.map(|steps| steps == kept.steps.len());
        let run = self
            .run
            .as_ref()
            .map(|run| run == kept.run.as_deref().unwrap_or("none"));
        if [judged, asked, denials, steps, run].contains(&Some(false)) {
            misses.push(Miss(format!("expected {self:?}, found {kept:?}")));
        }
    }
}

impl ExpectedJudged {
    fn filled(&self, values: &Values) -> Judged {
        Judged {
            remote_name: self.remote_name.clone(),
            class: fill(&self.class, values),
            approval: fill(&self.approval, values),
            local_name: self.tool.clone(),
            denied: self.denied.clone(),
        }
    }
}
