//! What a diagnosis prints: every step, and the first that failed with one hint.

use std::time::Duration;

use serde::Serialize;

use super::step::Step;
use crate::exit::Exit;
use crate::failed::Failed;
use crate::printable::printable_line;
use crate::report::Report;

#[derive(Debug, Serialize)]
pub(super) struct DoctorLine {
    outcome: &'static str,
    server: String,
    steps: Vec<StepLine>,
    failed: Option<FailedLine>,
    #[serde(skip)]
    failure: Option<Failed>,
    /// The steps that this way does not have.
    #[serde(skip)]
    without: Vec<Step>,
}

#[derive(Debug, Serialize)]
struct StepLine {
    step: &'static str,
    state: State,
    took_ms: Option<f64>,
    found: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    Ok,
    Failed,
    NotReached,
}

#[derive(Debug, Serialize)]
struct FailedLine {
    step: &'static str,
    kind: &'static str,
    delivery: &'static str,
    message: String,
    hint: Option<String>,
}

impl DoctorLine {
    pub(super) fn new(server: &str, without: Vec<Step>) -> Self {
        Self {
            outcome: "doctor",
            server: server.to_owned(),
            steps: Vec::new(),
            failed: None,
            failure: None,
            without,
        }
    }

    pub(super) fn passed(&mut self, step: Step, took: Option<Duration>, found: &str) {
        self.note(step, State::Ok, took, Some(found.to_owned()));
    }

    /// The way ends here.
    pub(super) fn failed(&mut self, step: Step, took: Option<Duration>, failed: Failed) {
        self.note(step, State::Failed, took, Some(failed.message.clone()));
        self.failed = Some(FailedLine {
            step: step.name(),
            kind: failed.kind,
            delivery: failed.delivery.name(),
            message: failed.message.clone(),
            hint: failed.advice(),
        });
        self.failure = Some(failed);
    }

    fn note(&mut self, step: Step, state: State, took: Option<Duration>, found: Option<String>) {
        self.steps.push(StepLine {
            step: step.name(),
            state,
            took_ms: took.map(|took| (took.as_secs_f64() * 1e6).round() / 1e3),
            found,
        });
    }

    pub(super) fn report(mut self) -> Report {
        if self.failed.is_some() {
            for step in Step::ALL {
                let noted = self.steps.iter().any(|line| line.step == step.name());
                let after = self.steps.last().is_some_and(|last| is_after(step, last.step));
                if !noted && after && !self.without.contains(&step) {
                    self.note(step, State::NotReached, None, None);
                }
            }
        }
        let text = self.steps.iter().map(StepLine::text).collect();
        let report = Report::new(&self, text);
        match (&self.failed, &self.failure) {
            (Some(line), Some(failed)) => {
                let hint = line.hint.as_deref().map(|hint| format!("; {hint}"));
                let remark = format!(
                    "first failing step: {} ({}){}",
                    line.step,
                    line.kind,
                    hint.unwrap_or_default()
                );
                report.with_remarks([printable_line(&remark)]).ending(failed.exit)
            }
            (Some(_), None) | (None, _) => report.ending(Exit::Ok),
        }
    }
}

fn is_after(step: Step, other: &str) -> bool {
    Step::ALL
        .iter()
        .any(|known| known.name() == other && step > *known)
}

impl StepLine {
    fn text(&self) -> String {
        let state = match self.state {
            State::Ok => "ok",
            State::Failed => "FAILED",
            State::NotReached => "-",
        };
        let took = self
            .took_ms
            .map(|took| format!("{took:.1} ms"))
            .unwrap_or_default();
        let found = printable_line(self.found.as_deref().unwrap_or_default());
        let line = format!("{:<15} {state:<7} {took:>10}  {found}", self.step);
        format!("{}\n", line.trim_end())
    }
}
