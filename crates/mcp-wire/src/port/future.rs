//! How a port answers: at once, or later.

use alloc::boxed::Box;
use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

/// The answer of a port. An implementation that knows it at once allocates nothing.
///
/// # Cancel safety
///
/// Dropping it abandons the question; each port says what that means.
pub enum PortFuture<T> {
    /// Known at once; taken by the first poll.
    Ready(Option<T>),
    /// Known later.
    Pending(Pin<Box<dyn Future<Output = T> + Send>>),
}

impl<T> PortFuture<T> {
    /// An answer that is known now.
    #[must_use]
    pub const fn ready(value: T) -> Self {
        Self::Ready(Some(value))
    }

    /// An answer that `future` will know.
    #[must_use]
    pub fn pending(future: impl Future<Output = T> + Send + 'static) -> Self {
        Self::Pending(Box::pin(future))
    }
}

// The value is moved out by `poll`, never pinned.
impl<T> Unpin for PortFuture<T> {}

impl<T> Future for PortFuture<T> {
    type Output = T;

    /// Polled again after its answer, it stays pending.
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        match self.get_mut() {
            Self::Ready(value) => value.take().map_or(Poll::Pending, Poll::Ready),
            Self::Pending(future) => future.as_mut().poll(cx),
        }
    }
}

impl<T> fmt::Debug for PortFuture<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ready(_) => "PortFuture::Ready",
            Self::Pending(_) => "PortFuture::Pending",
        })
    }
}
