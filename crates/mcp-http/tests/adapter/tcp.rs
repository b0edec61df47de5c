//! Over TCP: answers, the use of a connection for the next message, and what is said when there is none.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBufCursor, Write};
use mcp_http::{BoxedStream, Dialler, HttpTransport, TcpDialler, Tls};
use mcp_testkit::loopback::Server;
use mcp_testkit::loopback::Step::{self, AwaitEnd, Read as ReadOne, Shutdown};
use mcp_wire::{Delivery, PortFuture, Stage, Transport};
use tokio::net::TcpSocket;

use crate::support::{
    PLAIN, Pings, drive_until, say, send, serve, target, tcp_transport, transport_over, until,
};

const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n\
    : primed\n\n\
    data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}\n\n\
    data: {\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{\"streamed\":true}}\n\n";

const CLOSING: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: $LEN\r\n\
    connection: close\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{}}";

const BEGUN: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{";

#[tokio::test]
async fn a_plain_answer_is_read() {
    let server = serve(&[&[ReadOne, say(PLAIN), AwaitEnd]]).await;
    let outcome = send(&tcp_transport(), &target(&server.http_url()), Pings::new().next()).await;
    assert_eq!(outcome.verdict(), "result");
    assert_eq!((outcome.text(), outcome.delivery), ("{}", Delivery::Answered));
    let request = server.seen(|seen| seen.requests.concat());
    assert!(request.starts_with("POST /mcp HTTP/1.1\r\n"), "{request}");
}

#[tokio::test]
async fn a_stream_of_events_is_read_with_its_server_messages() {
    let server = serve(&[&[ReadOne, say(EVENTS), Shutdown, AwaitEnd]]).await;
    let outcome = send(&tcp_transport(), &target(&server.http_url()), Pings::new().next()).await;
    assert_eq!(outcome.text(), "{\"streamed\":true}");
    assert_eq!(outcome.server_messages, ["notifications/progress"]);
}

#[tokio::test]
async fn a_connection_that_stays_open_takes_the_next_message() {
    let server = serve(&[&[ReadOne, say(PLAIN), ReadOne, say(PLAIN), AwaitEnd]]).await;
    let accepts = two_messages(&tcp_transport(), &server).await;
    assert_eq!(accepts, 1);
}

#[tokio::test]
async fn connection_close_is_obeyed() {
    // The server itself would read on.
    let server = serve(&[
        &[ReadOne, say(CLOSING), AwaitEnd],
        &[ReadOne, say(PLAIN), AwaitEnd],
    ])
    .await;
    let accepts = two_messages(&tcp_transport(), &server).await;
    assert_eq!(accepts, 2);
    until(|| server.seen(|seen| seen.ends >= 1)).await;
}

#[tokio::test]
async fn a_connection_that_closed_between_two_messages_costs_nothing() {
    let server = serve(&[&[ReadOne, say(PLAIN)], &[ReadOne, say(PLAIN), AwaitEnd]]).await;
    let ended = Arc::new(AtomicBool::new(false));
    let transport = transport_over(Watching(ended.clone()), Tls::platform());
    let (pings, target) = (Pings::new(), target(&server.http_url()));
    assert_eq!(send(&transport, &target, pings.next()).await.verdict(), "result");
    until(|| ended.load(Ordering::Relaxed)).await;
    let outcome = send(&transport, &target, pings.next()).await;
    assert_eq!(outcome.verdict(), "result");
    assert_eq!(outcome.delivery, Delivery::Answered);
    assert_eq!(server.seen(|seen| seen.accepts), 2);
}

#[tokio::test]
async fn a_message_that_was_read_and_not_answered_is_never_sent_again() {
    let server = serve(&[&[ReadOne], &[ReadOne, say(PLAIN)]]).await;
    let outcome = send(&tcp_transport(), &target(&server.http_url()), Pings::new().next()).await;
    assert_eq!(outcome.verdict(), "connection-lost");
    assert_eq!(outcome.delivery, Delivery::Unknown);
    assert_eq!(server.seen(|seen| (seen.accepts, seen.requests.len())), (1, 1));
}

#[tokio::test]
async fn a_closed_port_refuses_the_connection() {
    // Bound, so that nobody else takes the port, and not listening.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let url = format!("http://{}/", socket.local_addr().unwrap());
    let outcome = send(&tcp_transport(), &target(&url), Pings::new().next()).await;
    assert_eq!(outcome.verdict(), "connect-refused");
    assert_eq!(
        (outcome.stage, outcome.delivery),
        (Stage::Connect, Delivery::NotSent)
    );
}

#[tokio::test]
async fn a_name_without_an_address_is_not_resolved() {
    let failed: fn() -> io::Result<Vec<SocketAddr>> = || Err(io::ErrorKind::NotFound.into());
    for answer in [failed, || Ok(Vec::new())] {
        let transport = transport_over(Resolving(answer), Tls::platform());
        let outcome = send(
            &transport,
            &target("http://nowhere.example/"),
            Pings::new().next(),
        )
        .await;
        assert_eq!(outcome.verdict(), "resolve-failed");
        assert_eq!(
            (outcome.stage, outcome.delivery),
            (Stage::Resolve, Delivery::NotSent)
        );
    }
}

#[tokio::test]
async fn an_address_that_does_not_answer_leaves_the_next_one_to_try() {
    let server = serve(&[&[ReadOne, say(PLAIN), AwaitEnd]]).await;
    let transport = transport_over(SecondAddress, Tls::platform());
    let url = server.http_url().replace("127.0.0.1", "twice.example");
    let outcome = send(&transport, &target(&url), Pings::new().next()).await;
    assert_eq!(outcome.verdict(), "result");
}

#[tokio::test]
async fn a_dropped_exchange_closes_its_connection() {
    let cases: [(&[Step], Stage); 2] = [
        (&[ReadOne, AwaitEnd], Stage::FirstByte),
        (&[ReadOne, say(BEGUN), AwaitEnd], Stage::Body),
    ];
    for (script, stage) in cases {
        let server = serve(&[script]).await;
        let target = Arc::new(target(&server.http_url()));
        let mut exchange = tcp_transport().open(&target, Pings::new().next());
        drive_until(&mut *exchange, |exchange| {
            exchange.stage() == stage && server.seen(|seen| seen.requests.len() == 1)
        })
        .await;
        assert_eq!(server.seen(|seen| seen.ends), 0);
        drop(exchange);
        until(|| server.seen(|seen| seen.ends == 1)).await;
    }
}

/// Sends two messages that are both answered. How many connections it took.
async fn two_messages(transport: &HttpTransport, server: &Server) -> usize {
    let (pings, target) = (Pings::new(), target(&server.http_url()));
    for _ in 0..2 {
        let outcome = send(transport, &target, pings.next()).await;
        assert_eq!(
            (outcome.verdict(), outcome.delivery),
            ("result", Delivery::Answered)
        );
    }
    assert_eq!(server.seen(|seen| seen.requests.len()), 2);
    server.seen(|seen| seen.accepts)
}

/// Gives this answer to every look-up.
struct Resolving(fn() -> io::Result<Vec<SocketAddr>>);

impl Dialler for Resolving {
    fn resolve(&self, _name: &str, _port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        PortFuture::ready((self.0)())
    }

    fn connect(&self, _address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        PortFuture::ready(Err(io::ErrorKind::AddrNotAvailable.into()))
    }
}

/// Resolves every name to two addresses, of which the first refuses.
struct SecondAddress;

impl Dialler for SecondAddress {
    fn resolve(&self, _name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        PortFuture::ready(Ok(vec![
            ([203, 0, 113, 1], port).into(),
            ([127, 0, 0, 1], port).into(),
        ]))
    }

    fn connect(&self, address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        if address.ip().is_loopback() {
            TcpDialler.connect(address)
        } else {
            PortFuture::ready(Err(io::ErrorKind::ConnectionRefused.into()))
        }
    }
}

/// Dials TCP and tells when the client has read the end of a connection.
struct Watching(Arc<AtomicBool>);

impl Dialler for Watching {
    fn resolve(&self, _name: &str, _port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        PortFuture::ready(Ok(Vec::new()))
    }

    fn connect(&self, address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        let ended = self.0.clone();
        PortFuture::pending(async move {
            let inner = TcpDialler.connect(address).await?;
            Ok(Box::new(Watched { inner, ended }) as BoxedStream)
        })
    }
}

struct Watched {
    inner: BoxedStream,
    ended: Arc<AtomicBool>,
}

impl Read for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut piece = [0; 4_096];
        let room = buffer.remaining().min(piece.len());
        let mut read = hyper::rt::ReadBuf::new(&mut piece[..room]);
        ready!(Pin::new(&mut self.inner).poll_read(cx, read.unfilled()))?;
        self.ended.fetch_or(read.filled().is_empty(), Ordering::Relaxed);
        buffer.put_slice(read.filled());
        Poll::Ready(Ok(()))
    }
}

impl Write for Watched {
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
