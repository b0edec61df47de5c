//! What a run of a client in another process came to: a table for people, JSON for machines.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

use super::Skipped;
use super::verdict::Judgement;

/// What one oracle came to under one profile.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) oracle: String,
    pub(super) set: String,
    pub(super) title: String,
    pub(super) profile: String,
    pub(super) expected: String,
    /// What the client printed, or why it printed nothing that can be read.
    pub(super) observed: String,
    pub(super) judgement: Judgement,
}

/// The judgements of a run.
#[derive(Debug)]
pub struct DriverReport {
    pub(super) cases: Vec<Case>,
    pub(super) skipped: Vec<Skipped>,
}

type Counts = BTreeMap<Judgement, usize>;

impl DriverReport {
    /// Whether something ran and every judgement is as expected.
    #[must_use]
    pub fn is_green(&self) -> bool {
        let mut judgements = self.cases.iter().map(|case| case.judgement);
        judgements
            .clone()
            .any(|judgement| judgement == Judgement::AsExpected)
            && judgements.all(Judgement::holds)
    }

    /// The sets with their counts, by judgement.
    fn sets(&self) -> BTreeMap<&str, Counts> {
        let mut sets: BTreeMap<&str, Counts> = BTreeMap::new();
        for case in &self.cases {
            *sets
                .entry(&case.set)
                .or_default()
                .entry(case.judgement)
                .or_default() += 1;
        }
        sets
    }

    fn total(&self) -> Counts {
        let mut total = Counts::new();
        for case in &self.cases {
            *total.entry(case.judgement).or_default() += 1;
        }
        total
    }

    /// The run as one JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let counts = |counts: &Counts| -> Value {
            let count = |judgement: Judgement| counts.get(&judgement).copied().unwrap_or_default();
            Judgement::ALL
                .iter()
                .map(|&judgement| (judgement.name().to_owned(), count(judgement).into()))
                .collect::<serde_json::Map<String, Value>>()
                .into()
        };
        let sets: serde_json::Map<String, Value> = self
            .sets()
            .iter()
            .map(|(set, found)| ((*set).to_owned(), counts(found)))
            .collect();
        let cases: Vec<Value> = self
            .cases
            .iter()
            .map(|case| {
                json!({
                    "oracle": case.oracle,
                    "set": case.set,
                    "title": case.title,
                    "profile": case.profile,
                    "expected": case.expected,
                    "observed": case.observed,
                    "judgement": case.judgement.name(),
                })
            })
            .collect();
        let skipped: Vec<Value> = self
            .skipped
            .iter()
            .map(|skipped| json!({"oracle": skipped.oracle, "reason": skipped.reason}))
            .collect();
        json!({"total": counts(&self.total()), "sets": sets, "cases": cases, "skipped": skipped})
    }
}

impl fmt::Display for DriverReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for case in self.cases.iter().filter(|case| !case.judgement.holds()) {
            let Case {
                oracle,
                title,
                profile,
                expected,
                observed,
                judgement,
                ..
            } = case;
            writeln!(f, "{judgement:<18} {oracle:<16} {profile:<10} {title}")?;
            let observed: String = observed.chars().take(160).collect();
            writeln!(f, "{:<18} expected {expected}, observed {observed}", "")?;
        }
        write!(f, "{:<20}", "set")?;
        for judgement in Judgement::ALL {
            write!(f, " {judgement:>17}")?;
        }
        writeln!(f)?;
        for (set, counts) in self.sets() {
            write_counts(f, set, &counts)?;
        }
        write_counts(f, "total", &self.total())?;
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for skipped in &self.skipped {
            *reasons.entry(skipped.reason).or_default() += 1;
        }
        for (reason, count) in reasons {
            writeln!(f, "{count} oracles skipped: {reason}")?;
        }
        let held = self.cases.iter().filter(|case| case.judgement.holds()).count();
        write!(f, "driver: {held} passed, {} failed", self.cases.len() - held)
    }
}

fn write_counts(f: &mut fmt::Formatter<'_>, name: &str, counts: &Counts) -> fmt::Result {
    write!(f, "{name:<20}")?;
    for judgement in Judgement::ALL {
        write!(f, " {:>17}", counts.get(&judgement).copied().unwrap_or_default())?;
    }
    writeln!(f)
}
