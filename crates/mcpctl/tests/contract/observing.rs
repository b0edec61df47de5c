//! What an operator sees of an operation beside its outcome: its timing, its log, its place in a trace.

use serde_json::Value;

use crate::support::{Answer, Ended, Fault, Invocation, Script, Server, at};

const ECHO: Script = &[(
    "tools/call",
    Answer::Result(r#"{"content":[{"type":"text","text":"hello"}]}"#),
)];

const PARTS: [&str; 6] = [
    "policy_ms",
    "queue_ms",
    "connect_ms",
    "first_byte_ms",
    "body_ms",
    "decode_ms",
];

fn run(script: Script, options: &[&str]) -> (Ended, Vec<(String, String)>) {
    let server = Server::start(script);
    let arguments = ["call", "URL", "echo", r#"{"a":"payload"}"#];
    let ended = Invocation::new(at(&server.url(), &arguments, &[]).iter().chain(options)).run();
    (ended, server.log().requests)
}

#[test]
fn the_timing_of_a_result_and_of_a_failure() {
    let failing: Script = &[("tools/call", Answer::Http("503 Busy", "", ""))];
    let erring: Script = &[("tools/call", Answer::Error(r#"{"code":1,"message":"no"}"#))];
    for (script, outcome) in [(ECHO, "result"), (failing, "failed"), (erring, "rpc_error")] {
        let (json, _) = run(script, &["--json", "--timing"]);
        let line: Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!(line["outcome"], outcome);
        let timing = line["timing"].as_object().unwrap();
        let names: Vec<&str> = timing.keys().map(String::as_str).collect();
        let mut parts = PARTS;
        parts.sort_unstable();
        assert_eq!(names, parts);
        assert!(
            timing.values().all(|part| part.as_f64().unwrap() >= 0.0),
            "{line}"
        );
        assert!(timing["first_byte_ms"].as_f64().unwrap() > 0.0, "{line}");

        let (text, _) = run(script, &["--timing"]);
        let last = text.stderr.lines().last().unwrap();
        assert!(last.starts_with("mcpctl: policy "), "{last}");
        for part in ["queue ", "connect ", "first byte ", "body ", "decode "] {
            assert!(last.contains(part), "{last}");
        }
    }
}

#[test]
fn the_log_goes_to_standard_error_and_holds_no_payload() {
    for level in ["info", "debug", "trace"] {
        let (ended, _) = run(ECHO, &["--json", "--log", level]);
        assert_eq!(ended.exit, Some(0));
        assert_eq!(ended.stdout.lines().count(), 1, "{ended:?}");
        // A span shows with an event; at this level there is one at the end of the operation.
        let tells = ended.stderr.contains("operation ended");
        assert_eq!(tells, level != "info", "{ended:?}");
        for payload in ["payload", "hello"] {
            assert!(!ended.stderr.contains(payload), "{ended:?}");
        }
    }
    let (ended, _) = run(ECHO, &[]);
    assert_eq!(ended.stderr, "");
}

#[test]
fn a_trace_is_sent_with_each_request() {
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let (ended, requests) = run(ECHO, &["--traceparent", parent, "--tracestate", "a=b"]);
    assert_eq!(ended.exit, Some(0), "{ended:?}");
    let meta = format!(r#""_meta":{{"traceparent":"{parent}","tracestate":"a=b"}}"#);
    let told: Vec<bool> = requests.iter().map(|(_, body)| body.contains(&meta)).collect();
    // `initialize`, the notification, `tools/call`.
    assert_eq!(told, [true, false, true]);
}

#[test]
fn a_trace_that_cannot_be_one_is_refused() {
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let rows: [(&[&str], &str, &str); 2] = [
        (
            &["ping", "URL", "--traceparent", "00-1-2-3"],
            "traceparent-invalid",
            "the traceparent is not of the form 00-<32 hex>-<16 hex>-<2 hex>",
        ),
        (
            &["ping", "URL", "--traceparent", parent, "--tracestate", "a"],
            "tracestate-invalid",
            "the tracestate is no list of at most 32 key=value in 512 bytes",
        ),
    ];
    for (arguments, kind, message) in rows {
        let server = Server::start(&[]);
        let (url, origin) = (server.url(), server.origin());
        Fault {
            kind,
            delivery: "not-sent",
            message,
            server: Some(&origin),
        }
        .check(|form| Invocation::new(at(&url, arguments, form)).run());
        assert_eq!(server.log().connections, 0);
    }
}
