//! A peer that is a server at the other end of in-memory streams.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBufCursor, Write};
use mcp_http::{BoxedStream, Dialler};
use mcp_wire::PortFuture;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf, duplex};

use super::{PeerLog, RecordedRequest};

/// Bytes that wait in each direction, and that are read at once.
const BUFFER: usize = 64 * 1_024;

/// Gives the far end of each connection to a server, notes the requests, and cuts what is read. It is the dialler of an
/// [`HttpTransport`](mcp_http::HttpTransport); every name resolves to 203.0.113.1.
#[derive(Clone)]
pub struct ServedPeer {
    serve: Arc<dyn Fn(DuplexStream) + Send + Sync>,
    cut: Arc<Cut>,
    log: Arc<Mutex<PeerLog>>,
}

/// Cuts bytes into pieces; the reading side gets one for each read.
type Cut = dyn Fn(&[u8]) -> Vec<Vec<u8>> + Send + Sync;

impl ServedPeer {
    /// A peer that notes requests in `log`, each before the server can read it.
    pub fn new(
        log: Arc<Mutex<PeerLog>>,
        serve: impl Fn(DuplexStream) + Send + Sync + 'static,
        cut: impl Fn(&[u8]) -> Vec<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        Self {
            serve: Arc::new(serve),
            cut: Arc::new(cut),
            log,
        }
    }

    /// A copy of the log so far.
    #[must_use]
    pub fn log(&self) -> PeerLog {
        self.note(|log| log.clone())
    }

    fn note<T>(&self, note: impl FnOnce(&mut PeerLog) -> T) -> T {
        note(&mut self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Dialler for ServedPeer {
    fn resolve(&self, name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        self.note(|log| log.look_ups.push(name.to_owned()));
        PortFuture::ready(Ok(vec![SocketAddr::from(([203, 0, 113, 1], port))]))
    }

    fn connect(&self, _address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        self.note(|log| (log.connections, log.open) = (log.connections + 1, log.open + 1));
        let (client, server) = duplex(BUFFER);
        (self.serve)(server);
        PortFuture::ready(Ok(Box::new(Tap {
            peer: self.clone(),
            stream: client,
            written: Vec::new(),
            pieces: VecDeque::new(),
        })))
    }
}

/// The client's end of a connection.
struct Tap {
    peer: ServedPeer,
    stream: DuplexStream,
    written: Vec<u8>,
    pieces: VecDeque<Vec<u8>>,
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.peer.note(|log| log.open -= 1);
    }
}

impl Read for Tap {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut target: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if self.pieces.is_empty() {
            let mut bytes = vec![0; BUFFER];
            let mut buffer = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer))?;
            let pieces = (self.peer.cut)(buffer.filled());
            self.pieces.extend(pieces);
        }
        // No piece is the end of the connection.
        if let Some(mut piece) = self.pieces.pop_front() {
            let rest = piece.split_off(piece.len().min(target.remaining()));
            if !rest.is_empty() {
                self.pieces.push_front(rest);
            }
            target.put_slice(&piece);
        }
        Poll::Ready(Ok(()))
    }
}

impl Write for Tap {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes))?;
        self.written.extend(bytes.iter().take(count));
        while let Some(request) = RecordedRequest::take(&mut self.written) {
            self.peer.note(|log| log.requests.push(request));
        }
        Poll::Ready(Ok(count))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
