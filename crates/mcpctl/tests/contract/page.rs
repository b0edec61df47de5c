//! The status page: it names everything that the store knows, obeys no text in it, and is its owner's alone.

use std::os::unix::fs::PermissionsExt;

use crate::store::Desk;
use crate::support::{Answer, Fault, Form, Script, Server, search};

const FIRST: &str = r#"{"tools":[
    {"name":"echo","description":"<script>alert(1)</script> & \"><img src=x onerror=alert(1)>","inputSchema":{"type":"object"}},
    {"name":"shout","description":"\u202etxt.exe\u0000\u001b[2J","inputSchema":{"type":"object"}},
    {"name":"weather","description":"Tells the weather.","inputSchema":{"type":"object"}},
    {"name":"<img src=x onerror=alert(1)>\u202e","inputSchema":{"type":"object"}}]}"#;

/// `echo` is described anew, `weather` is gone.
const SECOND: &str = r#"{"tools":[
    {"name":"echo","description":"</td></table><script>","inputSchema":{"type":"object"}},
    {"name":"shout","description":"\u202etxt.exe\u0000\u001b[2J","inputSchema":{"type":"object"}},
    {"name":"<img src=x onerror=alert(1)>\u202e","inputSchema":{"type":"object"}}]}"#;

const HOSTILE: Script = &[
    ("tools/list", Answer::InTurn(&[FIRST, SECOND])),
    (
        "tools/call",
        Answer::Result(r#"{"content":[{"type":"text","text":"<b>done</b>"}]}"#),
    ),
];

/// What somebody types as the name of a tool; the ledger keeps it.
const TYPED: &str = "\"'><svg/onload=alert(1)>\u{2066}&amp;";

#[test]
fn it_names_everything_and_obeys_nothing() {
    let desk = Desk::new("page");
    let server = Server::start(HOSTILE);
    desk.well(&["server", "add", "demo", &server.url(), "--class", "sourceCode"]);
    desk.well(&["server", "add", "asleep", "https://asleep.example/canary"]);
    desk.well(&["server", "disable", "asleep"]);
    desk.well(&["import", "demo"]);
    for tool in ["mcp_demo_echo", "mcp_demo_shout", "mcp_demo_weather"] {
        desk.well(&["tool", "enable", tool]);
    }
    desk.well(&["call", "demo", "shout", "--approve"]);
    assert_eq!(
        desk.run(&["call", &server.url(), TYPED, "--approve"]).exit,
        Some(0)
    );
    assert_eq!(desk.run(&["call", "demo", "shout", "{\"a\":1}"]).exit, Some(6));
    desk.well(&["import", "demo"]);
    assert_eq!(desk.run(&["call", "demo", "echo", "--approve"]).exit, Some(6));
    let (text, line) = (desk.well(&["status"]), desk.json(&["status"]));

    let file = desk.directory.join("status.html");
    let path = file.to_str().unwrap();
    assert_eq!(
        desk.well(&["status", "--html", path]),
        text,
        "the text stays as it is"
    );
    assert_eq!(desk.json(&["status", "--html", path]), line);
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(search(page.as_bytes()).is_empty(), "{page}");
    for refused in ["<script", "<img", "<svg", "<b>", "</table><script"] {
        assert!(!page.contains(refused), "{refused} in {page}");
    }
    let steers = |character: char| {
        character.is_control() && character != '\n' || matches!(character, '\u{202e}' | '\u{2066}')
    };
    assert!(!page.contains(steers), "{page}");
    let fingerprint = desk.json(&["tool", "show", "mcp_demo_echo"]);
    let fingerprint = &fingerprint["tools"][0]["fingerprint"].as_str().unwrap()[..17];
    for named in [
        "<bdi>demo</bdi>",
        "<bdi>asleep</bdi>",
        "https://asleep.example",
        &server.origin(),
        ">enabled<",
        ">disabled<",
        "sourceCode",
        ">unclassified<",
        ">partial<",
        ">never<",
        "<bdi>mcp_demo_echo</bdi>",
        "<bdi>mcp_demo_shout</bdi>",
        "<bdi>mcp_demo_weather</bdi>",
        ">changed<",
        ">orphaned<",
        fingerprint,
        "\\u{202e}txt.exe\\u{0}\\u{1b}[2J",
        ">bidi-control<",
        "&lt;/td&gt;&lt;/table&gt;&lt;script&gt;",
        "&lt;img src=x onerror=alert(1)&gt;\\u{202e}",
        "local-name-character",
        ">pending<",
        ">toolDisabled<",
        "&quot;&#39;&gt;&lt;svg/onload=alert(1)&gt;\\u{2066}&amp;amp;",
        "outside the catalogue",
        "http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;;",
    ] {
        assert!(page.contains(named), "{named} in {page}");
    }
    server.log();
}

#[test]
fn a_page_that_cannot_be_written_is_told() {
    let desk = Desk::new("page-unwritable");
    Fault {
        kind: "output-unwritable",
        delivery: "not-sent",
        message: "what is at the path of --html is no plain file",
        server: None,
    }
    .check(|form: Form| desk.run(&[&["status", "--html", desk.directory.to_str().unwrap()], form].concat()));
}
