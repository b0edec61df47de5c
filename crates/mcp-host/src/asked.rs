//! A cancellation that is known only by asking: a row in a database, a file, another service.

use std::future::Future;
use std::task::{Context, Poll};

use mcp_policy::port::{Cancellation, CancellationUnknown};
use mcp_wire::PortFuture;

/// Asks the host whether an operation is cancelled: before each leg, then once a second while a leg is under way.
///
/// One question is open at a time, and an operation waits for the answer within its own deadline. An error counts as a no;
/// a yes is final.
///
/// ```
/// # async fn is_cancelled(_: &str) -> Result<bool, std::io::Error> { Ok(false) }
/// let run = "run-7".to_owned();
/// let cancellation = mcp_host::Asked::new(move || {
///     let run = run.clone();
///     async move { is_cancelled(&run).await }
/// });
/// ```
pub struct Asked<Q>(Q);

impl<Q> Asked<Q> {
    /// A cancellation that `question` answers. Each question is a future of its own, dropped when its operation ends.
    pub const fn new(question: Q) -> Self {
        Self(question)
    }
}

impl<Q, A, E> Cancellation for Asked<Q>
where
    Q: Fn() -> A + Send + Sync,
    A: Future<Output = Result<bool, E>> + Send + 'static,
{
    fn ask(&self) -> PortFuture<Result<bool, CancellationUnknown>> {
        let answer = (self.0)();
        PortFuture::pending(async move { answer.await.map_err(|_unknown| CancellationUnknown) })
    }

    fn poll_changed(&self, _cx: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

impl<Q> std::fmt::Debug for Asked<Q> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::Waker;

    fn answer(said: Result<bool, ()>) -> Result<bool, CancellationUnknown> {
        let asked = Asked::new(move || std::future::ready(said));
        let mut cx = Context::from_waker(Waker::noop());
        assert!(asked.poll_changed(&mut cx).is_pending());
        match pin!(asked.ask()).poll(&mut cx) {
            Poll::Ready(answer) => answer,
            Poll::Pending => panic!("the answer is known"),
        }
    }

    #[test]
    fn the_answer_is_the_hosts() {
        assert_eq!(answer(Ok(true)), Ok(true));
        assert_eq!(answer(Ok(false)), Ok(false));
        assert_eq!(answer(Err(())), Err(CancellationUnknown));
    }
}
