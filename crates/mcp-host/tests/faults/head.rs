//! Faults in a head: statuses that carry no answer, lengths that contradict, sessions, and heads without end.

use mcp_testkit::loopback::{Frame, Step};
use mcp_wire::Delivery::{Answered, NotSent, Unknown};
use mcp_wire::{Delivery, Stage};

use crate::table::Peer::{Called, CalledInSession, Connected, Notified};
use crate::table::{ALL, HTTP1, HTTP2, Row};

pub(crate) const BODY: &str = r#"{"jsonrpc":"2.0","id":"$ID","result":{"content":[]}}"#;
const NO: &str = r#"{"jsonrpc":"2.0","id":"$ID","error":{"code":-32602,"message":"unknown tool"}}"#;
const LOST: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no such session"}}"#;

pub(crate) fn rows() -> Vec<Row> {
    [statuses(), lengths(), sessions(), endless()].concat()
}

/// A whole answer in JSON, its length declared.
pub(crate) fn answer(status: u16, body: &str) -> Vec<Step> {
    let fields = [("content-type", "application/json"), ("content-length", "$LEN")];
    vec![Step::head(status, &fields), Step::body(body), Step::Finish]
}

/// A status with one more field and no body.
fn bare(status: u16, name: &str, value: &str) -> Vec<Step> {
    vec![
        Step::head(status, &[(name, value), ("content-length", "0")]),
        Step::Finish,
    ]
}

fn statuses() -> Vec<Row> {
    let to = |name, steps, kind| Row::new(name, ALL, Called(steps), kind, Unknown);
    let page = vec![
        Step::head(200, &[("content-type", "text/html"), ("content-length", "$LEN")]),
        Step::body("<p>hello</p>"),
        Step::Finish,
    ];
    let none = |status| vec![Step::head(status, &[]), Step::Finish];
    let interim = |status| {
        let mut steps = vec![Step::head(status, &[]); 3];
        steps.push(Step::Respond);
        steps
    };
    vec![
        to("200 without a body", answer(200, ""), "empty-body"),
        to("200 with a page", page, "unreadable-media-type"),
        to("202 to a request", answer(202, BODY), "unexpected-success"),
        to("204 to a request", none(204), "unexpected-success"),
        to("206 with an answer", answer(206, BODY), "unexpected-success"),
        Row::new(
            "three 103, then the answer",
            ALL,
            Called(interim(103)),
            "answered",
            Answered,
        ),
        Row::new(
            "three 100, then the answer",
            ALL,
            Called(interim(100)),
            "answered",
            Answered,
        ),
        Row::new(
            "101, as if something were to follow",
            HTTP1,
            Called(none(101)),
            "unknown-status",
            Unknown,
        ),
        to("301", bare(301, "location", "/mcp/"), "redirect"),
        to(
            "302 to the metadata address",
            bare(302, "location", "http://169.254.169.254/latest"),
            "redirect",
        ),
        to("304", none(304), "redirect"),
        to("307", bare(307, "location", "http://127.0.0.1:9/"), "redirect"),
        to("308 with an answer", answer(308, BODY), "redirect"),
        to("400 with an answer", answer(400, BODY), "rejected"),
        Row::new(
            "400 with an error for the call",
            ALL,
            Called(answer(400, NO)),
            "rpc-error",
            Answered,
        ),
        to(
            "401",
            bare(401, "www-authenticate", "Bearer"),
            "authentication-required",
        ),
        to("403", bare(403, "x", "1"), "forbidden"),
        to("404 outside a session", answer(404, LOST), "not-found"),
        Row::new(
            "404 in a session",
            ALL,
            CalledInSession(answer(404, LOST)),
            "session-lost",
            Unknown,
        ),
        to("429", bare(429, "retry-after", "3600"), "rate-limited"),
        to("500 with an answer", answer(500, BODY), "server-error"),
        to("503", bare(503, "retry-after", "1"), "server-error"),
        to("600", none(600), "unknown-status"),
    ]
}

fn lengths() -> Vec<Row> {
    let typed = ("content-type", "application/json");
    let under = |fields: &[(&str, &str)]| {
        let head = Step::head(200, &[&[typed], fields].concat());
        Called(vec![head, Step::body(BODY), Step::Finish, Step::Shutdown])
    };
    let ambiguous =
        |name, fields: &[(&str, &str)]| Row::new(name, HTTP1, under(fields), "ambiguous-framing", Unknown);
    let (length, chunked) = (("content-length", "$LEN"), ("transfer-encoding", "chunked"));
    vec![
        ambiguous("a length and chunks", &[length, chunked]),
        ambiguous("the same length twice", &[length, length]),
        ambiguous("chunks twice", &[chunked, chunked]),
        ambiguous("gzip, then chunks", &[("transfer-encoding", "gzip, chunked")]),
        ambiguous("gzip for chunks", &[("transfer-encoding", "gzip")]),
        Row::new(
            "two lengths",
            HTTP1,
            under(&[length, ("content-length", "$LEN-1")]),
            "invalid-http",
            Unknown,
        ),
        Row::new(
            "a length that is none",
            ALL,
            under(&[("content-length", "many")]),
            "invalid-http",
            Unknown,
        ),
        Row::new(
            "a coded body",
            ALL,
            under(&[length, ("content-encoding", "gzip")]),
            "content-coded",
            Unknown,
        ),
    ]
}

fn sessions() -> Vec<Row> {
    let issuing = |id: &str| {
        let fields = [
            ("content-type", "application/json"),
            ("content-length", "$LEN"),
            ("mcp-session-id", id),
        ];
        let head = Step::head(200, &fields);
        Connected(vec![
            Step::Read,
            head,
            Step::body(BODY),
            Step::Finish,
            Step::AwaitEnd,
        ])
    };
    let long = "s".repeat(1_025);
    [
        ("a session id with a space", "a b"),
        ("a session id beyond ASCII", "s\u{e9}"),
        ("an empty session id", ""),
        ("a session id of 1,025 bytes", &*long),
    ]
    .map(|(name, id)| Row::new(name, ALL, issuing(id), "session-id-invalid", NotSent))
    .into()
}

fn endless() -> Vec<Row> {
    let start = || Step::write("HTTP/1.1 200 OK\r\nx: ");
    let lines = b"x: 1\r\n".repeat(1_000);
    let interim = b"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100);
    let too_large = |name, on, steps| Row::new(name, on, Called(steps), "head-too-large", Unknown);
    let accepted =
        |name, steps, delivery: Delivery| Row::new(name, ALL, Notified(steps), "answered", delivery);
    // A field `x: 1`, not to be indexed.
    let field = b"\0\x01x\x011".repeat(2_000);
    vec![
        too_large(
            "a field without end",
            HTTP1,
            vec![start(), Step::Endless(vec![b'x'; 16_384])],
        ),
        too_large(
            "fields without end",
            HTTP1,
            vec![start(), Step::write("1\r\n"), Step::Endless(lines)],
        ),
        too_large(
            "fields without end",
            HTTP2,
            vec![
                Step::Frame(Frame::on_stream(1, 0, &[0x88])),
                Step::EndlessFrame(Frame::on_stream(9, 0, &field)),
            ],
        ),
        // h2 does not say which of its rules such a head breaks.
        Row::new(
            "a head beyond its bound, with its end",
            HTTP2,
            Called(vec![Step::head(200, &[("x", &"x".repeat(70_000))])]),
            "invalid-http",
            Unknown,
        ),
        Row::new(
            "103 without end",
            HTTP1,
            Called(vec![Step::Endless(interim)]),
            "deadline-exceeded",
            Unknown,
        )
        .at(Stage::FirstByte),
        Row::new(
            "103 without end",
            HTTP2,
            Called(vec![Step::EndlessFrame(Frame::on_stream(1, 4, b"\x08\x03103"))]),
            "deadline-exceeded",
            Unknown,
        )
        .at(Stage::FirstByte),
        accepted("a page for a notification", answer(200, "hello"), Answered),
        accepted(
            "a body without end for a notification",
            vec![
                Step::head(202, &[("content-type", "text/html")]),
                Step::Endless(vec![b'x'; 16_384]),
            ],
            Answered,
        ),
        Row::new(
            "a notification that is refused",
            ALL,
            Notified(answer(500, "{}")),
            "server-error",
            NotSent,
        ),
    ]
}
