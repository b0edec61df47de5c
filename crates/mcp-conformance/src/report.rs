//! What a run came to: a table for people, JSON and JUnit for machines.

use std::collections::BTreeMap;
use std::fmt;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value, json};

use crate::check::Miss;
use crate::checklist::ListReport;
use crate::run::{ProfileRun, Verdict};
use crate::suite::Suite;

/// The verdicts of a run.
#[derive(Debug)]
pub struct Report {
    verdicts: Vec<Verdict>,
    runs: Vec<ProfileRun>,
    /// The list of checks; nothing when only a part of the suite ran.
    list: Option<ListReport>,
    /// Requirements that nothing proves.
    unproven: Vec<String>,
}

impl Report {
    pub(crate) fn new(verdicts: Vec<Verdict>, runs: Vec<ProfileRun>, suite: &Suite, is_whole: bool) -> Self {
        let list = is_whole
            .then(|| ListReport::of(suite, &verdicts).unwrap_or_else(|error| ListReport::unreadable(&error)));
        Self {
            verdicts,
            runs,
            list,
            unproven: suite.unproven(),
        }
    }

    /// How many verdicts hold.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.verdicts.len() - self.failed()
    }

    /// How many verdicts miss an expectation.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.verdicts
            .iter()
            .filter(|verdict| !verdict.misses.is_empty())
            .count()
    }

    /// Whether something ran, everything holds, no requirement lacks an oracle, and the list of checks holds.
    #[must_use]
    pub fn is_green(&self) -> bool {
        let list_holds = self.list.as_ref().is_none_or(|list| list.faults.is_empty());
        self.failed() == 0 && self.passed() > 0 && self.unproven.is_empty() && list_holds
    }

    /// The run as one JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let misses = |misses: &[Miss]| -> Vec<String> { misses.iter().map(|miss| miss.0.clone()).collect() };
        let verdicts: Vec<Value> = self
            .verdicts
            .iter()
            .map(|verdict| {
                json!({
                    "oracle": verdict.id,
                    "set": verdict.set,
                    "requirements": verdict.requirements,
                    "title": verdict.title,
                    "profile": verdict.profile,
                    "passed": verdict.misses.is_empty(),
                    "misses": misses(&verdict.misses),
                })
            })
            .collect();
        let list = self.list.as_ref().map(ToString::to_string);
        json!({"passed": self.passed(), "failed": self.failed(), "verdicts": verdicts, "list": list})
    }

    /// The run as JUnit XML, one suite for each profile.
    ///
    /// # Errors
    ///
    /// When the XML cannot be written.
    pub fn to_junit(&self) -> Result<String, quick_junit::SerializeError> {
        let mut suites: BTreeMap<&str, TestSuite> = BTreeMap::new();
        for verdict in &self.verdicts {
            let status = if verdict.misses.is_empty() {
                TestCaseStatus::success()
            } else {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                let lines: Vec<&str> = verdict.misses.iter().map(|miss| miss.0.as_str()).collect();
                status.set_message(lines.join("; "));
                status
            };
            let mut case = TestCase::new(format!("{}: {}", verdict.id, verdict.title), status);
            case.set_classname(verdict.requirements.join(" "));
            let suite = suites
                .entry(&verdict.profile)
                .or_insert_with(|| TestSuite::new(verdict.profile.clone()));
            suite.add_test_case(case);
        }
        let mut report = quick_junit::Report::new("conformance");
        report.add_test_suites(suites.into_values());
        report.to_string()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<28} {:<16} {:<14} {:<6} title",
            "requirement", "oracle", "profile", ""
        )?;
        for verdict in &self.verdicts {
            let word = if verdict.misses.is_empty() { "ok" } else { "MISS" };
            let requirements = verdict.requirements.join(" ");
            let Verdict {
                id,
                title,
                profile,
                misses,
                ..
            } = verdict;
            writeln!(f, "{requirements:<28} {id:<16} {profile:<14} {word:<6} {title}")?;
            for Miss(miss) in misses {
                writeln!(f, "{:<28} {miss}", "")?;
            }
        }
        writeln!(f)?;
        let mut sets: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for verdict in &self.verdicts {
            let (passed, failed) = sets.entry(&verdict.set).or_default();
            *(if verdict.misses.is_empty() { passed } else { failed }) += 1;
        }
        for (set, (passed, failed)) in sets {
            writeln!(f, "{set:<28} {passed} passed, {failed} failed")?;
        }
        for run in &self.runs {
            writeln!(f, "{run}")?;
        }
        if let Some(list) = &self.list {
            writeln!(f, "{list}")?;
        }
        let unproven = if self.unproven.is_empty() {
            "none".to_owned()
        } else {
            self.unproven.join(" ")
        };
        writeln!(f, "requirements that nothing proves: {unproven}")?;
        write!(
            f,
            "conformance: {} passed, {} failed",
            self.passed(),
            self.failed()
        )
    }
}

impl fmt::Display for ProfileRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "profile {:<16} {} oracles in {:.2} s, {} of the list for every connection uncut in {:.2} s; {} cannot be said on it, {} without \
             their header fields",
            self.name,
            self.oracles,
            self.time.as_secs_f64(),
            self.listed,
            self.listed_time.as_secs_f64(),
            self.unasked,
            self.without_fields
        )
    }
}
