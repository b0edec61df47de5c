//! `doctor`: ten servers that are broken in ten ways, and for each the first step that fails with one hint.

use std::net::TcpListener;

use serde_json::Value;

use crate::support::{Answer, Authority, Ended, Invocation, Script, Server, at};

/// The end of a diagnosis: the step, the kind, the exit status, and a part of the hint.
struct Diagnosis(&'static str, &'static str, i32, &'static str);

const HTML: Script = &[(
    "initialize",
    Answer::Http("200 OK", "Content-Type: text/html\r\n", "<html></html>"),
)];
const UNAUTHORIZED: Script = &[(
    "initialize",
    Answer::Http("401 Unauthorized", "WWW-Authenticate: Bearer\r\n", ""),
)];
const NOT_FOUND: Script = &[("initialize", Answer::Http("404 Not Found", "", ""))];
const OLD: Script = &[(
    "initialize",
    Answer::Result(
        r#"{"protocolVersion":"2023-01-01","capabilities":{},"serverInfo":{"name":"old","version":"1"}}"#,
    ),
)];
const BAD_JSON: Script = &[(
    "initialize",
    Answer::Http(
        "200 OK",
        "Content-Type: application/json\r\n",
        r#"{"jsonrpc":"2.0","id":"#,
    ),
)];
const SILENT: Script = &[("initialize", Answer::Silence)];

#[test]
fn a_server_that_is_well_passes_every_step() {
    let server = Server::start(&[
        ("ping", Answer::Result("{}")),
        ("tools/list", Answer::Result(r#"{"tools":[]}"#)),
    ]);
    let ended = doctor(&server.url(), &[]);
    assert_eq!(ended.exit, Some(0), "{ended:?}");
    let line: Value = serde_json::from_str(&ended.stdout).unwrap();
    let names: Vec<&str> = steps(&line)
        .iter()
        .map(|step| step["step"].as_str().unwrap())
        .collect();
    let expected = [
        "url",
        "look-up",
        "addresses",
        "connect",
        "http",
        "authentication",
        "answer",
        "version",
        "session",
        "tools",
    ];
    assert_eq!(names, expected);
    assert!(steps(&line).iter().all(|step| step["state"] == "ok"), "{line}");
    assert_eq!(line["failed"], Value::Null);
    let text = Invocation::new(["doctor", &server.url()]).run();
    assert_eq!(text.stdout.lines().count(), 10, "{text:?}");
}

#[test]
fn the_first_step_that_fails_is_named_with_a_hint() {
    for (script, options, expected) in [
        (
            HTML,
            &[][..],
            Diagnosis("http", "unreadable-media-type", 7, "check that the URL"),
        ),
        (
            UNAUTHORIZED,
            &[],
            Diagnosis("authentication", "authentication-required", 3, "--bearer REF"),
        ),
        (NOT_FOUND, &[], Diagnosis("http", "not-found", 4, "/mcp")),
        (
            OLD,
            &[],
            Diagnosis("version", "protocol-version-unsupported", 7, "maintainer"),
        ),
        (
            BAD_JSON,
            &[],
            Diagnosis("answer", "invalid-json", 7, "maintainer"),
        ),
        (
            SILENT,
            &["--budget", "3"],
            Diagnosis("http", "deadline-exceeded", 4, "--budget SECONDS"),
        ),
    ] {
        let server = Server::start(script);
        expected.check(&doctor(&server.url(), options));
    }
}

#[test]
fn the_way_to_the_server_is_walked_first() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let closed = format!("http://{closed}/mcp");
    Diagnosis("connect", "connect-refused", 4, "that the server runs").check(&doctor(&closed, &[]));
    for (authority, expected) in [
        (
            Authority::with_server("other.example"),
            Diagnosis("tls", "tls-name-mismatch", 4, "check the URL"),
        ),
        (
            Authority::with_server_until("127.0.0.1", &[], 2001),
            Diagnosis("tls", "tls-expired", 4, "check its dates"),
        ),
    ] {
        let server = Server::start_tls(&[], authority.server.clone());
        expected.check(&doctor(&server.url(), &["--ca", &authority.file]));
        assert!(server.log().requests.is_empty());
    }
    let url = "http://192.0.2.1/mcp";
    Diagnosis("url", "plain-http-refused", 6, "--allow-http").check(&doctor(url, &[]));
    let metadata = "https://169.254.169.254/";
    Diagnosis("addresses", "address-refused", 6, "class that is allowed").check(&doctor(metadata, &[]));
}

#[test]
fn a_body_without_an_end_is_the_answers_fault() {
    let body = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{}",
        " ".repeat(3 * 1_024 * 1_024)
    );
    let script: Script = Box::leak(Box::new([(
        "initialize",
        Answer::Raw(Box::leak(body.into_boxed_str())),
    )]));
    let server = Server::start(script);
    Diagnosis("answer", "too-large", 7, "--max-body-bytes").check(&doctor(&server.url(), &[]));
}

#[test]
fn a_tool_is_called_only_when_it_says_that_it_reads() {
    let tools = r#"{"tools":[{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
        {"name":"write","inputSchema":{"type":"object"}}]}"#;
    // A server that knows no ping is as well as one that does.
    let script: Script = Box::leak(Box::new([
        (
            "ping",
            Answer::Error(r#"{"code":-32601,"message":"Method not found"}"#),
        ),
        (
            "tools/list",
            Answer::Result(Box::leak(tools.to_owned().into_boxed_str())),
        ),
        (
            "tools/call look",
            Answer::Result(r#"{"content":[{"type":"text","text":"seen"}]}"#),
        ),
    ]));
    let server = Server::start(script);
    let ended = doctor(&server.url(), &["--call", "look"]);
    assert_eq!(ended.exit, Some(0), "{ended:?}");
    let line: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        steps(&line).last().unwrap()["found"],
        "look answered with exit status 0"
    );
    Diagnosis("call", "tool-not-read-only", 2, "").check(&doctor(&server.url(), &["--call", "write"]));
    let requests = server.log().requests;
    assert_eq!(
        requests
            .iter()
            .filter(|(_, body)| body.contains("tools/call"))
            .count(),
        1
    );
}

#[test]
fn a_credential_that_was_taken_is_told_as_such_however_the_way_ends() {
    let well: Script = &[
        ("ping", Answer::Result("{}")),
        ("tools/list", Answer::Result(r#"{"tools":[]}"#)),
    ];
    for script in [well, OLD] {
        let server = Server::start(script);
        let arguments = ["doctor", &server.url(), "--json", "--bearer", "env:DOCTOR_TOKEN"];
        let ended = Invocation::new(arguments).env("DOCTOR_TOKEN", "t").run();
        let line: Value = serde_json::from_str(&ended.stdout).unwrap();
        let step = steps(&line)
            .iter()
            .find(|step| step["step"] == "authentication")
            .unwrap();
        assert_eq!(step["found"], "the credential is taken", "{line}");
    }
}

fn doctor(url: &str, options: &[&str]) -> Ended {
    let arguments: Vec<&str> = ["doctor", "URL", "--json"]
        .iter()
        .chain(options)
        .copied()
        .collect();
    Invocation::new(at(url, &arguments, &[])).run()
}

fn steps(line: &Value) -> &Vec<Value> {
    line["steps"].as_array().unwrap()
}

impl Diagnosis {
    fn check(&self, ended: &Ended) {
        let Self(step, kind, exit, hint) = self;
        let line: Value = serde_json::from_str(&ended.stdout).unwrap();
        let failed = &line["failed"];
        assert_eq!(
            (&failed["step"], &failed["kind"]),
            (&(*step).into(), &(*kind).into()),
            "{line}"
        );
        assert!(
            failed["hint"].as_str().unwrap_or_default().contains(hint),
            "{line}"
        );
        assert_eq!(ended.exit, Some(*exit), "{line}");
        let states: Vec<&str> = steps(&line)
            .iter()
            .map(|step| step["state"].as_str().unwrap())
            .collect();
        let failed = states.iter().position(|state| *state == "failed").unwrap();
        assert!(states[..failed].iter().all(|state| *state == "ok"), "{line}");
        assert!(
            states[failed + 1..].iter().all(|state| *state == "not-reached"),
            "{line}"
        );
    }
}
