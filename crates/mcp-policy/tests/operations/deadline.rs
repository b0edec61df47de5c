//! The deadline: one budget for everything that an operation waits for, to the nanosecond.

use std::time::Duration;

use mcp_policy::port::{Clock, DenialReason, Never};
use mcp_policy::{Budget, Cause, Class, Culprit, Failure};
use mcp_testkit::FakeClock;
use mcp_wire::{Delivery, Message, Method, Stage};

use crate::sources::Mute;
use crate::support::{Task, silence, well, well_except};
use crate::world::{Answers, World};

const MOMENT: Duration = Duration::from_nanos(1);

/// Runs an operation that waits for its deadline, and gives its end.
#[track_caller]
fn at_the_deadline<T>(clock: &FakeClock, budget: Budget, mut operation: Task<'_, T>) -> T {
    let started = clock.now();
    operation.wait();
    clock.advance(budget.get() - MOMENT);
    operation.wait();
    clock.advance(MOMENT);
    let end = operation.end();
    assert_eq!(clock.now().since(started), budget.get());
    end
}

fn spent(budget: Budget, stage: Stage, delivery: Delivery) -> Failure {
    Failure::new(Cause::DeadlineExceeded { budget, stage }, delivery)
}

#[test]
fn a_silent_leg_ends_a_call_when_its_budget_is_spent() {
    let budgets = [Duration::from_millis(1), Budget::DEFAULT.get(), Budget::MAX.get()];
    let legs = [
        (Method::Initialize, Delivery::NotSent),
        (Method::Initialized, Delivery::NotSent),
        (Method::ToolsCall, Delivery::Unknown),
    ];
    for budget in budgets.map(|length| Budget::new(length).unwrap()) {
        for (leg, delivery) in legs {
            let mut world = World::new(Answers::default(), well_except(leg, silence));
            world.server.budget = budget;
            let failure = at_the_deadline(&world.clock, budget, world.call(&Never)).unwrap_err();
            assert_eq!(failure, spent(budget, Stage::FirstByte, delivery), "{leg:?}");
            assert_eq!(
                (failure.class(), failure.culprit()),
                (Class::Deadline, Culprit::Server)
            );
            let settled = format!("settle failed {}", delivery.name());
            assert_eq!(world.log().last(), Some(&settled), "{leg:?}");
        }
    }
}

#[test]
fn every_operation_has_the_deadline_of_its_server() {
    let budget = Budget::new(Duration::from_secs(3)).unwrap();
    let world = |leg| {
        let mut world = World::new(Answers::default(), well_except(leg, silence));
        world.server.budget = budget;
        world
    };
    let unknown = spent(budget, Stage::FirstByte, Delivery::Unknown);
    let unsent = spent(budget, Stage::FirstByte, Delivery::NotSent);

    let silent = world(Method::Initialize);
    let ping = Task::new(silent.client.ping(&silent.server));
    assert_eq!(at_the_deadline(&silent.clock, budget, ping), Err(unknown.clone()));
    let probe = Task::new(silent.client.probe(&silent.server));
    assert_eq!(at_the_deadline(&silent.clock, budget, probe), Err(unsent.clone()));
    let list = Task::new(silent.client.list_tools(&silent.server, Default::default()));
    assert_eq!(at_the_deadline(&silent.clock, budget, list), Err(unsent));

    let silent = world(Method::Ping);
    let probe = Task::new(silent.client.probe(&silent.server));
    assert_eq!(
        at_the_deadline(&silent.clock, budget, probe),
        Err(unknown.clone())
    );
    let silent = world(Method::ToolsList);
    let list = Task::new(silent.client.list_tools(&silent.server, Default::default()));
    assert_eq!(at_the_deadline(&silent.clock, budget, list), Err(unknown));
}

#[test]
fn all_legs_share_one_budget() {
    // The handshake takes 15 s of the 20 s.
    let clock = FakeClock::new();
    let moving = clock.clone();
    let world = World::at(clock.clone(), Answers::default(), move |message| {
        if message.leg().method == Method::Initialize {
            moving.advance(Duration::from_secs(15));
        }
        well_except(Method::ToolsCall, silence)(message)
    });
    let mut call = world.call(&Never);
    call.wait();
    clock.advance(Duration::from_secs(5) - MOMENT);
    call.wait();
    clock.advance(MOMENT);
    let failure = call.end().unwrap_err();
    assert_eq!(
        failure,
        spent(Budget::DEFAULT, Stage::FirstByte, Delivery::Unknown)
    );
}

#[test]
fn no_leg_begins_when_the_budget_is_spent() {
    let (clock, budget) = (FakeClock::new(), Budget::DEFAULT);
    for (slow, next) in [
        (Method::Initialize, "notifications/initialized"),
        (Method::Initialized, "tools/call"),
    ] {
        let moving = clock.clone();
        let world = World::at(clock.clone(), Answers::default(), move |message: &Message| {
            if message.leg().method == slow {
                moving.advance(budget.get());
            }
            well(message)
        });
        let failure = world.call(&Never).end().unwrap_err();
        assert_eq!(failure, spent(budget, Stage::Start, Delivery::NotSent));
        assert_eq!(failure.culprit(), Culprit::Transport);
        assert!(!world.log().iter().any(|entry| entry == next), "{next}");
        assert!(!world.step().is_stamped(), "{next}");
    }
}

#[test]
fn an_answer_that_is_there_wins_over_the_deadline() {
    let budget = Budget::DEFAULT;
    for (late, ends_well) in [(budget.get(), true), (budget.get() + MOMENT, false)] {
        let answers = Answers {
            late: Some((Method::ToolsCall, late)),
            ..Answers::default()
        };
        let world = World::new(answers, well);
        let outcome = at_the_deadline(&world.clock, budget, world.call(&Never));
        assert_eq!(outcome.is_ok(), ends_well, "{late:?}");
    }
}

#[test]
fn an_answer_of_a_port_that_is_there_wins_over_the_deadline() {
    let asked = ["gate", "approval", "charge", "stamp", "settle failed not-sent"];
    let budget = Budget::DEFAULT;
    for (before, port) in asked[..4].iter().copied().enumerate() {
        for (late, heard) in [(budget.get(), asked.len()), (budget.get() + MOMENT, before + 1)] {
            let answers = Answers {
                late_port: Some((port, late)),
                ..Answers::default()
            };
            let world = World::new(answers, well);
            let failure = at_the_deadline(&world.clock, budget, world.call(&Never)).unwrap_err();
            assert_eq!(failure, spent(budget, Stage::Start, Delivery::NotSent));
            assert_eq!(world.log(), asked[..heard], "{port} after {late:?}");
        }
    }
}

#[test]
fn a_port_that_never_answers_is_waited_for_until_the_deadline_only() {
    let never = Answers::default;
    let cases: [(Answers, &[&str]); 4] = [
        (
            Answers {
                gate: None,
                ..never()
            },
            &["gate"],
        ),
        (
            Answers {
                approval: None,
                ..never()
            },
            &["gate", "approval"],
        ),
        (
            Answers {
                charge: None,
                ..never()
            },
            &["gate", "approval", "charge"],
        ),
        (
            Answers {
                stamp: None,
                ..never()
            },
            &["gate", "approval", "charge", "stamp"],
        ),
    ];
    for (answers, asked) in cases {
        let world = World::new(answers, well);
        let failure = at_the_deadline(&world.clock, Budget::DEFAULT, world.call(&Never)).unwrap_err();
        assert_eq!(
            failure,
            spent(Budget::DEFAULT, Stage::Start, Delivery::NotSent),
            "{asked:?}"
        );
        assert_eq!(world.log(), asked);
        assert_eq!(world.steps(), 0, "{asked:?}");
    }
}

#[test]
fn a_denial_that_is_never_kept_stays_a_denial() {
    let answers = Answers {
        gate: Some(Err(DenialReason::RequiresAdmin)),
        denial: None,
        ..Answers::default()
    };
    let world = World::new(answers, well);
    let failure = at_the_deadline(&world.clock, Budget::DEFAULT, world.call(&Never)).unwrap_err();
    assert_eq!(failure.kind(), "admin-required");
    assert_eq!(world.log(), ["gate", "denial"]);
}

#[test]
fn a_source_of_cancellation_that_never_answers_is_bounded_too() {
    let world = World::new(Answers::default(), well);
    let failure = at_the_deadline(&world.clock, Budget::DEFAULT, world.call(&Mute)).unwrap_err();
    assert_eq!(failure, spent(Budget::DEFAULT, Stage::Start, Delivery::NotSent));
    let log = ["gate", "approval", "charge", "stamp", "settle failed not-sent"];
    assert_eq!(world.log(), log);
}

#[test]
fn keeping_the_outcome_has_a_time_of_its_own() {
    // The ledger never settles: the operation waits for it beyond its deadline, but not for ever.
    let answers = Answers {
        settle: None,
        ..Answers::default()
    };
    let world = World::new(answers, well_except(Method::ToolsCall, silence));
    let mut call = world.call(&Never);
    call.wait();
    world.clock.advance(Budget::DEFAULT.get());
    call.wait();
    assert_eq!(world.log().last().unwrap(), "settle failed unknown");
    world
        .clock
        .advance(Budget::SETTLEMENT.get() - Duration::from_nanos(1));
    call.wait();
    world.clock.advance(Duration::from_nanos(1));
    let failure = call.end().unwrap_err();
    assert_eq!(
        (failure.kind(), failure.delivery()),
        ("outcome-not-recorded", Delivery::Unknown)
    );
}

#[test]
fn what_was_not_sent_in_time_is_given_up_without_another_poll() {
    let answers = Answers {
        unsent: Some(Method::Initialize),
        ..Answers::default()
    };
    let world = World::new(answers, well);
    let budget = world.server.budget;
    let failure = at_the_deadline(&world.clock, budget, world.call(&Never)).unwrap_err();
    assert_eq!(failure, spent(budget, Stage::Queue, Delivery::NotSent));
    let polls = world.log().iter().filter(|entry| *entry == "polled").count();
    // At the start, and when the caller is asked again just before the end.
    assert_eq!(polls, 2, "no connection is made for a call that is over");
}
