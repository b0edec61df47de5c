//! Cancellation: when a source is asked, and what a yes ends.

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_policy::port::{Cancellation, CancellationUnknown, Clock, Moment, StepStatus};
use mcp_policy::{Budget, Cause, Class, Culprit, Failure};
use mcp_testkit::FakeClock;
use mcp_wire::{Delivery, Message, Method, PortFuture, Stage};

use crate::sources::{Asked, Restless, Slow, Switch};
use crate::support::{silence, well, well_except};
use crate::world::{Answers, World};

const BEFORE_THE_LEGS: [&str; 4] = ["gate", "approval", "charge", "stamp"];

fn ends_with(log: &[String], end: &[&str]) -> bool {
    log.len() >= end.len() && log[log.len() - end.len()..] == *end
}

fn cancelled(stage: Stage, delivery: Delivery) -> Failure {
    Failure::new(Cause::Cancelled { stage }, delivery)
}

#[test]
fn a_cancelled_call_sends_nothing() {
    let world = World::new(Answers::default(), well);
    let switch = Switch::default();
    switch.flip(true);
    let asked = Asked::new(&world.clock, |_| Ok(true));
    for source in [&switch as &dyn Cancellation, &asked] {
        let before = world.log().len();
        let failure = world.call(source).end().unwrap_err();
        assert_eq!(failure, cancelled(Stage::Start, Delivery::NotSent));
        assert_eq!(
            (failure.class(), failure.culprit()),
            (Class::Cancelled, Culprit::Caller)
        );
        let log = [&BEFORE_THE_LEGS[..], &["settle cancelled not-sent"]].concat();
        assert_eq!(world.log()[before..], log);
    }
}

#[test]
fn the_source_is_asked_before_each_leg_and_a_yes_is_final() {
    let legs = ["initialize", "notifications/initialized", "tools/call"];
    for sent in 0..3 {
        let world = World::new(Answers::default(), well);
        // Only one answer is a yes, and nobody asks after it.
        let source = Asked::new(&world.clock, move |question| Ok(question == sent));
        let failure = world.call(&source).end().unwrap_err();
        assert_eq!(failure, cancelled(Stage::Start, Delivery::NotSent));
        let log = [
            &BEFORE_THE_LEGS[..],
            &legs[..sent],
            &["settle cancelled not-sent"],
        ]
        .concat();
        assert_eq!(world.log(), log);
        assert_eq!(source.times().len(), sent + 1);
        let step = world.step();
        assert_eq!(
            (step.is_stamped(), step.outcome().unwrap().status),
            (false, StepStatus::Cancelled)
        );
    }
}

#[test]
fn the_source_is_not_asked_before_a_leg_that_has_no_time_left() {
    let clock = FakeClock::new();
    let moving = clock.clone();
    let slow = move |message: &Message| {
        moving.advance(Budget::DEFAULT.get());
        well(message)
    };
    let world = World::at(clock, Answers::default(), well_except(Method::Initialize, slow));
    let source = Asked::new(&world.clock, |question| Ok(question > 0));
    let failure = world.call(&source).end().unwrap_err();
    assert_eq!(failure.kind(), "deadline-exceeded");
    assert_eq!(source.times().len(), 1);
}

#[test]
fn a_source_that_wakes_ends_a_leg_at_once() {
    let legs = [
        (Method::Initialize, Delivery::NotSent),
        (Method::Initialized, Delivery::NotSent),
        (Method::ToolsCall, Delivery::Unknown),
    ];
    for (leg, delivery) in legs {
        let world = World::new(Answers::default(), well_except(leg, silence));
        let switch = Switch::default();
        let mut call = world.call(&switch);
        call.wait();
        switch.flip(true);
        let failure = call.end().unwrap_err();
        assert_eq!(failure, cancelled(Stage::FirstByte, delivery), "{leg:?}");
        assert_eq!(world.clock.now(), Moment::default(), "{leg:?}");
        let step = world.step();
        assert_eq!(step.is_stamped(), delivery == Delivery::Unknown, "{leg:?}");
        assert_eq!(step.outcome().unwrap().status, StepStatus::Cancelled, "{leg:?}");
    }
}

#[test]
fn a_source_that_woke_for_nothing_is_heard_again_within_a_second() {
    let world = World::new(Answers::default(), well_except(Method::ToolsCall, silence));
    let switch = Switch::default();
    let mut call = world.call(&switch);
    call.wait();
    for _ in 0..3 {
        switch.flip(false);
        call.wait();
    }
    switch.flip(true);
    call.wait();
    world.clock.advance(Duration::from_secs(1));
    let failure = call.end().unwrap_err();
    assert_eq!(failure, cancelled(Stage::FirstByte, Delivery::Unknown));
}

#[test]
fn a_source_is_listened_to_again_after_a_no() {
    let world = World::new(Answers::default(), well_except(Method::ToolsCall, silence));
    let switch = Switch::default();
    let mut call = world.call(&switch);
    call.wait();
    // A change that comes together with the question of the second, and one right after it.
    world.clock.advance(Duration::from_secs(1));
    switch.flip(false);
    call.wait();
    switch.flip(true);
    let failure = call.end().unwrap_err();
    assert_eq!(failure, cancelled(Stage::FirstByte, Delivery::Unknown));
}

#[test]
fn a_source_that_always_claims_a_change_holds_nothing_up() {
    let world = World::new(Answers::default(), well_except(Method::ToolsCall, silence));
    let restless = Restless(Asked::new(&world.clock, |_| Ok(false)));
    let mut call = world.call(&restless);
    call.wait();
    world.clock.advance(Budget::DEFAULT.get());
    assert_eq!(call.end().unwrap_err().kind(), "deadline-exceeded");
    assert!(restless.0.times().len() < 20, "{:?}", restless.0.times());
}

#[test]
fn a_source_that_cannot_wake_is_asked_once_a_second() {
    let world = World::new(Answers::default(), well_except(Method::Initialize, silence));
    let source = Asked::new(&world.clock, |_| Ok(false));
    let mut call = world.call(&source);
    for _ in 0..55 {
        call.wait();
        world.clock.advance(Duration::from_millis(100));
    }
    call.wait();
    assert_eq!(
        source.times(),
        [0, 1_000, 2_000, 3_000, 4_000, 5_000].map(Duration::from_millis)
    );
    // A late look is one question, and the next second starts with it.
    world.clock.advance(Duration::from_millis(4_700));
    call.wait();
    world.clock.advance(Duration::from_millis(999));
    call.wait();
    assert_eq!(source.times()[6..], [Duration::from_millis(10_200)]);
    world.clock.advance(Duration::from_millis(1));
    call.wait();
    assert_eq!(source.times()[7..], [Duration::from_millis(11_200)]);
}

#[test]
fn a_yes_during_a_leg_is_taken_within_the_second_and_is_final() {
    for (leg, delivery) in [
        (Method::Initialize, Delivery::NotSent),
        (Method::ToolsCall, Delivery::Unknown),
    ] {
        let world = World::new(Answers::default(), well_except(leg, silence));
        let said = Arc::new(Mutex::new(Vec::from([true])));
        let answers = said.clone();
        let clock = world.clock.clone();
        // Yes once, after three seconds; no before it and ever after.
        let source = Asked::new(&world.clock, move |_| {
            let due = clock.now() >= Moment(Duration::from_secs(3));
            Ok(due && answers.lock().unwrap().pop().is_some())
        });
        let mut call = world.call(&source);
        call.wait();
        for _ in 0..2 {
            world.clock.advance(Duration::from_secs(1));
            call.wait();
        }
        world.clock.advance(Duration::from_secs(1));
        let asked = source.times().len();
        let failure = call.end().unwrap_err();
        assert_eq!(failure, cancelled(Stage::FirstByte, delivery));
        assert_eq!(source.times().len(), asked + 1);
        let settled = format!("settle cancelled {}", delivery.name());
        let end: &[&str] = match leg {
            Method::ToolsCall => &[&settled, "notifications/cancelled"],
            Method::Initialize
            | Method::Initialized
            | Method::Ping
            | Method::ToolsList
            | Method::Cancelled
            | Method::EndSession => &[&settled],
        };
        assert!(ends_with(&world.log(), end), "{:?}", world.log());
    }
}

#[test]
fn one_question_is_open_at_a_time() {
    let world = World::new(Answers::default(), well_except(Method::ToolsCall, silence));
    let slow = Slow::default();
    let mut call = world.call(&slow);
    // The first three questions come before the legs.
    for _ in 0..3 {
        call.wait();
        slow.answer(Ok(false));
    }
    call.wait();
    assert_eq!(slow.questions(), 3);
    for _ in 0..5 {
        world.clock.advance(Duration::from_secs(1));
        call.wait();
        assert_eq!(slow.questions(), 4);
    }
    // More than a second has passed since the question, so the next one follows at once.
    slow.answer(Ok(false));
    call.wait();
    assert_eq!(slow.questions(), 5);
    slow.answer(Ok(true));
    assert_eq!(
        call.end().unwrap_err(),
        cancelled(Stage::FirstByte, Delivery::Unknown)
    );
}

#[test]
fn an_open_question_does_not_hold_the_deadline_up() {
    let world = World::new(Answers::default(), well_except(Method::ToolsCall, silence));
    let slow = Slow::default();
    let mut call = world.call(&slow);
    for _ in 0..3 {
        call.wait();
        slow.answer(Ok(false));
    }
    call.wait();
    world.clock.advance(Duration::from_secs(1));
    call.wait();
    world
        .clock
        .advance(Budget::DEFAULT.get() - Duration::from_secs(1));
    assert_eq!(call.end().unwrap_err().kind(), "deadline-exceeded");
    assert_eq!(slow.questions(), 4);
}

#[test]
fn a_source_that_fails_counts_as_a_no() {
    let world = World::new(Answers::default(), well);
    let source = Asked::new(&world.clock, |_| Err(CancellationUnknown));
    world.call(&source).end().unwrap();
    assert_eq!(source.times().len(), 3);

    let world = World::new(Answers::default(), well_except(Method::Initialize, silence));
    let source = Asked::new(&world.clock, |_| Err(CancellationUnknown));
    let mut call = world.call(&source);
    for _ in 0..20 {
        call.wait();
        world.clock.advance(Duration::from_secs(1));
    }
    assert_eq!(call.end().unwrap_err().kind(), "deadline-exceeded");
    // Before the leg and after each second, the last one included: a yes would win over the deadline.
    let times: Vec<_> = (0..=20).map(Duration::from_secs).collect();
    assert_eq!(source.times(), times);
}

#[test]
fn an_answer_wins_over_a_cancellation_and_that_over_the_deadline() {
    let second = Duration::from_secs(1);
    for (late, kind) in [(second, "ok"), (second * 2, "cancelled")] {
        let answers = Answers {
            late: Some((Method::ToolsCall, late)),
            ..Answers::default()
        };
        let mut world = World::new(answers, well);
        world.server.budget = Budget::new(second).unwrap();
        let switch = Switch::default();
        let mut call = world.call(&switch);
        call.wait();
        world.clock.advance(second);
        switch.flip(true);
        let outcome = call.end();
        assert_eq!(outcome.as_ref().map_or_else(Failure::kind, |_| "ok"), kind);
    }
}

/// Takes all of a budget to say that nothing has changed.
struct Dawdling(FakeClock);

impl Cancellation for Dawdling {
    fn ask(&self) -> PortFuture<Result<bool, CancellationUnknown>> {
        PortFuture::ready(Ok(false))
    }

    fn poll_changed(&self, _cx: &mut Context<'_>) -> Poll<()> {
        self.0.advance(Duration::from_secs(60));
        Poll::Pending
    }
}

#[test]
fn a_deadline_that_passes_while_the_source_is_asked_ends_the_leg_at_once() {
    let world = World::new(Answers::default(), silence);
    let source = Dawdling(world.clock.clone());
    let failure = world.call(&source).end().unwrap_err();
    assert_eq!(failure.kind(), "deadline-exceeded");
}
