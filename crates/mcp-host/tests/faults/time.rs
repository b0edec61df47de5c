//! Peers that stop or crawl until the deadline, and callers that give up.

use std::time::Duration;

use mcp_testkit::loopback::{Frame, Step};
use mcp_wire::Delivery::{NotSent, Unknown};
use mcp_wire::Stage;

use crate::body::{head, open_head};
use crate::head::BODY;
use crate::table::Peer::{Called, Cancelled, Connected, Full, Notified, WithoutTls};
use crate::table::{ALL, HTTP1, HTTP2, Row, TLS};

pub(crate) fn rows() -> Vec<Row> {
    let late = |name, on, peer, delivery, stage: Stage| {
        Row::new(name, on, peer, "deadline-exceeded", delivery).at(stage)
    };
    let pause = Duration::from_millis(100);
    let drip = |text: &str| Step::Drip(text.as_bytes().to_vec(), pause);
    let begun = &BODY[..20];
    let silent = || vec![Step::AwaitEnd];
    let half_head = "HTTP/1.1 200 OK\r\ncontent-type: appl";
    // Half of a field's value, and the rest never follows.
    let half_block = Step::Frame(Frame::on_stream(1, 0, b"\x88\0\x01x\x7f"));
    let events = Step::head(200, &[("content-type", "text/event-stream")]);
    let comments = Step::Drip(b": x\n".repeat(100), Duration::from_millis(5));
    vec![
        late("no connection is made", ALL, Full, NotSent, Stage::Connect),
        late(
            "silent in the TLS handshake",
            TLS,
            WithoutTls(silent()),
            NotSent,
            Stage::Tls,
        ),
        late(
            "silent after the connection was made",
            ALL,
            Connected(silent()),
            NotSent,
            Stage::FirstByte,
        ),
        late(
            "silent after the notification",
            ALL,
            Notified(silent()),
            NotSent,
            Stage::FirstByte,
        ),
        late(
            "silent after the call",
            ALL,
            Called(silent()),
            Unknown,
            Stage::FirstByte,
        ),
        late(
            "silent in the head",
            HTTP1,
            Called(vec![Step::write(half_head)]),
            Unknown,
            Stage::FirstByte,
        ),
        late(
            "silent in the head",
            HTTP2,
            Called(vec![half_block]),
            Unknown,
            Stage::FirstByte,
        ),
        late(
            "silent after the head",
            ALL,
            Called(vec![open_head()]),
            Unknown,
            Stage::Body,
        ),
        late(
            "silent in the body",
            ALL,
            Called(vec![head("$LEN+10"), Step::body(begun)]),
            Unknown,
            Stage::Body,
        ),
        late(
            "silent after the body, whose end is not said",
            ALL,
            Called(vec![open_head(), Step::body(BODY)]),
            Unknown,
            Stage::Body,
        ),
        late(
            "a head in drips",
            HTTP1,
            Called(vec![drip(half_head)]),
            Unknown,
            Stage::FirstByte,
        ),
        late(
            "a body in drips",
            ALL,
            Called(vec![head("$LEN"), drip(BODY), Step::Finish]),
            Unknown,
            Stage::Body,
        ),
        late(
            "comments in drips",
            ALL,
            Called(vec![events, comments]),
            Unknown,
            Stage::Body,
        ),
        late(
            "pings without end",
            HTTP2,
            Called(vec![Step::EndlessFrame(Frame::on_connection(6, 0, &[0; 8]))]),
            Unknown,
            Stage::FirstByte,
        ),
        late(
            "settings without end",
            HTTP2,
            Called(vec![Step::EndlessFrame(Frame::on_connection(4, 0, &[]))]),
            Unknown,
            Stage::FirstByte,
        ),
        Row::new(
            "the caller cancels before a head",
            ALL,
            Cancelled(Vec::new()),
            "cancelled",
            Unknown,
        )
        .at(Stage::FirstByte),
        Row::new(
            "the caller cancels in the body",
            ALL,
            Cancelled(vec![head("$LEN+10"), Step::body(begun)]),
            "cancelled",
            Unknown,
        ),
    ]
}
