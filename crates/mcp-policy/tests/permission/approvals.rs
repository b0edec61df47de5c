//! The binding of a person's word, and how a pending call is resumed.

use std::sync::Arc;

use mcp_policy::memory::{MemoryApprovals, UnknownApproval, Word};
use mcp_policy::port::{
    Actor, ApprovalDecision, ApprovalId, Approvals, CallAttempt, CallOrigin, RunId, StoreError,
};
use mcp_policy::{ApprovalRule, ApprovalSubject, Cause, Failure, Refusal, ServerName};
use mcp_wire::{Arguments, Endpoint, Target, ToolName};

use crate::stores::{echo, import, put, record, row, server};
use crate::support::now;
use crate::world::World;

fn pending(outcome: Result<impl std::fmt::Debug, Failure>) -> ApprovalId {
    let cause = outcome.unwrap_err().into_cause();
    let Cause::Refused(Refusal::ApprovalPending { id }) = cause else {
        panic!("{cause}");
    };
    id
}

fn catalogued() -> CallOrigin {
    CallOrigin::Catalogued {
        local_name: row().local_name,
        fingerprint: row().definition.fingerprint,
    }
}

fn subject() -> ApprovalSubject {
    with(&server(), &echo(), &Arguments::none(), &catalogued())
}

fn with(
    server: &mcp_policy::Server,
    tool: &ToolName,
    arguments: &Arguments,
    origin: &CallOrigin,
) -> ApprovalSubject {
    let (run, actor) = (RunId("run-1".to_owned()), Actor::Unattended);
    let attempt = CallAttempt {
        server,
        tool,
        arguments,
        run: &run,
        actor: &actor,
    };
    ApprovalSubject::of(&attempt.permitted(origin))
}

#[test]
fn a_word_counts_for_its_subject_and_no_other() {
    let mut renamed = server();
    renamed.name = ServerName::parse("other").unwrap();
    let mut elsewhere = server();
    elsewhere.target = Arc::new(Target::new(Endpoint::parse("https://srv.example/other").unwrap()));
    let new = import(&[], Some("new"));
    let other_definition = CallOrigin::Catalogued {
        local_name: row().local_name,
        fingerprint: new.definition.fingerprint,
    };
    let mut other = row();
    other.local_name = mcp_policy::catalogue::LocalName::parse("mcp_demo_other").unwrap();
    let other_local = CallOrigin::Catalogued {
        local_name: other.local_name,
        fingerprint: row().definition.fingerprint,
    };
    let one = Arguments::parse(r#"{"a":1}"#).unwrap();
    let (none, is) = (Arguments::none(), catalogued());
    let others = [
        with(&renamed, &echo(), &none, &is),
        with(&elsewhere, &echo(), &none, &is),
        with(&server(), &ToolName::parse("rm").unwrap(), &none, &is),
        with(&server(), &echo(), &one, &is),
        with(&server(), &echo(), &none, &other_definition),
        with(&server(), &echo(), &none, &other_local),
        with(&server(), &echo(), &none, &CallOrigin::AdHoc),
    ];
    for word in [Word::Granted, Word::Denied] {
        let approvals = MemoryApprovals::default();
        let Ok(ApprovalDecision::Pending(id)) = now(approvals.decide(&subject())) else {
            panic!("it is not pending");
        };
        let (said, decision) = match word {
            Word::Granted => (approvals.grant(id), ApprovalDecision::Granted),
            Word::Denied => (approvals.deny(id), ApprovalDecision::Denied),
        };
        assert_eq!(said, Ok(()));
        for other in &others {
            let decided = now(approvals.decide(other)).unwrap();
            assert!(
                matches!(decided, ApprovalDecision::Pending(asked) if asked != id),
                "{other:?}"
            );
        }
        assert_eq!(now(approvals.decide(&subject())), Ok(decision));
    }
}

#[test]
fn neither_run_nor_actor_is_part_of_the_subject() {
    let (server, tool, arguments, origin) = (server(), echo(), Arguments::none(), catalogued());
    let (run, actor) = (RunId("run-2".to_owned()), Actor::User("ann".to_owned()));
    let attempt = CallAttempt {
        server: &server,
        tool: &tool,
        arguments: &arguments,
        run: &run,
        actor: &actor,
    };
    assert_eq!(ApprovalSubject::of(&attempt.permitted(&origin)), subject());
}

#[test]
fn a_pending_call_is_resumed_by_a_grant_on_its_id() {
    let world = World::well();
    let id = pending(world.call(r#"{"a":1,"b":2}"#));
    assert_eq!((world.called(), world.ledger.steps().len()), (0, 0));
    assert_eq!(pending(world.call(r#"{"b":2, "a":1}"#)), id, "the same call");
    let other = pending(world.call(r#"{"a":1,"b":3}"#));
    assert_ne!(other, id);
    world.approvals.grant(id).unwrap();
    assert_eq!(pending(world.call(r#"{"a":1,"b":3}"#)), other, "other arguments");
    assert_eq!(world.called(), 0);
    assert_eq!(world.call(r#"{"a":1,"b":2}"#).unwrap().text, "done");
    assert_eq!((world.called(), world.ledger.steps().len()), (1, 1));
    let [left] = <[_; 1]>::try_from(world.approvals.list()).unwrap();
    assert_eq!((left.id, left.word), (other, None));
}

#[test]
fn another_definition_is_asked_about_anew() {
    let world = World::well();
    let id = pending(world.call("{}"));
    world.approvals.grant(id).unwrap();
    let mut changed = import(&[row()], Some("says something else"));
    changed.confirm(changed.definition.fingerprint).unwrap();
    put(&world.store, &record().name, changed);
    assert_ne!(pending(world.call("{}")), id);
    assert_eq!(world.called(), 0);
}

#[test]
fn a_grant_is_for_one_call() {
    let world = World::well();
    let id = pending(world.call("{}"));
    world.approvals.grant(id).unwrap();
    world.approvals.grant(id).unwrap();
    world.call("{}").unwrap();
    assert_ne!(pending(world.call("{}")), id);
    assert_eq!(world.approvals.grant(id), Err(UnknownApproval), "it is used up");
    assert_eq!(world.called(), 1);
}

#[test]
fn of_many_that_ask_for_one_grant_one_gets_it() {
    let approvals = MemoryApprovals::default();
    let Ok(ApprovalDecision::Pending(id)) = now(approvals.decide(&subject())) else {
        panic!("it is not pending");
    };
    approvals.grant(id).unwrap();
    let asked: Vec<_> = (0..4).map(|_| approvals.decide(&subject())).collect();
    let granted = asked
        .into_iter()
        .map(now)
        .filter(|decision| *decision == Ok(ApprovalDecision::Granted));
    assert_eq!(granted.count(), 1);
}

#[test]
fn a_denial_stays_until_it_is_taken_back() {
    let world = World::well();
    let id = pending(world.call("{}"));
    world.approvals.deny(id).unwrap();
    for _ in 0..3 {
        assert_eq!(world.call("{}").unwrap_err(), Refusal::ApprovalDenied.into());
    }
    world.approvals.withdraw(id).unwrap();
    let again = pending(world.call("{}"));
    assert_ne!(again, id);
    world.approvals.deny(again).unwrap();
    world.approvals.grant(again).unwrap();
    assert!(world.call("{}").is_ok(), "a person may think better of it");
}

#[test]
fn an_id_is_never_given_twice() {
    let approvals = MemoryApprovals::default();
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..5 {
        let Ok(ApprovalDecision::Pending(id)) = now(approvals.decide(&subject())) else {
            panic!("it is not pending");
        };
        assert!(ids.insert(id), "{id}");
        approvals.withdraw(id).unwrap();
        for said in [approvals.grant(id), approvals.deny(id), approvals.withdraw(id)] {
            assert_eq!(said, Err(UnknownApproval));
        }
    }
}

#[test]
fn what_is_kept_is_bounded() {
    let approvals = MemoryApprovals::default();
    let asked = |n: usize| {
        let arguments = Arguments::parse(&format!(r#"{{"n":{n}}}"#)).unwrap();
        now(approvals.decide(&with(&server(), &echo(), &arguments, &catalogued())))
    };
    for n in 0..MemoryApprovals::KEPT {
        assert!(matches!(asked(n), Ok(ApprovalDecision::Pending(_))));
    }
    assert_eq!(asked(MemoryApprovals::KEPT), Err(StoreError::Full));
    assert!(asked(0).is_ok(), "one that is known can still be asked for");
    assert_eq!(approvals.list().len(), MemoryApprovals::KEPT);
    approvals.withdraw(approvals.list()[7].id).unwrap();
    assert!(asked(MemoryApprovals::KEPT).is_ok());
}

#[test]
fn where_no_approval_is_required_nobody_is_asked() {
    let world = World::well();
    let mut record = record();
    record.approval = ApprovalRule::NotRequired;
    let server = record.server().unwrap();
    assert_eq!(
        now(mcp_policy::port::ServerStore::replace(&*world.store, record)),
        Ok(true)
    );
    assert!(world.call_at(&server, "{}").is_ok());
    assert_eq!(world.approvals.list(), []);
}
