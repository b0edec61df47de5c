//! The examples of `docs/mcpctl.md`: each is run, and prints what the guide shows.

use std::path::Path;
use std::process::Command;

use crate::support::{Answer, Ended, Invocation, ORIGIN, Script, Server, without_times};

const GUIDE: &str = include_str!("../../../../docs/mcpctl.md");

/// The server that the guide talks to.
const DEMO: Script = &[
    (
        "tools/list",
        Answer::Result(
            r#"{"tools":[
                {"name":"echo","description":"Says a message again.","inputSchema":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}},
                {"name":"weather","description":"Tells the weather of a city."},
                {"name":"twin"},{"name":"twin"}]}"#,
        ),
    ),
    (
        "tools/call echo",
        Answer::Result(r#"{"content":[{"type":"text","text":"hello"}]}"#),
    ),
    (
        "tools/call weather",
        Answer::Result(
            r#"{"content":[{"type":"text","text":"36 degrees, light rain"},{"type":"image","data":"AA==","mimeType":"image/png"}],
                "structuredContent":{"temperature": 36.0, "station": 9007199254740993}}"#,
        ),
    ),
    (
        "tools/call read",
        Answer::Result(r#"{"content":[{"type":"text","text":"no such file"}],"isError":true}"#),
    ),
    (
        "tools/call dance",
        Answer::Error(r#"{"code":-32602,"message":"Unknown tool: dance"}"#),
    ),
    (
        "tools/call shout",
        Answer::Result(r#"{"content":[{"type":"text","text":"\u001b[2J\u202eoh"}]}"#),
    ),
    (
        "tools/call confused",
        Answer::Http(
            "200 OK",
            "Content-Type: application/json\r\n",
            r#"{"jsonrpc":"2.0","id":"1","result":{}}"#,
        ),
    ),
];

#[test]
fn the_examples_print_what_the_guide_shows() {
    let examples = examples();
    assert!(!examples.is_empty());
    for (command, shown) in examples {
        let printed = without_times(&run(&command));
        assert_eq!(printed, without_times(&shown), "$ {command}");
    }
}

/// Every command of the guide's console blocks, with the lines that follow it.
fn examples() -> Vec<(String, String)> {
    let mut examples = vec![];
    for block in GUIDE.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for example in block.split("$ ").skip(1) {
            let (command, shown) = example.split_once('\n').unwrap();
            examples.push((command.to_owned(), shown.to_owned()));
        }
    }
    examples
}

/// Runs a command line in a shell, with the binary on its path and the demo in the place of the guide's server. Both
/// outputs are one text, as on a terminal.
fn run(command: &str) -> String {
    let server = Server::start(DEMO);
    let origin = server.origin();
    let binaries = Path::new(env!("CARGO_BIN_EXE_mcpctl")).parent().unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1; {}", command.replace(ORIGIN, &origin))]);
    let path = format!("{}:/usr/bin:/bin", binaries.to_str().unwrap());
    let ended = Invocation::of(shell).env("PATH", &path).run();
    let Ended { stdout, .. } = ended.normalised(&origin);
    server.log();
    stdout
}

/// The outcomes of the contract. Each has an example that shows its line.
#[test]
fn every_outcome_has_an_example() {
    for outcome in ["result", "tool_error", "rpc_error", "failed", "tools", "pong"] {
        let line = format!("\n{{\"outcome\":\"{outcome}\",");
        assert!(GUIDE.contains(&line), "the guide shows no {outcome}");
    }
}
