//! Arguments from standard input.

use crate::support::{Answer, Fault, Form, Invocation, Script, Server, at};

const SCRIPT: Script = &[("tools/call", Answer::Result("{}"))];
const CALL: &[&str] = &["call", "URL", "echo", "-"];

/// What comes is what is sent: spelling and order stay, only the space around the object goes.
#[test]
fn arguments_are_sent_as_they_came() {
    for (input, sent) in [
        (
            " {\"b\": 12345678901234567890.0,\n \"a\":\"\\u00e4\"} \n",
            "{\"b\": 12345678901234567890.0,\n \"a\":\"\\u00e4\"}",
        ),
        ("{}", "{}"),
    ] {
        let server = Server::start(SCRIPT);
        let url = server.url();
        let ended = Invocation::new(at(&url, CALL, &["--json"]))
            .input(input.as_bytes())
            .run();
        assert_eq!(ended.exit, Some(0), "{ended:?}");
        let log = server.log();
        let (_, body) = log.requests.last().unwrap();
        let params = format!(r#""method":"tools/call","params":{{"name":"echo","arguments":{sent}}}}}"#);
        assert!(body.ends_with(&params), "{body}");
    }
}

#[test]
fn input_that_cannot_be_arguments() {
    let large = " ".repeat(8 * 1_024 * 1_024 + 1);
    for (input, kind, message) in [
        (
            &b""[..],
            "arguments-not-json",
            "the arguments are not valid JSON at byte 0",
        ),
        (
            b"\xff{}",
            "arguments-unreadable",
            "standard input could not be read as UTF-8 text",
        ),
        (
            b"7",
            "arguments-not-object",
            "the arguments must be a JSON object, not a JSON number",
        ),
        (
            large.as_bytes(),
            "arguments-too-large",
            "the arguments are larger than 8 MiB",
        ),
    ] {
        let server = Server::start(SCRIPT);
        let (url, origin) = (server.url(), server.origin());
        Fault {
            kind,
            delivery: "not-sent",
            message,
            server: Some(&origin),
        }
        .check(|form: Form| Invocation::new(at(&url, CALL, form)).input(input).run());
        assert_eq!(server.log().connections, 0, "{kind}");
    }
}

/// Nobody waits for input when something else is wrong.
#[test]
fn input_is_read_last() {
    let server = Server::start(SCRIPT);
    let (url, origin) = (server.url(), server.origin());
    Fault {
        kind: "budget-invalid",
        delivery: "not-sent",
        message: "--budget takes seconds, from 0.001 to 86400",
        server: Some(&origin),
    }
    .check(|form: Form| {
        let arguments = at(&url, &["call", "URL", "echo", "-", "--budget", "0"], form);
        Invocation::new(arguments).input(b"no JSON").run()
    });
    assert_eq!(server.log().connections, 0);
}
