//! What the host's tracing hears of an operation, and which trace the server hears of.

use std::sync::{Arc, Mutex};

use mcp_policy::port::{Never, TraceSource};
use mcp_policy::{Client, Ports};
use mcp_testkit::{MemoryAnswer, Recorded, TraceRecord};
use mcp_wire::{
    ClientInfo, Malformed, MalformedKind, Message, Method, StatusFailure, TraceContext, TransportError,
};

use crate::support::{Tap, error, now, result, well, well_except};
use crate::world::{Answers, World};

/// Calls `echo` at the server that `script` plays, and gives what was traced.
fn traced_call(script: impl Fn(&Message) -> MemoryAnswer + Send + 'static) -> (World, TraceRecord) {
    let world = World::new(Answers::default(), script);
    let record = TraceRecord::default();
    let _outcome = record.listen(|| world.call(&Never).end());
    (world, record)
}

fn field<'a>(recorded: &'a Recorded, name: &str) -> &'a str {
    recorded.fields.get(name).map_or("-", String::as_str)
}

#[test]
fn each_leg_is_a_span_by_the_names_of_the_conventions() {
    let (_, record) = traced_call(well);
    let spans = record.spans();
    let names: Vec<&str> = spans.iter().map(|span| field(span, "otel.name")).collect();
    assert_eq!(
        names,
        ["initialize", "notifications/initialized", "tools/call echo"]
    );
    for span in &spans {
        assert_eq!((&*span.target, &*span.level, span.closed), ("mcp", "INFO", true));
        for (name, value) in [
            ("otel.kind", "client"),
            ("peer.service", "demo"),
            ("server.address", "srv.example"),
            ("server.port", "443"),
            ("error.type", "-"),
            ("mcp.session.id", "-"),
        ] {
            assert_eq!(field(span, name), value, "{name}");
        }
    }
    let [first, second, third] = &spans[..] else {
        panic!()
    };
    assert_eq!(field(first, "mcp.protocol.version"), "-");
    assert_eq!(field(second, "mcp.protocol.version"), "2025-06-18");
    assert_eq!(field(second, "jsonrpc.request.id"), "-");
    assert_eq!(field(third, "mcp.method.name"), "tools/call");
    assert_eq!(field(third, "gen_ai.operation.name"), "execute_tool");
    assert_eq!(field(third, "gen_ai.tool.name"), "echo");
    assert_eq!(field(first, "gen_ai.tool.name"), "-");
    assert_ne!(
        field(first, "jsonrpc.request.id"),
        field(third, "jsonrpc.request.id")
    );
}

#[test]
fn the_span_of_a_failed_leg_says_what_failed() {
    let status = |status| {
        move |_: &Message| {
            MemoryAnswer::Failed(TransportError::Status(StatusFailure::new(status, false)).into())
        }
    };
    let malformed = |_: &Message| MemoryAnswer::Failed(Malformed::from(MalformedKind::NoResponse).into());
    type Script = Box<dyn Fn(&Message) -> MemoryAnswer + Send>;
    let cases: [(Script, [&str; 3]); 6] = [
        (
            Box::new(|message| error(message, -32_602)),
            ["-32602", "-32602", "-"],
        ),
        (Box::new(status(503)), ["server-error", "-", "503"]),
        (Box::new(malformed), [MalformedKind::NoResponse.name(), "-", "-"]),
        (
            Box::new(|message| result(message, r#"{"content":7}"#)),
            ["content-not-array", "-", "-"],
        ),
        (
            Box::new(|message| result(message, r#"{"content":[],"isError":true}"#)),
            ["tool_error", "-", "-"],
        ),
        (
            Box::new(|_| MemoryAnswer::Failed(TransportError::ConnectRefused.into())),
            ["connect-refused", "-", "-"],
        ),
    ];
    for (answer, expected) in cases {
        let (_, record) = traced_call(well_except(Method::ToolsCall, answer));
        let spans = record.spans();
        let last = spans.last().unwrap();
        let told = [
            "error.type",
            "rpc.response.status_code",
            "http.response.status_code",
        ];
        assert_eq!(told.map(|name| field(last, name)), expected);
    }
}

#[test]
fn the_end_of_an_operation_is_one_event_with_its_timing() {
    let (_, record) = traced_call(well_except(Method::ToolsCall, |message| error(message, 1)));
    let events = record.events();
    let [event] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!((&*event.target, &*event.level), ("mcp", "DEBUG"));
    assert_eq!(
        (field(event, "kind"), field(event, "delivery")),
        ("rpc-error", "answered")
    );
    for part in ["policy", "queue", "connect", "first_byte", "body", "decode"] {
        assert_eq!(field(event, part), "0.0", "{part}");
    }
}

#[test]
fn what_somebody_should_look_at_is_a_warning_or_an_error() {
    use mcp_policy::port::{DenialReason, LedgerError, StoreError};
    let denied = Answers {
        gate: Some(Err(DenialReason::TrustZone)),
        denial: Some(Err(StoreError::Unavailable)),
        ..Answers::default()
    };
    let unhealthy = Answers {
        contact: Some(Err(StoreError::Unavailable)),
        ..Answers::default()
    };
    let unrecorded = Answers {
        settle: Some(Err(LedgerError::Store(StoreError::Unavailable))),
        ..Answers::default()
    };
    for (answers, expected) in [
        (
            denied,
            &[
                "INFO call denied",
                "WARN denial not kept",
                "DEBUG operation ended",
            ][..],
        ),
        (unhealthy, &["DEBUG operation ended", "WARN contact not noted"]),
        (
            unrecorded,
            &["ERROR outcome not recorded", "DEBUG operation ended"],
        ),
    ] {
        let world = World::new(answers, well);
        let record = TraceRecord::default();
        let _outcome = record.listen(|| world.call(&Never).end());
        let events: Vec<String> = record
            .events()
            .iter()
            .map(|event| format!("{} {}", event.level, field(event, "message")))
            .collect();
        assert_eq!(events, expected);
    }
}

/// A source whose context changes with each question; it notes the span that it is asked in.
struct Counting {
    record: TraceRecord,
    asked: Mutex<Vec<String>>,
}

impl TraceSource for Counting {
    fn current(&self) -> Option<TraceContext> {
        let mut asked = self.asked.lock().unwrap();
        let span = self.record.current().unwrap();
        asked.push(field(&span, "peer.service").to_owned());
        let parent = format!("00-0af7651916cd43dd8448eb211c80319c-{:016x}-01", asked.len());
        Some(TraceContext::parse(&parent, Some("host=x")).unwrap())
    }
}

#[test]
fn every_request_is_part_of_the_hosts_trace() {
    let (tap, script) = Tap::on(well);
    let world = World::new(Answers::default(), script);
    let record = TraceRecord::default();
    let source = Arc::new(Counting {
        record: record.clone(),
        asked: Mutex::default(),
    });
    let ports = Ports {
        trace: source.clone(),
        ..world.ports()
    };
    let info = ClientInfo {
        name: "host".to_owned(),
        version: "1".to_owned(),
    };
    let client = Client::new(info, ports).unwrap();
    record.listen(|| {
        now(client.probe(&world.server)).unwrap();
        now(client.list_tools(&world.server, Default::default())).unwrap();
    });
    assert_eq!(*source.asked.lock().unwrap(), ["demo"; 4]);
    let mut requests = 0;
    for sent in tap.all() {
        if sent.id.is_empty() {
            assert!(!sent.body.contains("_meta"), "{}", sent.body);
        } else {
            requests += 1;
            let meta = format!(
                "\"_meta\":{{\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-{requests:016x}-01\",\
                 \"tracestate\":\"host=x\"}}}}}}"
            );
            assert!(sent.body.ends_with(&meta), "{}", sent.body);
        }
    }
    assert_eq!(requests, 4);
}
