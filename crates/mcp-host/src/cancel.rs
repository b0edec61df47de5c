//! A token by which a host cancels operations.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use mcp_policy::port::{Cancellation, CancellationUnknown};
use mcp_wire::PortFuture;

/// Cancels the operations that it was given to. Clones cancel the same ones; a cancelled token stays cancelled.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<State>);

#[derive(Debug, Default)]
struct State {
    cancelled: AtomicBool,
    waiting: Mutex<Vec<Waker>>,
}

impl CancelToken {
    /// A token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels, and wakes every operation that waits.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        let waiting = std::mem::take(&mut *self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }
}

impl Cancellation for CancelToken {
    fn ask(&self) -> PortFuture<Result<bool, CancellationUnknown>> {
        PortFuture::ready(Ok(self.is_cancelled()))
    }

    fn poll_changed(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        // Looked at under the lock: a cancellation after this look finds the waker in the list.
        if self.is_cancelled() {
            return Poll::Ready(());
        }
        if !waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            waiting.push(cx.waker().clone());
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Wake;

    struct Nobody;

    impl Wake for Nobody {
        fn wake(self: Arc<Self>) {}
    }

    #[test]
    fn a_cancelled_token_stays_cancelled_and_wakes_once() {
        let token = CancelToken::new();
        let waker = Waker::from(Arc::new(Nobody));
        let mut cx = Context::from_waker(&waker);
        assert!(token.poll_changed(&mut cx).is_pending());
        assert!(token.poll_changed(&mut cx).is_pending());
        assert_eq!(token.0.waiting.lock().unwrap().len(), 1);
        token.clone().cancel();
        assert!(token.is_cancelled());
        assert!(token.poll_changed(&mut cx).is_ready());
        assert!(token.0.waiting.lock().unwrap().is_empty());
    }
}
