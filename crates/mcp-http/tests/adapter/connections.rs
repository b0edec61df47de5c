//! Which connection a message takes: the pool's rules, and a connection that dies unseen. On in-memory streams, with
//! the clock standing still.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use mcp_http::{BoxedStream, Dialler, HttpOptions, HttpTransport, Tls};
use mcp_testkit::{AdmitAll, MemoryCredentials, ReplyEnd, ScriptedPeer};
use mcp_wire::{
    Credential, CredentialError, CredentialPlacement, CredentialRef, CredentialSource, Delivery, Message,
    PortFuture, Secret, Target, Transport,
};

use crate::support::{PLAIN, Pings, finish, peer_saying, send, target, transport_over};

const URL: &str = "http://srv.example/mcp";

#[tokio::test(start_paused = true)]
async fn an_idle_connection_is_used_again_within_its_time_only() {
    let (pings, target) = (Pings::new(), target(URL));
    for (idle, connections) in [(3_999, 1), (4_000, 2)] {
        let peer = peer_saying(PLAIN, ReplyEnd::KeepOpen);
        let transport = transport_over(peer.clone(), Tls::platform());
        send(&transport, &target, pings.next()).await;
        tokio::time::advance(Duration::from_millis(idle)).await;
        send(&transport, &target, pings.next()).await;
        assert_eq!(peer.log().connections, connections, "after {idle} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_is_closed_when_its_time_is_up() {
    let peer = peer_saying(PLAIN, ReplyEnd::KeepOpen);
    let transport = transport_over(peer.clone(), Tls::platform());
    let (pings, target) = (Pings::new(), target(URL));
    send(&transport, &target, pings.next()).await;
    tokio::time::advance(Duration::from_millis(3_000)).await;
    send(&transport, &target, pings.next()).await;
    // Its time began anew, and no message comes any more.
    tokio::time::advance(Duration::from_millis(3_999)).await;
    let_others_run().await;
    assert_eq!((peer.log().connections, peer.log().open), (1, 1));
    // Timers go by whole milliseconds.
    tokio::time::advance(Duration::from_millis(2)).await;
    let_others_run().await;
    assert_eq!(peer.log().open, 0);

    // Whoever comes later is served as the first was.
    send(&transport, &target, pings.next()).await;
    assert_eq!((peer.log().connections, peer.log().open), (2, 1));
    tokio::time::advance(Duration::from_millis(4_001)).await;
    let_others_run().await;
    assert_eq!(peer.log().open, 0);
}

#[tokio::test(start_paused = true)]
async fn connections_are_shared_by_one_origin_and_one_credential_only() {
    let as_who = |url: &str, reference: Option<&str>| -> Target {
        let mut target = target(url);
        target.credentials.extend(reference.map(|reference| Credential {
            reference: CredentialRef(reference.to_owned()),
            placement: CredentialPlacement::Bearer,
        }));
        target
    };
    let cases = [
        ("another path", as_who("http://srv.example/other", Some("a")), 1),
        (
            "another spelling",
            as_who("HTTP://SRV.example:80/mcp", Some("a")),
            1,
        ),
        ("another credential", as_who(URL, Some("b")), 2),
        ("no credential", as_who(URL, None), 2),
        ("another port", as_who("http://srv.example:81/mcp", Some("a")), 2),
        ("another host", as_who("http://else.example/mcp", Some("a")), 2),
    ];
    let pings = Pings::new();
    for (name, second, connections) in cases {
        let peer = peer_saying(PLAIN, ReplyEnd::KeepOpen);
        let transport = HttpTransport::with_dialler(
            Arc::new(AdmitAll),
            Arc::new(AnySecret),
            Arc::new(peer.clone()),
            Tls::platform(),
            HttpOptions::default(),
        );
        for target in [as_who(URL, Some("a")), second] {
            assert_eq!(send(&transport, &target, pings.next()).await.verdict(), "result");
        }
        assert_eq!(peer.log().connections, connections, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn two_messages_at_once_take_two_connections_and_as_many_are_kept_as_allowed() {
    for (kept, connections) in [(0, 4), (1, 3), (8, 2)] {
        let mut options = HttpOptions::default();
        options.idle_connections = kept;
        let peer = peer_saying(PLAIN, ReplyEnd::KeepOpen);
        let transport = HttpTransport::with_dialler(
            Arc::new(AdmitAll),
            Arc::new(MemoryCredentials::default()),
            Arc::new(peer.clone()),
            Tls::platform(),
            options,
        );
        let (pings, target) = (Pings::new(), Arc::new(target(URL)));
        for _ in 0..2 {
            let mut first = transport.open(&target, pings.next());
            let mut second = transport.open(&target, pings.next());
            let both = async { tokio::join!(finish(&mut *first), finish(&mut *second)) };
            let (first, second) = both.await;
            assert_eq!((first.verdict(), second.verdict()), ("result", "result"));
        }
        assert_eq!(peer.log().connections, connections, "{kept} kept");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_not_read_to_its_end_gives_up_its_connection() {
    // Each is followed by another message, which the same peer would answer on the same connection.
    let too_long = "x".repeat(16 * 1_024 + 1);
    let cases = [
        ("read to its end", PLAIN.to_owned(), 1),
        (
            "an error page",
            "HTTP/1.1 500 No\r\ncontent-length: $LEN\r\n\r\noops".to_owned(),
            2,
        ),
        (
            "an error in JSON",
            "HTTP/1.1 500 No\r\ncontent-type: application/json\r\ncontent-length: $LEN\r\n\r\n{}".to_owned(),
            1,
        ),
        (
            "a long error in JSON",
            format!(
                "HTTP/1.1 500 No\r\ncontent-type: application/json\r\ncontent-length: $LEN\r\n\r\n{too_long}"
            ),
            2,
        ),
        (
            "a declared length above the limit",
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2097153\r\n\r\n".to_owned(),
            2,
        ),
    ];
    for (name, reply, connections) in cases {
        let peer = peer_saying(reply, ReplyEnd::KeepOpen);
        let transport = transport_over(peer.clone(), Tls::platform());
        let (pings, target) = (Pings::new(), target(URL));
        for _ in 0..2 {
            send(&transport, &target, pings.next()).await;
        }
        assert_eq!(peer.log().connections, connections, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_notification_is_accepted_whatever_becomes_of_its_body() {
    let too_long = "x".repeat(16 * 1_024 + 1);
    let cases = [
        (
            "no body",
            "HTTP/1.1 202 OK\r\ncontent-length: 0\r\n\r\n".to_owned(),
            1,
        ),
        (
            "a body",
            "HTTP/1.1 200 OK\r\ncontent-length: $LEN\r\n\r\nthanks".to_owned(),
            1,
        ),
        (
            "a body that never ends",
            "HTTP/1.1 202 OK\r\n\r\nthanks".to_owned(),
            2,
        ),
        (
            "a long body",
            format!("HTTP/1.1 202 OK\r\ncontent-length: $LEN\r\n\r\n{too_long}"),
            2,
        ),
    ];
    for (name, reply, connections) in cases {
        let peer = peer_saying(reply, ReplyEnd::KeepOpen);
        let transport = transport_over(peer.clone(), Tls::platform());
        for _ in 0..2 {
            let started = tokio::time::Instant::now();
            let outcome = send(&transport, &target(URL), Message::initialized()).await;
            assert_eq!(outcome.verdict(), "accepted", "{name}");
            assert!(started.elapsed() < Duration::from_millis(300), "{name}");
        }
        assert_eq!(peer.log().connections, connections, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_that_a_dead_connection_hands_back_goes_out_on_a_new_one() {
    let dialler = Mortal::new();
    let (transport, pings) = (transport_over(dialler.clone(), Tls::platform()), Pings::new());
    assert_eq!(
        send(&transport, &target(URL), pings.next()).await.verdict(),
        "result"
    );
    // The client has not looked at the connection since.
    dialler.dead.store(1, Ordering::Relaxed);
    let outcome = send(&transport, &target(URL), pings.next()).await;
    assert_eq!(
        (outcome.verdict(), outcome.delivery),
        ("result", Delivery::Answered)
    );
    let log = dialler.peer.log();
    assert_eq!((log.connections, log.requests.len()), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_new_connection_that_is_dead_is_not_dialled_over_and_over() {
    let dialler = Mortal::new();
    dialler.dead.store(usize::MAX, Ordering::Relaxed);
    let transport = transport_over(dialler.clone(), Tls::platform());
    let outcome = send(&transport, &target(URL), Pings::new().next()).await;
    assert_eq!(
        (outcome.verdict(), outcome.delivery),
        ("connection-lost", Delivery::NotSent)
    );
    let log = dialler.peer.log();
    assert_eq!((log.connections, log.requests.len()), (1, 0));
}

/// Gives every task that can run its turn, a few times over.
async fn let_others_run() {
    for _ in 0..16 {
        tokio::task::yield_now().await;
    }
}

/// Holds a secret under every reference.
struct AnySecret;

impl CredentialSource for AnySecret {
    fn read(&self, reference: &CredentialRef) -> PortFuture<Result<Secret, CredentialError>> {
        PortFuture::ready(Ok(Secret::new(reference.0.clone())))
    }
}

/// Dials an answering peer on connections that can end without waking whoever waits on them.
#[derive(Clone)]
struct Mortal {
    peer: ScriptedPeer,
    /// Connections up to this one, counted from 1, are dead.
    dead: Arc<AtomicUsize>,
}

impl Mortal {
    fn new() -> Self {
        Self {
            peer: peer_saying(PLAIN, ReplyEnd::KeepOpen),
            dead: Arc::default(),
        }
    }
}

impl Dialler for Mortal {
    fn resolve(&self, name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        self.peer.resolve(name, port)
    }

    fn connect(&self, address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        let (connecting, dead) = (self.peer.connect(address), self.dead.clone());
        let number = self.peer.log().connections;
        assert!(number < 10, "dialled over and over");
        PortFuture::pending(async move {
            let inner = connecting.await?;
            Ok(Box::new(MortalStream { inner, number, dead }) as BoxedStream)
        })
    }
}

struct MortalStream {
    inner: BoxedStream,
    number: usize,
    dead: Arc<AtomicUsize>,
}

impl Read for MortalStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if self.number <= self.dead.load(Ordering::Relaxed) {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

impl Write for MortalStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
