//! The deadline of one operation.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use mcp_wire::{Delivery, PortFuture, Stage};

use crate::budget::Budget;
use crate::failure::Failure;
use crate::port::{Clock, Moment, Timer};

/// An operation's deadline, and the one timer that all its waits share.
pub(crate) struct Deadline<'a> {
    clock: &'a dyn Clock,
    timer: Box<dyn Timer>,
    budget: Budget,
    at: Moment,
}

impl<'a> Deadline<'a> {
    /// Starts the budget.
    pub(crate) fn start(clock: &'a dyn Clock, budget: Budget) -> Self {
        Self {
            clock,
            timer: clock.timer(),
            budget,
            at: clock.now() + budget.get(),
        }
    }

    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    pub(crate) fn has_passed(&self) -> bool {
        self.clock.now() >= self.at
    }

    /// Ready when the deadline or `earlier` has come, whichever is first.
    pub(crate) fn poll_until(&mut self, earlier: Option<Moment>, cx: &mut Context<'_>) -> Poll<()> {
        self.timer
            .arm(earlier.map_or(self.at, |earlier| earlier.min(self.at)));
        self.timer.poll_fired(cx)
    }

    /// Waits for the answer of a port, within the deadline.
    pub(crate) async fn within<T>(&mut self, mut answer: PortFuture<T>) -> Result<T, Failure> {
        poll_fn(|cx| match Pin::new(&mut answer).poll(cx) {
            Poll::Ready(value) => Poll::Ready(Ok(value)),
            Poll::Pending => self
                .poll_until(None, cx)
                .map(|()| Err(self.spent(Stage::Start, Delivery::NotSent))),
        })
        .await
    }

    /// The failure of an operation whose budget is spent.
    pub(crate) fn spent(&self, stage: Stage, delivery: Delivery) -> Failure {
        Failure::DeadlineExceeded {
            budget: self.budget,
            stage,
            delivery,
        }
    }
}
