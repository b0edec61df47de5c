//! The suite as a black box: the oracles of a call on loopback sockets, for any client that is a command.

mod answer;
mod faults;
mod process;
mod report;
mod request;
mod server;
mod verdict;

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use self::answer::{Answer, Unreadable};
pub use self::faults::run_driver_faults;
use self::process::{Run, run};
use self::report::Case;
pub use self::report::DriverReport;
use self::server::Server;
use self::verdict::{Judgement, judge};
use crate::oracle::{Expected, Operation, Oracle};
use crate::plant::Plant;
use crate::profile::Profile;
use crate::suite::Suite;

/// A client and how it is run.
#[derive(Debug, Clone)]
pub struct Driver {
    /// A shell command. `call URL echo {}` is appended, and it prints one line in the form of `mcpctl --json`.
    pub command: String,
    /// A client that takes longer hangs.
    pub limit: Duration,
    /// How many run at a time.
    pub jobs: usize,
}

impl Driver {
    /// A client with the limits of the suite: ten seconds for a case, and two cases for each core, as many of them wait.
    #[must_use]
    pub fn new(command: String) -> Self {
        Self {
            command,
            limit: Duration::from_secs(10),
            jobs: thread::available_parallelism().map_or(1, NonZero::get) * 2,
        }
    }
}

/// An oracle that a client in another process cannot be asked.
#[derive(Debug)]
struct Skipped {
    oracle: String,
    reason: &'static str,
}

/// Puts every oracle of a call whose id, set or requirement contains `filter` to a client, under the profiles whose
/// name contains `profile`.
#[must_use]
pub fn run_driver(suite: &Suite, driver: &Driver, filter: &str, profile: &str) -> DriverReport {
    let (mut chosen, mut skipped) = (Vec::new(), Vec::new());
    for oracle in suite.oracles.iter().filter(|oracle| oracle.matches(filter)) {
        match skip(oracle) {
            None => chosen.extend(
                suite
                    .profiles
                    .iter()
                    .filter(|known| known.is_scripted_in_http() && known.name.contains(profile))
                    .map(|profile| (oracle, profile)),
            ),
            Some(reason) => skipped.push(Skipped {
                oracle: oracle.id.clone(),
                reason,
            }),
        }
    }
    let next = AtomicUsize::new(0);
    let cases = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..driver.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((oracle, profile)) = chosen.get(index) else {
                        return;
                    };
                    let case = put(oracle, profile, driver, Plant::NONE);
                    cases
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((index, case));
                }
            });
        }
    });
    let mut cases = cases.into_inner().unwrap_or_else(PoisonError::into_inner);
    cases.sort_by_key(|(index, _)| *index);
    // A busy machine is not the client's fault: what may come of one is tried once more, alone.
    for (index, case) in &mut cases {
        if let (true, Some((oracle, profile))) = (case.judgement.may_be_haste(), chosen.get(*index)) {
            *case = put(oracle, profile, driver, Plant::NONE);
        }
    }
    DriverReport {
        cases: cases.into_iter().map(|(_, case)| case).collect(),
        skipped,
    }
}

/// Why a client in another process cannot be asked this.
fn skip(oracle: &Oracle) -> Option<&'static str> {
    let mut replies = oracle.legs.values().flatten();
    if oracle.operation != Operation::CallTool {
        Some("the operation is not a call")
    } else if !oracle.before.is_empty() {
        Some("operations of a host come before the call")
    } else if oracle.repeat != 1 {
        Some("more than one call")
    } else if !oracle.client.is_ordinary() {
        Some("the client is set up in a special way")
    } else if replies.clone().any(|reply| reply.silent || reply.elapse_ms > 0) {
        Some("time has to pass")
    } else if replies.clone().any(|reply| reply.cancel) {
        Some("the caller has to cancel")
    } else if replies.any(|reply| reply.mentions(&NEAR_IDS)) {
        Some("another spelling of an id that is a text")
    } else {
        None
    }
}

/// Placeholders that need an id of our form.
const NEAR_IDS: [&str; 4] = ["id_upper", "id_prefix", "id_next", "id_escaped"];

fn put(oracle: &Oracle, profile: &Profile, driver: &Driver, plant: Plant) -> Case {
    let (judgement, observed) = match observe(oracle, profile, driver, plant) {
        Ok(judged) => judged,
        Err(error) => (Judgement::Unreadable, format!("it could not be run: {error}")),
    };
    Case {
        oracle: oracle.id.clone(),
        set: oracle.set.clone(),
        title: oracle.title.clone(),
        profile: profile.name.clone(),
        expected: describe(&oracle.expect),
        observed,
        judgement,
    }
}

fn observe(
    oracle: &Oracle,
    profile: &Profile,
    driver: &Driver,
    plant: Plant,
) -> std::io::Result<(Judgement, String)> {
    let server = Server::start(oracle, profile, plant)?;
    let arguments = ["call", &server.url(), "echo", "{}"];
    let stdout = match run(&driver.command, &arguments, driver.limit)? {
        Run::Ended(stdout) => stdout,
        Run::Hang => return Ok((Judgement::Hang, "no end".to_owned())),
    };
    Ok(match Answer::parse(&stdout) {
        Ok(answer) => {
            let answer = answer.planted(plant);
            let judgement = if server.met_its_own_id() {
                Judgement::NotApplicable
            } else {
                judge(&oracle.expect, &answer)
            };
            (judgement, format!("{answer:?}"))
        }
        Err(Unreadable(reason)) => (Judgement::Unreadable, reason),
    })
}

fn describe(expected: &Expected) -> String {
    match expected {
        Expected::Result { text, .. } => format!("result {text:?}"),
        Expected::ToolError { text } => format!("tool error {text:?}"),
        Expected::RpcError { code, .. } => format!("rpc error {code}"),
        Expected::Failed { kind, .. } => format!("a refusal, {kind}"),
        Expected::Pong { .. }
        | Expected::Tools { .. }
        | Expected::Imported { .. }
        | Expected::Offered { .. } => "no call".to_owned(),
    }
}
