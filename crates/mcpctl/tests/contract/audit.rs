//! The ledger from the command line: what was called is listed, shown and proven, and nothing of a payload is in it.

use std::path::Path;

use serde_json::Value;

use crate::store::Desk;
use crate::support::{Answer, Invocation, Script, Server};

const ANSWERS: Script = &[
    (
        "tools/list",
        Answer::Result(r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"#),
    ),
    (
        "tools/call echo",
        Answer::Result(r#"{"content":[{"type":"text","text":"the-result"}]}"#),
    ),
    (
        "tools/call no",
        Answer::Error(r#"{"code":-32602,"message":"the-message"}"#),
    ),
];

#[test]
fn every_call_is_a_step_whatever_way_it_was_made() {
    let server = Server::start(ANSWERS);
    let desk = Desk::new("steps");
    desk.well(&[
        "server",
        "add",
        "demo",
        &server.url(),
        "--class",
        "publicContent",
        "--no-approval",
    ]);
    desk.well(&["import", "demo"]);
    desk.well(&["tool", "enable", "mcp_demo_echo"]);
    assert_eq!(desk.well(&["audit", "list"]), "", "an import is no call");
    let arguments = r#"{"word":"the-argument"}"#;
    desk.well(&["call", "demo", "echo", arguments]);
    desk.well(&["call", &server.url(), "echo", arguments]);
    assert_eq!(desk.run(&["call", &server.url(), "no"]).exit, Some(5));
    assert_eq!(desk.run(&["call", "http://127.0.0.1:1/", "echo"]).exit, Some(4));
    // Denied, and so no step.
    assert_eq!(
        desk.run(&["call", "demo", "echo", "--as", "nobody"]).exit,
        Some(6)
    );
    let listed = desk.json(&["audit", "list"]);
    let steps: Vec<[&str; 5]> = listed["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| {
            let definition = if step["definition"].is_null() {
                "outside"
            } else {
                "catalogued"
            };
            let text = |name: &str| step[name].as_str().unwrap();
            [
                text("server"),
                text("tool"),
                definition,
                text("kind"),
                text("delivery"),
            ]
        })
        .collect();
    assert_eq!(
        steps,
        [
            ["demo", "echo", "catalogued", "ok", "answered"],
            ["adhoc", "echo", "outside", "ok", "answered"],
            ["adhoc", "no", "outside", "rpc-error", "answered"],
            ["adhoc", "echo", "outside", "connect-refused", "not-sent"],
        ]
    );
    let denied = desk.json(&["audit", "denials"]);
    let denied = denied["denials"].as_array().unwrap();
    let told: Vec<(&str, &Value)> = denied
        .iter()
        .map(|denial| (denial["reason"].as_str().unwrap(), &denial["user"]))
        .collect();
    assert_eq!(
        told,
        [("requiresAdmin", &Value::Null)],
        "what was refused, and no call that was made"
    );
    let text = desk.well(&["audit", "denials"]);
    assert!(text.ends_with("\tdemo echo\tnobody\trequiresAdmin\n"), "{text}");
    let text = desk.well(&["audit", "list"]);
    assert!(text.lines().next().unwrap().starts_with("1\tmcpctl-"), "{text}");
    assert!(
        text.lines().nth(1).unwrap().ends_with(", outside the catalogue"),
        "{text}"
    );
    assert_eq!(desk.well(&["audit", "list", "--in-doubt"]), "");
    let shown = desk.json(&["audit", "show", "1"]);
    let events: Vec<&str> = shown["entries"].as_array().unwrap().iter().map(event).collect();
    assert_eq!(events, ["stamped", "settled"]);
    let missing = desk.run(&["audit", "show", "9"]);
    assert!(missing.stderr.contains("step-unknown"), "{missing:?}");
    let verified = desk.json(&["audit", "verify"]);
    assert_eq!(
        (&verified["steps"], &verified["in_doubt"]),
        (&4.into(), &0.into())
    );
    assert_eq!(
        verified["entries"], 18,
        "two for each step, and two for each of the five runs"
    );
    for file in std::fs::read_dir(&desk.directory).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for payload in ["the-argument", "the-result", "the-message"] {
            assert!(!text.contains(payload), "{payload} is kept");
        }
    }
    server.log();
}

/// The name of an entry's event: the third of its values.
fn event(entry: &Value) -> &str {
    let text = entry["entry"].as_str().unwrap();
    text.split(',').nth(2).unwrap().trim_matches('"')
}

#[test]
fn a_ledger_that_was_tampered_with_is_found_out() {
    let server = Server::start(ANSWERS);
    let desk = Desk::new("tampered");
    desk.well(&["call", &server.url(), "echo"]);
    server.log();
    assert!(
        desk.well(&["audit", "verify"])
            .starts_with("whole: 4 entries, 1 runs, 1 steps, 0 in doubt")
    );
    let database = rusqlite::Connection::open(desk.path()).unwrap();
    database.execute("UPDATE steps SET tool = 'other'", []).unwrap();
    drop(database);
    let ended = desk.run(&["audit", "verify"]);
    assert_eq!(ended.exit, Some(1));
    assert_eq!(
        ended.stderr,
        "mcpctl: a step is not what the entries tell of it (ledger-disagrees, not-sent); the store was altered, cut or \
         restored: keep a copy, and find out who could write it\n"
    );
}

#[test]
fn a_call_that_cannot_be_recorded_is_not_made() {
    let server = Server::start(ANSWERS);
    let store = Path::new("/proc/nowhere/store.db");
    let arguments = ["call", &server.url(), "echo", "--store", store.to_str().unwrap()];
    let ended = Invocation::new(arguments).run();
    assert_eq!(ended.exit, Some(8));
    assert!(ended.stderr.contains("store-denied, not-sent"), "{ended:?}");
    assert_eq!(server.log().connections, 0);
}

#[test]
fn a_call_whose_process_is_killed_is_in_doubt_and_never_repeated() {
    let silent: Script = &[("tools/call", Answer::Silence)];
    let server = Server::start(silent);
    let desk = Desk::new("killed");
    let store = desk.path();
    let arguments = ["call", &server.url(), "echo", "--store", store.to_str().unwrap()];
    let mut child = Invocation::new(arguments).start();
    while server.seen.recv().unwrap() != "tools/call echo" {}
    child.kill().unwrap();
    child.wait().unwrap();
    let listed = desk.well(&["audit", "list"]);
    assert!(listed.contains("\topen\tthe server may have acted"), "{listed}");
    assert!(desk.well(&["audit", "verify"]).contains("1 steps, 0 in doubt"));
    let log = server.log();
    let calls = log
        .requests
        .iter()
        .filter(|(_, body)| body.contains("tools/call"));
    assert_eq!(calls.count(), 1);
}
