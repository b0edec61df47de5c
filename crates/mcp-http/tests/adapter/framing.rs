//! The end of a body at the adapter: declared lengths, chunks, closed connections, and the limit of a body.

use mcp_http::Tls;
use mcp_testkit::{PeerReply, RecordedRequest, ReplyEnd, ScriptedPeer};
use mcp_wire::{Delivery, Message, ReplyLimits};

use crate::support::{PLAIN, Pings, fill, peer_saying, send, target, transport_over};

const URL: &str = "http://srv.example/mcp";
const BODY: &str = "{\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{}}";
const LIMIT: usize = 2_097_152;

/// Checks the verdict on an answer with these fields, these bytes after its head, and this end.
async fn check(name: &str, fields: &str, body: &str, end: ReplyEnd, verdict: &str) {
    let reply = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{fields}\r\n{body}");
    let peer = peer_saying(reply, end);
    let transport = transport_over(peer.clone(), Tls::platform());
    let outcome = send(&transport, &target(URL), Pings::new().next()).await;
    let delivery = match verdict {
        "result" => Delivery::Answered,
        _ => Delivery::Unknown,
    };
    assert_eq!(
        (outcome.verdict(), outcome.delivery),
        (verdict, delivery),
        "{name}"
    );
    assert_eq!(peer.log().requests.len(), 1, "{name}");
}

#[tokio::test(start_paused = true)]
async fn a_length_that_is_declared_twice_proves_nothing() {
    let chunks = format!("47\r\n{BODY}\r\n0\r\n\r\n");
    for (name, fields, body, verdict) in [
        (
            "a length and chunks",
            "content-length: 71\r\ntransfer-encoding: chunked\r\n",
            &*chunks,
            "ambiguous-framing",
        ),
        (
            "chunks and a length",
            "transfer-encoding: chunked\r\ncontent-length: 71\r\n",
            &chunks,
            "ambiguous-framing",
        ),
        (
            "the same length twice",
            "content-length: 71\r\ncontent-length: 71\r\n",
            BODY,
            "ambiguous-framing",
        ),
        (
            "the same length twice in one line",
            "content-length: 71, 71\r\n",
            BODY,
            "ambiguous-framing",
        ),
        (
            "two lengths",
            "content-length: 71\r\ncontent-length: 70\r\n",
            BODY,
            "invalid-http",
        ),
        ("no length", "content-length: many\r\n", BODY, "invalid-http"),
        (
            "a negative length",
            "content-length: -1\r\n",
            BODY,
            "invalid-http",
        ),
        (
            "another coding before the chunks",
            "transfer-encoding: gzip, chunked\r\n",
            &chunks,
            "ambiguous-framing",
        ),
        (
            "another coding only",
            "transfer-encoding: gzip\r\n",
            BODY,
            "ambiguous-framing",
        ),
        (
            "chunks in two lines",
            "transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n",
            &chunks,
            "ambiguous-framing",
        ),
    ] {
        check(name, fields, body, ReplyEnd::KeepOpen, verdict).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_ambiguous_answer_gives_up_its_connection() {
    let ambiguous = PLAIN.replace("$LEN", "71\r\ncontent-length: 71");
    let pings = Pings::new();
    let request = || pings.next();
    let cases: [(&str, &dyn Fn() -> Message); 3] = [
        ("200 OK", &request),
        ("500 No", &request),
        ("202 OK", &Message::initialized),
    ];
    for (status, message) in cases {
        let body = ambiguous
            .replace("200 OK", status)
            .replace("$ID", &"0".repeat(34));
        let peer = peer_saying(body, ReplyEnd::KeepOpen);
        let transport = transport_over(peer.clone(), Tls::platform());
        for _ in 0..2 {
            send(&transport, &target(URL), message()).await;
        }
        assert_eq!(peer.log().connections, 2, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_stops_short_is_incomplete() {
    use ReplyEnd::{Close, Reset};
    let (length, chunked) = ("content-length: 72\r\n", "transfer-encoding: chunked\r\n");
    let chunk = |rest: &str| format!("47\r\n{BODY}\r\n{rest}");
    for (name, fields, body, end, verdict) in [
        ("a byte is missing", length, BODY.to_owned(), Close, "incomplete"),
        (
            "a byte is missing, reset",
            length,
            BODY.to_owned(),
            Reset,
            "incomplete",
        ),
        ("no last chunk", chunked, chunk(""), Close, "incomplete"),
        ("no last chunk, reset", chunked, chunk(""), Reset, "incomplete"),
        ("half a last chunk", chunked, chunk("0\r\n"), Close, "incomplete"),
        ("no size of a chunk", chunked, chunk("x\r\n"), Close, "incomplete"),
        ("no length, reset", "", BODY.to_owned(), Reset, "incomplete"),
        ("no length, closed", "", BODY.to_owned(), Close, "result"),
        ("all chunks", chunked, chunk("0\r\n\r\n"), Close, "result"),
        (
            "a trailer",
            chunked,
            chunk("0\r\nx-trailer: 1\r\n\r\n"),
            Close,
            "result",
        ),
        (
            "an extension",
            chunked,
            chunk("0;last=1\r\n\r\n"),
            Close,
            "result",
        ),
    ] {
        check(name, fields, &body, end, verdict).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_declared_length_above_the_limit_is_refused_before_the_body() {
    // No byte of the body ever comes.
    for length in ["2097153", "18446744073709551613"] {
        let fields = format!("content-length: {length}\r\n");
        check(length, &fields, "", ReplyEnd::KeepOpen, "too-large").await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_a_body_is_its_last_accepted_size() {
    assert_eq!(ReplyLimits::default().body_bytes, LIMIT);
    for framing in ["closed", "length", "chunked"] {
        for (size, verdict) in [(LIMIT, "result"), (LIMIT + 1, "too-large")] {
            let body = body_of(size);
            let (fields, body) = match framing {
                "closed" => ("", body),
                "length" => ("content-length: $LEN\r\n", body),
                _ => ("transfer-encoding: chunked\r\n", in_two_chunks(&body)),
            };
            let name = format!("{framing}, {size}");
            check(&name, fields, &body, ReplyEnd::Close, verdict).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_beyond_the_limit_is_refused_while_it_comes() {
    // The chunk that passes the limit is there, and the rest never comes.
    let body = format!("{:x}\r\n{}", LIMIT + 100, body_of(LIMIT + 1));
    check(
        "unfinished",
        "transfer-encoding: chunked\r\n",
        &body,
        ReplyEnd::KeepOpen,
        "too-large",
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn interim_heads_are_passed_over() {
    let hints = "HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n";
    let early = "HTTP/1.1 100 Continue\r\n\r\n";
    for interim in [early.to_owned(), hints.to_owned(), early.repeat(3) + hints] {
        let reply = interim.clone() + &PLAIN.replace("$LEN", "71");
        let peer = peer_saying(reply, ReplyEnd::KeepOpen);
        let (transport, pings) = (transport_over(peer.clone(), Tls::platform()), Pings::new());
        for _ in 0..2 {
            let outcome = send(&transport, &target(URL), pings.next()).await;
            assert_eq!(outcome.verdict(), "result", "{interim}");
        }
        assert_eq!(peer.log().connections, 1, "{interim}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_beyond_its_bounds_is_refused() {
    let many = "x-a: 1\r\n".repeat(128);
    // Above the bound by one more read, which hyper may have made before it looks.
    let long = format!("x-a: {}\r\n", "x".repeat(2 * 64 * 1_024));
    for (name, fields) in [("too many fields", &many), ("too long", &long)] {
        let reply = PLAIN.replace("content-type", &format!("{fields}content-type"));
        let transport = transport_over(peer_saying(reply, ReplyEnd::KeepOpen), Tls::platform());
        let outcome = send(&transport, &target(URL), Pings::new().next()).await;
        assert_eq!(
            (outcome.verdict(), outcome.delivery),
            ("head-too-large", Delivery::Unknown),
            "{name}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_verdict_is_the_same_however_the_bytes_are_cut() {
    let events = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: $LEN\r\n\r\n\
        data: {\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{}}\n\n";
    for reply in [PLAIN, events] {
        for size in [1, 2, 7, 1_000] {
            let peer = ScriptedPeer::new(move |request: &RecordedRequest| {
                let reply = fill(reply, request.member("id").unwrap_or_default());
                PeerReply {
                    pieces: reply.as_bytes().chunks(size).map(<[u8]>::to_vec).collect(),
                    end: ReplyEnd::KeepOpen,
                }
            });
            let transport = transport_over(peer, Tls::platform());
            let outcome = send(&transport, &target(URL), Pings::new().next()).await;
            assert_eq!(outcome.verdict(), "result", "in pieces of {size}");
        }
    }
}

/// A body of this many bytes once it is filled.
fn body_of(size: usize) -> String {
    let bare = filled_len(BODY) + "\"pad\":\"\"".len();
    BODY.replace("{}", &format!("{{\"pad\":\"{}\"}}", "x".repeat(size - bare)))
}

fn in_two_chunks(body: &str) -> String {
    let (first, second) = body.split_at(1_000_000);
    let chunk = |part: &str| format!("{:x}\r\n{part}\r\n", filled_len(part));
    format!("{}{}0\r\n\r\n", chunk(first), chunk(second))
}

/// The length of a part of a body once the id of the first request stands in it.
fn filled_len(part: &str) -> usize {
    fill(part, &"0".repeat(34)).len()
}
