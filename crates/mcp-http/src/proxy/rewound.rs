//! A stream of which some bytes were read already.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::Bytes;
use hyper::rt::{Read, ReadBufCursor, Write};

use crate::dial::BoxedStream;

/// Gives back what was read of a stream, then goes on with it.
pub(super) struct Rewound {
    read: Bytes,
    inner: BoxedStream,
}

impl Rewound {
    /// The stream as it was before `read` was read from it.
    pub(super) fn boxed(read: Vec<u8>, inner: BoxedStream) -> BoxedStream {
        if read.is_empty() {
            return inner;
        }
        let read = Bytes::from(read);
        Box::new(Self { read, inner })
    }
}

impl Read for Rewound {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read.is_empty() {
            return Pin::new(&mut self.inner).poll_read(cx, buffer);
        }
        let fitting = self.read.len().min(buffer.remaining());
        buffer.put_slice(&self.read.split_to(fitting));
        Poll::Ready(Ok(()))
    }
}

impl Write for Rewound {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(cx, pieces)
    }
}
