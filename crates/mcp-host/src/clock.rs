//! The clock of the tokio runtime.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcp_policy::port::{Clock, Moment, Timer, UnixTime};
use tokio::time::{Instant, Sleep, sleep_until};

/// Monotonic time and timers of tokio, wall-clock time of the system.
///
/// Timers must be polled inside a runtime with time enabled.
#[derive(Debug, Clone, Copy)]
pub struct TokioClock {
    origin: Instant,
}

impl TokioClock {
    /// A clock whose monotonic time starts now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            origin: Instant::now(),
        }
    }
}

impl Default for TokioClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Moment {
        Moment(self.origin.elapsed())
    }

    fn wall(&self) -> UnixTime {
        UnixTime(
            SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or(Duration::ZERO),
        )
    }

    fn timer(&self) -> Box<dyn Timer> {
        Box::new(TokioTimer {
            origin: self.origin,
            armed: None,
        })
    }
}

struct TokioTimer {
    origin: Instant,
    armed: Option<(Moment, Pin<Box<Sleep>>)>,
}

impl Timer for TokioTimer {
    fn arm(&mut self, moment: Moment) {
        let at = self.origin + moment.0;
        match &mut self.armed {
            Some((armed, _)) if *armed == moment => {}
            Some((armed, sleep)) => {
                *armed = moment;
                sleep.as_mut().reset(at);
            }
            None => self.armed = Some((moment, Box::pin(sleep_until(at)))),
        }
    }

    fn poll_fired(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.armed
            .as_mut()
            .map_or(Poll::Pending, |(_, sleep)| sleep.as_mut().poll(cx))
    }
}
