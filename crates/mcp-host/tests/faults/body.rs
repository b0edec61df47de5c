//! Faults in a body: it stops short, goes on too long, or its end proves nothing.

use mcp_testkit::loopback::{Frame, Step};
use mcp_wire::Delivery::{Answered, Unknown};

use crate::head::BODY;
use crate::table::Peer::Called;
use crate::table::{ALL, HTTP1, HTTP2, PLAIN, Row, TLS};

/// A body that is begun and not finished.
const BEGUN: &str = r#"{"jsonrpc":"2.0","id":"$ID","result":{"#;

pub(crate) fn rows() -> Vec<Row> {
    [stopped(), chunks(), streams()].concat()
}

pub(crate) fn head(length: &str) -> Step {
    Step::head(
        200,
        &[("content-type", "application/json"), ("content-length", length)],
    )
}

/// A head that leaves the end of the body to the end of the connection or of the stream.
pub(crate) fn open_head() -> Step {
    Step::head(200, &[("content-type", "application/json")])
}

fn incomplete(name: &'static str, on: &'static [crate::table::Carrier], steps: Vec<Step>) -> Row {
    Row::new(name, on, Called(steps), "incomplete", Unknown)
}

fn stopped() -> Vec<Row> {
    let whole = |end: Step| vec![open_head(), Step::body(BODY), end];
    let half = |end: Step| vec![head("$LEN+10"), Step::body(BEGUN), end];
    let events = Step::head(200, &[("content-type", "text/event-stream")]);
    vec![
        incomplete(
            "a length 10 too long, closed",
            HTTP1,
            vec![head("$LEN+10"), Step::body(BODY), Step::Shutdown],
        ),
        incomplete(
            "a length 10 too long, the stream ended",
            HTTP2,
            vec![head("$LEN+10"), Step::body(BODY), Step::Finish],
        ),
        Row::new(
            "a length 10 too short",
            HTTP1,
            Called(vec![head("$LEN-10"), Step::body(BODY), Step::Shutdown]),
            "invalid-json",
            Unknown,
        ),
        incomplete(
            "a length 10 too short",
            HTTP2,
            vec![head("$LEN-10"), Step::body(BODY), Step::Finish],
        ),
        incomplete("half a body, closed", ALL, half(Step::Shutdown)),
        incomplete("half a body, reset", ALL, half(Step::Reset)),
        Row::new(
            "no length, closed in order",
            HTTP1,
            Called(whole(Step::Shutdown)),
            "answered",
            Answered,
        ),
        incomplete("no length, reset after the body", ALL, whole(Step::Reset)),
        incomplete(
            "no length, closed in order before the stream ended",
            HTTP2,
            whole(Step::Shutdown),
        ),
        Row::new(
            "an event without its blank line, closed in order",
            HTTP1,
            Called(vec![
                events.clone(),
                Step::body(&format!("data: {BODY}\n")),
                Step::Shutdown,
            ]),
            "answered",
            Answered,
        ),
        Row::new(
            "an event stream without an answer",
            HTTP1,
            Called(vec![events, Step::body(": nothing\n\n"), Step::Shutdown]),
            "no-message",
            Unknown,
        ),
        Row::new(
            "no length, dropped",
            PLAIN,
            Called(whole(Step::Drop)),
            "answered",
            Answered,
        ),
        // Without `close_notify` anybody on the way may have ended it.
        incomplete("no length, dropped", TLS, whole(Step::Drop)),
    ]
}

fn chunks() -> Vec<Row> {
    let fields = [
        ("content-type", "application/json"),
        ("transfer-encoding", "chunked"),
    ];
    let chunk = Step::Chunk(BODY.as_bytes().to_vec());
    let after = |more: &str, end: Step| vec![Step::head(200, &fields), chunk.clone(), Step::write(more), end];
    vec![
        Row::new(
            "all chunks",
            HTTP1,
            Called(after("0\r\n\r\n", Step::AwaitEnd)),
            "answered",
            Answered,
        ),
        incomplete("no last chunk, closed", HTTP1, after("", Step::Shutdown)),
        incomplete("no last chunk, reset", HTTP1, after("", Step::Reset)),
        incomplete("half a last chunk, closed", HTTP1, after("0\r\n", Step::Shutdown)),
        incomplete(
            "a chunk without a size",
            HTTP1,
            after("x\r\n\r\n", Step::AwaitEnd),
        ),
        incomplete(
            "a chunk longer than any number",
            HTTP1,
            after("fffffffffffffffff\r\n", Step::AwaitEnd),
        ),
        Row::new(
            "a trailer that repeats a field",
            HTTP1,
            Called(after("0\r\ncontent-type: text/html\r\n\r\n", Step::AwaitEnd)),
            "answered",
            Answered,
        ),
    ]
}

fn streams() -> Vec<Row> {
    let whole = |ends: &[Step]| [&[open_head(), Step::body(BODY)], ends].concat();
    let beyond = Frame::on_stream(0, 0, &[b'x'; 16_384]);
    vec![
        Row::new(
            "no length, the stream ended",
            HTTP2,
            Called(whole(&[Step::Finish])),
            "answered",
            Answered,
        ),
        incomplete(
            "the stream reset without an error",
            HTTP2,
            whole(&[Step::reset_stream(0)]),
        ),
        incomplete(
            "the stream reset with an error",
            HTTP2,
            whole(&[Step::reset_stream(2)]),
        ),
        incomplete(
            "the stream reset as cancelled",
            HTTP2,
            whole(&[Step::reset_stream(8)]),
        ),
        incomplete(
            "the connection given up without an error",
            HTTP2,
            whole(&[Step::go_away(5, 0), Step::Shutdown]),
        ),
        incomplete(
            "the connection given up with an error",
            HTTP2,
            whole(&[Step::go_away(5, 2), Step::Shutdown]),
        ),
        Row::new(
            "the connection given up, the body finished all the same",
            HTTP2,
            Called(whole(&[Step::go_away(5, 0), Step::Finish])),
            "answered",
            Answered,
        ),
        incomplete(
            "data beyond every window",
            HTTP2,
            vec![open_head(), Step::EndlessFrame(beyond)],
        ),
        incomplete(
            "empty frames without end",
            HTTP2,
            vec![open_head(), Step::EndlessFrame(Frame::on_stream(0, 0, &[]))],
        ),
        incomplete(
            "an unknown frame that breaks the rules of frames",
            HTTP2,
            whole(&[Step::Write(vec![0xff; 64])]),
        ),
    ]
}
