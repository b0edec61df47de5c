//! The run of the plants: each must be caught by an oracle of the requirement that it breaks.

use std::collections::BTreeSet;
use std::fmt;

use crate::check::check;
use crate::chunking::Chunking;
use crate::plant::{Plant, all};
use crate::run::check_structure;
use crate::server::{Carrier, check_conversation};
use crate::suite::Suite;

/// What became of every plant.
#[derive(Debug)]
pub struct FaultReport {
    rows: Vec<Row>,
    /// Requirements that no plant breaks.
    unplanted: Vec<String>,
}

/// What became of one plant.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) plant: Plant,
    pub(crate) fate: Fate,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// By the first oracle that turned red.
    Caught(String),
    /// By none of so many, of which so many are red without it too.
    Missed { asked: usize, red_anyway: usize },
    /// This client cannot be given the fault, for this reason.
    Beyond(String),
}

/// Runs each plant against the oracles of its requirement, under each profile, until one catches it.
#[must_use]
pub fn run_faults(suite: &Suite) -> FaultReport {
    let row = |plant| Row {
        plant,
        fate: run_plant(suite, plant),
    };
    let rows: Vec<Row> = all().map(row).collect();
    let planted: BTreeSet<&str> = rows.iter().map(|row| row.plant.requirement).collect();
    let unplanted = suite
        .requirements
        .iter()
        .filter(|requirement| is_planted_here(requirement) && !planted.contains(requirement.as_str()))
        .cloned()
        .collect();
    FaultReport::new(rows, unplanted)
}

/// Whether a requirement is one whose plants are due: those of the wire, of the list for every
/// connection, and of a server's context.
fn is_planted_here(requirement: &str) -> bool {
    let sections = ["R-227-", "R-181-", "R-161-", "R-0009-"];
    sections.iter().any(|section| requirement.starts_with(section))
}

fn run_plant(suite: &Suite, plant: Plant) -> Fate {
    let mut asked = 0;
    let named = |requirements: &[String]| requirements.iter().any(|known| known == plant.requirement);
    for oracle in suite.oracles.iter().filter(|oracle| named(&oracle.requirements)) {
        asked += 1;
        let is_red = |profile| !check(oracle, profile, Chunking::Whole, plant).is_empty();
        let mut profiles = suite.profiles.iter().filter(|profile| profile.can_ask(oracle));
        if profiles.any(is_red) {
            return Fate::Caught(oracle.id.clone());
        }
    }
    for conversation in suite
        .conversations
        .iter()
        .filter(|known| named(&known.requirements))
    {
        asked += 1;
        let is_red = |carrier: &Carrier| !check_conversation(conversation, *carrier, plant).is_empty();
        if conversation.on.iter().any(is_red) {
            return Fate::Caught(conversation.id.clone());
        }
    }
    for case in suite.structure.iter().filter(|case| named(&case.requirements)) {
        asked += 1;
        if !check_structure(case, suite, plant).is_empty() {
            return Fate::Caught(case.id.clone());
        }
    }
    Fate::Missed { asked, red_anyway: 0 }
}

impl FaultReport {
    pub(crate) const fn new(rows: Vec<Row>, unplanted: Vec<String>) -> Self {
        Self { rows, unplanted }
    }

    /// Whether every plant that the client can be given was caught, at least one was, and every requirement has one.
    #[must_use]
    pub fn is_green(&self) -> bool {
        let [caught, missed, _] = self.counts();
        self.unplanted.is_empty() && caught > 0 && missed == 0
    }

    /// How many were caught, how many missed, and how many are beyond the client.
    fn counts(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        let [caught, missed, beyond] = &mut counts;
        for row in &self.rows {
            *match row.fate {
                Fate::Caught(_) => &mut *caught,
                Fate::Missed { .. } => &mut *missed,
                Fate::Beyond(_) => &mut *beyond,
            } += 1;
        }
        counts
    }
}

impl fmt::Display for FaultReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<12} {:<14} plant", "requirement", "caught by")?;
        for Row { plant, fate } in &self.rows {
            let Plant {
                name, requirement, ..
            } = plant;
            match fate {
                Fate::Caught(oracle) => writeln!(f, "{requirement:<12} {oracle:<14} {name}")?,
                Fate::Missed { asked, red_anyway } => {
                    let none = format!("NONE of {asked}");
                    write!(f, "{requirement:<12} {none:<14} {name}")?;
                    match red_anyway {
                        0 => writeln!(f)?,
                        red => writeln!(f, ": {red} of them are red without it too")?,
                    }
                }
                Fate::Beyond(reason) => writeln!(f, "{requirement:<12} {:<14} {name}: {reason}", "beyond")?,
            }
        }
        for requirement in &self.unplanted {
            writeln!(f, "{requirement:<12} has no plant")?;
        }
        let [caught, missed, beyond] = self.counts();
        write!(
            f,
            "faults: {caught} caught, {missed} missed, {beyond} beyond the client, "
        )?;
        write!(f, "{} requirements without a plant", self.unplanted.len())
    }
}
