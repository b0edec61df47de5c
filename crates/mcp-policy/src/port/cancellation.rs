//! Cancellation, given by the caller.

use std::task::{Context, Poll};

use mcp_wire::PortFuture;

/// Whether the caller still wants the operation.
///
/// It is asked before each leg, then when [`Cancellation::poll_changed`] says so and at most once a second. A yes is
/// final for the operation; a source that fails counts as a no.
pub trait Cancellation: Send + Sync {
    /// Answers whether the operation is cancelled.
    fn ask(&self) -> PortFuture<Result<bool, CancellationUnknown>>;

    /// Ready when the answer may have changed since it was last asked, and wakes the task when that happens. A source
    /// that cannot tell stays pending and is asked once a second.
    fn poll_changed(&self, cx: &mut Context<'_>) -> Poll<()>;
}

/// The source of a cancellation failed to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the source of the cancellation did not answer")]
pub struct CancellationUnknown;

/// The cancellation of an operation that takes none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Never;

impl Cancellation for Never {
    fn ask(&self) -> PortFuture<Result<bool, CancellationUnknown>> {
        PortFuture::ready(Ok(false))
    }

    fn poll_changed(&self, _cx: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}
