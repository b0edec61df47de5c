//! Command lines that cannot be meant: refused with a kind of their own, before anything is sent.

use std::path::PathBuf;

use crate::support::{Fault, Form, Invocation, Server, at};

/// Command line, kind, message; `URL` stands for a server that must not hear of it.
type Row = (&'static [&'static str], &'static str, &'static str);

#[test]
fn what_the_command_line_names_cannot_be_used() {
    let rows: &[Row] = &[
        (
            &["call", "URL", "echo", "{\"a\":"],
            "arguments-not-json",
            "the arguments are not valid JSON at byte 5",
        ),
        (
            &["call", "URL", "echo", "message=hello", "times"],
            "argument-invalid",
            "argument 2 is neither KEY=VALUE nor KEY:=JSON, and they are not one JSON object",
        ),
        (
            &["call", "URL", "echo", "message"],
            "arguments-not-json",
            "the arguments are not valid JSON at byte 0",
        ),
        (
            &["call", "URL", "echo", "[1]"],
            "arguments-not-object",
            "the arguments must be a JSON object, not a JSON array",
        ),
        (
            &["call", "URL", ""],
            "tool-name-invalid",
            "the tool cannot be called: the name is empty",
        ),
        (
            &["call", "URL", "a\u{1b}b"],
            "tool-name-invalid",
            "the tool cannot be called: the name holds a control character",
        ),
        (&["ping", "URL", "--budget", "soon"], "budget-invalid", BUDGET),
        (&["ping", "URL", "--budget", "0"], "budget-invalid", BUDGET),
        (&["ping", "URL", "--budget", "-1"], "budget-invalid", BUDGET),
        (&["ping", "URL", "--budget", "NaN"], "budget-invalid", BUDGET),
        (&["ping", "URL", "--budget", "86401"], "budget-invalid", BUDGET),
        (
            &["ping", "URL", "--header", "X-Key"],
            "header-invalid",
            "--header takes NAME=REF, such as X-Api-Key=env:KEY",
        ),
        (
            &["ping", "URL", "--header", "X Key=env:KEY"],
            "header-invalid",
            "the header's name is not a valid HTTP field name",
        ),
        (
            &["ping", "URL", "--header", "Mcp-Session-Id=env:KEY"],
            "header-reserved",
            "the header's name is reserved; a bearer credential has its own option",
        ),
        (
            &["ping", "URL", "--bearer", "env:MCPCTL_TEST_NO_SUCH_NAME"],
            "credential-missing",
            "the credential env:MCPCTL_TEST_NO_SUCH_NAME does not exist",
        ),
        (
            &["ping", "URL", "--header", "X-Key=file:no/such/file"],
            "credential-missing",
            "the credential file:no/such/file does not exist",
        ),
        (
            &["ping", "URL", "--bearer", "file:."],
            "credential-unreadable",
            "the credential file:. could not be read",
        ),
        (
            &["ping", "URL", "--ca", "no/such/file"],
            "ca-unreadable",
            "the file of --ca could not be read",
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
        assert!(server.log().requests.is_empty(), "{arguments:?}");
    }
}

const BUDGET: &str = "--budget takes seconds, from 0.001 to 86400";

#[test]
fn two_credentials_in_one_header() {
    let server = Server::start(&[]);
    let (url, origin) = (server.url(), server.origin());
    let arguments = [
        "ping",
        "URL",
        "--header",
        "X-Key=env:A",
        "--header",
        "x-key=env:B",
    ];
    Fault {
        kind: "credential-conflict",
        delivery: "not-sent",
        message: "the credential env:B and another one claim the same header",
        server: Some(&origin),
    }
    .check(|form| {
        let run = Invocation::new(at(&url, &arguments, form));
        run.env("A", "canary-a").env("B", "canary-b").run()
    });
    assert!(server.log().requests.is_empty());
}

#[test]
fn a_ca_file_without_a_certificate() {
    let server = Server::start(&[]);
    let (url, origin) = (server.url(), server.origin());
    for (name, content) in [
        ("text", "no PEM"),
        (
            "key",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        ),
        (
            "block",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ),
    ] {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("ca-{name}.pem"));
        std::fs::write(&path, content).unwrap();
        let path = path.to_str().unwrap();
        Fault {
            kind: "ca-invalid",
            delivery: "not-sent",
            message: "the file holds no certificate in PEM form, or one that cannot be read",
            server: Some(&origin),
        }
        .check(|form| Invocation::new(at(&url, &["ping", "URL", "--ca", path], form)).run());
    }
    assert_eq!(server.log().connections, 0);
}

#[test]
fn urls_that_are_none() {
    let rows: &[Row] = &[
        (&["ping", "ftp://127.0.0.1/"], "url-scheme-unknown", SCHEME),
        (&["tools", "127.0.0.1:3001/mcp"], "url-scheme-unknown", SCHEME),
        (
            &["ping", "http://127.0.0.1/a b"],
            "url-character-invalid",
            "the URL holds a character that must be percent-encoded; write names in punycode",
        ),
        (
            &["ping", "http://127.0.0.1/#a"],
            "url-fragment",
            "the URL must not hold a fragment",
        ),
        (
            &["ping", "http:///mcp"],
            "url-host-invalid",
            "the URL's host is missing or malformed",
        ),
        (
            &["ping", "http://127.0.0.1:0/"],
            "url-port-invalid",
            "the URL's port must be a number from 1 to 65535",
        ),
    ];
    for (arguments, kind, message) in rows {
        check_without_server(arguments, kind, message);
    }
    let long = format!("http://127.0.0.1/{}", "a".repeat(8_192));
    check_without_server(
        &["ping", &long],
        "url-too-long",
        "the URL is longer than 8,192 bytes",
    );
}

const SCHEME: &str = "the URL must start with https:// or http://";

fn check_without_server(arguments: &[&str], kind: &str, message: &str) {
    Fault {
        kind,
        delivery: "not-sent",
        message,
        server: None,
    }
    .check(|form: Form| Invocation::new(arguments.iter().chain(form)).run());
}

/// The text form of these is the usage help, so only the line is compared.
#[test]
fn command_lines_that_cannot_be_read() {
    for (arguments, message) in [
        (
            &["--json"][..],
            "'mcpctl' requires a subcommand but one was not provided [subcommands: ping, tools, call, server, import, tool, catalogue, status, policy, approval, audit, config, demo, doctor, completions, man, explain, help]",
        ),
        (
            &["call", "--json"],
            "the following required arguments were not provided: <URL|NAME> <TOOL>",
        ),
        (
            &["pin", "http://127.0.0.1/", "--output=json"],
            "unrecognized subcommand '(not repeated)'; tip: a similar subcommand exists: 'ping'",
        ),
        (
            &[
                "ping",
                "http://127.0.0.1/",
                "--output",
                "json",
                "--heder",
                "X-Key=env:KEY",
            ],
            "unexpected argument '--heder' found; tip: a similar argument exists: '--header'",
        ),
        (
            &["ping", "http://127.0.0.1/", "--json", "--bearer"],
            "a value is required for '--bearer <REF>' but none was supplied",
        ),
    ] {
        let fault = Fault {
            kind: "usage",
            delivery: "not-sent",
            message,
            server: None,
        };
        fault.check_json(&Invocation::new(arguments).run());
    }
    let text = Invocation::new(["ping"]).run();
    assert_eq!((text.stdout.as_str(), text.exit), ("", Some(2)));
    assert!(text.stderr.contains("<URL|NAME>"), "{text:?}");
}

#[test]
fn help_and_version_are_no_mistakes() {
    for arguments in [["--help"], ["--version"]] {
        let ended = Invocation::new(arguments).run();
        assert_eq!((ended.stderr.as_str(), ended.exit), ("", Some(0)));
        assert!(ended.stdout.contains("mcpctl"), "{ended:?}");
    }
}
