//! What a model is given of a call, however it ended.

use mcp_policy::port::{ApprovalId, DenialReason, StoreError};
use mcp_policy::{
    Budget, CallOutcome, Cause, Failure, Refusal, RunEffect, ServerName, ToolOutcome, ToolResult,
};
use mcp_wire::{
    Arguments, CredentialError, CredentialRef, Delivery, OutboundRefusal, Stage, StatusFailure,
    TransportError,
};
use proptest::prelude::*;

use crate::support::{Case, cases};
use crate::world::{World, respond};

fn demo() -> ServerName {
    ServerName::parse("demo").unwrap()
}

/// Calls a tool whose server goes on like this after the id of its response.
fn answered(rest: String) -> Result<CallOutcome, Failure> {
    let world = World::new(move |message| respond(message, &rest));
    world.call("{}").unwrap_err();
    for asked in world.approvals.list() {
        world.approvals.grant(asked.id).unwrap();
    }
    world.call("{}")
}

fn result_of(case: &Case) -> ToolResult {
    if let Some(text) = case.text("arguments") {
        return ToolResult::of_arguments(&demo(), Arguments::parse(text).unwrap_err());
    }
    let outcome = if let Some(name) = case.text("failure") {
        Err(failure(name))
    } else if let Some(error) = case.joined("error") {
        answered(format!(r#""error":{error}"#))
    } else {
        answered(format!(r#""result":{}"#, case.joined("result").unwrap()))
    };
    ToolResult::of(&demo(), outcome)
}

fn failure(name: &str) -> Failure {
    let unknown = |cause: Cause| Failure::new(cause, Delivery::Unknown);
    match name {
        "status-401" => {
            let mut status = StatusFailure::new(401, false);
            status.challenges =
                mcp_wire::http::Challenge::read_all([&b"Bearer realm=\"CANARY\", scope=\"CANARY\""[..]]);
            unknown(TransportError::Status(status).into())
        }
        "connection-lost" => unknown(TransportError::ConnectionLost.into()),
        "connect-refused" => Failure::new(TransportError::ConnectRefused, Delivery::NotSent),
        "deadline" => unknown(Cause::DeadlineExceeded {
            budget: Budget::DEFAULT,
            stage: Stage::Body,
        }),
        "cancelled" => unknown(Cause::Cancelled {
            stage: Stage::FirstByte,
        }),
        "unrecorded" => Failure::new(Cause::Unrecorded, Delivery::Answered),
        "credential" => {
            Refusal::Credential(CredentialError::Missing(CredentialRef("env:CANARY".to_owned()))).into()
        }
        "address" => Refusal::Outbound(OutboundRefusal::Address { class: "private" }).into(),
        "gate" => Refusal::NotPermitted(DenialReason::ToolDisabled).into(),
        "run-limit" => Refusal::RunLimit { limit: 20 }.into(),
        "approval-denied" => Refusal::ApprovalDenied.into(),
        "approval-pending" => Refusal::ApprovalPending { id: ApprovalId(7) }.into(),
        "store" => Refusal::Store(StoreError::Busy).into(),
        "no-run" => Refusal::NoRun.into(),
        other => panic!("{other}"),
    }
}

#[test]
fn results() {
    for case in cases("results") {
        let (result, id) = (result_of(&case), case.id());
        if let Some(lead) = case.text("lead") {
            assert_eq!(result.lead(), lead, "{id}");
        }
        let remote = case.joined("remote").unwrap();
        assert!(result.remote() == remote, "{id}: {} bytes", result.remote().len());
        assert_eq!(result.is_cut(), case.has("cut"), "{id}");
        assert_eq!(result.structured(), case.joined("structured").as_deref(), "{id}");
        assert_eq!(result.omitted(), case.list("omitted"), "{id}");
        let (outcome, delivery) = match result.outcome() {
            ToolOutcome::Answered => ("answered", None),
            ToolOutcome::ToolError => ("tool-error", None),
            ToolOutcome::Failed { kind, delivery } => (kind, Some(delivery.name())),
        };
        assert_eq!(Some(outcome), case.text("outcome"), "{id}");
        assert_eq!(delivery, case.text("delivery"), "{id}");
        assert_eq!(result.is_error(), outcome != "answered", "{id}");
        let run = match result.run() {
            RunEffect::GoesOn => "goes-on".to_owned(),
            RunEffect::Suspends(id) => format!("suspends {id}"),
            RunEffect::Ends => "ends".to_owned(),
        };
        assert_eq!(run, case.text("run").unwrap_or("goes-on"), "{id}");
        if let Some(bytes) = case.0.get("bytes") {
            assert_eq!(Some(size(&result) as u64), bytes.as_u64(), "{id}");
        }
        whole(&result, id);
    }
}

#[test]
fn no_byte_of_the_server_stands_in_what_is_ours() {
    for case in cases("results") {
        let result = result_of(&case);
        assert!(
            !result.lead().contains("CANARY"),
            "{}: {}",
            case.id(),
            result.lead()
        );
        assert!(result.lead().len() < 500, "{}", case.id());
        let names_the_server = result.lead().contains("[server demo] ");
        assert_eq!(names_the_server, result.is_error(), "{}", case.id());
    }
}

fn size(result: &ToolResult) -> usize {
    result.to_string().len() + result.structured().map_or(0, str::len)
}

/// What holds of every result.
fn whole(result: &ToolResult, id: &str) {
    let text = result.to_string();
    assert!(size(result) <= ToolResult::MAX_BYTES, "{id}: {}", size(result));
    assert!(text.starts_with(result.lead()), "{id}");
    assert!(!text.is_empty(), "{id}");
    let end = if result.is_cut() {
        "\n[cut at 50,000 bytes]"
    } else {
        ""
    };
    assert!(text.ends_with(&format!("{}{end}", result.remote())), "{id}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_result_is_bounded_and_begins_with_what_is_ours(
        pieces in prop::collection::vec(("[a-zé€😀]{1,8}", 1_usize..6_000), 0..6),
        images in 0_usize..3,
        is_error: bool,
        structured in prop::option::of(0_usize..60_000),
    ) {
        let text: String = pieces.iter().map(|(piece, times)| piece.repeat(*times)).collect();
        let blocks: String = (0..images).map(|_| r#"{"type":"image"},"#).collect();
        let content = structured.map(|length| format!(r#"{{"a":"{}"}}"#, "b".repeat(length)));
        let beside = content.as_ref().map(|content| format!(r#","structuredContent":{content}"#));
        let rest = format!(
            r#""result":{{"isError":{is_error},"content":[{blocks}{{"type":"text","text":"{text}"}}]{}}}"#,
            beside.unwrap_or_default()
        );
        let result = ToolResult::of(&demo(), answered(rest));
        whole(&result, "property");
        prop_assert_eq!(result.is_error(), is_error);
        prop_assert_eq!(result.to_string().starts_with("[1 content block omitted"), images == 1);
        prop_assert_eq!(result.to_string().starts_with("[2 content blocks omitted"), images == 2);
        prop_assert!(text.starts_with(result.remote()));
        if result.is_cut() {
            // No further character would have found room.
            prop_assert!(result.to_string().len() > ToolResult::MAX_BYTES - 4);
        } else {
            prop_assert_eq!(result.remote(), &text);
        }
        match (result.structured(), content) {
            (Some(kept), content) => prop_assert_eq!(Some(kept), content.as_deref()),
            (None, Some(content)) => {
                prop_assert!(result.to_string().contains("[Structured content of "));
                prop_assert!(text.len() + content.len() + 200 > ToolResult::MAX_BYTES);
            }
            (None, None) => {}
        }
    }
}
