//! The one check: what an oracle expects against what a run left behind.

use std::collections::{BTreeMap, BTreeSet};

use mcp_testkit::{PeerLog, RecordedRequest};

use crate::chunking::Chunking;
use crate::decoder::compare_cuttings;
use crate::evidence::{Evidence, gather};
use crate::keeping::compare_keeping;
use crate::oracle::{ExpectedRequest, Oracle};
use crate::outcome::{Outcome, meets};
use crate::permission::compare_permission;
use crate::plant::Plant;
use crate::profile::Profile;
use crate::reply::{END_OF_SESSION, Values, fill};
use crate::script::method_of;
use crate::told::compare_told;

/// A word that oracles put into replies; it may appear in no failure.
pub(crate) const CANARY: &str = "CANARY";

/// One expectation that was not met, in words.
#[derive(Debug)]
pub struct Miss(pub String);

/// Runs one oracle under one profile and compares everything that it speaks of.
pub(crate) fn check(oracle: &Oracle, profile: &Profile, chunking: Chunking, plant: Plant) -> Vec<Miss> {
    let evidence = match gather(oracle, profile, chunking, plant) {
        Ok(evidence) => evidence,
        Err(reason) => return vec![Miss(format!("the suite could not be set up: {reason}"))],
    };
    judge(oracle, profile, &evidence)
}

/// Compares the verdicts of the decoder itself on the oracle's bodies. It knows no profile, so once is enough.
pub(crate) fn check_decoder(oracle: &Oracle) -> Vec<Miss> {
    let mut misses = Vec::new();
    for (body, framing, id) in oracle.bodies() {
        compare_cuttings(&body, framing, id, &mut misses);
    }
    misses
}

fn judge(oracle: &Oracle, profile: &Profile, evidence: &Evidence) -> Vec<Miss> {
    let mut misses = Vec::new();
    let (turns, values) = (oracle.turns(), profile.values());
    for (done, turn) in evidence.done.iter().zip(turns.into_iter().cycle()) {
        if !meets(turn.expect, &done.outcome, &values) {
            misses.push(Miss(format!(
                "expected {:?}, observed {:?}",
                turn.expect, done.outcome
            )));
        }
        look_for_canary(&done.outcome, &mut misses);
        compare_keeping(turn, done, &mut misses);
    }
    compare_contacts(evidence, &mut misses);
    compare_permission(oracle, evidence, &values, &mut misses);
    compare_told(&evidence.done, oracle.told.as_ref(), &mut misses);
    compare_ids(oracle, &evidence.log, &mut misses);
    compare_ends(&evidence.log, &mut misses);
    if let Some(expected) = &oracle.requests {
        compare_requests(expected, evidence, profile, &mut misses);
    }
    misses
}

/// R-227-4c: no byte of a refused reply in a failure. An RPC error is an answer, so its message may be shown.
fn look_for_canary(outcome: &Outcome, misses: &mut Vec<Miss>) {
    if let Outcome::Failed { shown, .. } = outcome
        && shown.contains(CANARY)
    {
        misses.push(Miss(format!("a byte of the refused reply is shown: {shown}")));
    }
}

/// One contact for each completed operation, the opening of a held session among them; none for a refused or failed one.
fn compare_contacts(evidence: &Evidence, misses: &mut Vec<Miss>) {
    let completed = evidence
        .done
        .iter()
        .filter(|done| done.outcome.is_completed())
        .count()
        + evidence.opened;
    if evidence.contacts != completed {
        misses.push(Miss(format!(
            "expected {completed} noted contacts, found {}",
            evidence.contacts
        )));
    }
}

/// No id occurs twice, requests carry one, notifications and the end of a session none, and all come from the namespaces that they should.
fn compare_ids(oracle: &Oracle, log: &PeerLog, misses: &mut Vec<Miss>) {
    let ids: Vec<&str> = log
        .requests
        .iter()
        .filter_map(|request| request.member("id"))
        .collect();
    let distinct: BTreeSet<&str> = ids.iter().copied().collect();
    if distinct.len() != ids.len() {
        misses.push(Miss("a request id occurs twice".to_owned()));
    }
    for request in &log.requests {
        let method = method_of(request);
        let without_id = method.starts_with("notifications/") || method == END_OF_SESSION;
        if without_id == request.member("id").is_some() {
            misses.push(Miss(
                "a request lacks an id, or a notification has one".to_owned(),
            ));
        }
    }
    if let Some(expected) = oracle.namespaces {
        let namespaces: BTreeSet<&str> = ids
            .iter()
            .filter_map(|id| id.rsplit_once('-'))
            .map(|(namespace, _)| namespace)
            .collect();
        if namespaces.len() != expected {
            misses.push(Miss(format!("the ids come from {} namespaces", namespaces.len())));
        }
    }
}

/// A session ends by a request without a body, in that session, and nothing comes in it afterwards.
fn compare_ends(log: &PeerLog, misses: &mut Vec<Miss>) {
    let session = |request: &RecordedRequest| request.field("mcp-session-id").map(str::to_owned);
    for (at, request) in log.requests.iter().enumerate() {
        if request.http_method != END_OF_SESSION {
            continue;
        }
        let named = session(request).is_some() && request.field("mcp-protocol-version").is_some();
        let body = ["content-type", "content-length", "transfer-encoding"];
        let bare = request.body.is_empty() && body.iter().all(|name| request.field(name).is_none());
        if !named || !bare {
            misses.push(Miss("the end of a session names none, or has a body".to_owned()));
        }
        // The next conversation may get the same id: it starts with a handshake outside of any.
        let mut later = log.requests.iter().skip(at + 1);
        if later.next().is_some_and(|next| session(next).is_some()) {
            misses.push(Miss("something comes after the end of a session".to_owned()));
        }
    }
}

/// What the server saw. When it is to see nothing, nothing else outside may have been touched either.
fn compare_requests(
    expected: &[ExpectedRequest],
    evidence: &Evidence,
    profile: &Profile,
    misses: &mut Vec<Miss>,
) {
    let log = &evidence.log;
    let touched = log.connections + log.look_ups.len() + evidence.credential_reads;
    if expected.is_empty() && touched > 0 {
        misses.push(Miss(format!(
            "{touched} contacts, look-ups or readings of a credential before a refusal"
        )));
    }
    let expected: Vec<&ExpectedRequest> = expected
        .iter()
        .filter(|request| profile.session.is_some() || !request.only_in_session)
        .collect();
    let seen: Vec<&str> = log.requests.iter().map(method_of).collect();
    if !expected
        .iter()
        .map(|request| request.method.as_str())
        .eq(seen.iter().copied())
    {
        misses.push(Miss(format!("the server saw {seen:?}")));
        return;
    }
    let values = seen_values(log, profile);
    for (expected, request) in expected.into_iter().zip(&log.requests) {
        compare_request(expected, request, &values, misses);
        if profile.has_fields() {
            compare_fields(expected, request, &values, misses);
        }
    }
}

/// What stands for the placeholders of an expected request.
fn seen_values(log: &PeerLog, profile: &Profile) -> Values {
    let mut values = profile.values();
    let mut turns = BTreeMap::<&str, usize>::new();
    for request in &log.requests {
        let method = method_of(request);
        let turn = turns.entry(method).or_default();
        if let Some(id) = request.member("id") {
            values.insert(format!("id:{method}:{turn}"), format!("\"{id}\""));
        }
        *turn += 1;
    }
    values
}

/// The header fields of a request, where the connection has any.
fn compare_fields(
    expected: &ExpectedRequest,
    request: &RecordedRequest,
    values: &Values,
    misses: &mut Vec<Miss>,
) {
    for (name, value) in &expected.fields {
        let value = value
            .as_ref()
            .map(|value| fill(value, values))
            .filter(|value| !value.is_empty());
        if request.field(name) != value.as_deref() {
            misses.push(Miss(format!(
                "{} carries {name}: {:?}",
                expected.method,
                request.field(name)
            )));
        }
    }
}

fn compare_request(
    expected: &ExpectedRequest,
    request: &RecordedRequest,
    values: &Values,
    misses: &mut Vec<Miss>,
) {
    for text in expected
        .body_has
        .iter()
        .map(|text| fill(text, values))
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
