//! `docs/kinds.md` against the code: every kind, and what each says.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcp_host::{Budget, OsEntropy, OsProcess};
use mcp_policy::catalogue::ActRefused;
use mcp_policy::ledger::Broken;
use mcp_policy::port::{ApprovalId, DenialReason, StoreError};
use mcp_policy::{Cause, Failure, RecordGap, Refusal, RegistryError, WalkFault};
use mcp_wire::{
    ArgumentsError, CredentialError, CredentialRef, Delivery, EndpointError, IdError, JsonType, Malformed,
    MalformedKind, OutboundRefusal, ReplyLimits, RequestIds, Response, RpcError, Stage, StatusFailure,
    TraceContextError, TransportError,
};

use super::table;
use crate::failed::{Failed, Local};

/// The sources whose `kind` functions give kinds as literals. Those of the wire's own rules are in
/// [`MalformedKind::ALL`].
const SOURCES: [&str; 17] = [
    include_str!("../failed.rs"),
    include_str!("../../../mcp-policy/src/failure.rs"),
    include_str!("../../../mcp-policy/src/walk.rs"),
    include_str!("../../../mcp-policy/src/port/gate.rs"),
    include_str!("../../../mcp-policy/src/port/store.rs"),
    include_str!("../../../mcp-policy/src/record.rs"),
    include_str!("../../../mcp-policy/src/refusal.rs"),
    include_str!("../../../mcp-policy/src/registry.rs"),
    include_str!("../../../mcp-policy/src/catalogue/row.rs"),
    include_str!("../../../mcp-policy/src/ledger/chain.rs"),
    include_str!("../../../mcp-wire/src/endpoint.rs"),
    include_str!("../../../mcp-wire/src/id.rs"),
    include_str!("../../../mcp-wire/src/arguments.rs"),
    include_str!("../../../mcp-wire/src/port/credential.rs"),
    include_str!("../../../mcp-wire/src/port/failure.rs"),
    include_str!("../../../mcp-wire/src/port/outbound.rs"),
    include_str!("../../../mcp-wire/src/trace.rs"),
];

/// What the code or the table says of a kind: classes, culprits, deliveries and exit statuses.
type Said = [BTreeSet<String>; 4];

#[test]
fn the_table_says_what_the_code_says() {
    let mut code: BTreeMap<&str, Said> = BTreeMap::new();
    for failed in samples() {
        let said = code.entry(failed.kind).or_default();
        let [classes, culprits, deliveries, exits] = said;
        classes.insert(failed.class.to_owned());
        culprits.insert(failed.culprit.to_owned());
        deliveries.insert(failed.delivery.name().to_owned());
        exits.insert(failed.exit.code().to_string());
    }
    let mut documented: BTreeMap<&str, Said> = BTreeMap::new();
    for [kind, class, culprit, delivery, exit, rule] in table::rows() {
        let said = [class, culprit, delivery, exit];
        let said = said.map(|cell| cell.split(", ").map(str::to_owned).collect());
        assert!(documented.insert(kind, said).is_none(), "{kind} has two rows");
        assert!(!rule.is_empty(), "{kind} has no rule");
    }
    for (kind, said) in &code {
        assert_eq!(
            documented.get(kind),
            Some(said),
            "{kind} in docs/kinds.md and in the code"
        );
    }
    for kind in documented.keys() {
        assert!(
            code.contains_key(kind),
            "{kind} of docs/kinds.md is none of the code's"
        );
    }
}

#[test]
fn every_row_is_read_and_every_ending_has_a_word_on_what_to_do() {
    let document = include_str!("../../../../docs/kinds.md");
    let rows = document.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(table::rows().len(), rows);
    for failed in samples() {
        let said = failed.advice().is_some();
        assert!(
            said || failed.class == "usage",
            "{}: {}",
            failed.kind,
            failed.message
        );
    }
    let known: BTreeSet<&str> = table::rows().iter().flat_map(|row| [row[0], row[1]]).collect();
    for (of, _) in table::hints() {
        assert!(known.contains(of), "{of} is neither a kind nor a class");
    }
}

/// The samples below are written by hand; this holds them, and so the table, to what the sources declare.
#[test]
fn every_declared_kind_is_compared() {
    let mut declared: BTreeSet<&str> = SOURCES.into_iter().flat_map(literals).collect();
    declared.extend(MalformedKind::ALL.iter().map(|kind| kind.name()));
    let compared: BTreeSet<&str> = samples().iter().map(|failed| failed.kind).collect();
    assert_eq!(declared, compared);
}

/// The literals that the `kind` functions of a source give.
fn literals(source: &'static str) -> Vec<&'static str> {
    let bodies = source.split("fn kind(").skip(1);
    let bodies = bodies.map(|rest| rest.split("\n    }\n").next().unwrap());
    let arms = bodies.flat_map(|body| body.split("=> \"").skip(1));
    let found: Vec<_> = arms.map(|arm| arm.split('"').next().unwrap()).collect();
    assert!(!found.is_empty(), "a source declares no kind");
    found
}

#[test]
fn the_rules_of_the_wire_stand_in_their_order_and_words() {
    let rows = table::rows().into_iter();
    let documented = rows
        .filter(|row| row[1] == "malformed")
        .map(|row| (row[0], row[5]));
    let rules = MalformedKind::ALL.iter().map(|kind| (kind.name(), kind.rule()));
    assert_eq!(documented.collect::<Vec<_>>(), rules.collect::<Vec<_>>());
}

/// Every ending of the code at least once, with the deliveries that it can have for a request of its own.
fn samples() -> Vec<Failed> {
    let mut failures = vec![];
    failures.extend(
        MalformedKind::ALL
            .iter()
            .map(|kind| Failure::new(Malformed::from(*kind), Delivery::Unknown)),
    );
    let rpc = Cause::Rpc {
        error: rpc_error(),
        http_status: Some(200),
    };
    failures.push(Failure::new(rpc, Delivery::Answered));
    failures.extend(transport_failures());
    failures.extend(refusals().into_iter().map(Failure::from));
    for stage in [Stage::Start, Stage::Tls, Stage::FirstByte, Stage::Body] {
        let delivery = if stage < Stage::Send {
            Delivery::NotSent
        } else {
            Delivery::Unknown
        };
        let budget = Budget::DEFAULT;
        failures.push(Failure::new(Cause::DeadlineExceeded { budget, stage }, delivery));
        failures.push(Failure::new(Cause::Cancelled { stage }, delivery));
    }
    let walks = [
        WalkFault::TooManyPages { limit: 1 },
        WalkFault::TooManyTools { limit: 1 },
        WalkFault::TooManyBytes { limit: 1 },
        WalkFault::CursorLoop,
    ];
    failures.extend(walks.map(Failure::from));
    let settled = [Delivery::Answered, Delivery::Unknown, Delivery::NotSent];
    failures.extend(settled.map(|delivery| Failure::new(Cause::Unrecorded, delivery)));

    let mut samples: Vec<_> = failures.iter().map(Failed::of).collect();
    samples.push(Failed::interrupted());
    samples.extend(command_line());
    let broken = [
        Broken::Missing { seq: 1 },
        Broken::Altered { seq: 1 },
        Broken::Cut {
            found: 1,
            expected: 2,
        },
        Broken::Disagrees { what: "a run" },
    ];
    samples.extend(broken.map(|broken| Failed::of_check(broken.kind(), broken)));
    samples.extend(registry_errors().iter().map(Failed::of_registry));
    samples
}

fn rpc_error() -> RpcError {
    let ids = RequestIds::new(Arc::new(OsEntropy), Arc::new(OsProcess)).unwrap();
    let id = ids.allocate().unwrap();
    let text = format!(r#"{{"jsonrpc":"2.0","id":"{id}","error":{{"code":1,"message":"no"}}}}"#);
    match Response::parse(text.as_bytes(), &id, &ReplyLimits::default()) {
        Ok(Response::Error(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn transport_failures() -> Vec<Failure> {
    let unsent = [
        TransportError::Resolve,
        TransportError::ConnectRefused,
        TransportError::Connect,
        TransportError::ConnectTimeout { limit_ms: 10_000 },
        TransportError::ProxyUnreachable,
        TransportError::ProxyAuthenticationRequired,
        TransportError::ProxyRefused { status: 502 },
        TransportError::ProxyFailed { fault: "" },
        TransportError::TlsNameMismatch,
        TransportError::TlsUntrusted,
        TransportError::TlsExpired,
        TransportError::TlsTrustMissing,
        TransportError::Tls,
    ];
    let unsent = unsent.map(|error| (error, Delivery::NotSent));
    let status = |(status, in_session)| TransportError::Status(StatusFailure::new(status, in_session));
    let statuses = [
        (401, false),
        (403, false),
        (404, true),
        (404, false),
        (429, false),
        (302, false),
        (400, false),
        (503, false),
        (600, false),
    ];
    let mut sent = vec![
        TransportError::ConnectionLost,
        TransportError::MediaType { found: "plain text" },
    ];
    sent.extend(statuses.map(status));
    let sent = sent.into_iter().map(|error| (error, Delivery::Unknown));
    let all = unsent.into_iter().chain(sent);
    all.map(|(error, delivery)| Failure::new(error, delivery))
        .collect()
}

fn refusals() -> Vec<Refusal> {
    let reference = || CredentialRef("env:NAME".to_owned());
    vec![
        Refusal::NotPermitted(DenialReason::NotRegistered),
        Refusal::NotPermitted(DenialReason::ToolDisabled),
        Refusal::NotPermitted(DenialReason::RequiresAdmin),
        Refusal::NotPermitted(DenialReason::ConfigurationGroup),
        Refusal::NotPermitted(DenialReason::TrustZone),
        Refusal::NotPermitted(DenialReason::PolicyUnavailable),
        Refusal::NotPermitted(DenialReason::ServerChanged),
        Refusal::ApprovalDenied,
        Refusal::ApprovalPending { id: ApprovalId(1) },
        Refusal::RunLimit { limit: 1 },
        Refusal::Store(StoreError::Unavailable),
        Refusal::Store(StoreError::Busy),
        Refusal::Store(StoreError::Corrupt),
        Refusal::Store(StoreError::Newer { found: 2, known: 1 }),
        Refusal::Store(StoreError::Full),
        Refusal::Store(StoreError::Denied),
        Refusal::NoRun,
        Refusal::RunExists,
        Refusal::SessionGone,
        Refusal::Id(IdError::Entropy),
        Refusal::Id(IdError::Exhausted),
        Refusal::Outbound(OutboundRefusal::PlainHttp),
        Refusal::Outbound(OutboundRefusal::Address { class: "private" }),
        Refusal::Credential(CredentialError::Missing(reference())),
        Refusal::Credential(CredentialError::Unreadable(reference())),
        Refusal::Credential(CredentialError::Unusable(reference())),
        Refusal::Credential(CredentialError::Conflict(reference())),
        Refusal::Credential(CredentialError::UnknownForm),
    ]
}

fn registry_errors() -> Vec<RegistryError> {
    vec![
        RegistryError::UnknownServer,
        RegistryError::UnknownTool,
        RegistryError::Gap(RecordGap::Disabled),
        RegistryError::Gap(RecordGap::NoClass),
        RegistryError::Gap(RecordGap::NoUrl),
        RegistryError::Act(ActRefused::Orphaned),
        RegistryError::Act(ActRefused::MustBeConfirmed),
        RegistryError::Act(ActRefused::NotTheOneShown),
        RegistryError::Contended,
    ]
}

fn command_line() -> Vec<Failed> {
    let urls = [
        EndpointError::Scheme,
        EndpointError::Character,
        EndpointError::TooLong,
        EndpointError::UserInfo,
        EndpointError::Fragment,
        EndpointError::Host,
        EndpointError::Port,
    ];
    let arguments = [
        ArgumentsError::NotJson { offset: 0 },
        ArgumentsError::NotObject {
            found: JsonType::Array,
        },
        ArgumentsError::TooDeep,
    ];
    let locals = [
        Local::Usage,
        Local::ToolNameInvalid,
        Local::ArgumentsUnreadable,
        Local::ArgumentsTooLarge,
        Local::BudgetInvalid,
        Local::HeaderInvalid,
        Local::HeaderReserved,
        Local::CaUnreadable,
        Local::CaInvalid,
        Local::RuntimeUnavailable,
        Local::ServerNameInvalid,
        Local::ServerExists,
        Local::ClassUnknown,
        Local::GroupInvalid,
        Local::FingerprintInvalid,
        Local::ConfigUnreadable,
        Local::ConfigInvalid,
        Local::ConfigDuplicate,
        Local::StorePathUnknown,
        Local::ZoneUnknown,
        Local::RoleUnknown,
        Local::StepUnknown,
        Local::ProxyInvalid,
        Local::ApprovalUnknown,
        Local::DemoUnavailable,
        Local::KindUnknown,
        Local::ToolNotReadOnly,
        Local::ArgumentInvalid,
        Local::LockUnreadable,
        Local::LockInvalid,
        Local::LockVersionUnknown,
        Local::LockDuplicate,
        Local::OutputUnwritable,
    ];
    let traces = [TraceContextError::Parent, TraceContextError::State];
    let traces = traces.map(|error| Failed::typed(error.kind(), error));
    let urls = urls.map(|error| Failed::typed(error.kind(), error));
    let arguments = arguments.map(|error| Failed::typed(error.kind(), error));
    let locals = locals.map(|local| Failed::local(local, ""));
    (urls.into_iter().chain(arguments))
        .chain(traces)
        .chain(locals)
        .collect()
}
