//! The numbered list of checks: each is covered by oracles that ran, held elsewhere by a named test, or out with a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::profile::Profile;
use crate::run::Verdict;
use crate::suite::{LoadError, Suite, entries};

/// How many checks the list has.
const CHECKS: u32 = 39;

/// One check, and what holds it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Its number, from 1.
    pub check: u32,
    /// What it shows, in a few words.
    pub title: String,
    /// What holds it.
    pub by: HeldBy,
}

/// What holds a check.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum HeldBy {
    /// Oracles and cases of the suite, by id.
    Covered(Vec<String>),
    /// Tests of other crates.
    Elsewhere(Vec<NamedTest>),
    /// Nothing, for this reason.
    Out(String),
}

/// A test of a crate.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedTest {
    #[serde(rename = "crate")]
    package: String,
    test: String,
}

/// What the list came to in one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListReport {
    covered: usize,
    elsewhere: usize,
    out: Vec<(u32, String)>,
    /// The checks that a connection cannot be asked, by the profile's name.
    unasked: BTreeMap<String, Vec<u32>>,
    /// Entries that do not hold, in words.
    pub(crate) faults: Vec<String>,
}

impl ListReport {
    /// Compares the list with a run of the whole suite.
    pub(crate) fn of(suite: &Suite, verdicts: &[Verdict]) -> Result<Self, LoadError> {
        let mut report = Self {
            covered: 0,
            elsewhere: 0,
            out: Vec::new(),
            unasked: BTreeMap::new(),
            faults: Vec::new(),
        };
        let numbers: Vec<u32> = suite.checks.iter().map(|check| check.check).collect();
        if !numbers.iter().copied().eq(1..=CHECKS) {
            report.faults.push(format!(
                "the list numbers {numbers:?}, not 1 to {CHECKS} in order"
            ));
        }
        let ran: BTreeSet<(&str, &str)> = verdicts
            .iter()
            .map(|verdict| (verdict.profile.as_str(), verdict.id.as_str()))
            .collect();
        for check in &suite.checks {
            match &check.by {
                HeldBy::Covered(ids) => {
                    report.covered += 1;
                    report.compare_covered(check.check, ids, suite, &ran);
                }
                HeldBy::Elsewhere(tests) => {
                    report.elsewhere += 1;
                    report.compare_elsewhere(check.check, tests, &suite.root)?;
                }
                HeldBy::Out(reason) => report.out.push((check.check, reason.clone())),
            }
        }
        Ok(report)
    }

    /// The report on a list whose tests cannot be looked for.
    pub(crate) fn unreadable(error: &LoadError) -> Self {
        Self {
            covered: 0,
            elsewhere: 0,
            out: Vec::new(),
            unasked: BTreeMap::new(),
            faults: vec![error.to_string()],
        }
    }

    /// Every id is known, and one at least ran under every profile, unless the connection can be asked none of them.
    fn compare_covered(&mut self, check: u32, ids: &[String], suite: &Suite, ran: &BTreeSet<(&str, &str)>) {
        let oracles = |id: &String| suite.oracles.iter().find(|oracle| oracle.id == *id);
        let is_case = |id: &String| suite.structure.iter().any(|case| case.id == *id);
        let unknown: Vec<&String> = ids
            .iter()
            .filter(|id| oracles(id).is_none() && !is_case(id))
            .collect();
        if ids.is_empty() || !unknown.is_empty() {
            self.faults.push(format!(
                "check {check} names {unknown:?}, which are none, of {ids:?}"
            ));
            return;
        }
        for profile in &suite.profiles {
            let can_ask = |id: &&String| oracles(id).is_none_or(|oracle| profile.can_ask(oracle));
            let asked: Vec<&String> = ids.iter().filter(can_ask).collect();
            if asked.is_empty() {
                self.unasked.entry(profile.name.clone()).or_default().push(check);
            }
            let has_run = |id: &&&String| ran.contains(&(place(profile, is_case(id)), id.as_str()));
            if asked.iter().filter(has_run).count() != asked.len() {
                self.faults.push(format!(
                    "check {check}: not all of {asked:?} ran under {}",
                    profile.name
                ));
            }
        }
    }

    /// Every test is there, is one, and is not set aside.
    fn compare_elsewhere(&mut self, check: u32, tests: &[NamedTest], root: &Path) -> Result<(), LoadError> {
        if tests.is_empty() {
            self.faults.push(format!("check {check} names no test"));
        }
        for test in tests {
            if !test.exists(root)? {
                self.faults.push(format!(
                    "check {check}: {} has no test {}",
                    test.package, test.test
                ));
            }
        }
        Ok(())
    }
}

/// Where a verdict stands: cases over the project's own files know no profile.
fn place(profile: &Profile, is_case: bool) -> &str {
    if is_case { NO_PROFILE } else { &profile.name }
}

/// What stands for a profile where there is none.
pub(crate) const NO_PROFILE: &str = "-";

impl NamedTest {
    /// Whether a test of this name stands in the sources or the tests of the crate.
    fn exists(&self, root: &Path) -> Result<bool, LoadError> {
        let package = root.join("crates").join(&self.package);
        let mut folders: Vec<_> = ["src", "tests"].map(|name| package.join(name)).into();
        while let Some(folder) = folders.pop() {
            if !folder.is_dir() {
                continue;
            }
            for path in entries(&folder)? {
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs")
                    && self.stands_in(&fs::read_to_string(&path).unwrap_or_default())
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn stands_in(&self, source: &str) -> bool {
        let head = format!("fn {}(", self.test);
        let lines: Vec<&str> = source.lines().map(str::trim).collect();
        lines.iter().enumerate().any(|(at, line)| {
            let above = lines.get(..at).unwrap_or_default().iter().rev();
            let mut attributes = above.take_while(|line| line.starts_with('#') || line.starts_with("//"));
            line.starts_with(&head)
                && attributes.clone().any(|line| *line == "#[test]")
                && !attributes.any(|line| line.starts_with("#[ignore"))
        })
    }
}

impl fmt::Display for ListReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (check, reason) in &self.out {
            writeln!(f, "check {check} is out: {reason}")?;
        }
        for (profile, checks) in &self.unasked {
            writeln!(f, "checks whose answers cannot be said, on {profile}: {checks:?}")?;
        }
        for fault in &self.faults {
            writeln!(f, "{fault}")?;
        }
        let count = self.covered + self.elsewhere + self.out.len();
        write!(
            f,
            "checks: {count}: {} covered, {} elsewhere, {} out",
            self.covered,
            self.elsewhere,
            self.out.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(test: &str) -> NamedTest {
        NamedTest {
            package: "mcp-conformance".to_owned(),
            test: test.to_owned(),
        }
    }

    fn suite(checks: &str) -> Suite {
        let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
        let mut suite = Suite::load(&specs).unwrap();
        let changed: Vec<Check> = serde_json::from_str(checks).unwrap();
        for check in changed {
            let at = usize::try_from(check.check).unwrap() - 1;
            if let Some(known) = suite.checks.get_mut(at) {
                *known = check;
            } else {
                suite.checks.push(check);
            }
        }
        suite
    }

    fn faults(checks: &str) -> Vec<String> {
        let suite = suite(checks);
        let verdict = |profile: &str, id: &str| Verdict {
            id: id.to_owned(),
            set: String::new(),
            requirements: Vec::new(),
            title: String::new(),
            profile: profile.to_owned(),
            misses: Vec::new(),
        };
        // As if everything had run but E4b under the last profile.
        let last = suite.profiles.last().unwrap();
        let mut verdicts: Vec<Verdict> = suite
            .profiles
            .iter()
            .flat_map(|profile| {
                let asked = suite.oracles.iter().filter(|oracle| profile.can_ask(oracle));
                let asked = asked.filter(|oracle| !(profile.name == last.name && oracle.id == "E4b"));
                asked.map(|oracle| verdict(&profile.name, &oracle.id))
            })
            .collect();
        verdicts.extend(suite.structure.iter().map(|case| verdict(NO_PROFILE, &case.id)));
        ListReport::of(&suite, &verdicts).unwrap().faults
    }

    #[test]
    fn the_list_as_it_stands_holds() {
        assert_eq!(faults("[]"), Vec::<String>::new());
    }

    #[test]
    fn an_entry_that_does_not_hold_is_told() {
        for rotten in [
            r#"[{"check": 1, "title": "", "by": {"covered": ["NONE"]}}]"#,
            r#"[{"check": 1, "title": "", "by": {"covered": []}}]"#,
            r#"[{"check": 1, "title": "", "by": {"covered": ["E4b"]}}]"#,
            r#"[{"check": 1, "title": "", "by": {"elsewhere": [{"crate": "mcp-policy", "test": "no_such_test"}]}}]"#,
            r#"[{"check": 1, "title": "", "by": {"elsewhere": [{"crate": "no-such-crate", "test": "the_edges_of_a_budget"}]}}]"#,
            r#"[{"check": 1, "title": "", "by": {"elsewhere": []}}]"#,
            r#"[{"check": 40, "title": "", "by": {"out": "one too many"}}]"#,
        ] {
            assert_eq!(faults(rotten).len(), 1, "{rotten}");
        }
    }

    #[test]
    fn a_test_is_a_function_that_runs_as_one() {
        assert!(named("a").stands_in("    #[test]\n    fn a() {"));
        assert!(named("a").stands_in("#[test]\n// Why.\n#[should_panic]\nfn a() {"));
        assert!(!named("a").stands_in("fn a() {"));
        assert!(!named("a").stands_in("#[test]\nfn b() {}\nfn a() {"));
        assert!(!named("a").stands_in("#[test]\n#[ignore = \"slow\"]\nfn a() {"));
        assert!(!named("a").stands_in("#[test]\nfn ab() {"));
    }
}
