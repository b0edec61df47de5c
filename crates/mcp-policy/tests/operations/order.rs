//! The order of a call: who is asked, and that a no ends it before anything further happens.

use mcp_policy::port::{
    Actor, ApprovalDecision, ApprovalId, Denial, DenialReason, LedgerError, Never, RunId, StoreError,
};
use mcp_policy::{ApprovalRule, Class, Culprit, Failure, Refusal};
use mcp_wire::{Delivery, Method};

use crate::support::{now, result, well, well_except};
use crate::world::{Answers, World};

const WHOLE_CALL: [&str; 9] = [
    "gate",
    "approval",
    "charge",
    "stamp",
    "initialize",
    "notifications/initialized",
    "tools/call",
    "settle ok answered",
    "contact",
];

#[test]
fn a_call_goes_through_everything_in_its_order() {
    let world = World::new(Answers::default(), well);
    let outcome = world.call(&Never).end().unwrap();
    assert_eq!((&*outcome.text, outcome.is_error), ("done", false));
    assert_eq!(world.log(), WHOLE_CALL);
}

#[test]
fn a_note_on_what_is_left_out_stands_before_the_text_of_the_tool() {
    const NOTE: &str = "[1 content block omitted: 1 image]";
    const IMAGE: &str = r#"{"type":"image"}"#;
    let block = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    for (blocks, text, tool_text) in [
        (block("a"), "a".to_owned(), "a"),
        (format!("{},{IMAGE}", block("a")), format!("{NOTE}\na"), "a"),
        (format!("{},{IMAGE}", block("")), NOTE.to_owned(), ""),
        (IMAGE.to_owned(), NOTE.to_owned(), ""),
        (String::new(), String::new(), ""),
    ] {
        let content = format!(r#"{{"content":[{blocks}]}}"#);
        let server = well_except(Method::ToolsCall, move |message| result(message, &content));
        let outcome = World::new(Answers::default(), server).call(&Never).end().unwrap();
        assert_eq!((&*outcome.text, outcome.tool_text()), (&*text, tool_text));
    }
}

#[test]
fn an_operator_can_switch_the_approval_off() {
    let mut world = World::new(Answers::default(), well);
    world.server.approval = ApprovalRule::NotRequired;
    world.call(&Never).end().unwrap();
    let without: Vec<_> = WHOLE_CALL
        .into_iter()
        .filter(|entry| *entry != "approval")
        .collect();
    assert_eq!(world.log(), without);
}

#[test]
fn operations_without_a_call_ask_for_no_permission() {
    let world = World::new(
        Answers {
            gate: Some(Err(DenialReason::NotRegistered)),
            charge: Some(Err(LedgerError::NoRun)),
            ..Answers::default()
        },
        well,
    );
    now(world.client.ping(&world.server)).unwrap();
    now(world.client.probe(&world.server)).unwrap();
    now(world.client.list_tools(&world.server, Default::default())).unwrap();
    let hello = ["initialize", "notifications/initialized"];
    let log = [
        &hello[..],
        &["contact"],
        &hello,
        &["ping", "contact"],
        &hello,
        &["tools/list", "contact"],
    ];
    assert_eq!(world.log(), log.concat());
}

/// One no of a port: what the call becomes, and the last that was asked for it.
struct No {
    answers: Answers,
    refusal: Refusal,
    kind: &'static str,
    asked: &'static [&'static str],
}

impl No {
    fn check(self) {
        let world = World::new(self.answers.clone(), well);
        let failure = world.call(&Never).end().unwrap_err();
        assert_eq!(failure, Failure::from(self.refusal.clone()));
        assert_eq!(failure.kind(), self.kind);
        assert_eq!(failure.class(), Class::Refusal, "{}", self.kind);
        assert_eq!(failure.culprit(), Culprit::Policy, "{}", self.kind);
        assert_eq!(failure.delivery(), Delivery::NotSent, "{}", self.kind);
        assert_eq!(world.log(), self.asked, "{}", self.kind);
        assert_eq!(world.steps(), 0, "{}", self.kind);
    }
}

#[test]
fn a_gate_that_denies_leaves_everything_else_unasked_and_the_denial_recorded() {
    let reasons = [
        (DenialReason::NotRegistered, "tool-not-registered"),
        (DenialReason::ToolDisabled, "tool-disabled"),
        (DenialReason::RequiresAdmin, "admin-required"),
        (DenialReason::ConfigurationGroup, "group-disabled"),
        (DenialReason::TrustZone, "above-trust-zone"),
        (DenialReason::PolicyUnavailable, "policy-unavailable"),
        (DenialReason::ServerChanged, "server-changed"),
    ];
    for (reason, kind) in reasons {
        let answers = Answers {
            gate: Some(Err(reason)),
            ..Answers::default()
        };
        let world = World::new(answers.clone(), well);
        world.call(&Never).end().unwrap_err();
        let denial = Denial {
            at: world.clock_at_zero(),
            server: "demo".to_owned(),
            tool: "echo".to_owned(),
            run: RunId("run-1".to_owned()),
            actor: Actor::Unattended,
            reason,
        };
        assert_eq!(world.denials(), [denial]);
        let no = No {
            answers,
            refusal: Refusal::NotPermitted(reason),
            kind,
            asked: &["gate", "denial"],
        };
        no.check();
    }
}

#[test]
fn a_denial_that_cannot_be_kept_stays_a_denial() {
    let no = No {
        answers: Answers {
            gate: Some(Err(DenialReason::TrustZone)),
            denial: Some(Err(StoreError::Unavailable)),
            ..Answers::default()
        },
        refusal: Refusal::NotPermitted(DenialReason::TrustZone),
        kind: "above-trust-zone",
        asked: &["gate", "denial"],
    };
    no.check();
}

#[test]
fn a_call_that_is_permitted_is_no_denial() {
    let world = World::new(Answers::default(), well);
    world.call(&Never).end().unwrap();
    assert_eq!(world.denials(), []);
}

#[test]
fn a_call_that_is_not_approved_is_neither_charged_nor_stamped() {
    let cases = [
        (
            Ok(ApprovalDecision::Denied),
            Refusal::ApprovalDenied,
            "approval-denied",
        ),
        (
            Ok(ApprovalDecision::Pending(ApprovalId(3))),
            Refusal::ApprovalPending { id: ApprovalId(3) },
            "approval-pending",
        ),
        (
            Err(StoreError::Unavailable),
            Refusal::Store(StoreError::Unavailable),
            "store-unavailable",
        ),
    ];
    for (approval, refusal, kind) in cases {
        let no = No {
            answers: Answers {
                approval: Some(approval),
                ..Answers::default()
            },
            refusal,
            kind,
            asked: &["gate", "approval"],
        };
        no.check();
    }
}

#[test]
fn a_call_that_cannot_be_charged_is_not_stamped() {
    let cases = [
        (
            LedgerError::RunLimit { limit: 7 },
            Refusal::RunLimit { limit: 7 },
            "run-limit",
        ),
        (LedgerError::NoRun, Refusal::NoRun, "no-run"),
        (
            LedgerError::Store(StoreError::Unavailable),
            Refusal::Store(StoreError::Unavailable),
            "store-unavailable",
        ),
    ];
    for (error, refusal, kind) in cases {
        let no = No {
            answers: Answers {
                charge: Some(Err(error)),
                ..Answers::default()
            },
            refusal,
            kind,
            asked: &["gate", "approval", "charge"],
        };
        no.check();
    }
}

#[test]
fn a_call_that_cannot_be_stamped_never_opens_the_transport() {
    let cases = [
        (LedgerError::NoRun, Refusal::NoRun, "no-run"),
        (
            LedgerError::Store(StoreError::Unavailable),
            Refusal::Store(StoreError::Unavailable),
            "store-unavailable",
        ),
    ];
    for (error, refusal, kind) in cases {
        let no = No {
            answers: Answers {
                stamp: Some(Err(error)),
                ..Answers::default()
            },
            refusal,
            kind,
            asked: &["gate", "approval", "charge", "stamp"],
        };
        no.check();
    }
}
