//! A peer that never stops: how far it is read before its connection is given up, on each carrier.
//!
//! Counted are the bytes that the adapter takes from the socket until it closes it. More than a bound is read only by
//! what buffers and windows hold, and those have settings.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBufCursor, Write};
use mcp_http::{BoxedStream, Dialler, HttpOptions, TcpDialler};
use mcp_testkit::loopback::{Authority, Frame, Server, Step};
use mcp_wire::{Message, PortFuture, ReplyLimits};

use crate::support::{Pings, send, target, transport_over, until};

const NAME: &str = "srv.example";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carrier {
    Plain,
    Tls,
    Http2,
}

const ALL: &[Carrier] = &[Carrier::Plain, Carrier::Tls, Carrier::Http2];
const HTTP1: &[Carrier] = &[Carrier::Plain, Carrier::Tls];

/// What HTTP/2 lets a server send on one stream before any of it was read, and the largest frame.
const STREAM_WINDOW: usize = 256 * 1_024;
const FRAME: usize = 16 * 1_024;

/// What TLS reads ahead: at most one record; and what a handshake needs of certificates and tickets.
const TLS_RECORD: usize = 16 * 1_024 + 256;
const TLS_HANDSHAKE: usize = 4 * 1_024;

impl Carrier {
    /// What may be read beyond `bound` bytes of a body or a head.
    fn slack(self, bound: usize) -> usize {
        // hyper hands on the piece that goes beyond the bound, holds a full buffer behind it, and may have read one more.
        // None is larger than a head.
        let buffers = 3 * HttpOptions::default().head_bytes;
        // A record of TLS has at most 22 bytes more than it carries, a frame of HTTP/2 has 9.
        let (records, frames) = (bound.div_ceil(FRAME) * 22, bound.div_ceil(FRAME) * 9);
        match self {
            Self::Plain => buffers,
            Self::Tls => buffers + records + TLS_RECORD + TLS_HANDSHAKE,
            Self::Http2 => STREAM_WINDOW + frames + FRAME + records + TLS_RECORD + TLS_HANDSHAKE,
        }
    }
}

#[tokio::test]
async fn a_peer_that_never_stops_is_read_no_further_than_its_bound_and_the_buffers() {
    let limits = ReplyLimits::default();
    let head = HttpOptions::default().head_bytes;
    let typed = |status, media| Step::head(status, &[("content-type", media)]);
    let (json, events) = ("application/json", "text/event-stream");
    let chunked = Step::head(200, &[("content-type", json), ("transfer-encoding", "chunked")]);
    let endless = |text: &str| Step::Endless(text.repeat(FRAME / text.len()).into_bytes());
    let chunk = format!("{FRAME:x}\r\n{}\r\n", "x".repeat(FRAME));
    let fields = Frame::on_stream(9, 0, &b"\0\x01x\x011".repeat(FRAME / 5));
    let error = ReplyLimits::default().error_body_bytes;
    let cases = [
        (
            "a body",
            ALL,
            vec![typed(200, json), endless(" ")],
            limits.body_bytes,
        ),
        (
            "chunks",
            HTTP1,
            vec![chunked, Step::Endless(chunk.into_bytes())],
            limits.body_bytes,
        ),
        (
            "comments",
            ALL,
            vec![typed(200, events), endless(":\n")],
            limits.body_bytes,
        ),
        (
            "a line",
            ALL,
            vec![typed(200, events), endless("x")],
            limits.line_bytes,
        ),
        (
            "the body of an error",
            ALL,
            vec![typed(500, json), endless("x")],
            error,
        ),
        (
            "the body of an acceptance",
            ALL,
            vec![typed(202, json), endless("x")],
            error,
        ),
        (
            "a field",
            HTTP1,
            vec![Step::write("HTTP/1.1 200 OK\r\nx: "), endless("x")],
            head,
        ),
        (
            "fields",
            HTTP1,
            vec![Step::write("HTTP/1.1 200 OK\r\n"), endless("x: 1\r\n")],
            head,
        ),
        (
            "fields",
            &[Carrier::Http2][..],
            vec![
                Step::Frame(Frame::on_stream(1, 0, &[0x88])),
                Step::EndlessFrame(fields),
            ],
            head,
        ),
    ];
    let authority = Authority::new().unwrap();
    for (name, carriers, steps, bound) in cases {
        for carrier in carriers {
            let read = read_of(&authority, *carrier, &steps, name.contains("acceptance")).await;
            let most = bound + carrier.slack(bound);
            println!("{name}, {carrier:?}: {read} bytes read, bound {bound}, at most {most}");
            assert!(
                read <= most,
                "{name}, {carrier:?}: {read} bytes read, at most {most}"
            );
        }
    }
}

/// Sends one message to a peer that plays `steps`. The bytes that were read when its connection is closed.
async fn read_of(authority: &Authority, carrier: Carrier, steps: &[Step], notify: bool) -> usize {
    let acceptor = match carrier {
        Carrier::Plain => None,
        Carrier::Tls => Some(authority.server(NAME, 2999).unwrap()),
        Carrier::Http2 => Some(authority.http2_server(NAME).unwrap()),
    };
    let script = [&[Step::Read], steps].concat();
    let server = Server::start(&[&script], acceptor).await.unwrap();
    let url = match carrier {
        Carrier::Plain => server.http_url(),
        Carrier::Tls | Carrier::Http2 => server.https_url(NAME),
    };
    let count = Count::default();
    let transport = transport_over(Counting(count.clone()), authority.tls().unwrap());
    let message = if notify {
        Message::initialized()
    } else {
        Pings::new().next()
    };
    send(&transport, &target(&url), message).await;
    until(|| count.closed.load(Ordering::Acquire)).await;
    count.read.load(Ordering::Acquire)
}

/// What was read, and whether the connection is closed.
#[derive(Debug, Clone, Default)]
struct Count {
    read: Arc<AtomicUsize>,
    closed: Arc<AtomicBool>,
}

/// Dials TCP on this machine and counts what is read.
struct Counting(Count);

impl Dialler for Counting {
    fn resolve(&self, _name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        PortFuture::ready(Ok(vec![SocketAddr::from(([127, 0, 0, 1], port))]))
    }

    fn connect(&self, address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        let count = self.0.clone();
        PortFuture::pending(async move {
            let inner = TcpDialler.connect(address).await?;
            Ok(Box::new(Counted { inner, count }) as BoxedStream)
        })
    }
}

struct Counted {
    inner: BoxedStream,
    count: Count,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.count.closed.store(true, Ordering::Release);
    }
}

impl Read for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut piece = vec![0; buffer.remaining()];
        let mut read = hyper::rt::ReadBuf::new(&mut piece);
        ready!(Pin::new(&mut self.inner).poll_read(cx, read.unfilled()))?;
        self.count.read.fetch_add(read.filled().len(), Ordering::AcqRel);
        buffer.put_slice(read.filled());
        Poll::Ready(Ok(()))
    }
}

impl Write for Counted {
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
