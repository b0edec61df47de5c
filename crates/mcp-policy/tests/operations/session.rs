//! Held sessions: one handshake for several operations, what a loss does to them, and their end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_policy::port::{Actor, Cancellation, Never, RunId, StepStatus};
use mcp_policy::{Budget, CallOutcome, Cause, Class, Culprit, Failure, Refusal, Session};
use mcp_testkit::{FakeClock, FixedProcess, MemoryAnswer, SeededEntropy};
use mcp_wire::{
    Arguments, Delivery, IdError, Message, Method, RequestIds, SessionId, Stage, StatusFailure, ToolName,
    TransportError,
};

use crate::sources::Switch;
use crate::support::{Sent, Tap, Task, error, in_session, now, result, silence, well, well_except};
use crate::world::{Answers, World};

const HELLO: [&str; 3] = ["initialize", "notifications/initialized", "contact"];
const CALL: [&str; 7] = [
    "gate",
    "approval",
    "charge",
    "stamp",
    "tools/call",
    "settle ok answered",
    "contact",
];

fn call<'a>(
    session: &'a mut Session<'_>,
    cancellation: &'a dyn Cancellation,
) -> Task<'a, Result<CallOutcome, Failure>> {
    Task::new(async move {
        let (tool, run) = (ToolName::parse("echo").unwrap(), RunId("run-1".to_owned()));
        let (arguments, actor) = (Arguments::none(), Actor::Unattended);
        session
            .call_tool(&tool, &arguments, &run, &actor, cancellation)
            .await
    })
}

fn lost() -> MemoryAnswer {
    let failure = StatusFailure::new(404, true);
    MemoryAnswer::Failed(TransportError::Status(failure).into())
}

/// A server that issues `s-1`, `s-2` and so on, and answers with `answer`, given also how many sessions it has issued.
fn issuing(
    answer: impl Fn(&Message, usize) -> MemoryAnswer + Send + 'static,
) -> impl Fn(&Message) -> MemoryAnswer + Send + 'static {
    let issued = AtomicUsize::new(0);
    move |message| {
        if message.leg().method == Method::Initialize {
            issued.fetch_add(1, Ordering::Relaxed);
        }
        let issued = issued.load(Ordering::Relaxed);
        match (message.leg().method, answer(message, issued)) {
            (Method::Initialize, MemoryAnswer::Json(body)) => {
                let id = format!("s-{issued}");
                MemoryAnswer::JsonInSession(body, SessionId::parse(id.as_bytes()).unwrap())
            }
            (_, answer) => answer,
        }
    }
}

/// A server that has lost its first session when it is asked for `method` in it.
fn losing(method: Method) -> impl Fn(&Message) -> MemoryAnswer + Send + 'static {
    issuing(move |message, issued| {
        if message.leg().method == method && issued == 1 {
            lost()
        } else {
            well(message)
        }
    })
}

fn world(script: impl Fn(&Message) -> MemoryAnswer + Send + 'static) -> (World, Tap) {
    let (tap, script) = Tap::on(script);
    (World::new(Answers::default(), script), tap)
}

fn sessions(sent: &[Sent]) -> Vec<&str> {
    sent.iter()
        .map(|sent| sent.session.as_deref().unwrap_or("-"))
        .collect()
}

#[test]
fn operations_share_one_handshake_and_end_by_the_host() {
    let (world, tap) = world(in_session(well));
    let mut session = now(world.client.open_session(&world.server)).unwrap();
    assert_eq!(call(&mut session, &Never).end().unwrap().text, "done");
    assert_eq!(
        call(&mut session, &Never).end().unwrap().version.as_str(),
        "2025-06-18"
    );
    let list = now(session.list_tools(Default::default())).unwrap();
    assert_eq!(list.tools.len(), 1);
    let probe = now(session.probe()).unwrap();
    assert_eq!(&probe.pong, session.pong());
    now(session.close());
    let log = [
        &HELLO[..],
        &CALL,
        &CALL,
        &["tools/list", "contact", "ping", "contact", "DELETE"],
    ];
    assert_eq!(world.log(), log.concat());
    let sent = tap.all();
    assert_eq!(sessions(&sent), ["-", "s-1", "s-1", "s-1", "s-1", "s-1", "s-1"]);
    let mut ids: Vec<String> = sent
        .into_iter()
        .map(|sent| sent.id)
        .filter(|id| !id.is_empty())
        .collect();
    let requests = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((requests, ids.len()), (5, 5));
}

#[test]
fn a_call_goes_the_whole_way_in_a_held_session_as_well() {
    let answers = Answers {
        gate: Some(Err(mcp_policy::port::DenialReason::TrustZone)),
        ..Answers::default()
    };
    let world = World::new(answers, in_session(well));
    let mut session = now(world.client.open_session(&world.server)).unwrap();
    let failure = call(&mut session, &Never).end().unwrap_err();
    assert_eq!(failure.kind(), "above-trust-zone");
    assert_eq!(world.log(), [&HELLO[..], &["gate", "denial"]].concat());
    assert!(!session.is_gone());
}

#[test]
fn a_lost_session_is_had_again_once_for_a_list_and_a_probe() {
    let (world, tap) = world(losing(Method::ToolsList));
    let mut session = now(world.client.open_session(&world.server)).unwrap();
    assert_eq!(
        now(session.list_tools(Default::default())).unwrap().tools.len(),
        1
    );
    now(session.close());
    let again = [
        "tools/list",
        "initialize",
        "notifications/initialized",
        "tools/list",
    ];
    assert_eq!(world.log(), [&HELLO[..], &again, &["contact", "DELETE"]].concat());
    assert_eq!(
        sessions(&tap.all()),
        ["-", "s-1", "s-1", "-", "s-2", "s-2", "s-2"]
    );

    let (world, tap) = self::world(losing(Method::Ping));
    let mut session = now(world.client.open_session(&world.server)).unwrap();
    now(session.probe()).unwrap();
    let again = ["ping", "initialize", "notifications/initialized", "ping"];
    assert_eq!(world.log(), [&HELLO[..], &again, &["contact"]].concat());
    // The new session serves on.
    call(&mut session, &Never).end().unwrap();
    assert_eq!(tap.all().last().unwrap().session.as_deref(), Some("s-2"));
}

#[test]
fn a_list_whose_session_is_lost_on_a_later_page_starts_from_its_first() {
    let (world, tap) = world(issuing(|message, issued| {
        let later = String::from_utf8_lossy(message.body()).contains("cursor");
        match (message.leg().method, later, issued) {
            (Method::ToolsList, true, 1) => lost(),
            (Method::ToolsList, false, _) => {
                result(message, r#"{"tools":[{"name":"a"}],"nextCursor":"two"}"#)
            }
            (Method::ToolsList, true, _) => result(message, r#"{"tools":[{"name":"b"}]}"#),
            (_, _, _) => well(message),
        }
    }));
    let mut session = now(world.client.open_session(&world.server)).unwrap();
    let list = now(session.list_tools(Default::default())).unwrap();
    let names: Vec<_> = list.tools.iter().map(|tool| tool.name().as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(sessions(&tap.of(Method::ToolsList)), ["s-1", "s-1", "s-2", "s-2"]);
}

#[test]
fn a_session_that_is_lost_twice_is_gone() {
    let (world, tap) = world(issuing(|message, _| match message.leg().method {
        Method::ToolsList | Method::Ping => lost(),
        Method::Initialize
        | Method::Initialized
        | Method::ToolsCall
        | Method::Cancelled
        | Method::EndSession => well(message),
    }));
    let mut session = now(world.client.open_session(&world.server)).unwrap();
    let failure = now(session.list_tools(Default::default())).unwrap_err();
    assert_eq!(
        (failure.kind(), failure.delivery()),
        ("session-lost", Delivery::Unknown)
    );
    assert!(session.is_gone());
    assert_eq!(tap.of(Method::Initialize).len(), 2);

    // Whatever comes next is refused before anything is asked or sent.
    let before = (world.log().len(), world.steps());
    let gone = Failure::from(Refusal::SessionGone);
    assert_eq!(call(&mut session, &Never).end().unwrap_err(), gone);
    assert_eq!(now(session.list_tools(Default::default())).unwrap_err(), gone);
    assert_eq!(now(session.probe()).unwrap_err(), gone);
    assert_eq!(
        (gone.kind(), gone.delivery()),
        ("session-gone", Delivery::NotSent)
    );
    assert_eq!((gone.class(), gone.culprit()), (Class::Refusal, Culprit::Caller));
    now(session.close());
    assert_eq!((world.log().len(), world.steps()), before);
}

#[test]
fn a_call_in_a_lost_session_is_not_repeated() {
    let (world, tap) = world(losing(Method::ToolsCall));
    let mut session = now(world.client.open_session(&world.server)).unwrap();
    let failure = call(&mut session, &Never).end().unwrap_err();
    assert_eq!(
        (failure.kind(), failure.delivery()),
        ("session-lost", Delivery::Unknown)
    );
    let step = world.step();
    assert_eq!(
        (step.is_stamped(), step.outcome().unwrap().status),
        (true, StepStatus::Failed)
    );
    assert!(session.is_gone());
    now(session.close());
    assert_eq!(
        tap.methods(),
        [Method::Initialize, Method::Initialized, Method::ToolsCall]
    );
}

#[test]
fn a_session_that_cannot_be_had_again_is_gone() {
    let lose_connection = || MemoryAnswer::Failed(TransportError::ConnectionLost.into());
    // The leg of the second handshake that fails, and whether a session is there to be ended.
    for (failing, ended) in [(Method::Initialize, 0), (Method::Initialized, 1)] {
        let (world, tap) = world(issuing(move |message, issued| {
            match (message.leg().method, issued) {
                (Method::ToolsList, _) => lost(),
                (method, 2) if method == failing => lose_connection(),
                (_, _) => well(message),
            }
        }));
        let mut session = now(world.client.open_session(&world.server)).unwrap();
        let failure = now(session.list_tools(Default::default())).unwrap_err();
        assert_eq!(
            (failure.kind(), failure.delivery()),
            ("connection-lost", Delivery::Unknown)
        );
        assert!(session.is_gone(), "{failing:?}");
        let ends = tap.of(Method::EndSession);
        assert_eq!(ends.len(), ended, "{failing:?}");
        assert!(ends.iter().all(|end| end.session.as_deref() == Some("s-2")));
        let sent = tap.all().len();
        now(session.close());
        assert_eq!(tap.all().len(), sent, "{failing:?}");
    }
}

#[test]
fn a_session_whose_new_handshake_was_dropped_is_gone_and_can_be_ended() {
    let (world, tap) = world(issuing(|message, issued| match (message.leg().method, issued) {
        (Method::ToolsList, 1) => lost(),
        (Method::Initialized, 2) => MemoryAnswer::Silence,
        (_, _) => well(message),
    }));
    let mut session = now(world.client.open_session(&world.server)).unwrap();
    Task::new(session.list_tools(Default::default())).wait();
    assert!(session.is_gone());
    assert_eq!(now(session.probe()).unwrap_err().kind(), "session-gone");
    now(session.close());
    assert_eq!(sessions(&tap.of(Method::EndSession)), ["s-2"]);
}

#[test]
fn a_new_handshake_is_within_the_deadline_of_its_operation() {
    let clock = FakeClock::new();
    let moving = clock.clone();
    let (tap, script) = Tap::on(issuing(move |message, issued| {
        moving.advance(Duration::from_secs(7));
        match (message.leg().method, issued) {
            (Method::ToolsList, 1) => lost(),
            (_, _) => well(message),
        }
    }));
    let world = World::at(clock, Answers::default(), script);
    let mut session = now(world.client.open_session(&world.server)).unwrap();
    // The page and the new handshake have used up 21 of 20 seconds.
    let failure = now(session.list_tools(Default::default())).unwrap_err();
    assert_eq!(failure.kind(), "deadline-exceeded");
    assert_eq!(tap.of(Method::ToolsList).len(), 1);
    // The new session is there for the next operation, whose budget is its own.
    assert_eq!(
        now(session.list_tools(Default::default())).unwrap().tools.len(),
        1
    );
    assert_eq!(sessions(&tap.of(Method::ToolsList)), ["s-1", "s-2"]);
}

#[test]
fn a_cancelled_call_leaves_the_session_open() {
    let (world, tap) = world(issuing(|message, _| {
        let first = !String::from_utf8_lossy(message.body()).contains("-3\"");
        match message.leg().method {
            Method::ToolsCall if first => MemoryAnswer::Silence,
            Method::ToolsCall
            | Method::Initialize
            | Method::Initialized
            | Method::Ping
            | Method::ToolsList
            | Method::Cancelled
            | Method::EndSession => well(message),
        }
    }));
    let mut session = now(world.client.open_session(&world.server)).unwrap();
    let switch = Switch::default();
    {
        let mut call = call(&mut session, &switch);
        call.wait();
        switch.flip(true);
        let (stage, delivery) = (Stage::FirstByte, Delivery::Unknown);
        assert_eq!(
            call.end().unwrap_err(),
            Failure::new(Cause::Cancelled { stage }, delivery)
        );
    }
    assert_eq!(world.log().last().unwrap(), "notifications/cancelled");
    assert!(!session.is_gone());
    call(&mut session, &Never).end().unwrap();
    now(session.close());
    let notices = tap.of(Method::Cancelled);
    assert_eq!(sessions(&notices), ["s-1"]);
    assert_eq!(sessions(&tap.of(Method::EndSession)), ["s-1"]);
}

#[test]
fn a_call_that_ends_otherwise_leaves_the_session_open() {
    let cases: [(&str, crate::support::Answer); 4] = [
        ("deadline-exceeded", silence),
        ("rpc-error", |message| error(message, -32_602)),
        ("content-not-array", |message| result(message, r#"{"content":1}"#)),
        ("connection-lost", |_| {
            MemoryAnswer::Failed(TransportError::ConnectionLost.into())
        }),
    ];
    for (kind, answer) in cases {
        let (world, tap) = world(in_session(well_except(Method::ToolsCall, answer)));
        let mut session = now(world.client.open_session(&world.server)).unwrap();
        {
            let mut call = call(&mut session, &Never);
            let _silent = call.run().is_pending() && {
                world.clock.advance(Budget::DEFAULT.get());
                assert_eq!(call.end().unwrap_err().kind(), kind);
                true
            };
        }
        assert!(!session.is_gone(), "{kind}");
        assert_eq!(tap.of(Method::EndSession).len(), 0, "{kind}");
        now(session.probe()).unwrap();
        now(session.close());
        assert_eq!(tap.of(Method::EndSession).len(), 1, "{kind}");
    }
}

#[test]
fn a_session_that_cannot_be_opened_is_ended_where_one_was_issued() {
    let busy = |_: &Message| MemoryAnswer::Failed(TransportError::ConnectionLost.into());
    let (world, tap) = world(in_session(well_except(Method::Initialized, busy)));
    let failure = now(world.client.open_session(&world.server)).unwrap_err();
    assert_eq!(
        (failure.kind(), failure.delivery()),
        ("connection-lost", Delivery::Answered)
    );
    assert_eq!(
        tap.methods(),
        [Method::Initialize, Method::Initialized, Method::EndSession]
    );
    assert_eq!(world.last_contact(), None);
}

#[test]
fn the_end_of_a_session_cannot_fail_and_takes_one_second_at_most() {
    let (world, _) = world(in_session(well_except(Method::EndSession, |_| lost())));
    let session = now(world.client.open_session(&world.server)).unwrap();
    now(session.close());

    let (world, tap) = self::world(in_session(well_except(Method::EndSession, silence)));
    let session = now(world.client.open_session(&world.server)).unwrap();
    let mut close = Task::new(session.close());
    close.wait();
    world.clock.advance(Duration::from_nanos(999_999_999));
    close.wait();
    world.clock.advance(Duration::from_nanos(1));
    close.end();
    assert_eq!(tap.of(Method::EndSession).len(), 1);
}

#[test]
fn a_session_that_is_dropped_says_nothing() {
    let (world, tap) = world(in_session(well));
    drop(now(world.client.open_session(&world.server)).unwrap());
    assert_eq!(tap.of(Method::EndSession).len(), 0);
}

#[test]
fn a_server_without_sessions_can_be_held_too() {
    let (world, tap) = world(well);
    let mut session = now(world.client.open_session(&world.server)).unwrap();
    call(&mut session, &Never).end().unwrap();
    now(session.list_tools(Default::default())).unwrap();
    now(session.close());
    assert_eq!(sessions(&tap.all()), ["-"; 4]);
    assert!(tap.all()[1..].iter().all(|sent| sent.version == "2025-06-18"));
    assert_eq!(tap.of(Method::EndSession).len(), 0);

    // A 404 outside a session says nothing about one.
    let not_found = |_: &Message| {
        let failure = StatusFailure::new(404, false);
        MemoryAnswer::Failed(TransportError::Status(failure).into())
    };
    let (world, tap) = self::world(well_except(Method::ToolsList, not_found));
    let mut session = now(world.client.open_session(&world.server)).unwrap();
    let failure = now(session.list_tools(Default::default())).unwrap_err();
    assert_eq!(failure.kind(), "not-found");
    assert!(!session.is_gone());
    assert_eq!(tap.of(Method::ToolsList).len(), 1);
}

#[test]
fn spent_ids_are_refused_before_anything_is_sent() {
    // One for the handshake, one for the call.
    let process = std::sync::Arc::<FixedProcess>::default();
    let entropy = std::sync::Arc::new(SeededEntropy::new(1));
    let ids = RequestIds::starting_at(entropy, process, u64::MAX - 2).unwrap();
    let world = World::with_ids(ids, FakeClock::new(), Answers::default(), in_session(well));
    let mut session = now(world.client.open_session(&world.server)).unwrap();
    call(&mut session, &Never).end().unwrap();
    let before = world.log().len();
    let spent = Failure::from(Refusal::Id(IdError::Exhausted));
    assert_eq!(now(session.probe()).unwrap_err(), spent);
    assert_eq!(now(session.list_tools(Default::default())).unwrap_err(), spent);
    assert_eq!(world.log().len(), before);
    assert!(!session.is_gone());
}

#[test]
fn operations_of_a_session_can_move_between_threads() {
    fn check<T: Send>(_operation: &T) {}
    let world = World::new(Answers::default(), well);
    check(&world.client.open_session(&world.server));
    let mut session = now(world.client.open_session(&world.server)).unwrap();
    check(&session);
    check(&session.list_tools(Default::default()));
    check(&session.probe());
    let (tool, run) = (ToolName::parse("echo").unwrap(), RunId("run-1".to_owned()));
    check(&session.call_tool(&tool, &Arguments::none(), &run, &Actor::Unattended, &Never));
    check(&session.close());
}

#[test]
fn an_operation_that_runs_out_of_time_after_its_session_was_lost_was_sent() {
    let clock = FakeClock::new();
    let hand = clock.clone();
    let script = issuing(move |message, issued| match (message.leg().method, issued) {
        (Method::ToolsList | Method::Ping, 1) => lost(),
        (Method::Initialized, 2) => {
            hand.advance(Budget::DEFAULT.get());
            well(message)
        }
        _ => well(message),
    });
    let world = World::at(clock, Answers::default(), script);
    let mut session = now(world.client.open_session(&world.server)).unwrap();
    let failure = now(session.list_tools(Default::default())).unwrap_err();
    let told = (failure.kind(), failure.delivery());
    assert_eq!(told, ("deadline-exceeded", Delivery::Unknown));
}
