//! Faults before a head of an answer has begun: no connection, no TLS, no HTTP.

use mcp_testkit::loopback::{Frame, Step};
use mcp_wire::Delivery::{NotSent, Unknown};

use crate::table::Peer::{Absent, Called, Connected, Misnamed, Untrusted, WithoutTls};
use crate::table::{ALL, HTTP1, HTTP2, Row, TLS};

pub(crate) fn rows() -> Vec<Row> {
    let plain_http = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
    // Alert, TLS 1.2, two bytes: fatal, handshake failure.
    let alert = Step::Write(vec![21, 3, 3, 0, 2, 2, 40]);
    vec![
        Row::new("nothing listens", ALL, Absent, "connect-refused", NotSent),
        Row::new(
            "closed after the connection was made",
            ALL,
            Connected(vec![Step::Shutdown, Step::AwaitEnd]),
            "connection-lost",
            NotSent,
        ),
        Row::new(
            "closed during the TLS handshake",
            TLS,
            WithoutTls(vec![Step::Shutdown, Step::AwaitEnd]),
            "tls-failed",
            NotSent,
        ),
        Row::new(
            "a TLS alert",
            TLS,
            WithoutTls(vec![alert, Step::AwaitEnd]),
            "tls-failed",
            NotSent,
        ),
        Row::new(
            "plain HTTP where TLS is due",
            TLS,
            WithoutTls(vec![Step::write(plain_http), Step::AwaitEnd]),
            "tls-failed",
            NotSent,
        ),
        Row::new(
            "the certificate of another name",
            TLS,
            Misnamed,
            "tls-name-mismatch",
            NotSent,
        ),
        Row::new(
            "the certificate of a stranger",
            TLS,
            Untrusted,
            "tls-untrusted",
            NotSent,
        ),
        Row::new(
            "closed after the call was read",
            ALL,
            Called(vec![Step::Shutdown]),
            "connection-lost",
            Unknown,
        ),
        Row::new(
            "reset after the call was read",
            ALL,
            Called(vec![Step::Reset]),
            "connection-lost",
            Unknown,
        ),
        Row::new(
            "a line that is not HTTP",
            HTTP1,
            Called(vec![Step::write("hello\r\n\r\n")]),
            "invalid-http",
            Unknown,
        ),
        Row::new(
            "bytes that are not HTTP",
            HTTP1,
            Called(vec![Step::Write(vec![0; 64])]),
            "invalid-http",
            Unknown,
        ),
        Row::new(
            "HTTP/2 frames where HTTP/1.1 is due",
            HTTP1,
            Called(vec![Step::Write(vec![0, 0, 0, 4, 0, 0, 0, 0, 0])]),
            "invalid-http",
            Unknown,
        ),
        Row::new(
            "HTTP/1.1 where frames are due",
            HTTP2,
            Called(vec![Step::write(plain_http)]),
            "invalid-http",
            Unknown,
        ),
        Row::new(
            "data before a head",
            HTTP2,
            Called(vec![Step::Frame(Frame::on_stream(0, 1, b"{}"))]),
            "invalid-http",
            Unknown,
        ),
        Row::new(
            "a head without a status",
            HTTP2,
            Called(vec![Step::Frame(Frame::on_stream(1, 4, b"\0\x01x\x011"))]),
            "invalid-http",
            Unknown,
        ),
        Row::new(
            "a head that cannot be decoded",
            HTTP2,
            Called(vec![Step::Frame(Frame::on_stream(1, 4, &[0xff; 8]))]),
            "invalid-http",
            Unknown,
        ),
        Row::new(
            "the stream reset, refused unseen",
            HTTP2,
            Called(vec![Step::reset_stream(7)]),
            "connection-lost",
            NotSent,
        ),
        Row::new(
            "the stream reset before a head",
            HTTP2,
            Called(vec![Step::reset_stream(2)]),
            "connection-lost",
            Unknown,
        ),
        Row::new(
            "the connection given up before a head, without an error",
            HTTP2,
            Called(vec![Step::go_away(5, 0), Step::Shutdown]),
            "connection-lost",
            Unknown,
        ),
        Row::new(
            "the connection given up before a head, with an error",
            HTTP2,
            Called(vec![Step::go_away(5, 2), Step::Shutdown]),
            "connection-lost",
            Unknown,
        ),
        Row::new(
            "the connection given up, the call named as unseen",
            HTTP2,
            Called(vec![Step::go_away(3, 0), Step::Shutdown]),
            "connection-lost",
            Unknown,
        ),
    ]
}
