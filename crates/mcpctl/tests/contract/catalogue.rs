//! The lock file of the catalogue: what it holds, what a comparison with it finds, and when it is refused.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::store::Desk;
use crate::support::{Answer, Fault, Form, Script, Server, search};

const FIRST: &str = r#"{"tools":[
    {"name":"echo","description":"Says a message again.","inputSchema":{"type":"object"}},
    {"name":"weather","description":"Tells the weather.","inputSchema":{"type":"object"}}]}"#;

/// `echo` is described anew, `weather` is gone, `forecast` is new.
const SECOND: &str = r#"{"tools":[
    {"name":"echo","description":"Says a message again, and sends it away.","inputSchema":{"type":"object"}},
    {"name":"forecast","description":"Tells the weather.","inputSchema":{"type":"object"}}]}"#;

const STEADY: Script = &[("tools/list", Answer::Result(FIRST))];

/// A desk with a server that offers [`FIRST`] at its import, `echo` on, and the lock file of that.
fn locked(name: &str, server: &Server) -> (Desk, PathBuf) {
    let desk = Desk::new(name);
    desk.well(&["server", "add", "demo", &server.url(), "--class", "publicContent"]);
    desk.well(&["import", "demo"]);
    desk.well(&["tool", "enable", "mcp_demo_echo"]);
    let file = desk.directory.join("catalogue.lock.json");
    let said = desk.well(&["catalogue", "export", "--out", file.to_str().unwrap()]);
    assert_eq!(said, "written: 1 servers, 2 tools\n");
    (desk, file)
}

/// The fingerprint of a tool.
fn fingerprint(desk: &Desk, tool: &str) -> String {
    let shown = desk.json(&["tool", "show", tool]);
    shown["tools"][0]["fingerprint"].as_str().unwrap().to_owned()
}

#[test]
fn the_file_holds_each_tool_on_a_line_and_no_secret() {
    let server = Server::start(STEADY);
    let (desk, file) = locked("lock-file", &server);
    let text = std::fs::read_to_string(&file).unwrap();
    let (echo, weather) = (
        fingerprint(&desk, "mcp_demo_echo"),
        fingerprint(&desk, "mcp_demo_weather"),
    );
    let expected = format!(
        r#"{{
  "format": "mcpctl-catalogue",
  "version": 1,
  "servers": [
    {{
      "server": "demo",
      "origin": "{}",
      "enabled": true,
      "data_class": "publicContent",
      "tools": [
        {{"tool":"mcp_demo_echo","remote_name":"echo","enabled":true,"fingerprint":"{echo}"}},
        {{"tool":"mcp_demo_weather","remote_name":"weather","enabled":false,"fingerprint":"{weather}"}}
      ]
    }}
  ]
}}
"#,
        server.origin()
    );
    assert_eq!(text, expected);
    assert!(search(text.as_bytes()).is_empty(), "{text}");
    assert_eq!(desk.well(&["catalogue", "export"]), text);
    let line = desk.json(&["catalogue", "export"]);
    assert_eq!(line["lock"], serde_json::from_str::<Value>(&text).unwrap());
    // Written anew in its place, with nothing left beside it.
    let file = file.to_str().unwrap();
    desk.well(&["catalogue", "export", "--out", file]);
    let beside = std::fs::read_dir(&desk.directory).unwrap();
    let left = beside.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with(".mcpctl-")
    });
    assert_eq!(left.count(), 0);
    assert_eq!(
        desk.well(&["catalogue", "verify", file]),
        "as locked: 1 servers, 2 tools, 0 differences\n"
    );
    server.log();
}

#[test]
fn every_difference_is_named() {
    let script: Script = &[("tools/list", Answer::InTurn(&[FIRST, SECOND]))];
    let server = Server::start(script);
    let (desk, file) = locked("lock-drift", &server);
    let file = file.to_str().unwrap();
    let (echo, weather) = (
        fingerprint(&desk, "mcp_demo_echo"),
        fingerprint(&desk, "mcp_demo_weather"),
    );
    desk.well(&["import", "demo"]);
    desk.well(&["server", "classify", "demo", "sourceCode"]);
    desk.well(&["server", "add", "other", "https://other.example/"]);
    desk.well(&["server", "disable", "demo"]);
    let ended = desk.run(&["catalogue", "verify", file]);
    let (new_echo, forecast) = (
        fingerprint(&desk, "mcp_demo_echo"),
        fingerprint(&desk, "mcp_demo_forecast"),
    );
    let expected = format!(
        "server-switched\tdemo\tenabled -> disabled\n\
         server-reclassified\tdemo\tpublicContent -> sourceCode\n\
         tool-changed\tmcp_demo_echo\t{echo} -> {new_echo}\n\
         tool-switched\tmcp_demo_echo\tenabled -> disabled\n\
         tool-added\tmcp_demo_forecast\t{forecast}\n\
         tool-gone\tmcp_demo_weather\t{weather}\n\
         server-added\tother\thttps://other.example\n\
         drifted: 2 servers, 3 tools, 7 differences\n"
    );
    assert_eq!(
        (ended.exit, ended.stdout, ended.stderr.as_str()),
        (Some(1), expected, "")
    );

    desk.well(&["server", "remove", "demo"]);
    desk.well(&["server", "remove", "other"]);
    let ended = desk.run(&["catalogue", "verify", file, "--json"]);
    let line: Value = serde_json::from_str(&ended.stdout).unwrap();
    let gone = |change: &str, tool: Value, locked: &str| json!({"change": change, "server": "demo", "tool": tool, "locked": locked, "found": null, "seen_in": "store"});
    let expected = json!({
        "outcome": "catalogue_verified", "online": false, "servers": 1, "tools": 2,
        "drift": [
            gone("server-gone", Value::Null, &server.origin()),
            gone("tool-gone", json!("mcp_demo_echo"), &echo),
            gone("tool-gone", json!("mcp_demo_weather"), &weather),
        ],
        "unchecked": [], "not_asked": [],
    });
    assert_eq!((ended.exit, line), (Some(1), expected));
    server.log();
}

#[test]
fn what_the_file_says_is_shown_and_never_obeyed() {
    let server = Server::start(STEADY);
    let (desk, file) = locked("lock-moved", &server);
    let text = std::fs::read_to_string(&file).unwrap();
    let elsewhere = r#"<x a='1'>&amp;\u001b[2J\u202e"#;
    std::fs::write(&file, text.replace(&server.origin(), elsewhere)).unwrap();
    let junit = desk.directory.join("junit.xml");
    let ended = desk.run(&[
        "catalogue",
        "verify",
        file.to_str().unwrap(),
        "--junit",
        junit.to_str().unwrap(),
    ]);
    let expected = format!(
        "server-moved\tdemo\t<x a='1'>&amp;\\u{{1b}}[2J\\u{{202e}} -> {}\n",
        server.origin()
    );
    assert!(ended.stdout.starts_with(&expected), "{ended:?}");
    assert_eq!(ended.exit, Some(1));
    let xml = std::fs::read_to_string(junit).unwrap();
    let escaped = r#"demo &lt;x a='1'&gt;&amp;amp;\u{1b}[2J\u{202e} -&gt; "#;
    assert!(xml.replace("&apos;", "'").contains(escaped), "{xml}");
    server.log();
}

#[test]
fn online_sees_what_the_server_says_now_and_changes_nothing() {
    let script: Script = &[("tools/list", Answer::InTurn(&[FIRST, FIRST, SECOND]))];
    let server = Server::start(script);
    let (desk, file) = locked("lock-online", &server);
    let file = file.to_str().unwrap();
    let before = (desk.json(&["status"]), desk.json(&["tool", "list"]));
    desk.well(&["server", "add", "asleep", "http://127.0.0.1:9/"]);
    desk.well(&["server", "disable", "asleep"]);
    desk.well(&["catalogue", "export", "--out", file]);
    let ended = desk.run(&["catalogue", "verify", file, "--online"]);
    assert_eq!(ended.exit, Some(0), "{ended:?}");
    assert_eq!(ended.stdout, "as locked: 2 servers, 2 tools, 0 differences\n");
    assert_eq!(ended.stderr, "mcpctl: asleep is disabled, and was not asked\n");

    let junit = desk.directory.join("junit.xml");
    let arguments = [
        "catalogue",
        "verify",
        file,
        "--online",
        "--json",
        "--junit",
        junit.to_str().unwrap(),
    ];
    let ended = desk.run(&arguments);
    let line: Value = serde_json::from_str(&ended.stdout).unwrap();
    let drift = line["drift"].as_array().unwrap();
    let seen: Vec<_> = drift
        .iter()
        .map(|one| (&one["change"], &one["tool"], &one["seen_in"]))
        .map(|(change, tool, place)| [change, tool, place].map(|value| value.as_str().unwrap()))
        .collect();
    let expected = [
        ["tool-changed", "mcp_demo_echo", "server"],
        ["tool-added", "mcp_demo_forecast", "server"],
        ["tool-gone", "mcp_demo_weather", "server"],
    ];
    assert_eq!((ended.exit, seen), (Some(1), expected.to_vec()));
    assert_eq!(line["not_asked"], json!(["asleep"]));
    desk.well(&["server", "remove", "asleep"]);
    assert_eq!((desk.json(&["status"]), desk.json(&["tool", "list"])), before);

    let xml = std::fs::read_to_string(junit).unwrap();
    assert!(
        xml.contains(r#"<testsuites name="catalogue" tests="5" skipped="0" failures="3" errors="0""#),
        "{xml}"
    );
    for piece in [
        r#"<testcase name="server demo" classname="demo""#,
        r#"<testcase name="mcp_demo_echo" classname="demo">"#,
        r#"<failure message="tool-changed mcp_demo_echo mcp1:"#,
        r#"<failure message="tool-gone mcp_demo_weather mcp1:"#,
        " -&gt; mcp1:",
    ] {
        assert!(xml.contains(piece), "{piece} in {xml}");
    }
    assert!(search(xml.as_bytes()).is_empty(), "{xml}");
    server.log();
}

#[test]
fn what_could_not_be_checked_is_never_well() {
    let script: Script = &[(
        "tools/list",
        Answer::InTurn(&[
            FIRST,
            r#"{"tools":7}"#,
            r#"{"tools":7}"#,
            r#"{"tools":7}"#,
            r#"{"tools":7}"#,
        ]),
    )];
    let server = Server::start(script);
    let (desk, file) = locked("lock-unchecked", &server);
    let file = file.to_str().unwrap();
    let junit = desk.directory.join("junit.xml");
    let arguments = [
        "catalogue",
        "verify",
        file,
        "--online",
        "--junit",
        junit.to_str().unwrap(),
    ];
    let ended = desk.run(&arguments);
    assert_eq!(ended.exit, Some(7), "{ended:?}");
    assert_eq!(
        ended.stdout,
        "not checked whole: 1 servers, 2 tools, 0 differences\n"
    );
    let kind = desk.run(&["tools", "demo", "--json"]);
    let kind: Value = serde_json::from_str(&kind.stdout).unwrap();
    let (kind, message) = (kind["kind"].as_str().unwrap(), kind["message"].as_str().unwrap());
    assert!(
        ended
            .stderr
            .starts_with(&format!("mcpctl: {message} (demo, {kind}, ")),
        "{ended:?}"
    );
    let xml = std::fs::read_to_string(&junit).unwrap();
    assert!(
        xml.contains(r#"tests="3" skipped="0" failures="0" errors="3""#),
        "{xml}"
    );

    // With drift as well, it still ends as what could not be checked.
    desk.well(&["tool", "disable", "mcp_demo_echo"]);
    let ended = desk.run(&["catalogue", "verify", file, "--online"]);
    assert_eq!(ended.exit, Some(7), "{ended:?}");
    assert!(
        ended.stdout.starts_with("tool-switched\tmcp_demo_echo\t"),
        "{ended:?}"
    );
    server.log();
}

#[test]
fn a_file_that_is_none_is_refused() {
    let server = Server::start(STEADY);
    let (desk, file) = locked("lock-refused", &server);
    let text = std::fs::read_to_string(&file).unwrap();
    let path = file.to_str().unwrap();
    let refused = |path: &str, kind: &str, message: &str| {
        Fault {
            kind,
            delivery: "not-sent",
            message,
            server: None,
        }
        .check(|form: Form| desk.run(&[&["catalogue", "verify", path], form].concat()));
    };
    refused(
        "/no/such/file",
        "lock-unreadable",
        "the lock file could not be read",
    );
    for (from, to, kind, message) in [
        (
            "\"version\": 1",
            "\"version\": 7",
            "lock-version-unknown",
            "the lock file is of version 7, and only version 1 is known; export it anew",
        ),
        (
            "mcp_demo_weather",
            "mcp_demo_echo",
            "lock-duplicate",
            "the lock file names the tool mcp_demo_echo twice",
        ),
        (
            "\"tools\": [",
            "\"tools\": [<canary",
            "lock-invalid",
            "the file is no lock file of the catalogue (line 10)",
        ),
    ] {
        std::fs::write(&file, text.replace(from, to)).unwrap();
        refused(path, kind, message);
    }
    server.log();
}

#[test]
fn only_a_plain_file_is_written_over() {
    let desk = Desk::new("lock-unwritable");
    let message = "what is at the path of --out is no plain file";
    for (path, message) in [
        (desk.directory.to_str().unwrap(), message),
        ("/dev/null", message),
        (
            "/no/such/directory/file",
            "the file of --out could not be written",
        ),
    ] {
        Fault {
            kind: "output-unwritable",
            delivery: "not-sent",
            message,
            server: None,
        }
        .check(|form: Form| desk.run(&[&["catalogue", "export", "--out", path], form].concat()));
    }
}
