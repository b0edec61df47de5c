//! Servers that break the protocol, say no by a status, or cannot be reached.

use std::net::{TcpListener, TcpStream};

use crate::support::{Answer, Fault, Invocation, ORIGIN, Script, at, run_against};

const PING: &[&str] = &["ping", "URL"];
const CALL: &[&str] = &["call", "URL", "echo"];
const JSON: &str = "Content-Type: application/json\r\n";
const HTML: Answer = Answer::Http("200 OK", "Content-Type: text/html\r\n", "<p>hello</p>");
const EMPTY: Answer = Answer::Http("200 OK", JSON, "");

/// A server's fault: script, command line, kind, delivery, message.
type Row = (
    Script,
    &'static [&'static str],
    &'static str,
    &'static str,
    &'static str,
);

#[test]
fn answers_that_are_none() {
    let rows: &[Row] = &[
        (
            &[("initialize", HTML)],
            PING,
            "unreadable-media-type",
            "unknown",
            "the server answered with an HTML page, not with JSON or an event stream; check that the URL is an MCP endpoint",
        ),
        (
            &[("initialize", EMPTY)],
            PING,
            "empty-body",
            "unknown",
            "the body holds no JSON text",
        ),
        (
            &[("tools/call", EMPTY)],
            CALL,
            "empty-body",
            "unknown",
            "the body holds no JSON text",
        ),
        (
            &[(
                "tools/call",
                Answer::Http("200 OK", JSON, r#"{"jsonrpc":"2.0","id":"other","result":{}}"#),
            )],
            CALL,
            "foreign-id",
            "unknown",
            "`id` is not the id of this request",
        ),
        (
            &[(
                "tools/call",
                Answer::Http("200 OK", JSON, r#"{"jsonrpc":"2.0","id":7,"result":{}}"#),
            )],
            CALL,
            "id-not-string",
            "unknown",
            "`id` must be the string that was sent, found number",
        ),
        (
            &[("tools/call", Answer::Result(r#"{"content":{}}"#))],
            CALL,
            "content-not-array",
            "unknown",
            "`result.content` must be an array, found object",
        ),
        (
            &[("tools/call", Answer::Http("202 Accepted", "", ""))],
            CALL,
            "unexpected-success",
            "unknown",
            "a success status other than 200 carries no answer to a request",
        ),
        (
            &[(
                "tools/call",
                Answer::Raw(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{}",
                ),
            )],
            CALL,
            "incomplete",
            "unknown",
            "the body ended before it was complete",
        ),
        (
            &[("tools/call", Answer::Raw("\u{1b}]0;no HTTP\u{7}\r\n\r\n"))],
            CALL,
            "invalid-http",
            "unknown",
            "the answer is not valid HTTP",
        ),
        (
            &[(
                "tools/list",
                Answer::Result(r#"{"tools":[],"nextCursor":"again"}"#),
            )],
            &["tools", "URL"],
            "cursor-loop",
            "answered",
            "the list of tools leads back to a page that was read",
        ),
    ];
    check(rows);
}

#[test]
fn statuses_that_say_no() {
    let rows: &[Row] = &[
        (
            &[("initialize", Answer::Http("401 Unauthorized", "", ""))],
            PING,
            "authentication-required",
            "unknown",
            "the server answered with HTTP status 401; give a valid credential",
        ),
        (
            &[("tools/call", Answer::Http("403 Forbidden", "", ""))],
            CALL,
            "forbidden",
            "unknown",
            "the server answered with HTTP status 403; the credential does not permit this",
        ),
        (
            &[("initialize", Answer::Http("404 Not Found", "", ""))],
            PING,
            "not-found",
            "unknown",
            "the server answered with HTTP status 404; check the path of the URL",
        ),
        (
            &[
                (
                    "initialize",
                    Answer::Http(
                        "200 OK",
                        "Content-Type: application/json\r\nMcp-Session-Id: s-1\r\n",
                        r#"{"jsonrpc":"2.0","id":"$ID","result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"n","version":"v"}}}"#,
                    ),
                ),
                ("tools/call", Answer::Http("404 Not Found", "", "")),
            ],
            CALL,
            "session-lost",
            "unknown",
            "the server answered with HTTP status 404; the server no longer knows the session",
        ),
        (
            &[(
                "tools/call",
                Answer::Http("302 Found", "Location: http://127.0.0.1:9/\r\n", ""),
            )],
            CALL,
            "redirect",
            "unknown",
            "the server answered with HTTP status 302; redirects are not followed, configure the final URL",
        ),
        (
            &[(
                "tools/call",
                Answer::Http(
                    "503 Service Unavailable",
                    JSON,
                    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"\u001b[2J"}}"#,
                ),
            )],
            CALL,
            "server-error",
            "unknown",
            "the server answered with HTTP status 503; the server failed (error code -32000)",
        ),
    ];
    check(rows);
}

/// A handshake that fails says of the call that it was not sent.
#[test]
fn a_call_whose_handshake_failed_was_not_sent() {
    let rows: &[Row] = &[
        (
            &[("initialize", EMPTY)],
            CALL,
            "empty-body",
            "not-sent",
            "the body holds no JSON text",
        ),
        (
            &[(
                "notifications/initialized",
                Answer::Http("401 Unauthorized", "", ""),
            )],
            CALL,
            "authentication-required",
            "not-sent",
            "the server answered with HTTP status 401; give a valid credential",
        ),
        (
            &[("initialize", Answer::Raw(""))],
            &["tools", "URL"],
            "connection-lost",
            "not-sent",
            "the connection was lost before the server answered",
        ),
    ];
    check(rows);
}

fn check(rows: &[Row]) {
    for (script, arguments, kind, delivery, message) in rows {
        Fault {
            kind,
            delivery,
            message,
            server: Some(ORIGIN),
        }
        .check(|form| run_against(script, arguments, form));
    }
}

#[test]
fn a_port_where_nobody_listens() {
    // The near end of an open connection: taken, so that nobody else gets it, and listening to nobody.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let origin = format!("http://{}", near.local_addr().unwrap());
    Fault {
        kind: "connect-refused",
        delivery: "not-sent",
        message: "the server refused the connection; check the port and that the server runs",
        server: Some(&origin),
    }
    .check(|form| Invocation::new(at(&origin, CALL, form)).run());
}

#[test]
fn a_host_without_an_address() {
    let origin = "https://no-such-host.invalid";
    let ended = Invocation::new(at(origin, PING, &["--json", "--budget", "5"])).run();
    let fault = |kind, message| Fault {
        kind,
        delivery: "not-sent",
        message,
        server: Some(origin),
    };
    // A resolver may take longer than anybody waits.
    if ended.stdout.contains("deadline-exceeded") {
        fault(
            "deadline-exceeded",
            "the budget of 5 s is spent, at stage resolve",
        )
        .check_json(&ended);
    } else {
        let message = "the server's host name could not be resolved; check the name";
        fault("resolve-failed", message).check_json(&ended);
    }
}

#[test]
fn plain_http_does_not_leave_this_machine() {
    for origin in ["http://203.0.113.7", "http://srv.example:8080"] {
        Fault {
            kind: "plain-http-refused",
            delivery: "not-sent",
            message: "plain http is allowed to this machine only; use https, or allow http explicitly",
            server: Some(origin),
        }
        .check(|form| Invocation::new(at(origin, PING, form)).run());
    }
}

/// The last is a name that every resolver reads as the first.
#[test]
fn a_refused_address_is_told_by_its_class() {
    for (origin, class) in [
        ("https://169.254.169.254", "metadata"),
        ("https://[::ffff:169.254.169.254]", "metadata"),
        ("https://[64:ff9b::a9fe:a9fe]", "metadata"),
        ("https://169.254.1.1", "link-local"),
        ("https://203.0.113.7", "documentation"),
        ("https://0.0.0.0", "unspecified"),
        ("https://2852039166", "metadata"),
    ] {
        Fault {
            kind: "address-refused",
            delivery: "not-sent",
            message: &format!("the server's address is of a class that is not allowed: {class}"),
            server: Some(origin),
        }
        .check(|form| Invocation::new(at(origin, PING, form)).run());
    }
}
