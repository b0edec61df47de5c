//! What the suite is expected to find: every scenario by name, and each failure with its reason.

use std::collections::BTreeSet;

use serde_json::Value;

use super::results::Scenario;
use crate::failure::Failure;

/// The expectations, of one revision. A scenario stands in one of the lists.
#[derive(Debug)]
pub(super) struct Baseline {
    pub(super) revision: String,
    passes: Vec<String>,
    pub(super) fails: Vec<Expected>,
    /// Scenarios in which the suite judges nothing.
    not_judged: Vec<String>,
}

/// A check that fails.
#[derive(Debug)]
pub(super) struct Expected {
    scenario: String,
    check: String,
}

impl Baseline {
    pub(super) fn read(text: &str) -> Result<Self, Failure> {
        Self::of(&serde_json::from_str(text)?)
            .ok_or_else(|| Failure::new("the expectations are not in their form, or one has no reason"))
    }

    fn of(file: &Value) -> Option<Self> {
        let list = |key: &str| file.get(key)?.as_array();
        let text = |entry: &Value, key: &str| entry.get(key)?.as_str().map(String::from);
        let reasoned = |entry: &Value| text(entry, "reason").filter(|reason| !reason.is_empty());
        let passes = list("passes")?.iter();
        let fails = list("fails")?.iter().map(|entry| {
            reasoned(entry)?;
            Some(Expected {
                scenario: text(entry, "scenario")?,
                check: text(entry, "check")?,
            })
        });
        let not_judged = list("not_judged")?.iter().map(|entry| {
            reasoned(entry)?;
            text(entry, "scenario")
        });
        Some(Self {
            revision: text(file, "revision")?,
            passes: passes
                .map(|name| name.as_str().map(String::from))
                .collect::<Option<_>>()?,
            fails: fails.collect::<Option<_>>()?,
            not_judged: not_judged.collect::<Option<_>>()?,
        })
    }

    /// Every way in which the findings differ from the expectations.
    pub(super) fn mismatches(&self, scenarios: &[Scenario]) -> Vec<String> {
        let mut mismatches = Vec::new();
        for scenario in scenarios {
            let name = scenario.name.as_str();
            let expected = self.expected_of(name);
            let failed: BTreeSet<&str> = scenario.failed().map(|(check, _)| check).collect();
            for (check, told) in scenario.failed() {
                if !expected.contains(check) {
                    mismatches.push(format!("{name}: {check} failed and is not listed: {told}"));
                }
            }
            for check in expected.difference(&failed) {
                mismatches.push(format!("{name}: {check} is listed as failing and did not fail"));
            }
            let passes = self.passes.iter().any(|listed| listed == name);
            let not_judged = self.not_judged.iter().any(|listed| listed == name);
            match (passes, !expected.is_empty(), not_judged) {
                (true, false, false) if !scenario.shows_something() => {
                    mismatches.push(format!("{name}: listed as passing, and nothing was judged"));
                }
                (false, false, true) if scenario.passed() > 0 => {
                    mismatches.push(format!("{name}: listed as not judged, and something passed"));
                }
                (true, false, false) | (false, true, false) | (false, false, true) => {}
                (false, false, false) => mismatches.push(format!("{name}: not listed")),
                _ => mismatches.push(format!("{name}: listed in more than one way")),
            }
        }
        let ran = |name: &str| scenarios.iter().any(|scenario| scenario.name == name);
        let failing = self.fails.iter().map(|expected| &expected.scenario);
        let listed: BTreeSet<&String> = self
            .passes
            .iter()
            .chain(failing)
            .chain(&self.not_judged)
            .collect();
        let missing = listed.into_iter().filter(|name| !ran(name));
        mismatches.extend(missing.map(|name| format!("{name}: listed, and did not run")));
        mismatches
    }

    fn expected_of(&self, scenario: &str) -> BTreeSet<&str> {
        let of_it = self.fails.iter().filter(|expected| expected.scenario == scenario);
        of_it.map(|expected| expected.check.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASELINE: &str = r#"{"revision": "r", "passes": ["good"],
        "fails": [{"scenario": "bad", "check": "c", "reason": "because"}],
        "not_judged": [{"scenario": "mute", "reason": "because"}]}"#;
    const PASSED: &str =
        r#"[{"id": "c", "status": "SUCCESS"}, {"id": "wire-schema-valid", "status": "SUCCESS"}]"#;
    const FAILED: &str = r#"[{"id": "c", "status": "FAILURE", "errorMessage": "no"}]"#;
    const TOLD: &str = r#"[{"id": "c", "status": "INFO"}]"#;

    fn mismatches(found: &[(&str, &str)]) -> Vec<String> {
        let found = found
            .iter()
            .map(|(name, checks)| Scenario::read(name, checks).unwrap());
        Baseline::read(BASELINE)
            .unwrap()
            .mismatches(&found.collect::<Vec<_>>())
    }

    #[test]
    fn findings_as_listed_are_no_mismatch() {
        let found = [("good", PASSED), ("bad", FAILED), ("mute", TOLD)];
        assert_eq!(mismatches(&found), [""; 0]);
    }

    #[test]
    fn a_failure_that_is_not_listed_is_one() {
        let found = [("good", FAILED), ("bad", FAILED), ("mute", TOLD)];
        assert_eq!(
            mismatches(&found),
            [
                "good: c failed and is not listed: no",
                "good: listed as passing, and nothing was judged"
            ]
        );
    }

    #[test]
    fn a_stale_entry_is_one() {
        let found = [("good", PASSED), ("bad", PASSED), ("mute", PASSED)];
        assert_eq!(
            mismatches(&found),
            [
                "bad: c is listed as failing and did not fail",
                "mute: listed as not judged, and something passed"
            ]
        );
    }

    #[test]
    fn scenarios_that_came_or_went_are_one() {
        assert_eq!(
            mismatches(&[("good", PASSED), ("mute", TOLD), ("new", PASSED)]),
            ["new: not listed", "bad: listed, and did not run"]
        );
    }

    #[test]
    fn each_expected_failure_has_its_reason() {
        assert!(Baseline::read(&BASELINE.replace("because", "")).is_err());
    }
}
