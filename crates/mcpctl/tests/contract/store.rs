//! The commands on the store: what they keep, what they print, and what they refuse.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Answer, Ended, Fault, Form, Invocation, Script, Server};

/// A store of its own, in a directory of its own.
pub(crate) struct Desk {
    pub(crate) directory: PathBuf,
}

impl Desk {
    pub(crate) fn new(name: &str) -> Self {
        let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join("desks")
            .join(name);
        let _not_there = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).unwrap();
        Self { directory }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.join("store.db")
    }

    /// Runs a command on the store.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        let store = self.path();
        let arguments = arguments
            .iter()
            .copied()
            .chain(["--store", store.to_str().unwrap()]);
        Invocation::new(arguments).run()
    }

    /// Runs a command that must go well; what it prints.
    #[track_caller]
    pub(crate) fn well(&self, arguments: &[&str]) -> String {
        let ended = self.run(arguments);
        assert_eq!(
            (ended.exit, ended.stderr.as_str()),
            (Some(0), ""),
            "{arguments:?}: {ended:?}"
        );
        ended.stdout
    }

    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let line = self.well(&[arguments, &["--json"]].concat());
        serde_json::from_str(&line).unwrap()
    }

    fn refused(&self, arguments: &[&str], kind: &str, message: &str, server: Option<&str>) {
        Fault {
            kind,
            delivery: "not-sent",
            message,
            server,
        }
        .check(|form: Form| self.run(&[arguments, form].concat()));
    }
}

#[test]
fn servers_are_kept_as_they_were_added() {
    let desk = Desk::new("servers");
    assert_eq!(desk.well(&["server", "list"]), "");
    let added = desk.well(&[
        "server",
        "add",
        "demo",
        "https://srv.example/mcp?token=canary",
        "--class",
        "sourceCode",
        "--bearer",
        "env:TOKEN",
        "--header",
        "X-Key=file:key",
        "--budget",
        "5",
        "--max-tools",
        "7",
    ]);
    let line = "demo\tenabled\tsourceCode\tapproval on\thttps://srv.example\n";
    assert_eq!(added, line);
    desk.well(&[
        "server",
        "add",
        "other",
        "http://127.0.0.1:9/",
        "--no-approval",
        "--group",
        "ours",
    ]);
    let listed = desk.well(&["server", "list"]);
    assert_eq!(
        listed,
        format!("{line}other\tenabled\tunclassified\tapproval off\thttp://127.0.0.1:9\n")
    );
    let shown = desk.json(&["server", "show", "demo"]);
    let expected = serde_json::json!({
        "name": "demo", "url": "https://srv.example", "credentials": ["bearer=env:TOKEN", "x-key=file:key"],
        "data_class": "sourceCode", "approval": "on", "enabled": true, "group": "mcp_demo", "budget_s": 5.0,
        "max_pages": 50, "max_tools": 7, "max_list_bytes": 8_388_608, "max_body_bytes": 2_097_152
    });
    assert_eq!(shown["servers"][0], expected);
    assert_eq!(
        desk.json(&["server", "show", "other"])["servers"][0]["group"],
        "ours"
    );

    desk.well(&["server", "classify", "other", "publicContent"]);
    desk.well(&["server", "disable", "demo"]);
    let listed = desk.well(&["server", "list"]);
    assert!(listed.starts_with("demo\tdisabled\t"), "{listed}");
    assert!(listed.contains("\nother\tenabled\tpublicContent\t"), "{listed}");
    desk.well(&["server", "enable", "demo"]);
    desk.well(&["server", "remove", "demo"]);
    assert_eq!(desk.well(&["server", "list"]).lines().count(), 1);
}

#[test]
fn what_cannot_be_kept_is_refused_and_changes_nothing() {
    let desk = Desk::new("refusals");
    desk.well(&["server", "add", "demo", "https://srv.example/"]);
    let before = desk.well(&["server", "list"]);
    let name = "a server's name is 1 to 32 of a-z, 0-9 and _";
    let class = "the data class is one of publicContent, editorContent, sourceCode, internalConfiguration, systemDiagnostics, secretAdjacent";
    desk.refused(
        &["server", "add", "demo", "https://x.example/"],
        "server-exists",
        "there is a server of the name demo",
        None,
    );
    desk.refused(
        &["server", "add", "De", "https://x.example/"],
        "server-name-invalid",
        name,
        None,
    );
    desk.refused(
        &["server", "add", "x", "ftp://x.example/"],
        "url-scheme-unknown",
        "the URL must start with https:// or http://",
        None,
    );
    desk.refused(
        &["server", "add", "x", "https://x.example/", "--class", "secret"],
        "class-unknown",
        class,
        None,
    );
    desk.refused(
        &["server", "classify", "demo", "PublicContent"],
        "class-unknown",
        class,
        None,
    );
    desk.refused(
        &["server", "add", "x", "--group", "A"],
        "group-invalid",
        "a group's name is 1 to 64 of a-z, 0-9 and _",
        None,
    );
    desk.refused(
        &["server", "remove", "nobody"],
        "server-unknown",
        "there is no server of this name",
        Some("nobody"),
    );
    desk.refused(
        &["ping", "nobody"],
        "server-unknown",
        "there is no server of this name",
        Some("nobody"),
    );
    desk.refused(
        &["tool", "enable", "mcp_demo_x"],
        "tool-unknown",
        "there is no tool of this name",
        None,
    );
    desk.refused(
        &["tool", "confirm", "mcp_demo_x", "mcp1:x"],
        "fingerprint-invalid",
        "a fingerprint is mcp1: and 64 digits of 0-9 and a-f",
        None,
    );
    assert_eq!(desk.well(&["server", "list"]), before);
}

#[test]
fn a_store_that_is_none_is_refused_and_left_as_it_is() {
    let desk = Desk::new("damaged");
    std::fs::write(
        desk.path(),
        "this is no database, and long enough to be read as the head of one. ".repeat(20),
    )
    .unwrap();
    let before = std::fs::read(desk.path()).unwrap();
    desk.refused(
        &["server", "list"],
        "store-corrupt",
        "the store is damaged, or the file is none; restore it from a backup",
        None,
    );
    assert_eq!(std::fs::read(desk.path()).unwrap(), before);
    let nowhere = Path::new("/proc/nowhere/store.db");
    let run = |form: Form| {
        Invocation::new([&["status", "--store", nowhere.to_str().unwrap()], form].concat()).run()
    };
    Fault {
        kind: "store-denied",
        delivery: "not-sent",
        message: "the store may not be opened or written; check the path and its permissions",
        server: None,
    }
    .check(run);
    let homeless = |form: Form| {
        Invocation::new([&["status"], form].concat())
            .without("HOME")
            .run()
    };
    Fault {
        kind: "store-path-unknown",
        delivery: "not-sent",
        message: "there is no place for the store; give one with --store, or set HOME",
        server: None,
    }
    .check(homeless);
}

#[test]
fn the_store_stands_in_the_users_data() {
    let desk = Desk::new("home");
    let home = desk.directory.to_str().unwrap();
    let data = desk.directory.join("data");
    for (variables, path) in [
        (vec![("HOME", home)], ".local/share/mcpctl/store.db"),
        (
            vec![("HOME", home), ("XDG_DATA_HOME", data.to_str().unwrap())],
            "data/mcpctl/store.db",
        ),
    ] {
        let run = variables
            .into_iter()
            .fold(Invocation::new(["status"]), |run, (name, value)| {
                run.env(name, value)
            });
        assert_eq!(run.run().exit, Some(0));
        assert!(desk.directory.join(path).exists(), "{path}");
    }
}

#[test]
fn servers_come_from_the_file_of_another_program() {
    let desk = Desk::new("config");
    let file = desk.directory.join("mcp.json");
    let write = |text: &str| std::fs::write(&file, text).unwrap();
    let path = file.to_str().unwrap();
    write(
        r#"{"mcpServers":{"a":{"type":"http","url":"https://a.example/mcp"},"b":{"command":"run"},
        "c":{"url":"https://c.example/","headers":{"Authorization":"Bearer ${TOKEN}"}}}}"#,
    );
    let ended = desk.run(&["server", "add", "--from", path]);
    assert_eq!(ended.exit, Some(8));
    assert_eq!(
        ended.stdout,
        "a\tenabled\tunclassified\tapproval on\thttps://a.example\n"
    );
    assert_eq!(
        ended.stderr,
        "mcpctl: b was left out: only servers of the type http are supported\n\
         mcpctl: c was left out: it names a variable of the environment; allow that with --expand\n"
    );
    let ended = desk.run(&["server", "add", "--from", path, "--expand", "--json"]);
    let line: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        line["servers"][0]["credentials"],
        serde_json::json!(["bearer=env:TOKEN"])
    );
    assert_eq!(
        line["remarks"][0],
        "a was left out: there is a server of this name"
    );
    write(r#"{"servers":{"x":{"url":"https://x.example/"},"x":{"url":"https://y.example/"}}}"#);
    let twice = "the file names something twice, so neither can be meant";
    desk.refused(
        &["server", "add", "--from", path],
        "config-duplicate",
        twice,
        None,
    );
    write("[]");
    desk.refused(
        &["server", "add", "--from", path],
        "config-invalid",
        "the file is no JSON object (line 1)",
        None,
    );
    desk.refused(
        &["server", "add", "--from", "/no/such/file"],
        "config-unreadable",
        "the file of --from could not be read",
        None,
    );
}

const ONE_TOOL: Script = &[(
    "tools/list",
    Answer::Result(
        r#"{"tools":[{"name":"echo","description":"Says it again.","inputSchema":{"type":"object"}}]}"#,
    ),
)];

#[test]
fn a_ping_of_a_kept_server_is_its_last_contact_and_writes_no_catalogue() {
    let desk = Desk::new("contact");
    let server = Server::start(ONE_TOOL);
    desk.well(&["server", "add", "demo", &server.url()]);
    let status = desk.json(&["status"]);
    assert_eq!(status["servers"][0]["last_contact_unix_s"], Value::Null);
    let pong = desk.well(&["ping", "demo"]);
    assert!(pong.starts_with("demo answered in "), "{pong}");
    let status = desk.json(&["status"]);
    assert!(status["servers"][0]["last_contact_unix_s"].is_u64(), "{status}");
    assert_eq!(status["servers"][0]["import"], "never_imported");
    assert_eq!(status["servers"][0]["tools"], 0);
    server.log();
}

#[test]
fn an_import_goes_on_after_a_refusal_and_tells_it() {
    let desk = Desk::new("all");
    let server = Server::start(ONE_TOOL);
    assert_eq!(
        desk.well(&["import", "--all"]),
        "",
        "no enabled server is no failure"
    );
    desk.well(&["server", "add", "first", &server.url()]);
    desk.well(&[
        "server",
        "add",
        "second",
        &server.url(),
        "--class",
        "publicContent",
    ]);
    desk.well(&["server", "add", "third", &server.url()]);
    desk.well(&["server", "disable", "third"]);
    let ended = desk.run(&["import", "--all"]);
    assert_eq!(ended.exit, Some(6));
    assert_eq!(
        ended.stderr,
        "mcpctl: the server has no data class; classify it first (first, server-unclassified, not-sent); mcpctl server classify\n"
    );
    assert!(ended.stdout.starts_with("second: 1 added"), "{ended:?}");
    let status = desk.json(&["status"]);
    let imports: Vec<_> = status["servers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|server| &server["import"])
        .collect();
    assert_eq!(imports, ["error", "ok", "never_imported"]);
    assert_eq!(status["servers"][0]["import_reason"], "server-unclassified");
    assert_eq!(server.log().connections, 3, "one import of one server");
}
