//! A call by the name of a kept server: through gate and approval, and what the gate says of it beforehand.

use crate::store::Desk;
use crate::support::{Answer, Script, Server};

const TOOLS: Script = &[
    (
        "tools/list",
        Answer::Result(
            r#"{"tools":[{"name":"echo","description":"Says it again.","inputSchema":{"type":"object"}}]}"#,
        ),
    ),
    (
        "tools/call",
        Answer::Result(r#"{"content":[{"type":"text","text":"hello"}]}"#),
    ),
];

/// A desk with one server whose one tool is on.
fn desk(name: &str, server: &Server) -> Desk {
    let desk = Desk::new(name);
    desk.well(&[
        "server",
        "add",
        "demo",
        &server.url(),
        "--class",
        "internalConfiguration",
    ]);
    desk.well(&["import", "demo"]);
    desk.well(&["tool", "enable", "mcp_demo_echo"]);
    desk
}

fn calls(server: Server) -> usize {
    let requests = server.log().requests;
    requests
        .iter()
        .filter(|(_, body)| body.contains("tools/call"))
        .count()
}

#[test]
fn a_call_waits_for_an_approval_and_is_made_with_one() {
    let server = Server::start(TOOLS);
    let desk = desk("approval", &server);
    let pending = desk.run(&["call", "demo", "echo"]);
    assert_eq!(pending.exit, Some(6));
    let begins = "mcpctl: this call waits for approval 1 (demo, approval-pending, not-sent, start, ";
    assert!(pending.stderr.starts_with(begins), "{pending:?}");
    let ends = "; mcpctl approval list shows it; then approval grant or approval deny, and call again\n";
    assert!(pending.stderr.ends_with(ends), "{pending:?}");
    let again = desk.run(&["call", "demo", "mcp_demo_echo"]);
    assert!(
        again.stderr.contains("approval 1 ("),
        "the same call waits for the same word: {again:?}"
    );
    let other = desk.run(&["call", "demo", "echo", r#"{"other":1}"#]);
    assert!(other.stderr.contains("approval 2 ("), "{other:?}");
    for tool in ["echo", "mcp_demo_echo"] {
        assert_eq!(desk.well(&["call", "demo", tool, "--approve"]), "hello\n");
    }
    assert_eq!(calls(server), 2);
}

#[test]
fn a_word_that_was_given_before_counts_for_one_call() {
    let server = Server::start(TOOLS);
    let desk = desk("desk", &server);
    let waits = |arguments: &str, id: &str| {
        let ended = desk.run(&["call", "demo", "echo", arguments]);
        assert!(ended.stderr.contains(&format!("approval {id} (")), "{ended:?}");
    };
    waits("{}", "1");
    let listed = desk.well(&["approval", "list"]);
    assert!(listed.starts_with("1\tpending\tdemo echo\t"), "{listed}");
    assert!(
        desk.well(&["approval", "grant", "1"])
            .starts_with("1\tgranted\tdemo echo\t")
    );
    waits(r#"{"other":1}"#, "2");
    assert_eq!(desk.well(&["call", "demo", "echo"]), "hello\n");
    waits("{}", "3");
    desk.well(&["approval", "deny", "3"]);
    for _ in 0..2 {
        let denied = desk.run(&["call", "demo", "echo"]);
        assert!(denied.stderr.contains("approval-denied"), "{denied:?}");
    }
    desk.well(&["approval", "withdraw", "3"]);
    waits("{}", "4");
    let gone = desk.run(&["approval", "grant", "1"]);
    assert!(gone.stderr.contains("approval-unknown"), "{gone:?}");
    // A grant is for the definition that was shown.
    desk.well(&["approval", "grant", "4"]);
    desk.well(&["tool", "disable", "mcp_demo_echo"]);
    let off = desk.run(&["call", "demo", "echo"]);
    assert!(off.stderr.contains("tool-disabled"), "{off:?}");
    assert_eq!(calls(server), 1);
}

#[test]
fn where_none_is_required_a_call_is_made_at_once() {
    let server = Server::start(TOOLS);
    let desk = Desk::new("unasked");
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
    let off = desk.run(&["call", "demo", "echo"]);
    assert!(off.stderr.contains("tool-disabled"), "{off:?}");
    desk.well(&["tool", "enable", "mcp_demo_echo"]);
    assert_eq!(desk.well(&["call", "demo", "echo"]), "hello\n");
    let unknown = desk.run(&["call", "demo", "other"]);
    assert!(unknown.stderr.contains("tool-unknown"), "{unknown:?}");
    assert_eq!(calls(server), 1);
}

#[test]
fn the_gate_says_beforehand_what_it_would_say_to_a_call() {
    let server = Server::start(TOOLS);
    let desk = desk("explain", &server);
    let cases: [(&[&str], Option<&str>, &str); 4] = [
        (&[], None, ""),
        (&["--as", "user"], Some("requiresAdmin"), "admin-required"),
        (&["--as", "nobody"], Some("requiresAdmin"), "admin-required"),
        (
            &["--zone", "externalGlobal"],
            Some("trustZone"),
            "above-trust-zone",
        ),
    ];
    for (standing, reason, kind) in cases {
        let explained = desk.run(&[&["policy", "explain", "demo", "echo"], standing].concat());
        let called = desk.run(&[&["call", "demo", "echo", "--approve"], standing].concat());
        match reason {
            None => {
                assert_eq!(
                    (explained.exit, called.exit),
                    (Some(0), Some(0)),
                    "{explained:?} {called:?}"
                );
                assert!(
                    explained
                        .stdout
                        .starts_with("permitted\n1. notRegistered: passes"),
                    "{explained:?}"
                );
            }
            Some(reason) => {
                assert_eq!(
                    (explained.exit, called.exit),
                    (Some(1), Some(6)),
                    "{explained:?} {called:?}"
                );
                assert!(
                    explained.stdout.starts_with(&format!("denied: {reason}\n")),
                    "{explained:?}"
                );
                assert!(called.stderr.contains(kind), "{called:?}");
            }
        }
    }
    let gone = desk.run(&["policy", "explain", "demo", "other", "--json"]);
    assert!(
        gone.stdout
            .contains(r#""permitted":false,"reason":"notRegistered""#),
        "{gone:?}"
    );
    for (option, kind) in [("--zone", "zone-unknown"), ("--as", "role-unknown")] {
        let ended = desk.run(&["policy", "explain", "demo", "echo", option, "x"]);
        assert!(ended.stderr.contains(kind), "{ended:?}");
        assert_eq!(ended.exit, Some(2));
    }
    assert_eq!(calls(server), 1, "only the permitted call was made");
}
