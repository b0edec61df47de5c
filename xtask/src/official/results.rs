//! What the suite found: a folder for each scenario, with its checks.

use std::fmt;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::failure::Failure;

/// The check that the suite adds to most scenarios; it holds also when nothing that was asked for came back.
const ADDED: &str = "wire-schema-valid";

/// A folder is named `server-SCENARIO-TIME`.
const PREFIX: &str = "server-";
const TIME: &str = "-2026-01-31T00-00-00-000Z";

/// A scenario and its checks.
#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) name: String,
    checks: Vec<Check>,
}

#[derive(Debug)]
struct Check {
    id: String,
    finding: Finding,
    told: String,
}

/// What became of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Finding {
    Passed,
    /// A warning is a failure here: it stands for a word of the specification that is not kept.
    Failed,
    /// Nothing was judged.
    Told,
}

impl Scenario {
    pub(super) fn read(name: &str, checks: &str) -> Result<Self, Failure> {
        let checks: Vec<Value> = serde_json::from_str(checks)?;
        let checks: Option<Vec<Check>> = checks.iter().map(Check::read).collect();
        Ok(Self {
            name: name.to_owned(),
            checks: checks
                .ok_or_else(|| Failure::new(format!("the checks of {name} are in another form")))?,
        })
    }

    /// Checks that passed.
    pub(super) fn passed(&self) -> usize {
        let passed = |check: &&Check| check.finding == Finding::Passed;
        self.checks.iter().filter(passed).count()
    }

    /// The checks that failed, and what the suite says of each.
    pub(super) fn failed(&self) -> impl Iterator<Item = (&str, &str)> {
        let failed = self
            .checks
            .iter()
            .filter(|check| check.finding == Finding::Failed);
        failed.map(|check| (check.id.as_str(), check.told.as_str()))
    }

    /// Whether any check of its own passed.
    pub(super) fn shows_something(&self) -> bool {
        let own = |check: &Check| check.finding == Finding::Passed && check.id != ADDED;
        self.checks.iter().any(own)
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, passed, failed) = (&self.name, self.passed(), self.failed().count());
        write!(f, "{name:<30} {passed:>2} passed {failed:>2} failed")
    }
}

impl Check {
    fn read(check: &Value) -> Option<Self> {
        let text = |key: &str| check.get(key).and_then(Value::as_str);
        let finding = match text("status")? {
            "SUCCESS" => Finding::Passed,
            "FAILURE" | "WARNING" => Finding::Failed,
            "INFO" | "SKIPPED" => Finding::Told,
            _ => return None,
        };
        Some(Self {
            id: text("id")?.to_owned(),
            finding,
            told: text("errorMessage").unwrap_or_default().to_owned(),
        })
    }
}

/// Reads all scenarios of a run, in the order of their names.
pub(super) fn read(folder: &Path) -> Result<Vec<Scenario>, Failure> {
    let mut scenarios = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let folder = entry.file_name().into_string().unwrap_or_default();
        let name = scenario_of(&folder)
            .ok_or_else(|| Failure::new(format!("the folder {folder} is named in another form")))?;
        scenarios.push(Scenario::read(
            name,
            &fs::read_to_string(entry.path().join("checks.json"))?,
        )?);
    }
    scenarios.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(scenarios)
}

fn scenario_of(folder: &str) -> Option<&str> {
    let rest = folder.strip_prefix(PREFIX)?;
    let (name, time) = rest.split_at_checked(rest.len().checked_sub(TIME.len())?)?;
    let digits = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "0");
    (digits(time) == digits(TIME)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_name_their_scenario() {
        assert_eq!(
            scenario_of("server-server-initialize-2026-11-30T18-56-43-726Z"),
            Some("server-initialize")
        );
        assert_eq!(
            scenario_of("server-json-schema-2020-12-2026-11-30T18-56-44-685Z"),
            Some("json-schema-2020-12")
        );
        assert_eq!(scenario_of("server-ping"), None);
        assert_eq!(scenario_of("server-ping-of-more-than-one-kind-in-words"), None);
    }

    #[test]
    fn a_status_that_is_not_known_is_not_passed_over() {
        let read = |status: &str| Scenario::read("s", &format!(r#"[{{"id":"c","status":"{status}"}}]"#)).ok();
        assert_eq!(read("WARNING").map(|scenario| scenario.failed().count()), Some(1));
        assert_eq!(read("SUCCESS").map(|scenario| scenario.passed()), Some(1));
        assert!(read("OTHER").is_none());
    }
}
