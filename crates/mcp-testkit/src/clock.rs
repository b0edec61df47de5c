//! A clock that moves when it is told to.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use mcp_policy::port::{Clock, Moment, Timer, UnixTime};

/// A clock that stands still until [`FakeClock::advance`]. Clones are the same clock.
#[derive(Debug, Clone, Default)]
pub struct FakeClock(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    now: Moment,
    waiting: Vec<(Moment, Waker)>,
}

impl FakeClock {
    /// A clock at zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves the time on and wakes the timers that are due.
    pub fn advance(&self, length: Duration) {
        let due = {
            let mut state = self.state();
            state.now = state.now + length;
            let now = state.now;
            let (due, waiting) = std::mem::take(&mut state.waiting)
                .into_iter()
                .partition(|(at, _)| *at <= now);
            state.waiting = waiting;
            due
        };
        let due: Vec<(Moment, Waker)> = due;
        due.into_iter().for_each(|(_, waker)| waker.wake());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Moment {
        self.state().now
    }

    /// As many seconds after 2026-01-01 as the clock has run.
    fn wall(&self) -> UnixTime {
        UnixTime(Duration::from_secs(1_767_225_600) + self.state().now.0)
    }

    fn timer(&self) -> Box<dyn Timer> {
        Box::new(FakeTimer {
            clock: self.clone(),
            armed: None,
        })
    }
}

struct FakeTimer {
    clock: FakeClock,
    armed: Option<Moment>,
}

impl Timer for FakeTimer {
    fn arm(&mut self, moment: Moment) {
        self.armed = Some(moment);
    }

    fn poll_fired(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(at) = self.armed else {
            return Poll::Pending;
        };
        let mut state = self.clock.state();
        if state.now >= at {
            return Poll::Ready(());
        }
        let known = |(moment, waker): &(Moment, Waker)| *moment == at && waker.will_wake(cx.waker());
        if !state.waiting.iter().any(known) {
            state.waiting.push((at, cx.waker().clone()));
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_fires_when_its_moment_has_come() {
        let clock = FakeClock::new();
        let mut timer = clock.timer();
        let mut cx = Context::from_waker(Waker::noop());
        assert!(timer.poll_fired(&mut cx).is_pending());
        timer.arm(Moment(Duration::from_secs(2)));
        clock.advance(Duration::from_millis(1_999));
        assert!(timer.poll_fired(&mut cx).is_pending());
        clock.advance(Duration::from_millis(1));
        assert!(timer.poll_fired(&mut cx).is_ready());
        timer.arm(Moment(Duration::from_secs(3)));
        assert!(timer.poll_fired(&mut cx).is_pending());
    }
}
