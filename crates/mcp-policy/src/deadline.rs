//! The deadline of one operation, and the account of its time.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_wire::{Delivery, PortFuture, Stage};

use crate::budget::Budget;
use crate::failure::{Cause, Failure};
use crate::port::{Clock, Moment, Timer};
use crate::timing::Timing;

/// An operation's deadline, the one timer that all its waits share, and what its time was spent on.
pub(crate) struct Deadline<'a> {
    clock: &'a dyn Clock,
    timer: Box<dyn Timer>,
    budget: Budget,
    at: Moment,
    timing: Timing,
    /// Up to when the time is accounted for.
    accounted: Moment,
}

impl<'a> Deadline<'a> {
    /// Starts the budget.
    pub(crate) fn start(clock: &'a dyn Clock, budget: Budget) -> Self {
        let now = clock.now();
        Self {
            clock,
            timer: clock.timer(),
            budget,
            at: now + budget.get(),
            timing: Timing::default(),
            accounted: now,
        }
    }

    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    pub(crate) fn has_passed(&self) -> bool {
        self.is_over(self.now())
    }

    /// Whether the deadline has passed at this moment.
    pub(crate) fn is_over(&self, now: Moment) -> bool {
        now >= self.at
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
        let budget = self.budget;
        Failure::new(Cause::DeadlineExceeded { budget, stage }, delivery)
    }

    /// Accounts for the time since the last account as spent waiting at `stage`, and tells the time.
    pub(crate) fn waited(&mut self, stage: Stage) -> Moment {
        let passed = self.account();
        self.timing.waited(stage, passed);
        self.accounted
    }

    /// Accounts for the time since the last account as spent working on an exchange, from one stage to another, and tells the
    /// time.
    pub(crate) fn worked(&mut self, began: Stage, ended: Stage) -> Moment {
        let passed = self.account();
        self.timing.worked(began, ended, passed);
        self.accounted
    }

    /// What the operation's time was spent on so far. What is no leg's counts as before the first stage.
    pub(crate) fn timing(&mut self) -> Timing {
        self.waited(Stage::Start);
        self.timing
    }

    fn account(&mut self) -> Duration {
        let now = self.clock.now();
        let passed = now.since(self.accounted);
        self.accounted = now;
        passed
    }
}
