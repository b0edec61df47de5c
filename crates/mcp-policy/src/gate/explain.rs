//! A decision in lines of text, for an operator who asks why. Every word is ours.

use super::decision::{Audience, Decision, Facts, GateStep, Provenance, StepAnswer, ToolFacts};
use super::rules::Mode;

impl Decision {
    /// The verdict on one line, then one line for each step in the order in which they are asked: the name of its reason,
    /// its answer, and what the answer rests on.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let verdict = match (self.reason(), self.observed()) {
            (Some(reason), _) => format!("denied: {}", reason.name()),
            (None, Some(reason)) => format!("permitted; {} is only observed", reason.name()),
            (None, None) => "permitted".to_owned(),
        };
        let steps = self.steps().iter().enumerate().map(|(at, (step, answer))| {
            let (name, because) = (step.reason().name(), because(*step, *answer, &self.facts));
            format!("{}. {name}: {}, {because}", at + 1, said(*answer))
        });
        std::iter::once(verdict).chain(steps).collect()
    }
}

const fn said(answer: StepAnswer) -> &'static str {
    match answer {
        StepAnswer::Passes => "passes",
        StepAnswer::Denies => "denies",
        StepAnswer::Observed => "observed",
        StepAnswer::NotAsked => "not asked",
    }
}

fn because(step: GateStep, answer: StepAnswer, facts: &Facts) -> String {
    let Some(tool) = &facts.tool else {
        return "there is no such tool".to_owned();
    };
    let passes = answer == StepAnswer::Passes;
    match step {
        GateStep::Registered => match tool.provenance {
            Provenance::Host => "it is a tool of the host",
            Provenance::Remote => "it is a tool of a server",
        }
        .to_owned(),
        GateStep::Enabled if passes => "it is switched on as it stands".to_owned(),
        GateStep::Enabled => "it is off, or its definition has changed since it was switched on".to_owned(),
        GateStep::Administrator => match (tool.audience, passes) {
            (Audience::Everyone, _) => "it is for everyone",
            (Audience::Administrators, true) => "it is for administrators, and the caller is one",
            (Audience::Administrators, false) => "it is for administrators, and the caller is none",
        }
        .to_owned(),
        GateStep::Group => match &tool.group {
            None => "it is in no group".to_owned(),
            Some(group) if passes => format!("its group {group} is on"),
            Some(group) => format!("its group {group} is off"),
        },
        GateStep::TrustZone => on_zone(tool, passes, facts),
    }
}

fn on_zone(tool: &ToolFacts, passes: bool, facts: &Facts) -> String {
    let (class, zone, ceiling) = (tool.class.name(), facts.zone.name(), facts.zone.ceiling().name());
    let place = if passes { "within" } else { "above" };
    let mode = match (passes, facts.mode, tool.provenance) {
        (true, _, _) | (false, Mode::Enforce, _) => "",
        (false, Mode::Observe, Provenance::Host) => "; the mode is observe",
        (false, Mode::Observe, Provenance::Remote) => "; remote tools are enforced in observe mode too",
    };
    format!("its class {class} is {place} the ceiling {ceiling} of the zone {zone}{mode}")
}
