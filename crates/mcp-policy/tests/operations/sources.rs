//! Sources of cancellation: those that wake, those that cannot, and those that misbehave.

use std::future::{pending, poll_fn};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use mcp_policy::port::{Cancellation, CancellationUnknown, Clock};
use mcp_testkit::FakeClock;
use mcp_wire::PortFuture;

/// A source that wakes whoever waits for a change.
#[derive(Default)]
pub(crate) struct Switch(Mutex<SwitchState>);

#[derive(Default)]
struct SwitchState {
    cancelled: bool,
    changed: bool,
    waiting: Option<Waker>,
}

impl Switch {
    /// Sets the answer and wakes, be it for a change or for none.
    pub(crate) fn flip(&self, cancelled: bool) {
        let mut state = self.0.lock().unwrap();
        (state.cancelled, state.changed) = (cancelled, true);
        if let Some(waker) = state.waiting.take() {
            waker.wake();
        }
    }
}

impl Cancellation for Switch {
    fn ask(&self) -> PortFuture<Result<bool, CancellationUnknown>> {
        let mut state = self.0.lock().unwrap();
        state.changed = false;
        PortFuture::ready(Ok(state.cancelled))
    }

    fn poll_changed(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.lock().unwrap();
        if state.changed {
            return Poll::Ready(());
        }
        state.waiting = Some(cx.waker().clone());
        Poll::Pending
    }
}

/// A source that cannot wake, and when it was asked.
pub(crate) struct Asked<A> {
    clock: FakeClock,
    times: Mutex<Vec<Duration>>,
    answer: A,
}

impl<A: Fn(usize) -> Result<bool, CancellationUnknown>> Asked<A> {
    /// `answer` is given the number of the question, from 0.
    pub(crate) fn new(clock: &FakeClock, answer: A) -> Self {
        Self {
            clock: clock.clone(),
            times: Mutex::default(),
            answer,
        }
    }

    pub(crate) fn times(&self) -> Vec<Duration> {
        self.times.lock().unwrap().clone()
    }
}

impl<A: Fn(usize) -> Result<bool, CancellationUnknown> + Send + Sync> Cancellation for Asked<A> {
    fn ask(&self) -> PortFuture<Result<bool, CancellationUnknown>> {
        let mut times = self.times.lock().unwrap();
        times.push(self.clock.now().0);
        PortFuture::ready((self.answer)(times.len() - 1))
    }

    fn poll_changed(&self, _cx: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

/// A source that claims a change whenever it is looked at.
pub(crate) struct Restless<A>(pub(crate) Asked<A>);

impl<A: Fn(usize) -> Result<bool, CancellationUnknown> + Send + Sync> Cancellation for Restless<A> {
    fn ask(&self) -> PortFuture<Result<bool, CancellationUnknown>> {
        self.0.ask()
    }

    fn poll_changed(&self, _cx: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
}

/// A source that answers when the test does.
#[derive(Default)]
pub(crate) struct Slow(Arc<Mutex<SlowState>>);

#[derive(Default)]
struct SlowState {
    questions: usize,
    answer: Option<Result<bool, CancellationUnknown>>,
    waiting: Option<Waker>,
}

impl Slow {
    pub(crate) fn answer(&self, answer: Result<bool, CancellationUnknown>) {
        let mut state = self.0.lock().unwrap();
        state.answer = Some(answer);
        if let Some(waker) = state.waiting.take() {
            waker.wake();
        }
    }

    pub(crate) fn questions(&self) -> usize {
        self.0.lock().unwrap().questions
    }
}

impl Cancellation for Slow {
    fn ask(&self) -> PortFuture<Result<bool, CancellationUnknown>> {
        self.0.lock().unwrap().questions += 1;
        let state = self.0.clone();
        PortFuture::pending(poll_fn(move |cx| {
            let mut state = state.lock().unwrap();
            state.waiting = Some(cx.waker().clone());
            state.answer.take().map_or(Poll::Pending, Poll::Ready)
        }))
    }

    fn poll_changed(&self, _cx: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

/// A source of cancellation that never answers.
pub(crate) struct Mute;

impl Cancellation for Mute {
    fn ask(&self) -> PortFuture<Result<bool, CancellationUnknown>> {
        PortFuture::pending(pending())
    }

    fn poll_changed(&self, _cx: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}
