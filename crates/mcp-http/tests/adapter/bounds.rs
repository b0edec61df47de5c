//! The bounds of the adapter: who waits for whom, how long a connection may take, and which setting a failure names.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use mcp_http::{BoxedStream, Dialler, HttpOptions, HttpTransport, Tls};
use mcp_testkit::{AdmitAll, MemoryCredentials, PeerReply, RecordedRequest, ReplyEnd, ScriptedPeer};
use mcp_wire::{Delivery, Exchange, Message, PortFuture, Stage, Transport};
use tokio::time::Instant;

use crate::support::{PLAIN, Pings, fill, peer_saying, send, target};

const URL: &str = "http://srv.example/mcp";

fn transport(dialler: impl Dialler + 'static, set: impl FnOnce(&mut HttpOptions)) -> HttpTransport {
    let mut options = HttpOptions::default();
    set(&mut options);
    HttpTransport::with_dialler(
        Arc::new(AdmitAll),
        Arc::new(MemoryCredentials::default()),
        Arc::new(dialler),
        Tls::platform(),
        options,
    )
}

/// A peer that never answers.
fn silent() -> ScriptedPeer {
    ScriptedPeer::new(|_: &RecordedRequest| PeerReply {
        pieces: Vec::new(),
        end: ReplyEnd::KeepOpen,
    })
}

async fn poll_once(exchange: &mut dyn Exchange) {
    poll_fn(|cx| {
        assert!(exchange.poll_event(cx).is_pending());
        Poll::Ready(())
    })
    .await;
    tokio::task::yield_now().await;
}

#[tokio::test(start_paused = true)]
async fn exchanges_beyond_the_bound_wait_and_pass_when_one_ends() {
    let (peer, pings) = (silent(), Pings::new());
    let transport = transport(peer.clone(), |options| options.exchanges = 3);
    let target = Arc::new(target(URL));
    let mut open: Vec<_> = (0..3).map(|_| transport.open(&target, pings.next())).collect();
    for exchange in &mut open {
        poll_once(&mut **exchange).await;
    }
    let stages: Vec<Stage> = open.iter().map(|exchange| exchange.stage()).collect();
    assert_eq!(stages, [Stage::FirstByte, Stage::FirstByte, Stage::Queue]);
    assert_eq!(open.last().unwrap().delivery(), Delivery::NotSent);
    assert_eq!(peer.log().requests.len(), 2);

    // A farewell does not wait behind them.
    let mut farewell = transport.open(&target, Message::cancelled(pings.id()));
    poll_once(&mut *farewell).await;
    assert_eq!(
        (farewell.stage(), peer.log().requests.len()),
        (Stage::FirstByte, 3)
    );

    drop(open.remove(0));
    poll_once(&mut **open.last_mut().unwrap()).await;
    assert_eq!(open.last().unwrap().stage(), Stage::FirstByte);
    assert_eq!(peer.log().requests.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn origins_do_not_wait_for_each_other() {
    let (peer, pings) = (silent(), Pings::new());
    let transport = transport(peer.clone(), |options| options.exchanges = 2);
    let targets = [URL, "http://other.example/mcp"].map(|url| Arc::new(target(url)));
    let mut open: Vec<_> = targets
        .iter()
        .map(|target| transport.open(target, pings.next()))
        .collect();
    for exchange in &mut open {
        poll_once(&mut **exchange).await;
        assert_eq!(exchange.stage(), Stage::FirstByte);
    }
}

/// Never gets a connection to the first address; gets one to the second from a peer, if there is one.
struct Slow(Option<ScriptedPeer>);

impl Dialler for Slow {
    fn resolve(&self, _name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        let second = self
            .0
            .as_ref()
            .map(|_| SocketAddr::from(([203, 0, 113, 2], port)));
        let addresses = [Some(SocketAddr::from(([203, 0, 113, 1], port))), second];
        PortFuture::ready(Ok(addresses.into_iter().flatten().collect()))
    }

    fn connect(&self, address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        match &self.0 {
            Some(peer) if address.ip().to_string().ends_with(".2") => peer.connect(address),
            Some(_) | None => PortFuture::pending(std::future::pending()),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_address_that_swallows_everything_costs_the_time_for_one_connection() {
    let limit = Duration::from_secs(3);
    let started = Instant::now();
    let outcome = send(
        &transport(Slow(None), |options| options.connect = limit),
        &target(URL),
        Pings::new().next(),
    )
    .await;
    assert_eq!(
        (outcome.verdict(), outcome.delivery),
        ("connect-timeout", Delivery::NotSent)
    );
    assert!(
        outcome
            .result
            .unwrap_err()
            .to_string()
            .contains("within 3000 ms (connect)")
    );
    assert_eq!(started.elapsed(), limit);

    let started = Instant::now();
    let peer = peer_saying(PLAIN.to_owned(), ReplyEnd::KeepOpen);
    let transport = transport(Slow(Some(peer)), |options| options.connect = limit);
    assert_eq!(
        send(&transport, &target(URL), Pings::new().next())
            .await
            .verdict(),
        "result"
    );
    assert_eq!(started.elapsed(), limit);
}

#[tokio::test(start_paused = true)]
async fn a_failure_beyond_a_bound_names_the_bound_and_its_setting() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ";
    let cases = [
        (format!("{head}101\r\n\r\n"), "too-large", " of 100 (body_bytes)"),
        (
            format!("{head}8\r\nx: {}\r\n\r\n", "x".repeat(40_000)),
            "head-too-large",
            " of 16384 (head_bytes)",
        ),
        (format!("{head}8\r\n\r\n[[[[]]]]"), "too-deep", " of 3 (depth)"),
    ];
    for (reply, kind, words) in cases {
        let peer = ScriptedPeer::new(move |_: &RecordedRequest| PeerReply {
            pieces: vec![reply.clone().into_bytes()],
            end: ReplyEnd::KeepOpen,
        });
        let mut target = target(URL);
        (target.limits.body_bytes, target.limits.depth) = (100, 3);
        let transport = transport(peer, |options| options.head_bytes = 16 * 1_024);
        let outcome = send(&transport, &target, Pings::new().next()).await;
        assert_eq!(outcome.verdict(), kind);
        let text = outcome.result.unwrap_err().to_string();
        assert!(text.contains(words), "{text}");
    }
}

/// Sends a request to a peer that answers with `head`, its length declared, in small pieces, and `body`.
async fn verdict_on(head: &str, body: &str) -> &'static str {
    verdict_with(head, body, |_| {}).await
}

async fn verdict_with(head: &str, body: &str, change: fn(&mut HttpOptions)) -> &'static str {
    let reply = format!("{head}content-length: $LEN\r\n\r\n{body}");
    let peer = ScriptedPeer::new(move |request: &RecordedRequest| {
        let reply = fill(&reply, request.member("id").unwrap_or_default());
        PeerReply {
            pieces: reply.as_bytes().chunks(1_000).map(<[u8]>::to_vec).collect(),
            end: ReplyEnd::KeepOpen,
        }
    });
    let outcome = send(&transport(peer, change), &target(URL), Pings::new().next()).await;
    outcome.verdict()
}

const BODY: &str = "{\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{}}";

#[tokio::test(start_paused = true)]
async fn the_edges_of_a_head() {
    let start = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    // Two of the fields stand in every head here.
    let as_many: fn(&mut HttpOptions) = |_| {};
    for (change, fields, verdict) in [
        (as_many, 100, "result"),
        (as_many, 101, "head-too-large"),
        (|options| options.head_fields = 8, 8, "result"),
        (|options| options.head_fields = 8, 9, "head-too-large"),
        (|options| options.head_fields = 128, 128, "result"),
        (|options| options.head_fields = 128, 129, "head-too-large"),
    ] {
        let head = format!("{start}{}", "x: 1\r\n".repeat(fields - 2));
        assert_eq!(
            verdict_with(&head, BODY, change).await,
            verdict,
            "{fields} fields"
        );
    }
    let rest = "x: \r\ncontent-length: 71\r\n\r\n".len() + start.len();
    for (bytes, verdict) in [(65_536, "result"), (65_537, "head-too-large")] {
        let head = format!("{start}x: {}\r\n", "x".repeat(bytes - rest));
        assert_eq!(verdict_on(&head, BODY).await, verdict, "{bytes} bytes");
    }
}

#[tokio::test(start_paused = true)]
async fn the_edge_of_the_body_of_an_error() {
    let start = "HTTP/1.1 400 No\r\ncontent-type: application/json\r\n";
    let bare = "{\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"error\":{\"code\":1,\"message\":\"\"}}";
    let size = fill(bare, &"0".repeat(34)).len();
    for (bytes, verdict) in [(16_384, "error"), (16_385, "rejected")] {
        let message = format!("\"message\":\"{}\"", "x".repeat(bytes - size));
        let body = bare.replace("\"message\":\"\"", &message);
        assert_eq!(verdict_on(start, &body).await, verdict, "{bytes} bytes");
    }
}
