//! The run of a suite: every oracle under every profile in every cutting.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_wire::Transport;

use crate::check::{Miss, check, check_decoder};
use crate::checklist::NO_PROFILE;
use crate::chunking::Chunking;
use crate::connection::{MessagePeer, Outside};
use crate::oracle::Oracle;
use crate::plant::Plant;
use crate::profile::Profile;
use crate::report::Report;
use crate::server::check_conversation;
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
    let mut runs: Vec<ProfileRun> = suite.profiles.iter().map(ProfileRun::of).collect();
    for oracle in suite.oracles.iter().filter(|oracle| oracle.matches(filter)) {
        // What the decoder misses stands under the first profile.
        let mut on_decoder = check_decoder(oracle);
        for (profile, run) in suite.profiles.iter().zip(&mut runs) {
            if profile.can_ask(oracle) {
                let started = Instant::now();
                let (verdict, uncut) = run_oracle(oracle, profile, std::mem::take(&mut on_decoder));
                verdicts.push(verdict);
                run.note(oracle, profile, started.elapsed(), uncut);
            } else {
                run.unasked += 1;
            }
        }
    }
    for conversation in suite
        .conversations
        .iter()
        .filter(|known| matches(filter, &known.id, &known.set, &known.requirements))
    {
        verdicts.extend(conversation.on.iter().map(|carrier| Verdict {
            id: conversation.id.clone(),
            set: conversation.set.clone(),
            requirements: conversation.requirements.clone(),
            title: conversation.title.clone(),
            profile: carrier.name().to_owned(),
            misses: check_conversation(conversation, *carrier, Plant::NONE),
        }));
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
            profile: NO_PROFILE.to_owned(),
            misses: check_structure(case, suite, Plant::NONE),
        });
    }
    Report::new(verdicts, runs, suite, filter.is_empty())
}

/// Runs the oracles that need no HTTP over a transport under test, in every cutting. Each client gets a transport of its own
/// from `transport`, which carries messages to the server that it is given; it is called on a current-thread runtime of
/// tokio with timers and without input and output. As in [`run`], `filter` is part of an id, a set or a requirement.
#[must_use]
pub fn run_over(
    suite: &Suite,
    filter: &str,
    transport: impl Fn(MessagePeer) -> Arc<dyn Transport> + Send + Sync + 'static,
) -> Report {
    let outside = Outside(Arc::new(transport));
    let profiles = suite.profiles.iter().filter(|profile| !profile.has_fields());
    let profiles: Vec<Profile> = profiles.map(|profile| profile.over(outside.clone())).collect();
    let mut verdicts = Vec::new();
    let mut runs: Vec<ProfileRun> = profiles.iter().map(ProfileRun::of).collect();
    for oracle in suite.oracles.iter().filter(|oracle| oracle.matches(filter)) {
        for (profile, run) in profiles.iter().zip(&mut runs) {
            if profile.can_ask(oracle) {
                let started = Instant::now();
                let (verdict, uncut) = run_oracle(oracle, profile, Vec::new());
                verdicts.push(verdict);
                run.note(oracle, profile, started.elapsed(), uncut);
            } else {
                run.unasked += 1;
            }
        }
    }
    Report::new(verdicts, runs, suite, false)
}

/// What one profile was asked, and how long it took.
#[derive(Debug)]
pub(crate) struct ProfileRun {
    pub(crate) name: String,
    pub(crate) oracles: usize,
    /// Oracles that were not asked: what their server says cannot be said on the connection.
    pub(crate) unasked: usize,
    /// Oracles that were asked without the header fields that they name.
    pub(crate) without_fields: usize,
    pub(crate) time: Duration,
    /// The oracles of the list for every connection, and the time of one pass over them, in which no answer is cut.
    pub(crate) listed: usize,
    pub(crate) listed_time: Duration,
}

/// What the requirements of the list for every connection begin with.
const LIST: &str = "R-161-";

impl ProfileRun {
    fn of(profile: &Profile) -> Self {
        Self {
            name: profile.name.clone(),
            oracles: 0,
            unasked: 0,
            without_fields: 0,
            time: Duration::ZERO,
            listed: 0,
            listed_time: Duration::ZERO,
        }
    }

    fn note(&mut self, oracle: &Oracle, profile: &Profile, time: Duration, uncut: Duration) {
        self.oracles += 1;
        self.time += time;
        self.without_fields += usize::from(!profile.has_fields() && oracle.names_fields());
        if oracle.requirements.iter().any(|known| known.starts_with(LIST)) {
            self.listed += 1;
            self.listed_time += uncut;
        }
    }
}

/// The set of the cases that the project's own files decide.
const STRUCTURE: &str = "structure";

/// The verdict over all cuttings, and the time of the one in which nothing is cut.
fn run_oracle(oracle: &Oracle, profile: &Profile, mut misses: Vec<Miss>) -> (Verdict, Duration) {
    let mut uncut = Duration::ZERO;
    for chunking in Chunking::ALL {
        let started = Instant::now();
        let found = check(oracle, profile, chunking, Plant::NONE).into_iter();
        if chunking == Chunking::Whole {
            uncut = started.elapsed();
        }
        misses.extend(found.map(|Miss(miss)| Miss(format!("cut {}: {miss}", chunking.name()))));
    }
    let verdict = Verdict {
        id: oracle.id.clone(),
        set: oracle.set.clone(),
        requirements: oracle.requirements.clone(),
        title: oracle.title.clone(),
        profile: profile.name.clone(),
        misses,
    };
    (verdict, uncut)
}

pub(crate) fn check_structure(case: &StructureCase, suite: &Suite, plant: Plant) -> Vec<Miss> {
    case.check(suite, &suite.root, plant)
        .unwrap_or_else(|error| vec![Miss(error.to_string())])
}

/// Whether `filter` is part of an id, a set or a requirement.
pub(crate) fn matches(filter: &str, id: &str, set: &str, requirements: &[String]) -> bool {
    id.contains(filter) || set.contains(filter) || requirements.iter().any(|known| known.contains(filter))
}
