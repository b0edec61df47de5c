//! Operations that end before their answer: by the deadline, and by the person.

use std::path::PathBuf;
use std::process::Command;

use crate::support::{Answer, Fault, Invocation, LIMIT, Script, Server, at, finish, interrupt};

/// The server takes the request and never answers.
#[test]
fn the_process_ends_when_the_deadline_does() {
    let server = Server::start(&[("initialize", Answer::Silence)]);
    let (url, origin) = (server.url(), server.origin());
    Fault {
        kind: "deadline-exceeded",
        delivery: "unknown",
        message: "the budget of 1 s is spent, at stage first-byte",
        server: Some(&origin),
    }
    .check(|form| Invocation::new(at(&url, &["ping", "URL", "--budget", "1"], form)).run());
    server.log();
}

/// The reading of a file that never opens blocks a thread for good. It must not hold the process.
#[test]
fn a_thread_that_blocks_does_not_hold_the_process() {
    let server = Server::start(&[]);
    let (url, origin) = (server.url(), server.origin());
    let pipe = format!("never-written-{}", std::process::id());
    let pipe = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(pipe);
    let pipe = pipe.to_str().unwrap();
    assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    let reference = format!("file:{pipe}");
    Fault {
        kind: "deadline-exceeded",
        delivery: "not-sent",
        message: "the budget of 0.3 s is spent, at stage credential",
        server: Some(&origin),
    }
    .check(|form| {
        let arguments = ["call", "URL", "echo", "--bearer", &reference, "--budget", "0.3"];
        Invocation::new(at(&url, &arguments, form)).run()
    });
    std::fs::remove_file(pipe).unwrap();
    assert!(server.log().requests.is_empty());
}

#[test]
fn an_interrupt_cancels() {
    let message = "cancelled, at stage first-byte";
    let silent: Script = &[("tools/call", Answer::Silence)];
    check_interrupt(silent, &["call", "URL", "echo"], "tools/call echo", message);
    let silent: Script = &[("tools/list", Answer::Silence)];
    check_interrupt(silent, &["tools", "URL"], "tools/list", "interrupted");
    let silent: Script = &[("initialize", Answer::Silence)];
    check_interrupt(silent, &["ping", "URL"], "initialize", "interrupted");
}

/// Interrupts a command once the server has the request that it leaves without an answer.
fn check_interrupt(script: Script, arguments: &[&str], request: &str, message: &str) {
    let server = Server::start(script);
    let (url, origin) = (server.url(), server.origin());
    let fault = Fault {
        kind: "cancelled",
        delivery: "unknown",
        message,
        server: Some(&origin),
    };
    fault.check(|form| {
        let child = Invocation::new(at(&url, arguments, form)).start();
        while server.seen.recv_timeout(LIMIT).unwrap() != request {}
        interrupt(&child);
        finish(child)
    });
    server.log();
}
