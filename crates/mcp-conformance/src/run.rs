//! The run of a suite: every oracle under every profile in every cutting.

use crate::check::{Miss, check, check_decoder};
use crate::chunking::Chunking;
use crate::oracle::Oracle;
use crate::plant::Plant;
use crate::profile::Profile;
use crate::report::Report;
use crate::structure::StructureCase;
use crate::suite::Suite;

/// What one oracle came to under one profile.
#[derive(Debug)]
pub struct Verdict {
    /// The oracle's id.
    pub id: String,
    /// The set that it belongs to.
    pub set: String,
    /// The requirements that it proves.
    pub requirements: Vec<String>,
    /// What it shows.
    pub title: String,
    /// The profile's name.
    pub profile: String,
    /// What was missed; nothing when it holds.
    pub misses: Vec<Miss>,
}

/// Runs every oracle whose id, set or requirement contains `filter`.
#[must_use]
pub fn run(suite: &Suite, filter: &str) -> Report {
    let mut verdicts = Vec::new();
    for oracle in suite.oracles.iter().filter(|oracle| oracle.matches(filter)) {
        // What the decoder misses stands under the first profile.
        let mut on_decoder = check_decoder(oracle);
        for profile in &suite.profiles {
            verdicts.push(run_oracle(oracle, profile, std::mem::take(&mut on_decoder)));
        }
    }
    for case in suite
        .structure
        .iter()
        .filter(|case| matches(filter, &case.id, STRUCTURE, &case.requirements))
    {
        verdicts.push(Verdict {
            id: case.id.clone(),
            set: STRUCTURE.to_owned(),
            requirements: case.requirements.clone(),
            title: case.title.clone(),
            profile: "-".to_owned(),
            misses: check_structure(case, suite, Plant::NONE),
        });
    }
    Report::new(verdicts, suite)
}

/// The set of the cases that the project's own files decide.
const STRUCTURE: &str = "structure";

fn run_oracle(oracle: &Oracle, profile: &Profile, mut misses: Vec<Miss>) -> Verdict {
    for chunking in Chunking::ALL {
        let found = check(oracle, profile, chunking, Plant::NONE).into_iter();
        misses.extend(found.map(|Miss(miss)| Miss(format!("cut {}: {miss}", chunking.name()))));
    }
    Verdict {
        id: oracle.id.clone(),
        set: oracle.set.clone(),
        requirements: oracle.requirements.clone(),
        title: oracle.title.clone(),
        profile: profile.name.clone(),
        misses,
    }
}

pub(crate) fn check_structure(case: &StructureCase, suite: &Suite, plant: Plant) -> Vec<Miss> {
    case.check(suite, &suite.root, plant)
        .unwrap_or_else(|error| vec![Miss(error.to_string())])
}

/// Whether `filter` is part of an id, a set or a requirement.
pub(crate) fn matches(filter: &str, id: &str, set: &str, requirements: &[String]) -> bool {
    id.contains(filter) || set.contains(filter) || requirements.iter().any(|known| known.contains(filter))
}
