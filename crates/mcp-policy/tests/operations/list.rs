//! The list of tools: all pages, its bounds, and what is set aside.

use std::sync::{Arc, Mutex};

use mcp_policy::{
    Budget, Class, Culprit, Failure, QuarantineReason, Quarantined, ToolList, WalkFault, WalkLimits,
};
use mcp_testkit::FakeClock;
use mcp_wire::{Delivery, Message, Method, ToolName, ToolNameError};

use crate::support::{Answer, Task, error, now, result, well, well_except};
use crate::world::{Answers, World};

/// Lists the tools of a server whose pages are written by `page`, given the number of each, from 0.
fn list(
    limits: WalkLimits,
    page: impl Fn(usize) -> String + Send + 'static,
) -> (Result<ToolList, Failure>, World) {
    let count = Mutex::new(0);
    let answer = move |message: &Message| {
        let mut count = count.lock().unwrap();
        *count += 1;
        result(message, &page(*count - 1))
    };
    let world = World::new(Answers::default(), well_except(Method::ToolsList, answer));
    (now(world.client.list_tools(&world.server, limits)), world)
}

/// A page with tools of these names, and a cursor to the next one unless it is empty.
fn page<T: AsRef<str>>(names: impl IntoIterator<Item = T>, next: &str) -> String {
    let tools: Vec<String> = names
        .into_iter()
        .map(|name| format!("{{\"name\":\"{}\"}}", name.as_ref()))
        .collect();
    format!("{{\"tools\":[{}],\"nextCursor\":\"{next}\"}}", tools.join(","))
}

fn names(list: &ToolList) -> Vec<&str> {
    list.tools.iter().map(|tool| tool.name().as_str()).collect()
}

fn pages_asked(world: &World) -> usize {
    world.log().iter().filter(|entry| *entry == "tools/list").count()
}

/// Checks that the walk was given up with nothing handed out or noted.
#[track_caller]
fn check_given_up(outcome: Result<ToolList, Failure>, world: &World, fault: WalkFault, kind: &str) {
    let failure = outcome.unwrap_err();
    assert_eq!(failure, Failure::from(fault));
    assert_eq!((failure.kind(), failure.class()), (kind, Class::Limit));
    assert_eq!(
        (failure.culprit(), failure.delivery()),
        (Culprit::Server, Delivery::Answered)
    );
    assert_eq!(world.last_contact(), None);
}

#[test]
fn all_pages_are_one_list_in_the_order_of_the_server() {
    let (outcome, world) = list(WalkLimits::default(), |number| match number {
        0 => page(["zeta", "alpha"], "two"),
        1 => page([""; 0], "three"),
        _ => page(["beta"], ""),
    });
    assert_eq!(names(&outcome.unwrap()), ["zeta", "alpha", "beta"]);
    assert_eq!(pages_asked(&world), 3);
}

#[test]
fn each_page_is_asked_for_with_the_cursor_of_the_one_before() {
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let log = bodies.clone();
    let answer = move |message: &Message| {
        let mut log = log.lock().unwrap();
        log.push(String::from_utf8(message.body().to_vec()).unwrap());
        let next = ["a \\\"b\\\" \\u00fc", "2", ""][log.len() - 1];
        result(message, &page(["tool"; 0], next))
    };
    let world = World::new(Answers::default(), well_except(Method::ToolsList, answer));
    now(world.client.list_tools(&world.server, WalkLimits::default())).unwrap();
    let bodies = bodies.lock().unwrap();
    let params: Vec<_> = bodies
        .iter()
        .map(|body| body.split_once("\"params\":").unwrap().1)
        .collect();
    assert_eq!(
        params,
        [
            "{}}",
            "{\"cursor\":\"a \\\"b\\\" \u{fc}\"}}",
            "{\"cursor\":\"2\"}}"
        ]
    );
}

#[test]
fn a_definition_is_handed_out_as_the_server_wrote_it() {
    let text = r#"{ "x":1.0, "name":"one" , "inputSchema":{"type": "object"}, "name":"two"}"#;
    let (outcome, _) = list(WalkLimits::default(), move |_| format!("{{\"tools\":[{text}]}}"));
    let list = outcome.unwrap();
    assert_eq!(list.tools[0].text(), text);
    assert_eq!(names(&list), ["two"]);
}

#[test]
fn tools_of_one_name_are_all_set_aside_and_the_rest_stands() {
    let ambiguous = |name: &str| Quarantined {
        name: Some(ToolName::parse(name).unwrap()),
        reason: QuarantineReason::Ambiguous,
    };
    // On one page or on two, spelled alike or with an escape; names that differ in case are two names.
    let (outcome, _) = list(WalkLimits::default(), |number| match number {
        0 => page(["twin", "one", "twin", "far", "Twin"], "two"),
        _ => page(["two", "\\u0066ar", "three"], ""),
    });
    let list = outcome.unwrap();
    assert_eq!(names(&list), ["one", "Twin", "two", "three"]);
    let twins = [
        ambiguous("twin"),
        ambiguous("twin"),
        ambiguous("far"),
        ambiguous("far"),
    ];
    let mut quarantined = list.quarantined;
    quarantined.sort_by_key(|row| row.name.as_ref().map(|name| name.as_str() != "twin"));
    assert_eq!(quarantined, twins);
}

#[test]
fn a_definition_that_cannot_be_read_is_set_aside_with_its_reason() {
    let reasons = [
        ("7", ToolNameError::NotObject),
        ("{}", ToolNameError::Missing),
        ("{\"name\":7}", ToolNameError::NotString),
        ("{\"name\":\"\"}", ToolNameError::Empty),
        ("{\"name\":\"a\\nb\"}", ToolNameError::Control),
    ];
    let tools = reasons.map(|(text, _)| text).join(",");
    let (outcome, _) = list(WalkLimits::default(), move |_| {
        format!("{{\"tools\":[{tools},{{\"name\":\"good\"}}]}}")
    });
    let list = outcome.unwrap();
    assert_eq!(names(&list), ["good"]);
    let set_aside = reasons.map(|(_, reason)| Quarantined {
        name: None,
        reason: QuarantineReason::Unusable(reason),
    });
    assert_eq!(list.quarantined, set_aside);
}

#[test]
fn five_hundred_tools_are_a_list_and_one_more_is_none() {
    let fault = WalkFault::TooManyTools { limit: 500 };
    for (first, second, fits) in [
        (500, 0, true),
        (250, 250, true),
        (501, 0, false),
        (250, 251, false),
    ] {
        let (outcome, world) = list(WalkLimits::default(), move |number| {
            let (from, count, next) = [(0, first, "two"), (first, second, "")][number];
            page((from..from + count).map(|tool| format!("tool-{tool}")), next)
        });
        if fits {
            assert_eq!(outcome.unwrap().tools.len(), 500, "{first} and {second}");
        } else {
            check_given_up(outcome, &world, fault, "too-many-tools");
        }
    }
}

#[test]
fn tools_that_are_set_aside_count() {
    for (good, fits) in [(498, true), (499, false)] {
        let (outcome, world) = list(WalkLimits::default(), move |_| {
            let good: String = (0..good)
                .map(|tool| format!(",{{\"name\":\"tool-{tool}\"}}"))
                .collect();
            format!("{{\"tools\":[1,{{}}{good}]}}")
        });
        match outcome {
            Ok(list) if fits => assert_eq!((list.tools.len(), list.quarantined.len()), (498, 2)),
            outcome => {
                let fault = WalkFault::TooManyTools { limit: 500 };
                check_given_up(outcome, &world, fault, "too-many-tools");
            }
        }
    }
}

#[test]
fn fifty_pages_are_a_list_and_one_more_is_none() {
    for (pages, fits) in [(50, true), (51, false)] {
        let (outcome, world) = list(WalkLimits::default(), move |number| {
            let next = if number + 1 == pages {
                String::new()
            } else {
                number.to_string()
            };
            page([format!("tool-{number}")], &next)
        });
        if fits {
            assert_eq!(outcome.unwrap().tools.len(), 50);
        } else {
            check_given_up(
                outcome,
                &world,
                WalkFault::TooManyPages { limit: 50 },
                "too-many-pages",
            );
        }
        assert_eq!(pages_asked(&world), 50, "no page beyond the bound is asked for");
    }
}

#[test]
fn a_host_sets_other_bounds() {
    let mut limits = WalkLimits::default();
    (limits.pages, limits.tools) = (1, 1);
    let (outcome, _) = list(limits, |_| page(["one"], ""));
    assert_eq!(names(&outcome.unwrap()), ["one"]);
    let (outcome, world) = list(limits, |_| page(["one"], "next"));
    check_given_up(
        outcome,
        &world,
        WalkFault::TooManyPages { limit: 1 },
        "too-many-pages",
    );
    let (outcome, world) = list(limits, |_| page(["one", "two"], ""));
    check_given_up(
        outcome,
        &world,
        WalkFault::TooManyTools { limit: 1 },
        "too-many-tools",
    );
}

#[test]
fn definitions_and_cursors_together_have_a_bound() {
    let length = r#"{"name":"one"}"#.len() + "next".len() + r#"{"name":"two"}"#.len();
    for (bytes, pages) in [
        (length, 2),
        (length - 1, 2),
        (length - r#"{"name":"two"}"#.len() - 1, 1),
    ] {
        let mut limits = WalkLimits::default();
        limits.bytes = bytes;
        let (outcome, world) = list(limits, |number| match number {
            0 => page(["one"], "next"),
            _ => page(["two"], ""),
        });
        if bytes == length {
            assert_eq!(names(&outcome.unwrap()), ["one", "two"]);
        } else {
            let fault = WalkFault::TooManyBytes { limit: bytes };
            check_given_up(outcome, &world, fault, "list-too-large");
        }
        assert_eq!(pages_asked(&world), pages);
    }
}

#[test]
fn a_cursor_that_comes_again_ends_the_walk() {
    // Each script of cursors, and the pages that are read before it is seen.
    for (cursors, pages) in [
        (&["a", "a"][..], 2),
        (&["a", "b", "a"], 3),
        (&["a", "b", "c", "b"], 4),
    ] {
        // A page that would be one too many is a loop first.
        for bound in [WalkLimits::default().pages, u32::try_from(pages).unwrap()] {
            let mut limits = WalkLimits::default();
            limits.pages = bound;
            let (outcome, world) = list(limits, move |number| page([""; 0], cursors[number]));
            check_given_up(outcome, &world, WalkFault::CursorLoop, "cursor-loop");
            assert_eq!(pages_asked(&world), pages, "{cursors:?}");
        }
    }
}

#[test]
fn a_page_that_fails_fails_the_list() {
    let cases: [(Answer, &str); 3] = [
        (|message| error(message, -32_603), "rpc-error"),
        (|message| result(message, "{}"), "tools-missing"),
        (
            |message| result(message, r#"{"tools":[],"nextCursor":7}"#),
            "cursor-not-string",
        ),
    ];
    for (second, kind) in cases {
        let count = Mutex::new(0);
        let answer = move |message: &Message| {
            let mut count = count.lock().unwrap();
            *count += 1;
            match *count {
                1 => result(message, &page(["good"], "two")),
                _ => second(message),
            }
        };
        let world = World::new(Answers::default(), well_except(Method::ToolsList, answer));
        let failure = now(world.client.list_tools(&world.server, WalkLimits::default())).unwrap_err();
        assert_eq!(failure.kind(), kind);
        assert_eq!(world.last_contact(), None, "{kind}");
    }
    // The good page alone is a list.
    let world = World::new(Answers::default(), well);
    assert!(now(world.client.list_tools(&world.server, WalkLimits::default())).is_ok());
}

#[test]
fn a_list_that_runs_out_of_time_between_two_pages_was_sent() {
    let clock = FakeClock::new();
    let hand = clock.clone();
    let slow = move |message: &Message| {
        hand.advance(Budget::DEFAULT.get());
        result(message, &page(["a"], "two"))
    };
    let world = World::at(clock, Answers::default(), well_except(Method::ToolsList, slow));
    let failure = now(world.client.list_tools(&world.server, WalkLimits::default())).unwrap_err();
    let told = (failure.kind(), failure.delivery());
    assert_eq!(told, ("deadline-exceeded", Delivery::Unknown));
    assert_eq!(pages_asked(&world), 1);
}

#[test]
fn a_list_whose_first_page_is_not_sent_in_time_was_not_sent() {
    let answers = Answers {
        unsent: Some(Method::ToolsList),
        ..Answers::default()
    };
    let world = World::new(answers, well);
    let mut list = Task::new(world.client.list_tools(&world.server, WalkLimits::default()));
    list.wait();
    world.clock.advance(Budget::DEFAULT.get());
    let failure = list.end().unwrap_err();
    let told = (failure.kind(), failure.delivery());
    assert_eq!(told, ("deadline-exceeded", Delivery::NotSent));
}
