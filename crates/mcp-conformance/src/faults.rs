//! The run of the plants: each must be caught by an oracle of the requirement that it breaks.

use std::collections::BTreeSet;
use std::fmt;

use crate::check::check;
use crate::chunking::Chunking;
use crate::plant::{Plant, all};
use crate::run::check_structure;
use crate::suite::Suite;

/// What became of every plant.
#[derive(Debug)]
pub struct FaultReport {
    rows: Vec<Row>,
    /// Requirements that no plant breaks.
    unplanted: Vec<String>,
}

#[derive(Debug)]
struct Row {
    plant: Plant,
    /// The first oracle that turned red.
    caught_by: Option<String>,
    /// How many oracles were asked.
    asked: usize,
}

/// Runs each plant against the oracles of its requirement, under the first profile, until one catches it.
#[must_use]
pub fn run_faults(suite: &Suite) -> FaultReport {
    let rows: Vec<Row> = all().map(|plant| run_plant(suite, plant)).collect();
    let planted: BTreeSet<&str> = rows.iter().map(|row| row.plant.requirement).collect();
    let unplanted = suite
        .requirements
        .iter()
        .filter(|requirement| is_planted_here(requirement) && !planted.contains(requirement.as_str()))
        .cloned()
        .collect();
    FaultReport { rows, unplanted }
}

/// Whether a requirement is one whose plants are due.
fn is_planted_here(requirement: &str) -> bool {
    requirement.starts_with("R-227-") || requirement.starts_with("R-181-")
}

fn run_plant(suite: &Suite, plant: Plant) -> Row {
    let mut asked = 0;
    let named = |requirements: &[String]| requirements.iter().any(|known| known == plant.requirement);
    for oracle in suite.oracles.iter().filter(|oracle| named(&oracle.requirements)) {
        let Some(profile) = suite.profiles.first() else {
            break;
        };
        asked += 1;
        if !check(oracle, profile, Chunking::Whole, plant).is_empty() {
            return Row {
                plant,
                caught_by: Some(oracle.id.clone()),
                asked,
            };
        }
    }
    for case in suite.structure.iter().filter(|case| named(&case.requirements)) {
        asked += 1;
        if !check_structure(case, suite, plant).is_empty() {
            return Row {
                plant,
                caught_by: Some(case.id.clone()),
                asked,
            };
        }
    }
    Row {
        plant,
        caught_by: None,
        asked,
    }
}

impl FaultReport {
    /// Whether every plant was caught and every requirement has one.
    #[must_use]
    pub fn is_green(&self) -> bool {
        self.unplanted.is_empty()
            && !self.rows.is_empty()
            && self.rows.iter().all(|row| row.caught_by.is_some())
    }
}

impl fmt::Display for FaultReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<12} {:<14} plant", "requirement", "caught by")?;
        for Row {
            plant,
            caught_by,
            asked,
        } in &self.rows
        {
            let caught_by = caught_by.clone().unwrap_or_else(|| format!("NONE of {asked}"));
            writeln!(f, "{:<12} {caught_by:<14} {}", plant.requirement, plant.name)?;
        }
        for requirement in &self.unplanted {
            writeln!(f, "{requirement:<12} has no plant")?;
        }
        let caught = self.rows.iter().filter(|row| row.caught_by.is_some()).count();
        write!(
            f,
            "faults: {caught} caught, {} missed, {} requirements without a plant",
            self.rows.len() - caught,
            self.unplanted.len()
        )
    }
}
