//! The one check: an oracle under a profile, against the real client.

use mcp_policy::port::{StepOutcome, StepStatus};
use mcp_policy::{Failure, Server};
use mcp_testkit::{FakeClock, PeerLog, RecordedRequest, ScriptedPeer};
use mcp_wire::Delivery;

use crate::chunking::Chunking;
use crate::decoder::compare_cuttings;
use crate::oracle::{Expected, ExpectedRequest, Operation, Oracle};
use crate::profile::Profile;
use crate::reply::{Values, fill};
use crate::report::Report;
use crate::script::OracleScript;
use crate::subject::{Observed, Subject};
use crate::suite::Suite;

/// A word that oracles put into replies; it may appear in no failure.
const CANARY: &str = "CANARY";

/// What one oracle came to under one profile.
#[derive(Debug)]
pub struct Verdict {
    /// The oracle.
    pub oracle: Oracle,
    /// The profile's name.
    pub profile: String,
    /// What was missed; nothing when it holds.
    pub misses: Vec<Miss>,
}

/// One expectation that was not met, in words.
#[derive(Debug)]
pub struct Miss(pub String);

/// Runs every oracle whose id, set or requirement contains `filter`, under every profile and in every cutting.
#[must_use]
pub fn run(suite: &Suite, filter: &str) -> Report {
    let mut verdicts = Vec::new();
    for oracle in suite.oracles.iter().filter(|oracle| oracle.matches(filter)) {
        // The decoder knows no profile: once is enough, and what it misses stands under the first one.
        let mut on_decoder = Vec::new();
        for (body, framing, id) in oracle.bodies() {
            compare_cuttings(&body, framing, id, &mut on_decoder);
        }
        for profile in &suite.profiles {
            let mut misses = std::mem::take(&mut on_decoder);
            for chunking in Chunking::ALL {
                let found = check(oracle, profile, chunking).into_iter();
                misses.extend(found.map(|Miss(miss)| Miss(format!("cut {}: {miss}", chunking.name()))));
            }
            verdicts.push(Verdict {
                oracle: oracle.clone(),
                profile: profile.name.clone(),
                misses,
            });
        }
    }
    Report::new(verdicts, suite)
}

/// Runs one oracle under one profile and compares everything that it speaks of.
fn check(oracle: &Oracle, profile: &Profile, chunking: Chunking) -> Vec<Miss> {
    let clock = FakeClock::new();
    let peer = ScriptedPeer::new(OracleScript::new(oracle, profile, clock.clone(), chunking));
    let observation = observe(oracle, profile, &peer, clock);
    let (server, subject, observed) = match observation {
        Ok(observation) => observation,
        Err(reason) => return vec![Miss(format!("the suite could not be set up: {reason}"))],
    };
    let mut misses = Vec::new();
    for observed in &observed {
        compare(&oracle.expect, observed, &mut misses);
        look_for_canary(observed, &mut misses);
    }
    compare_contacts(oracle, subject.health.count(&server.name), &mut misses);
    compare_steps(oracle, &subject, &mut misses);
    let log = peer.log();
    compare_ids(&log, &mut misses);
    if let Some(expected) = &oracle.requests {
        compare_requests(expected, &log, profile, &mut misses);
    }
    misses
}

type Observation = (Server, Subject, Vec<Observed>);

fn observe(
    oracle: &Oracle,
    profile: &Profile,
    peer: &ScriptedPeer,
    clock: FakeClock,
) -> Result<Observation, Box<dyn std::error::Error>> {
    let server = profile.server()?;
    let subject = Subject::new(peer.clone(), clock)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let observed = runtime.block_on(async {
        let mut observed = Vec::new();
        for _ in 0..oracle.repeat {
            observed.push(subject.carry_out(oracle.operation, &server).await?);
        }
        Ok::<_, Box<dyn std::error::Error>>(observed)
    })?;
    Ok((server, subject, observed))
}

fn compare(expected: &Expected, observed: &Observed, misses: &mut Vec<Miss>) {
    let holds = match (expected, observed) {
        (Expected::Result { text, structured }, Observed::Call(call)) => {
            !call.is_error
                && call.text == *text
                && structured
                    .as_deref()
                    .is_none_or(|structured| call.structured.as_deref() == Some(structured))
        }
        (Expected::ToolError { text }, Observed::Call(call)) => call.is_error && call.text == *text,
        (
            Expected::RpcError {
                code,
                message,
                http_status,
            },
            Observed::Failed(Failure::Rpc {
                error,
                http_status: status,
                delivery: _,
            }),
        ) => {
            error.code().get() == *code
                && message.as_ref().is_none_or(|message| error.message() == message)
                && http_status.is_none_or(|expected| *status == Some(expected))
        }
        (Expected::Failed { kind, delivery, says }, Observed::Failed(failure)) => {
            failure.kind() == kind
                && delivery
                    .as_ref()
                    .is_none_or(|delivery| failure.delivery().name() == delivery)
                && says
                    .as_ref()
                    .is_none_or(|says| failure.to_string().contains(says.as_str()))
        }
        (Expected::Pong { version, name }, Observed::Pong(pong)) => {
            pong.version.as_str() == version && pong.server.name == *name
        }
        (Expected::Pong { version, name }, Observed::Probe(probe)) => {
            probe.pong.version.as_str() == version && probe.pong.server.name == *name
        }
        (Expected::Tools { names, quarantined }, Observed::Tools(list)) => {
            list.tools
                .iter()
                .map(|tool| tool.name().as_str())
                .eq(names.iter().map(String::as_str))
                && list.quarantined.len() == *quarantined
        }
        (_, _) => false,
    };
    if !holds {
        misses.push(Miss(format!(
            "expected {expected:?}, observed {}",
            describe(observed)
        )));
    }
}

/// Our own words on what was observed; a remote text only where the client itself shows it.
fn describe(observed: &Observed) -> String {
    match observed {
        Observed::Call(call) => format!(
            "a result with is_error={} and text {:?}",
            call.is_error, call.text
        ),
        Observed::Tools(list) => {
            format!(
                "{} tools and {} set aside",
                list.tools.len(),
                list.quarantined.len()
            )
        }
        Observed::Pong(pong) => format!("a handshake at {} with {:?}", pong.version, pong.server.name),
        Observed::Probe(probe) => format!("a probe at {}", probe.pong.version),
        Observed::Failed(failure) => {
            format!(
                "failure {} ({}, {})",
                failure.kind(),
                failure.delivery().name(),
                failure
            )
        }
    }
}

/// R-227-4c: no byte of a refused reply in a failure. An RPC error is an answer, so its message may be shown.
fn look_for_canary(observed: &Observed, misses: &mut Vec<Miss>) {
    if let Observed::Failed(failure) = observed {
        let shown = format!("{failure} {failure:?}");
        if shown.contains(CANARY) && !matches!(failure, Failure::Rpc { .. }) {
            misses.push(Miss(format!("a byte of the refused reply is shown: {shown}")));
        }
    }
}

/// One contact for each completed operation, none for a refused or failed one.
fn compare_contacts(oracle: &Oracle, contacts: usize, misses: &mut Vec<Miss>) {
    let expected = match oracle.expect {
        Expected::Result { .. }
        | Expected::ToolError { .. }
        | Expected::Pong { .. }
        | Expected::Tools { .. } => oracle.repeat,
        Expected::RpcError { .. } | Expected::Failed { .. } => 0,
    };
    if contacts != expected {
        misses.push(Miss(format!(
            "expected {expected} noted contacts, found {contacts}"
        )));
    }
}

/// Each call leaves one settled step; one that was not sent leaves no stamp.
fn compare_steps(oracle: &Oracle, subject: &Subject, misses: &mut Vec<Miss>) {
    let steps = subject.ledger.steps();
    let calls = if oracle.operation == Operation::CallTool {
        oracle.repeat
    } else {
        0
    };
    if steps.len() != calls {
        misses.push(Miss(format!("expected {calls} steps, found {}", steps.len())));
    }
    for step in steps {
        let Some(StepOutcome { status, delivery }) = step.outcome else {
            misses.push(Miss("a step has no outcome".to_owned()));
            continue;
        };
        let answered = matches!(
            oracle.expect,
            Expected::Result { .. } | Expected::ToolError { .. }
        );
        if (status == StepStatus::Ok) != answered {
            misses.push(Miss(format!("the step is settled as {status:?}")));
        }
        if step.stamped != (delivery != Delivery::NotSent) {
            misses.push(Miss("the stamp does not agree with the delivery".to_owned()));
        }
    }
}

/// No id occurs twice, and notifications carry none.
fn compare_ids(log: &PeerLog, misses: &mut Vec<Miss>) {
    let mut ids: Vec<&str> = log
        .requests
        .iter()
        .filter_map(|request| request.member("id"))
        .collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    if ids.len() != all {
        misses.push(Miss("a request id occurs twice".to_owned()));
    }
    for request in &log.requests {
        let notification = request
            .member("method")
            .is_some_and(|method| method.starts_with("notifications/"));
        if notification == request.member("id").is_some() {
            misses.push(Miss(
                "a request lacks an id, or a notification has one".to_owned(),
            ));
        }
    }
}

fn compare_requests(expected: &[ExpectedRequest], log: &PeerLog, profile: &Profile, misses: &mut Vec<Miss>) {
    let methods = |requests: &[RecordedRequest]| -> Vec<String> {
        requests
            .iter()
            .map(|request| request.member("method").unwrap_or("?").to_owned())
            .collect()
    };
    let seen = methods(&log.requests);
    if !expected.iter().map(|request| &request.method).eq(seen.iter()) {
        misses.push(Miss(format!("the server saw {seen:?}")));
        return;
    }
    let values = Values::from([("session".to_owned(), profile.session.clone().unwrap_or_default())]);
    for (expected, request) in expected.iter().zip(&log.requests) {
        for (name, value) in &expected.fields {
            let value = value
                .as_ref()
                .map(|value| fill(value, &values))
                .filter(|value| !value.is_empty());
            if request.field(name) != value.as_deref() {
                misses.push(Miss(format!(
                    "{} carries {name}: {:?}",
                    expected.method,
                    request.field(name)
                )));
            }
        }
        for text in expected
            .body_has
            .iter()
            .filter(|text| !request.body.contains(text.as_str()))
        {
            misses.push(Miss(format!("{} lacks {text}", expected.method)));
        }
        for text in expected
            .body_lacks
            .iter()
            .filter(|text| request.body.contains(text.as_str()))
        {
            misses.push(Miss(format!("{} holds {text}", expected.method)));
        }
    }
}
