//! Contacts: what is noted of a completed operation, and that the note decides nothing.

use std::time::Duration;

use mcp_policy::port::{Contact, Never, StoreError, UnixTime};
use mcp_policy::{Budget, Failure, Pong, Probe, ToolList};
use mcp_testkit::{FakeClock, MemoryAnswer};
use mcp_wire::{Message, Method, TransportError};

use crate::support::{Answer, Task, error, now, result, well, well_except};
use crate::world::{Answers, World};

/// What the four operations gave.
#[derive(Debug, PartialEq)]
struct Given {
    ping: Result<Pong, Failure>,
    probe: Result<Probe, Failure>,
    list: Result<ToolList, Failure>,
    call: Result<String, Failure>,
}

/// Runs the four operations against a server that behaves, under this health store.
fn run_all(contact: Option<Result<(), StoreError>>) -> Given {
    let answers = Answers {
        contact,
        ..Answers::default()
    };
    let world = World::new(answers, well);
    Given {
        ping: end(&world, Task::new(world.client.ping(&world.server))),
        probe: end(&world, Task::new(world.client.probe(&world.server))),
        list: end(
            &world,
            Task::new(world.client.list_tools(&world.server, Default::default())),
        ),
        call: end(&world, world.call(&Never)).map(|outcome| outcome.text),
    }
}

/// Runs an operation, if need be up to its deadline.
fn end<T>(world: &World, mut operation: Task<'_, T>) -> T {
    if let std::task::Poll::Ready(output) = operation.run() {
        return output;
    }
    world.clock.advance(Budget::DEFAULT.get());
    operation.end()
}

#[test]
fn a_health_store_that_fails_or_never_answers_changes_no_result() {
    let given = run_all(Some(Ok(())));
    assert!(given.ping.is_ok() && given.probe.is_ok() && given.list.is_ok());
    assert_eq!(given.call, Ok("done".to_owned()));
    assert_eq!(run_all(Some(Err(StoreError::Unavailable))), given);
    assert_eq!(run_all(None), given);
}

#[test]
fn a_note_that_fails_is_not_repeated_and_leaves_the_settlement_alone() {
    let answers = Answers {
        contact: Some(Err(StoreError::Unavailable)),
        ..Answers::default()
    };
    let world = World::new(answers, well);
    world.call(&Never).end().unwrap();
    let log = world.log();
    assert_eq!(log[log.len() - 2..], ["settle ok answered", "contact"]);
    assert_eq!(world.last_contact(), None);
}

#[test]
fn a_contact_has_the_time_of_its_end_and_the_length_of_its_last_leg() {
    // Each leg takes as many seconds as its place in the table.
    let takes = |message: &Message| match message.leg().method {
        Method::Initialize => 1,
        Method::Initialized => 2,
        Method::Ping => 3,
        Method::ToolsList => 4,
        Method::ToolsCall => 5,
        Method::Cancelled | Method::EndSession => 6,
    };
    let world = || {
        let clock = FakeClock::new();
        let moving = clock.clone();
        World::at(clock, Answers::default(), move |message| {
            moving.advance(Duration::from_secs(takes(message)));
            well(message)
        })
    };
    let check = |world: &World, took: u64, latency: u64| {
        let start = Duration::from_secs(1_767_225_600);
        let contact = Contact {
            at: UnixTime(start + Duration::from_secs(took)),
            latency: Duration::from_secs(latency),
        };
        assert_eq!(world.last_contact(), Some(contact));
    };
    let pinged = world();
    let pong = now(pinged.client.ping(&pinged.server)).unwrap();
    assert_eq!(pong.latency, Duration::from_secs(1));
    check(&pinged, 3, 1);
    let probed = world();
    let probe = now(probed.client.probe(&probed.server)).unwrap();
    assert_eq!(probe.latency, Duration::from_secs(3));
    check(&probed, 6, 3);
    let listed = world();
    now(listed.client.list_tools(&listed.server, Default::default())).unwrap();
    check(&listed, 7, 4);
    let called = world();
    let outcome = called.call(&Never).end().unwrap();
    assert_eq!(outcome.latency, Duration::from_secs(5));
    check(&called, 8, 5);
}

#[test]
fn a_tool_that_reports_a_failure_is_a_contact_and_a_failure_is_none() {
    let cases: [(&str, Answer, bool); 4] = [
        (
            "a tool that fails",
            |message| result(message, r#"{"isError":true}"#),
            true,
        ),
        ("a server that refuses", |message| error(message, -32_602), false),
        (
            "a result that cannot be read",
            |message| result(message, r#"{"content":1}"#),
            false,
        ),
        (
            "a lost connection",
            |_| MemoryAnswer::Failed(TransportError::ConnectionLost.into()),
            false,
        ),
    ];
    for (name, answer, contact) in cases {
        let world = World::new(Answers::default(), well_except(Method::ToolsCall, answer));
        let _outcome = world.call(&Never).end();
        assert_eq!(world.last_contact().is_some(), contact, "{name}");
    }
}
