//! What must hold after a round: plain data in, the first invariant that is broken out.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mcp_host::Budget;
use mcp_policy::ledger::{VerifyError, verify};
use mcp_policy::memory::MemoryLedger;
use mcp_wire::Delivery;

use super::behaviour::{Behaviour, Ends};

/// How late a call may be beyond its bound, and beyond what timers of the same runtime were.
const SLACK: Duration = Duration::from_millis(100);

/// One call, over.
#[derive(Debug, Clone)]
pub(super) struct Ended {
    pub(super) server: usize,
    pub(super) budget: Duration,
    /// When its caller cancelled, if that was before its end.
    pub(super) cancelled: Option<Duration>,
    pub(super) took: Duration,
    /// `ok`, or the kind of the failure.
    pub(super) kind: &'static str,
    pub(super) delivery: Delivery,
    /// The text of the answer.
    pub(super) text: Option<String>,
}

/// What a server saw.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    /// The ids of all requests.
    pub(super) ids: Vec<String>,
    /// Those of the calls, in order.
    pub(super) calls: Vec<String>,
}

impl Seen {
    pub(super) fn of(requests: &[String]) -> Self {
        let mut seen = Self::default();
        for request in requests {
            let Some((_, rest)) = request.split_once("\"id\":\"") else {
                continue;
            };
            let id = rest.split('"').next().unwrap_or_default().to_owned();
            if request.contains("\"method\":\"tools/call\"") {
                seen.calls.push(id.clone());
            }
            seen.ids.push(id);
        }
        seen
    }
}

/// What is left when every call is over and the client is gone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Left {
    /// Calls that were made.
    pub(super) calls: usize,
    pub(super) exchanges: usize,
    pub(super) tasks: usize,
}

/// An invariant that does not hold.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) invariant: &'static str,
    pub(super) told: String,
}

fn broken(invariant: &'static str, told: impl Into<String>) -> Result<(), Broken> {
    Err(Broken {
        invariant,
        told: told.into(),
    })
}

/// Every call ended, and nothing of it is open.
pub(super) fn nothing_left(ended: &[Ended], left: Left) -> Result<(), Broken> {
    if ended.len() != left.calls {
        return broken(
            "each call ends once",
            format!("{} of {} ended", ended.len(), left.calls),
        );
    }
    if left.exchanges != 0 {
        return broken("exchanges return to zero", format!("{} are open", left.exchanges));
    }
    if left.tasks != 0 {
        return broken("tasks return to zero", format!("{} are alive", left.tasks));
    }
    Ok(())
}

/// A call ends by its deadline, or in the farewell's time after it was cancelled, and not for a reason that is not there.
pub(super) fn in_time(ended: &Ended, lateness: Duration) -> Result<(), Broken> {
    let bound = match ended.cancelled {
        Some(at) => at.min(ended.budget) + Budget::FAREWELL.get(),
        None => ended.budget,
    };
    if ended.took > bound + SLACK + lateness {
        return broken(
            "a call ends in time",
            format!("{ended:?}, timers late by {lateness:?}"),
        );
    }
    let has_reason = match ended.kind {
        "deadline-exceeded" => ended.took >= ended.budget,
        "cancelled" => ended.cancelled.is_some(),
        _ => true,
    };
    if has_reason {
        Ok(())
    } else {
        broken("no call ends early", format!("{ended:?}"))
    }
}

/// A call comes to what its server's behaviour allows.
pub(super) fn right_end(ended: &Ended, behaviour: &Behaviour, seen: &Seen) -> Result<(), Broken> {
    let is_right = match (ended.kind, &behaviour.ends) {
        ("deadline-exceeded" | "cancelled", _) => true,
        ("ok", Ends::OwnId) => ended.text.as_ref().is_some_and(|text| seen.calls.contains(text)),
        ("ok", Ends::Empty) => ended.text.as_deref() == Some(""),
        (kind, Ends::Failed(kinds)) => kinds.contains(&kind),
        (_, Ends::OwnId | Ends::Empty | Ends::Never) => false,
    };
    if is_right {
        Ok(())
    } else {
        broken("an end fits its server", format!("{}: {ended:?}", behaviour.name))
    }
}

/// No answer is taken by two calls.
pub(super) fn own_answers(ended: &[Ended]) -> Result<(), Broken> {
    let mut taken = BTreeSet::new();
    for text in ended.iter().filter_map(|ended| ended.text.as_ref()) {
        if !text.is_empty() && !taken.insert(text) {
            return broken("an answer counts for one call", text.clone());
        }
    }
    Ok(())
}

/// No id is used twice, in this round or in one before. `namespaces` are those of the rounds before.
pub(super) fn unique_ids(seen: &[Seen], namespaces: &mut BTreeSet<String>) -> Result<(), Broken> {
    const NAME: &str = "ids are unique";
    let (mut ids, mut ours) = (BTreeSet::new(), BTreeSet::new());
    for id in seen.iter().flat_map(|seen| &seen.ids) {
        if !ids.insert(id) {
            return broken(NAME, format!("{id} was used twice"));
        }
        ours.extend(id.rsplit_once('-').map(|(namespace, _)| namespace.to_owned()));
    }
    match ours.intersection(namespaces).next() {
        Some(again) => broken(NAME, format!("the namespace {again} of an earlier round")),
        None => {
            namespaces.append(&mut ours);
            Ok(())
        }
    }
}

/// A server saw each call at most once, and all that it answered; none that is told as not sent.
pub(super) fn no_repeats(ended: &[Ended], seen: &[Seen]) -> Result<(), Broken> {
    for (server, seen) in seen.iter().enumerate() {
        let of = |wanted: &dyn Fn(Delivery) -> bool| {
            let ended = ended.iter().filter(|ended| ended.server == server);
            ended.filter(|ended| wanted(ended.delivery)).count()
        };
        let answered = of(&|delivery| delivery == Delivery::Answered);
        let sent = of(&|delivery| delivery != Delivery::NotSent);
        if seen.calls.len() < answered || seen.calls.len() > sent {
            let told = format!("{} seen, {answered} answered, {sent} sent", seen.calls.len());
            return broken("no call is sent twice", told);
        }
    }
    Ok(())
}

/// The ledger is whole, and tells of each call what its caller was told.
pub(super) async fn ledger_agrees(ledger: &MemoryLedger, ended: &[Ended]) -> Result<(), Broken> {
    let verified = match verify(ledger).await {
        Ok(verified) => verified,
        Err(VerifyError::Broken(fault)) => return broken("the ledger verifies", fault.to_string()),
        Err(VerifyError::Store(fault)) => return broken("the ledger verifies", fault.to_string()),
    };
    if verified.in_doubt != 0 {
        return broken("no step is in doubt", verified.in_doubt.to_string());
    }
    let (mut kept, mut told) = (BTreeMap::new(), BTreeMap::new());
    for step in ledger.steps() {
        let outcome = step.outcome();
        let of = outcome.map(|outcome| (outcome.kind.clone(), outcome.delivery.name()));
        *kept.entry(of).or_insert(0_usize) += 1;
    }
    for ended in ended {
        let of = (ended.kind.to_owned(), ended.delivery.name());
        *told.entry(Some(of)).or_insert(0_usize) += 1;
    }
    if kept == told {
        Ok(())
    } else {
        broken(
            "the ledger tells what was told",
            format!("{kept:?}, not {told:?}"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: Duration = Duration::from_millis(50);

    fn answered() -> Ended {
        Ended {
            server: 0,
            budget: BUDGET,
            cancelled: None,
            took: Duration::from_millis(5),
            kind: "ok",
            delivery: Delivery::Answered,
            text: Some("n-3".to_owned()),
        }
    }

    fn seen() -> Seen {
        Seen::of(&[
            r#"{"jsonrpc":"2.0","id":"n-1","method":"initialize"}"#.to_owned(),
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":"n-3","method":"tools/call"}"#.to_owned(),
        ])
    }

    fn name(held: Result<(), Broken>) -> &'static str {
        held.map_or_else(|broken| broken.invariant, |()| "holds")
    }

    #[test]
    fn what_is_left_is_counted() {
        let left = |calls, exchanges, tasks| {
            let left = Left {
                calls,
                exchanges,
                tasks,
            };
            name(nothing_left(&[answered()], left))
        };
        assert_eq!(left(1, 0, 0), "holds");
        assert_eq!(left(2, 0, 0), "each call ends once");
        assert_eq!(left(1, 1, 0), "exchanges return to zero");
        assert_eq!(left(1, 0, 1), "tasks return to zero");
    }

    #[test]
    fn a_call_has_its_time_and_no_more() {
        let late = Duration::from_millis(20);
        let ends = |kind, cancelled: Option<u64>, took| {
            let ended = Ended {
                kind,
                cancelled: cancelled.map(Duration::from_millis),
                took: Duration::from_millis(took),
                ..answered()
            };
            name(in_time(&ended, late))
        };
        assert_eq!(ends("deadline-exceeded", None, 50), "holds");
        assert_eq!(ends("deadline-exceeded", None, 170), "holds");
        assert_eq!(ends("deadline-exceeded", None, 171), "a call ends in time");
        assert_eq!(ends("ok", None, 171), "a call ends in time");
        assert_eq!(ends("deadline-exceeded", None, 49), "no call ends early");
        assert_eq!(ends("cancelled", Some(30), 1_150), "holds");
        assert_eq!(ends("cancelled", Some(30), 1_151), "a call ends in time");
        assert_eq!(ends("cancelled", None, 30), "no call ends early");
    }

    #[test]
    fn an_answer_is_the_calls_own() {
        let behaviours = super::super::behaviour::all();
        let of = |sought: &str| behaviours.iter().find(|one| one.name == sought).unwrap();
        let ends = |behaviour, ended: Ended| name(right_end(&ended, of(behaviour), &seen()));
        let with = |text: &str| Ended {
            text: Some(text.to_owned()),
            ..answered()
        };
        let failed = |kind| Ended {
            kind,
            text: None,
            ..answered()
        };
        assert_eq!(ends("json", with("n-3")), "holds");
        assert_eq!(ends("json", with("n-1")), "an end fits its server");
        assert_eq!(ends("json", failed("foreign-id")), "an end fits its server");
        assert_eq!(ends("a batch", failed("batch")), "holds");
        assert_eq!(ends("a batch", failed("foreign-id")), "an end fits its server");
        assert_eq!(ends("a batch", with("n-3")), "an end fits its server");
        assert_eq!(ends("silent", with("n-3")), "an end fits its server");
        assert_eq!(name(own_answers(&[answered(), with("n-6")])), "holds");
        assert_eq!(
            name(own_answers(&[answered(), answered()])),
            "an answer counts for one call"
        );
    }

    #[test]
    fn ids_and_calls_are_seen_once() {
        let mut before = BTreeSet::new();
        assert_eq!(name(unique_ids(&[seen()], &mut before)), "holds");
        assert_eq!(name(unique_ids(&[seen()], &mut before)), "ids are unique");
        assert_eq!(
            name(unique_ids(&[seen(), seen()], &mut BTreeSet::new())),
            "ids are unique"
        );
        let unsent = Ended {
            delivery: Delivery::NotSent,
            ..answered()
        };
        assert_eq!(name(no_repeats(&[answered()], &[seen()])), "holds");
        assert_eq!(name(no_repeats(&[unsent], &[seen()])), "no call is sent twice");
        assert_eq!(
            name(no_repeats(&[answered()], &[Seen::default()])),
            "no call is sent twice"
        );
    }
}
