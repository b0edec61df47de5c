//! Answers of a resolver that hold several addresses, or change.

use mcp_host::OutboundRules;
use mcp_testkit::ReplyEnd;
use mcp_wire::Delivery;

use crate::world::World;

const URL: &str = "http://srv.example/mcp";

fn public() -> OutboundRules {
    let mut rules = OutboundRules::public_only();
    rules.plain_http = true;
    rules
}

fn refused(class: &str) -> (&'static str, String, Delivery) {
    let message = format!("the server's address is of a class that is not allowed: {class}");
    ("address-refused", message, Delivery::NotSent)
}

#[tokio::test]
async fn each_address_of_an_answer_is_judged_on_its_own() {
    struct Case {
        answer: &'static [&'static str],
        dead: &'static [&'static str],
        dialled: &'static [&'static str],
        /// The class of the refusal, or none when the message was accepted.
        refused: Option<&'static str>,
    }
    let cases = [
        Case {
            answer: &["10.0.0.1", "1.1.1.1"],
            dead: &[],
            dialled: &["1.1.1.1:80"],
            refused: None,
        },
        Case {
            answer: &["1.1.1.1", "10.0.0.1"],
            dead: &[],
            dialled: &["1.1.1.1:80"],
            refused: None,
        },
        // The way to the admitted one fails: the others stay refused.
        Case {
            answer: &["169.254.169.254", "1.1.1.1", "::1", "2606:4700::1"],
            dead: &["1.1.1.1"],
            dialled: &["1.1.1.1:80", "[2606:4700::1]:80"],
            refused: None,
        },
        Case {
            answer: &["169.254.169.254", "64:ff9b::a9fe:a9fe", "127.0.0.1"],
            dead: &[],
            dialled: &[],
            refused: Some("metadata"),
        },
        Case {
            answer: &["fd00::1", "169.254.169.254"],
            dead: &[],
            dialled: &[],
            refused: Some("unique-local"),
        },
    ];
    for case in cases {
        let world = World::new(public(), &[case.answer], case.dead, ReplyEnd::KeepOpen);
        let ended = world.send(URL).await;
        assert_eq!(ended.err(), case.refused.map(refused), "{:?}", case.answer);
        assert_eq!(world.dialled(), case.dialled, "{:?}", case.answer);
        // The name stays in the request, whichever address is dialled.
        let sent = usize::from(case.refused.is_none());
        assert_eq!(world.hosts(), vec!["srv.example"; sent], "{:?}", case.answer);
        assert_eq!(world.reads(), sent, "{:?}", case.answer);
    }
}

#[tokio::test]
async fn a_failed_dial_is_told_rather_than_the_refusal_of_another_address() {
    for answer in [&["1.1.1.1", "10.0.0.1"], &["10.0.0.1", "1.1.1.1"]] {
        let world = World::new(public(), &[answer], &["1.1.1.1"], ReplyEnd::KeepOpen);
        let (kind, message, delivery) = world.send(URL).await.unwrap_err();
        assert_eq!((kind, delivery), ("", Delivery::NotSent));
        assert!(message.contains("refused the connection"), "{message}");
        assert_eq!(world.dialled(), ["1.1.1.1:80"]);
    }
}

/// The first answer is harmless, every later one is not.
const CHANGING: [&[&str]; 2] = [&["1.1.1.1"], &["169.254.169.254"]];

#[tokio::test]
async fn a_connection_is_looked_up_once_and_what_was_judged_is_dialled() {
    let world = World::new(public(), &CHANGING, &[], ReplyEnd::KeepOpen);
    for _ in 0..3 {
        assert_eq!(world.send(URL).await, Ok(()));
    }
    assert_eq!(world.look_ups(), ["srv.example"]);
    assert_eq!(world.dialled(), ["1.1.1.1:80"]);
    assert_eq!(world.hosts().len(), 3);
}

#[tokio::test]
async fn a_new_connection_is_looked_up_and_judged_anew() {
    let world = World::new(public(), &CHANGING, &[], ReplyEnd::Close);
    assert_eq!(world.send(URL).await, Ok(()));
    assert_eq!(world.send(URL).await, Err(refused("metadata")));
    assert_eq!(world.look_ups(), ["srv.example"; 2]);
    assert_eq!(world.dialled(), ["1.1.1.1:80"]);
    assert_eq!((world.hosts().len(), world.reads()), (1, 1));
}

#[tokio::test]
async fn an_address_that_does_not_answer_is_not_looked_up_again() {
    let world = World::new(public(), &CHANGING, &["1.1.1.1"], ReplyEnd::KeepOpen);
    assert!(world.send(URL).await.is_err());
    assert_eq!(world.look_ups(), ["srv.example"]);
    assert_eq!(world.dialled(), ["1.1.1.1:80"]);
    assert_eq!(world.reads(), 0);
}

#[tokio::test]
async fn localhost_that_resolves_elsewhere_is_not_reached_in_the_clear() {
    for answer in ["1.1.1.1", "192.168.0.1", "64:ff9b::7f00:1", "2002:7f00:1::1"] {
        let world = World::new(OutboundRules::typed(), &[&[answer]], &[], ReplyEnd::KeepOpen);
        let (kind, _, delivery) = world.send("http://localhost/mcp").await.unwrap_err();
        assert_eq!(
            (kind, delivery),
            ("plain-http-refused", Delivery::NotSent),
            "{answer}"
        );
        assert_eq!((world.dialled(), world.reads()), (vec![], 0), "{answer}");
    }
}
