//! What a proxy may answer, for how long it is waited for, and how far it is read. On in-memory streams, with the clock
//! standing still.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use mcp_http::{BoxedStream, Dialler, HttpOptions, HttpTransport, ProxyCredential, Tls};
use mcp_testkit::{AdmitAll, MemoryCredentials, ReplyEnd};
use mcp_wire::{Credential, CredentialPlacement, CredentialRef, Delivery, PortFuture, Stage, Transport};
use tokio::time::Instant;

use crate::proxy::{OPEN, URL, proxy, proxy_saying};
use crate::support::{Outcome, Pings, drive_until, send, silent_peer, target, transport_over};

const LIMIT: Duration = Duration::from_secs(3);

fn transport(dialler: impl Dialler + 'static) -> HttpTransport {
    let mut options = HttpOptions::default();
    options.connect = LIMIT;
    let (outbound, credentials) = (Arc::new(AdmitAll), Arc::new(MemoryCredentials::default()));
    let (dialler, tls) = (Arc::new(dialler), Tls::platform());
    HttpTransport::with_dialler(outbound, credentials, dialler, tls, options).through(proxy())
}

async fn outcome_over(dialler: impl Dialler + 'static) -> Outcome {
    send(&transport(dialler), &target(URL), Pings::new().next()).await
}

#[tokio::test(start_paused = true)]
async fn anything_but_a_success_ends_the_leg_unsent() {
    use ReplyEnd::{Close, KeepOpen, Reset};
    let refusal = |status: &str| format!("HTTP/1.1 {status} canary\r\ncontent-length: 6\r\n\r\ncanary");
    for (answer, end, verdict) in [
        (refusal("407"), KeepOpen, "proxy-authentication-required"),
        (refusal("100"), KeepOpen, "proxy-refused"),
        (refusal("302"), KeepOpen, "proxy-refused"),
        (refusal("401"), KeepOpen, "proxy-refused"),
        (refusal("403"), Close, "proxy-refused"),
        (refusal("502"), Reset, "proxy-refused"),
        ("SSH-2.0-canary\r\n".to_owned(), KeepOpen, "proxy-failed"),
        ("\x05canary".to_owned(), KeepOpen, "proxy-failed"),
        (
            "HTTP/1.1 200 OK\r\ncanary\r\n\r\n".to_owned(),
            KeepOpen,
            "proxy-failed",
        ),
        (
            format!("HTTP/1.1 200 {}", "canary".repeat(1_500)),
            KeepOpen,
            "proxy-failed",
        ),
        ("HTTP/1.1 200 canary\r\n".to_owned(), Close, "proxy-failed"),
        ("HTTP/1.1 200 canary\r\n".to_owned(), Reset, "proxy-failed"),
        (String::new(), Close, "proxy-failed"),
        (String::new(), Reset, "proxy-failed"),
    ] {
        let peer = proxy_saying(&answer, end);
        // The server's credential would be missed, were it read before there is a way to the server.
        let mut target = target(URL);
        target.credentials.push(Credential {
            reference: CredentialRef("vault:none".to_owned()),
            placement: CredentialPlacement::Bearer,
        });
        let outcome = send(&transport(peer.clone()), &target, Pings::new().next()).await;
        assert_eq!(outcome.verdict(), verdict, "{answer:?}, {end:?}");
        assert_eq!(
            (outcome.stage, outcome.delivery),
            (Stage::Connect, Delivery::NotSent),
            "{answer:?}"
        );
        let error = outcome.result.unwrap_err();
        assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
        let log = peer.log();
        // Asked once, told nothing more, and the connection is given up.
        assert_eq!((log.requests.len(), log.connections, log.open), (1, 1, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_proxy_costs_the_time_for_one_connection() {
    for begun in ["", "HTTP/1.1 200 OK\r\nx"] {
        let started = Instant::now();
        let outcome = outcome_over(proxy_saying(begun, ReplyEnd::KeepOpen)).await;
        assert_eq!(
            (outcome.verdict(), outcome.stage, outcome.delivery),
            ("connect-timeout", Stage::Connect, Delivery::NotSent)
        );
        assert_eq!(started.elapsed(), LIMIT);
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_strikes_first_finds_the_stage_and_closes_the_connection() {
    let peer = silent_peer();
    let transport = transport(peer.clone());
    let mut exchange = transport.open(&Arc::new(target(URL)), Pings::new().next());
    drive_until(&mut *exchange, |_| peer.log().requests.len() == 1).await;
    assert_eq!(
        (exchange.stage(), exchange.delivery()),
        (Stage::Connect, Delivery::NotSent)
    );
    drop(exchange);
    assert_eq!(peer.log().open, 0);
}

#[tokio::test(start_paused = true)]
async fn what_follows_the_head_is_heard() {
    // Said before it was asked for, it is no answer; lost, it would leave the message to a server that has one.
    let early = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    let peer = proxy_saying(&format!("{OPEN}{early}"), ReplyEnd::KeepOpen);
    let outcome = outcome_over(peer.clone()).await;
    assert_eq!(outcome.verdict(), "connection-lost");
    assert_eq!(peer.log().requests.len(), 1);
}

/// [RFC 9110, section 9.3.6](https://www.rfc-editor.org/rfc/rfc9110#section-9.3.6).
#[tokio::test(start_paused = true)]
async fn a_length_that_a_success_declares_means_nothing() {
    let open = "HTTP/1.0 299 \r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n";
    let outcome = outcome_over(proxy_saying(open, ReplyEnd::KeepOpen)).await;
    assert_eq!(outcome.verdict(), "result");
}

#[tokio::test(start_paused = true)]
async fn an_endless_head_is_read_to_its_bound_and_no_further() {
    let read = Arc::new(AtomicUsize::new(0));
    let outcome = outcome_over(Endless(read.clone())).await;
    assert_eq!(
        (outcome.verdict(), outcome.delivery),
        ("proxy-failed", Delivery::NotSent)
    );
    assert!(outcome.result.unwrap_err().to_string().contains("8192"));
    assert_eq!(read.load(Ordering::Relaxed), 8_192);
}

#[tokio::test(start_paused = true)]
async fn a_proxy_that_is_not_there_is_not_the_server() {
    for (dialler, verdict, stage) in [
        (Absent::Unknown, "proxy-unreachable", Stage::Resolve),
        (Absent::Nowhere, "proxy-unreachable", Stage::Resolve),
        (Absent::Refusing, "proxy-unreachable", Stage::Connect),
        (Absent::Swallowing, "connect-timeout", Stage::Connect),
    ] {
        // Its credential would be missed, were it read before there is somebody to show it to.
        let credential = ProxyCredential::Bearer(CredentialRef("vault:none".to_owned()));
        let transport = transport(dialler).through(proxy().with_credential(credential));
        let outcome = send(&transport, &target(URL), Pings::new().next()).await;
        assert_eq!(
            (outcome.verdict(), outcome.stage, outcome.delivery),
            (verdict, stage, Delivery::NotSent)
        );
    }
    let direct = transport_over(Absent::Unknown, Tls::platform());
    let outcome = send(&direct, &target(URL), Pings::new().next()).await;
    assert_eq!(outcome.verdict(), "resolve-failed");
}

/// A proxy that cannot be reached.
#[derive(Clone, Copy)]
enum Absent {
    Unknown,
    Nowhere,
    Refusing,
    Swallowing,
}

impl Dialler for Absent {
    fn resolve(&self, _name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        PortFuture::ready(match self {
            Self::Unknown => Err(io::ErrorKind::NotFound.into()),
            Self::Nowhere => Ok(Vec::new()),
            Self::Refusing | Self::Swallowing => Ok(vec![SocketAddr::from(([203, 0, 113, 1], port))]),
        })
    }

    fn connect(&self, _address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        match self {
            Self::Unknown | Self::Nowhere | Self::Refusing => {
                PortFuture::ready(Err(io::ErrorKind::ConnectionRefused.into()))
            }
            Self::Swallowing => PortFuture::pending(std::future::pending()),
        }
    }
}

/// A proxy whose head does not end, in pieces that do not add up to its bound; counts what is read of it.
#[derive(Clone)]
struct Endless(Arc<AtomicUsize>);

impl Dialler for Endless {
    fn resolve(&self, _name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        PortFuture::ready(Ok(vec![SocketAddr::from(([203, 0, 113, 1], port))]))
    }

    fn connect(&self, _address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        PortFuture::ready(Ok(Box::new(self.clone())))
    }
}

impl Read for Endless {
    fn poll_read(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let start = b"HTTP/1.1 200 ";
        let room = buffer.remaining().min(1_000);
        let from = self.0.fetch_add(room, Ordering::Relaxed);
        let head = start.iter().copied().chain(std::iter::repeat(b'x'));
        buffer.put_slice(&head.skip(from).take(room).collect::<Vec<_>>());
        Poll::Ready(Ok(()))
    }
}

impl Write for Endless {
    fn poll_write(self: Pin<&mut Self>, _cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
