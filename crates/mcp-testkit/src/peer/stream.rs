//! The peer's end of one connection.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use hyper::rt::{Read, ReadBufCursor, Write};

use super::{RecordedRequest, ReplyEnd, ScriptedPeer};

/// What is written is read as requests; what the script answers is what is read, one piece for each read.
pub(super) struct PeerStream {
    peer: ScriptedPeer,
    written: Vec<u8>,
    pieces: VecDeque<Vec<u8>>,
    /// How the connection ends, once it is to end.
    end: Option<ReplyEnd>,
    reader: Option<Waker>,
}

impl PeerStream {
    pub(super) fn new(peer: ScriptedPeer) -> Self {
        Self {
            peer,
            written: Vec::new(),
            pieces: VecDeque::new(),
            end: None,
            reader: None,
        }
    }

    fn answer_requests(&mut self) {
        while let Some(request) = RecordedRequest::take(&mut self.written) {
            let reply = self.peer.answer(request);
            self.pieces
                .extend(reply.pieces.into_iter().filter(|piece| !piece.is_empty()));
            if reply.end != ReplyEnd::KeepOpen {
                self.end = Some(reply.end);
            }
            if let Some(reader) = self.reader.take() {
                reader.wake();
            }
        }
    }
}

impl Drop for PeerStream {
    fn drop(&mut self) {
        self.peer.closed();
    }
}

impl Read for PeerStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(mut piece) = self.pieces.pop_front() {
            let rest = piece.split_off(piece.len().min(buffer.remaining()));
            if !rest.is_empty() {
                self.pieces.push_front(rest);
            }
            buffer.put_slice(&piece);
            return Poll::Ready(Ok(()));
        }
        match self.end {
            None | Some(ReplyEnd::KeepOpen) => {
                self.reader = Some(cx.waker().clone());
                Poll::Pending
            }
            Some(ReplyEnd::Close) => Poll::Ready(Ok(())),
            Some(ReplyEnd::Reset) => Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
        }
    }
}

impl Write for PeerStream {
    fn poll_write(mut self: Pin<&mut Self>, _cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.written.extend_from_slice(bytes);
        self.answer_requests();
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
