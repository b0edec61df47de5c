//! What the ledger keeps of a call: its charge, its stamp and its outcome.

use mcp_policy::port::{Actor, LedgerError, Never, RunId, StepId, StepState, StepStatus, StoreError};
use mcp_policy::{Cause, Failure, Refusal};
use mcp_testkit::MemoryAnswer;
use mcp_wire::{Delivery, Message, Method, OutboundRefusal, TransportError};

use crate::support::{Answer, error, now, result, well, well_except};
use crate::world::{Answers, World};

/// One way for a call to go: the leg that goes its own way, and what is kept.
struct Case {
    name: &'static str,
    leg: Method,
    answer: Answer,
    /// The kind of the failure; `ok` when there is none.
    kind: &'static str,
    status: StepStatus,
    delivery: Delivery,
}

#[test]
fn the_outcome_is_kept_with_what_is_known_of_the_delivery() {
    use Delivery::{Answered, NotSent, Unknown};
    use StepStatus::{Failed, Ok};
    let cases = [
        Case {
            name: "a tool that answers",
            leg: Method::ToolsCall,
            answer: well,
            kind: "ok",
            status: Ok,
            delivery: Answered,
        },
        Case {
            name: "a tool that reports a failure",
            leg: Method::ToolsCall,
            answer: |message| result(message, r#"{"content":[],"isError":true}"#),
            kind: "ok",
            status: Ok,
            delivery: Answered,
        },
        Case {
            name: "a call that the server refuses",
            leg: Method::ToolsCall,
            answer: |message| error(message, -32_602),
            kind: "rpc-error",
            status: Failed,
            delivery: Answered,
        },
        Case {
            name: "a call whose answer is not for it",
            leg: Method::ToolsCall,
            answer: |_| MemoryAnswer::Json(br#"{"jsonrpc":"2.0","id":"x","result":{}}"#.to_vec()),
            kind: "foreign-id",
            status: Failed,
            delivery: Unknown,
        },
        Case {
            name: "a call whose result cannot be read",
            leg: Method::ToolsCall,
            answer: |message| result(message, r#"{"content":{}}"#),
            kind: "content-not-array",
            status: Failed,
            delivery: Unknown,
        },
        Case {
            name: "a call that is lost",
            leg: Method::ToolsCall,
            answer: |_| MemoryAnswer::Failed(TransportError::ConnectionLost.into()),
            kind: "connection-lost",
            status: Failed,
            delivery: Unknown,
        },
        Case {
            name: "a call that is only accepted",
            leg: Method::ToolsCall,
            answer: |_| MemoryAnswer::Accepted,
            kind: "no-response",
            status: Failed,
            delivery: Unknown,
        },
        Case {
            name: "a call to an address that is refused",
            leg: Method::ToolsCall,
            answer: |_| MemoryAnswer::Failed(OutboundRefusal::Address { class: "private" }.into()),
            kind: "address-refused",
            status: Failed,
            delivery: NotSent,
        },
        Case {
            name: "a handshake that is lost",
            leg: Method::Initialize,
            answer: |_| MemoryAnswer::Failed(TransportError::ConnectionLost.into()),
            kind: "connection-lost",
            status: Failed,
            delivery: NotSent,
        },
        Case {
            name: "a handshake that is refused",
            leg: Method::Initialize,
            answer: |message| error(message, -32_602),
            kind: "rpc-error",
            status: Failed,
            delivery: NotSent,
        },
        Case {
            name: "a handshake that cannot be read",
            leg: Method::Initialize,
            answer: |message| result(message, r#"{"protocolVersion":"1999-01-01"}"#),
            kind: "protocol-version-unsupported",
            status: Failed,
            delivery: NotSent,
        },
        Case {
            name: "a handshake whose end is lost",
            leg: Method::Initialized,
            answer: |_| MemoryAnswer::Failed(TransportError::ConnectionLost.into()),
            kind: "connection-lost",
            status: Failed,
            delivery: NotSent,
        },
    ];
    for case in cases {
        let world = World::new(Answers::default(), well_except(case.leg, case.answer));
        let outcome = world.call(&Never).end();
        let kind = outcome.as_ref().map_or_else(Failure::kind, |_| "ok");
        assert_eq!(kind, case.kind, "{}", case.name);
        let delivery = outcome.as_ref().map_or_else(Failure::delivery, |_| Answered);
        assert_eq!(delivery, case.delivery, "{}", case.name);
        let step = world.step();
        let kept = (step.id, step.call.server.as_str(), step.call.tool.as_str());
        assert_eq!(kept, (StepId(1), "demo", "echo"), "{}", case.name);
        assert_eq!(step.is_stamped(), case.delivery != NotSent, "{}", case.name);
        let stored = step.outcome().unwrap();
        let kept = (stored.status, stored.delivery, stored.kind.as_str());
        assert_eq!(kept, (case.status, case.delivery, case.kind), "{}", case.name);
        assert_eq!(stored.result.is_some(), case.status == Ok, "{}", case.name);
        let contacts = world.log().iter().filter(|entry| *entry == "contact").count();
        assert_eq!(contacts, usize::from(case.kind == "ok"), "{}", case.name);
    }
}

#[test]
fn the_stamp_stands_before_the_first_leg_and_has_no_outcome_yet() {
    let world = World::new(
        Answers::default(),
        well_except(Method::Initialize, |_| MemoryAnswer::Silence),
    );
    let mut call = world.call(&Never);
    call.wait();
    let step = world.step();
    assert_eq!(step.state, StepState::Stamped);
    // Dropped, the call leaves its step in doubt.
    drop(call);
    assert_eq!(world.step(), step);
}

#[test]
fn an_outcome_that_cannot_be_kept_is_told_with_its_delivery() {
    let lost = |_: &Message| MemoryAnswer::Failed(TransportError::ConnectionLost.into());
    let answers = Answers {
        settle: Some(Err(LedgerError::Store(StoreError::Unavailable))),
        ..Answers::default()
    };
    let cases = [
        (World::new(answers.clone(), well), Delivery::Answered),
        (
            World::new(answers.clone(), well_except(Method::ToolsCall, lost)),
            Delivery::Unknown,
        ),
        (
            World::new(answers, well_except(Method::Initialize, lost)),
            Delivery::NotSent,
        ),
    ];
    for (world, delivery) in cases {
        let failure = world.call(&Never).end().unwrap_err();
        assert_eq!(failure, Failure::new(Cause::Unrecorded, delivery));
        assert_eq!(failure.kind(), "outcome-not-recorded");
        let step = world.step();
        assert_eq!(step.state, StepState::Stamped, "the step stays in doubt");
        let log = world.log();
        let [.., settled, ended] = &log[..] else {
            panic!("{log:?}")
        };
        assert!(settled.starts_with("settle"), "{delivery:?}");
        assert_eq!(ended, "end failed", "{delivery:?}");
        assert_eq!(world.call(&Never).end().unwrap_err().kind(), "no-run");
    }
}

#[test]
fn a_run_makes_twenty_calls_and_no_more() {
    let world = World::new(Answers::default(), well);
    for _ in 0..20 {
        world.call(&Never).end().unwrap();
    }
    let before = world.log().len();
    for _ in 0..2 {
        let failure = world.call(&Never).end().unwrap_err();
        assert_eq!(
            (failure.kind(), failure.delivery()),
            ("run-limit", Delivery::NotSent)
        );
    }
    assert_eq!(world.log()[before..], ["gate", "approval", "charge"].repeat(2));
    assert_eq!(world.steps(), 20);
    // Another run has calls of its own.
    world.call_in("run-2", &Never).end().unwrap();
}

#[test]
fn a_call_that_failed_is_charged_as_well() {
    let world = World::new(
        Answers::default(),
        well_except(Method::Initialize, |_| {
            MemoryAnswer::Failed(TransportError::Connect.into())
        }),
    );
    for _ in 0..20 {
        let failure = world.call(&Never).end().unwrap_err();
        assert_eq!(failure.kind(), "connect-failed");
    }
    assert_eq!(world.call(&Never).end().unwrap_err().kind(), "run-limit");
}

#[test]
fn a_run_is_opened_once_and_no_call_leaves_beyond_its_ends() {
    let world = World::new(Answers::default(), well);
    let run = RunId("run-3".to_owned());
    let open = || now(world.client.open_run(&run, &Actor::Unattended));
    let end = || now(world.client.end_run(&run));
    let call = || world.call_in("run-3", &Never).end();
    let (exists, none) = (Failure::from(Refusal::RunExists), Failure::from(Refusal::NoRun));

    assert_eq!(end(), Err(none.clone()));
    assert_eq!(call().unwrap_err(), none);
    assert_eq!(open(), Ok(()));
    assert_eq!(open(), Err(exists.clone()));
    assert_eq!(call().unwrap().text, "done");
    assert_eq!(end(), Ok(()));
    assert_eq!(end(), Ok(()), "it stays as it ended");
    assert_eq!(open(), Err(exists));
    assert_eq!(call().unwrap_err(), none);
    assert_eq!(world.steps(), 1);
}
