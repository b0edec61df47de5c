//! A handler that shows how far a request is, and what the tests give the server for time and randomness.

use std::future::{pending, ready};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_server::{Clock, Handler, HandlerError, HandlerFuture, Notice, Outlet, Request};
use mcp_wire::server::Introduction;
use mcp_wire::{Entropy, EntropyUnavailable};
use tokio::sync::Semaphore;

/// Counts what its requests come to. Clones are one handler.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scripted(Arc<State>);

#[derive(Debug)]
struct State {
    /// One for each request that waits and may end.
    gate: Semaphore,
    started: AtomicUsize,
    finished: AtomicUsize,
    dropped: AtomicUsize,
    spoken: AtomicUsize,
    callers: Mutex<Vec<String>>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            gate: Semaphore::new(0),
            started: AtomicUsize::new(0),
            finished: AtomicUsize::new(0),
            dropped: AtomicUsize::new(0),
            spoken: AtomicUsize::new(0),
            callers: Mutex::default(),
        }
    }
}

impl Scripted {
    /// Lets so many requests that wait end.
    pub(crate) fn release(&self, requests: usize) {
        self.0.gate.add_permits(requests);
    }

    pub(crate) fn started(&self) -> usize {
        self.0.started.load(Ordering::Relaxed)
    }

    pub(crate) fn finished(&self) -> usize {
        self.0.finished.load(Ordering::Relaxed)
    }

    /// Requests that ended before they were finished.
    pub(crate) fn dropped(&self) -> usize {
        self.0.dropped.load(Ordering::Relaxed)
    }

    /// Notifications that were taken off the handler's hands.
    pub(crate) fn spoken(&self) -> usize {
        self.0.spoken.load(Ordering::Relaxed)
    }

    pub(crate) fn callers(&self) -> Vec<String> {
        let callers = self.0.callers.lock();
        callers.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, caller: &str) {
        let callers = self.0.callers.lock();
        callers
            .unwrap_or_else(PoisonError::into_inner)
            .push(caller.to_owned());
    }
}

/// Counts a request that is dropped before it is finished.
struct Count {
    state: Arc<State>,
    finished: bool,
}

impl Count {
    fn finish(mut self) {
        self.finished = true;
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        let end = if self.finished {
            &self.state.finished
        } else {
            &self.state.dropped
        };
        end.fetch_add(1, Ordering::Relaxed);
    }
}

impl Handler for Scripted {
    fn introduction(&self) -> Introduction {
        Introduction {
            name: "scripted".into(),
            version: "1".into(),
            capabilities: "{}".into(),
            instructions: None,
        }
    }

    fn request(&self, request: Request, outlet: Outlet) -> HandlerFuture {
        self.note(request.caller.name());
        let state = Arc::clone(&self.0);
        state.started.fetch_add(1, Ordering::Relaxed);
        let count = Count {
            state: Arc::clone(&state),
            finished: false,
        };
        match request.method.as_str() {
            "echo" => Box::pin(async move {
                count.finish();
                Ok(request.params.unwrap_or_else(|| "{}".into()))
            }),
            // Gives its parameters back when it is released.
            "wait" => Box::pin(async move {
                if let Ok(permit) = state.gate.acquire().await {
                    permit.forget();
                }
                count.finish();
                Ok(request.params.unwrap_or_else(|| "{}".into()))
            }),
            "hang" => Box::pin(async move {
                let _held = count;
                pending().await
            }),
            // Says one thing and hangs.
            "speak-and-hang" => Box::pin(async move {
                let _held = count;
                outlet.send("notifications/spoken", "{}").await;
                pending().await
            }),
            // Says more than anybody waits for.
            "chatter" => Box::pin(async move {
                for _ in 0..10_000 {
                    outlet.send("notifications/spoken", "{}").await;
                    state.spoken.fetch_add(1, Ordering::Relaxed);
                }
                count.finish();
                Ok("{}".into())
            }),
            _ => Box::pin(ready(Err(HandlerError::method_not_found()))),
        }
    }

    fn notification(&self, notice: Notice) {
        self.note(&format!("{} {}", notice.method, notice.caller.name()));
    }
}

/// A clock that is moved by hand.
#[derive(Debug, Default)]
pub(crate) struct HandClock(AtomicU64);

impl HandClock {
    pub(crate) fn advance(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::Relaxed);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::Relaxed))
    }
}

/// The same bytes each time, or none.
#[derive(Debug)]
pub(crate) struct Repeating(pub(crate) Option<u8>);

impl Entropy for Repeating {
    fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
        target.fill(self.0.ok_or(EntropyUnavailable)?);
        Ok(())
    }
}
