//! Farewells: what the server is told at the end of an operation, for how long, and that it decides nothing.

use std::time::Duration;

use mcp_policy::port::{Clock, LedgerError, Moment, Never, StepStatus, StoreError};
use mcp_policy::{Budget, Cause, Failure};
use mcp_testkit::{FakeClock, MemoryAnswer};
use mcp_wire::{
    Delivery, Malformed, MalformedKind, Message, Method, OutboundRefusal, Stage, StatusFailure,
    TransportError,
};

use crate::sources::Switch;
use crate::support::{Answer, Sent, Tap, Task, error, in_session, now, result, silence, well, well_except};
use crate::world::{Answers, World};

const HELLO: [&str; 2] = ["initialize", "notifications/initialized"];
const BEFORE_THE_LEGS: [&str; 4] = ["gate", "approval", "charge", "stamp"];
const MOMENT: Duration = Duration::from_nanos(1);

/// A world whose server issues sessions, and what it is sent.
fn with_sessions(script: impl Fn(&Message) -> MemoryAnswer + Send + 'static) -> (World, Tap) {
    let (tap, script) = Tap::on(in_session(script));
    (World::new(Answers::default(), script), tap)
}

fn status(status: u16) -> MemoryAnswer {
    let failure = StatusFailure::new(status, true);
    MemoryAnswer::Failed(TransportError::Status(failure).into())
}

/// Cancels a call that waits for the answer to its `leg`.
fn cancelled_during(
    leg: Method,
    answer: impl Fn(&Message) -> MemoryAnswer + Send + 'static,
) -> (World, Tap, Result<String, Failure>) {
    let (world, tap) = with_sessions(move |message| {
        if message.leg().method == leg {
            MemoryAnswer::Silence
        } else {
            answer(message)
        }
    });
    let switch = Switch::default();
    let outcome = {
        let mut call = world.call(&switch);
        call.wait();
        switch.flip(true);
        call.end().map(|outcome| outcome.text)
    };
    (world, tap, outcome)
}

#[test]
fn every_operation_ends_its_session_last() {
    let (world, tap) = with_sessions(well);
    now(world.client.ping(&world.server)).unwrap();
    now(world.client.probe(&world.server)).unwrap();
    now(world.client.list_tools(&world.server, Default::default())).unwrap();
    world.call(&Never).end().unwrap();
    let log = [
        &HELLO[..],
        &["contact", "DELETE"],
        &HELLO,
        &["ping", "contact", "DELETE"],
        &HELLO,
        &["tools/list", "contact", "DELETE"],
        &BEFORE_THE_LEGS,
        &HELLO,
        &["tools/call", "settle ok answered", "contact", "DELETE"],
    ];
    assert_eq!(world.log(), log.concat());
    let ends: Vec<Sent> = tap.of(Method::EndSession);
    assert_eq!(ends.len(), 4);
    for end in ends {
        assert_eq!(
            (end.session.as_deref(), &*end.version),
            (Some("s-1"), "2025-06-18")
        );
        assert_eq!((&*end.body, &*end.id), ("", ""));
    }
}

#[test]
fn without_a_session_there_is_none_to_end() {
    let world = World::new(Answers::default(), well);
    now(world.client.ping(&world.server)).unwrap();
    world.call(&Never).end().unwrap();
    assert!(!world.log().contains(&"DELETE".to_owned()), "{:?}", world.log());
}

#[test]
fn a_session_is_ended_after_a_failure_but_not_after_its_loss() {
    let malformed: Answer = |message| result(message, r#"{"content":{}}"#);
    let rejected: Answer = |message| error(message, -32_602);
    let lost_connection: Answer = |_| MemoryAnswer::Failed(TransportError::ConnectionLost.into());
    let lost: Answer = |_| status(404);
    let busy: Answer = |_| status(503);
    let cases = [
        (Method::ToolsCall, malformed, "content-not-array", true),
        (Method::ToolsCall, rejected, "rpc-error", true),
        (Method::ToolsCall, lost_connection, "connection-lost", true),
        (Method::ToolsCall, busy, "server-error", true),
        (Method::ToolsCall, lost, "session-lost", false),
        (Method::Initialized, busy, "server-error", true),
        (Method::Initialized, lost, "session-lost", false),
        (Method::Initialize, rejected, "rpc-error", false),
        (Method::Initialize, lost_connection, "connection-lost", false),
    ];
    for (leg, answer, kind, ended) in cases {
        let (world, tap) = with_sessions(well_except(leg, answer));
        let failure = world.call(&Never).end().unwrap_err();
        assert_eq!(failure.kind(), kind);
        assert_eq!(
            tap.of(Method::EndSession).len(),
            usize::from(ended),
            "{leg:?} {kind}"
        );
        assert_eq!(tap.of(Method::Cancelled).len(), 0, "{leg:?} {kind}");
    }
    // Nothing is agreed on by a reply that cannot be read, so there is no revision to say goodbye in.
    let old: Answer = |message| result(message, r#"{"protocolVersion":"1999-01-01"}"#);
    let (world, tap) = with_sessions(well_except(Method::Initialize, old));
    now(world.client.ping(&world.server)).unwrap_err();
    assert_eq!(tap.all().len(), 1);
}

#[test]
fn a_cancelled_request_is_named_to_the_server_after_the_outcome_is_stored() {
    let (world, tap, outcome) = cancelled_during(Method::ToolsCall, well);
    let (stage, delivery) = (Stage::FirstByte, Delivery::Unknown);
    assert_eq!(outcome, Err(Failure::new(Cause::Cancelled { stage }, delivery)));
    let log = [
        &BEFORE_THE_LEGS[..],
        &HELLO,
        &[
            "tools/call",
            "settle cancelled unknown",
            "notifications/cancelled",
            "DELETE",
        ],
    ];
    assert_eq!(world.log(), log.concat());
    assert_eq!(world.step().outcome().unwrap().status, StepStatus::Cancelled);
    let [call] = &tap.of(Method::ToolsCall)[..] else {
        panic!("one call")
    };
    let [notice] = &tap.of(Method::Cancelled)[..] else {
        panic!("one notice")
    };
    assert_eq!(notice.id, "");
    let named = format!("\"params\":{{\"requestId\":\"{}\",\"reason\":\"", call.id);
    assert!(notice.body.contains(&named), "{}", notice.body);
    assert_eq!((&notice.session, &notice.version), (&call.session, &call.version));
    assert_eq!(notice.session.as_deref(), Some("s-1"));
}

#[test]
fn a_server_without_sessions_hears_of_a_cancelled_request_too() {
    let (tap, script) = Tap::on(well_except(Method::ToolsCall, silence));
    let world = World::new(Answers::default(), script);
    let switch = Switch::default();
    let mut call = world.call(&switch);
    call.wait();
    switch.flip(true);
    assert_eq!(call.end().unwrap_err().kind(), "cancelled");
    let [notice] = &tap.of(Method::Cancelled)[..] else {
        panic!("one notice")
    };
    assert_eq!((&notice.session, &*notice.version), (&None, "2025-06-18"));
    assert_eq!(world.log().last().unwrap(), "notifications/cancelled");
}

#[test]
fn the_handshake_is_never_named_as_cancelled() {
    let (world, tap, outcome) = cancelled_during(Method::Initialize, well);
    assert_eq!(outcome.unwrap_err().kind(), "cancelled");
    assert_eq!(tap.all().len(), 1);
    assert_eq!(world.log().last().unwrap(), "settle cancelled not-sent");

    let (_, tap, outcome) = cancelled_during(Method::Initialized, well);
    assert_eq!(outcome.unwrap_err().kind(), "cancelled");
    assert_eq!(
        tap.methods(),
        [Method::Initialize, Method::Initialized, Method::EndSession]
    );
}

#[test]
fn a_request_that_was_not_sent_or_was_answered_is_not_named() {
    // The leg waits before its first byte.
    let answers = Answers {
        unsent: Some(Method::ToolsCall),
        ..Answers::default()
    };
    let (tap, script) = Tap::on(in_session(well));
    let world = World::new(answers, script);
    let switch = Switch::default();
    let mut call = world.call(&switch);
    call.wait();
    switch.flip(true);
    let (stage, delivery) = (Stage::Queue, Delivery::NotSent);
    assert_eq!(
        call.end().unwrap_err(),
        Failure::new(Cause::Cancelled { stage }, delivery)
    );
    assert_eq!(
        (tap.of(Method::Cancelled).len(), tap.of(Method::EndSession).len()),
        (0, 1)
    );

    // The caller cancels while the outcome of an answered call is stored.
    let answers = Answers {
        settle: None,
        ..Answers::default()
    };
    let (tap, script) = Tap::on(in_session(well));
    let world = World::new(answers, script);
    let switch = Switch::default();
    let mut call = world.call(&switch);
    call.wait();
    switch.flip(true);
    world.clock.advance(Budget::SETTLEMENT.get());
    assert_eq!(call.end().unwrap_err().kind(), "outcome-not-recorded");
    assert_eq!(
        (tap.of(Method::Cancelled).len(), tap.of(Method::EndSession).len()),
        (0, 1)
    );
}

#[test]
fn a_deadline_is_no_cancellation_and_the_session_ends_beyond_it() {
    let (world, tap) = with_sessions(well_except(Method::ToolsCall, silence));
    let mut call = world.call(&Never);
    call.wait();
    world.clock.advance(Budget::DEFAULT.get());
    assert_eq!(call.end().unwrap_err().kind(), "deadline-exceeded");
    assert_eq!(
        (tap.of(Method::Cancelled).len(), tap.of(Method::EndSession).len()),
        (0, 1)
    );
}

#[test]
fn a_call_that_is_dropped_says_nothing() {
    let (world, tap) = with_sessions(well_except(Method::ToolsCall, silence));
    let mut call = world.call(&Never);
    call.wait();
    let sent = tap.all().len();
    drop(call);
    assert_eq!(tap.all().len(), sent);
}

#[test]
fn nothing_is_said_to_a_server_that_was_not_contacted() {
    let answers = Answers {
        gate: Some(Err(mcp_policy::port::DenialReason::TrustZone)),
        ..Answers::default()
    };
    let (tap, script) = Tap::on(in_session(well));
    let world = World::new(answers, script);
    world.call(&Never).end().unwrap_err();
    assert_eq!(tap.all().len(), 0);
}

/// Every way in which a farewell can go.
fn answers_to_farewells() -> Vec<(&'static str, Answer)> {
    vec![
        ("heard", well),
        ("500", |_| status(500)),
        ("404", |_| status(404)),
        ("405", |_| status(405)),
        ("lost", |_| {
            MemoryAnswer::Failed(TransportError::ConnectionLost.into())
        }),
        ("refused", |_| {
            MemoryAnswer::Failed(OutboundRefusal::Address { class: "private" }.into())
        }),
        ("malformed", |_| {
            MemoryAnswer::Failed(Malformed::from(MalformedKind::InvalidHttp).into())
        }),
        ("text", |_| MemoryAnswer::Json(b"}{".to_vec())),
        ("silence", silence),
    ]
}

/// Runs an operation to its end, if need be over the time of the farewells.
fn end<T>(world: &World, mut operation: Task<'_, T>) -> T {
    if let std::task::Poll::Ready(output) = operation.run() {
        return output;
    }
    world.clock.advance(Budget::FAREWELL.get() - MOMENT);
    operation.wait();
    world.clock.advance(MOMENT);
    operation.end()
}

#[test]
fn no_answer_to_a_farewell_changes_an_outcome() {
    for (name, farewell) in answers_to_farewells() {
        let script = move |message: &Message| match message.leg().method {
            Method::Cancelled | Method::EndSession => farewell(message),
            Method::Initialize
            | Method::Initialized
            | Method::Ping
            | Method::ToolsList
            | Method::ToolsCall => well(message),
        };
        let (world, tap) = with_sessions(script);
        let outcome = end(&world, world.call(&Never));
        assert_eq!(outcome.unwrap().text, "done", "{name}");
        let step = world.step();
        let stored = step.outcome().unwrap();
        assert_eq!(
            (stored.status, stored.delivery),
            (StepStatus::Ok, Delivery::Answered)
        );
        assert!(world.last_contact().is_some(), "{name}");
        assert_eq!(tap.of(Method::EndSession).len(), 1, "{name}");
        let list = Task::new(world.client.list_tools(&world.server, Default::default()));
        assert_eq!(end(&world, list).unwrap().tools.len(), 1, "{name}");
        end(&world, Task::new(world.client.ping(&world.server))).unwrap();
        end(&world, Task::new(world.client.probe(&world.server))).unwrap();

        let (world, _) = with_sessions(move |message| {
            if message.leg().method == Method::ToolsCall {
                MemoryAnswer::Silence
            } else {
                script(message)
            }
        });
        let switch = Switch::default();
        let mut call = world.call(&switch);
        call.wait();
        switch.flip(true);
        let (stage, delivery) = (Stage::FirstByte, Delivery::Unknown);
        let failure = end(&world, call).unwrap_err();
        assert_eq!(
            failure,
            Failure::new(Cause::Cancelled { stage }, delivery),
            "{name}"
        );
        assert_eq!(world.step().outcome().unwrap().status, StepStatus::Cancelled);
    }
}

#[test]
fn all_farewells_of_an_operation_share_one_second() {
    // Silent from the first: the session is not ended any more.
    let (world, tap) = with_sessions(|message| match message.leg().method {
        Method::ToolsCall | Method::Cancelled => MemoryAnswer::Silence,
        Method::Initialize | Method::Initialized | Method::Ping | Method::ToolsList | Method::EndSession => {
            well(message)
        }
    });
    let switch = Switch::default();
    let mut call = world.call(&switch);
    call.wait();
    switch.flip(true);
    call.wait();
    // The outcome is stored while the server is still being told.
    assert_eq!(world.step().outcome().unwrap().status, StepStatus::Cancelled);
    world.clock.advance(Budget::FAREWELL.get() - MOMENT);
    call.wait();
    world.clock.advance(MOMENT);
    assert_eq!(call.end().unwrap_err().kind(), "cancelled");
    assert_eq!(tap.of(Method::EndSession).len(), 0);
    assert_eq!(world.log().last().unwrap(), "notifications/cancelled");

    // What the first has used up the second does not have.
    let clock = FakeClock::new();
    let moving = clock.clone();
    let (tap, script) = Tap::on(in_session(move |message| match message.leg().method {
        Method::ToolsCall | Method::EndSession => MemoryAnswer::Silence,
        Method::Cancelled => {
            moving.advance(Duration::from_millis(600));
            well(message)
        }
        Method::Initialize | Method::Initialized | Method::Ping | Method::ToolsList => well(message),
    }));
    let world = World::at(clock, Answers::default(), script);
    let switch = Switch::default();
    let mut call = world.call(&switch);
    call.wait();
    switch.flip(true);
    call.wait();
    assert_eq!(tap.of(Method::EndSession).len(), 1);
    world.clock.advance(Duration::from_millis(400) - MOMENT);
    call.wait();
    world.clock.advance(MOMENT);
    assert_eq!(call.end().unwrap_err().kind(), "cancelled");
}

#[test]
fn an_outcome_that_cannot_be_stored_is_told_and_the_session_ended() {
    let answers = Answers {
        settle: Some(Err(LedgerError::Store(StoreError::Unavailable))),
        ..Answers::default()
    };
    let (tap, script) = Tap::on(in_session(well));
    let world = World::new(answers, script);
    let failure = world.call(&Never).end().unwrap_err();
    assert_eq!(failure.kind(), "outcome-not-recorded");
    assert_eq!(tap.of(Method::EndSession).len(), 1);
    assert_eq!(world.clock.now(), Moment::default());
}
