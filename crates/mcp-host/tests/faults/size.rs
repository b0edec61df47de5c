//! Bodies at and beyond their bound, and bodies without end.

use mcp_testkit::loopback::Step;
use mcp_wire::Delivery::{Answered, Unknown};

use crate::body::{head, open_head};
use crate::table::Peer::Called;
use crate::table::{ALL, HTTP1, Row};

const LIMIT: usize = 2_097_152;

pub(crate) fn rows() -> Vec<Row> {
    let declared = |size| [vec![head("$LEN")], sized(size), vec![Step::Finish]].concat();
    let closed = |size| {
        let ends = vec![Step::Finish, Step::Shutdown];
        [vec![open_head()], sized(size), ends].concat()
    };
    let answered = |name, steps| Row::new(name, ALL, Called(steps), "answered", Answered);
    let too_large = |name, on, steps| Row::new(name, on, Called(steps), "too-large", Unknown);
    let piece = "x".repeat(16_384);
    let chunk = format!("{:x}\r\n{piece}\r\n", piece.len());
    let chunked = [
        ("content-type", "application/json"),
        ("transfer-encoding", "chunked"),
    ];
    let events = || Step::head(200, &[("content-type", "text/event-stream")]);
    let error = Step::head(500, &[("content-type", "application/json")]);
    let endless = |text: &str| Step::Endless(text.as_bytes().to_vec());
    vec![
        answered("2,097,152 bytes, declared", declared(LIMIT)),
        answered("2,097,152 bytes, no length", closed(LIMIT)),
        too_large("2,097,153 bytes, declared", ALL, declared(LIMIT + 1)),
        too_large("2,097,153 bytes, no length", ALL, closed(LIMIT + 1)),
        too_large("3 MiB, declared", ALL, declared(3 * 1_024 * 1_024)),
        too_large("3 MiB, no length", ALL, closed(3 * 1_024 * 1_024)),
        too_large(
            "18,446,744,073,709,551,613 bytes, declared",
            HTTP1,
            vec![head("18446744073709551613")],
        ),
        too_large(
            "a body without end",
            ALL,
            vec![open_head(), endless(&" ".repeat(16_384))],
        ),
        too_large(
            "chunks without end",
            HTTP1,
            vec![Step::head(200, &chunked), endless(&chunk)],
        ),
        too_large(
            "comments without end",
            ALL,
            vec![events(), endless(&": x\n".repeat(4_096))],
        ),
        too_large(
            "a line without end",
            ALL,
            vec![events(), Step::body("data: "), endless(&piece)],
        ),
        Row::new(
            "events without end",
            ALL,
            Called(vec![events(), endless(&"data: \n\n".repeat(2_048))]),
            "too-many-events",
            Unknown,
        ),
        Row::new(
            "a body without end under 500",
            ALL,
            Called(vec![error, endless(&piece)]),
            "server-error",
            Unknown,
        ),
    ]
}

/// An answer of so many bytes, in pieces.
fn sized(size: usize) -> Vec<Step> {
    vec![
        Step::body(r#"{"jsonrpc":"2.0","id":"$ID","result":{"content":[],"pad":""#),
        Step::PadTo(size),
        Step::body("\"}}"),
    ]
}
