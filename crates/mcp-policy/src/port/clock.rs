//! Time, given by the host.

use std::ops::Add;
use std::task::{Context, Poll};
use std::time::Duration;

/// A clock and its timers.
pub trait Clock: Send + Sync {
    /// The monotonic time. Never goes back, and goes on while the machine sleeps if it can.
    fn now(&self) -> Moment;

    /// The wall-clock time, for what is shown to people and stored.
    fn wall(&self) -> UnixTime;

    /// A timer that is not armed.
    fn timer(&self) -> Box<dyn Timer>;
}

/// One timer of one operation.
pub trait Timer: Send {
    /// Makes the timer fire at `moment`, instead of any moment before. A moment that has passed fires at once.
    fn arm(&mut self, moment: Moment);

    /// Ready once the armed moment has come; wakes the task then. Pending while it is not armed.
    fn poll_fired(&mut self, cx: &mut Context<'_>) -> Poll<()>;
}

/// A point of monotonic time: the time since a fixed point of the clock's own choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(pub Duration);

impl Moment {
    /// The time from `earlier` to this moment; zero when it lies after.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, length: Duration) -> Self {
        Self(self.0.saturating_add(length))
    }
}

/// Wall-clock time: the time since 1970-01-01T00:00:00Z, leap seconds not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct UnixTime(pub Duration);
