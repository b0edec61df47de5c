//! What is watched while calls run: open exchanges, how late this machine's timers are, and what is resident.

use std::cell::Cell;
use std::convert::Infallible;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use mcp_http::HttpTransport;
use mcp_wire::{Delivery, Exchange, ExchangeEvent, Message, Stage, Target, Transport};

/// A transport whose exchanges are counted while they live.
pub(super) struct Counted {
    inner: HttpTransport,
    open: Arc<AtomicUsize>,
}

impl Counted {
    pub(super) fn new(inner: HttpTransport) -> (Self, Arc<AtomicUsize>) {
        let open = Arc::<AtomicUsize>::default();
        let counted = Self {
            inner,
            open: open.clone(),
        };
        (counted, open)
    }
}

impl Transport for Counted {
    fn open(&self, target: &Arc<Target>, message: Message) -> Box<dyn Exchange> {
        self.open.fetch_add(1, Ordering::Relaxed);
        Box::new(CountedExchange {
            inner: self.inner.open(target, message),
            open: self.open.clone(),
        })
    }
}

struct CountedExchange {
    inner: Box<dyn Exchange>,
    open: Arc<AtomicUsize>,
}

impl Exchange for CountedExchange {
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<ExchangeEvent> {
        self.inner.poll_event(cx)
    }

    fn stage(&self) -> Stage {
        self.inner.stage()
    }

    fn delivery(&self) -> Delivery {
        self.inner.delivery()
    }
}

impl Drop for CountedExchange {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How late a timer of this runtime was at worst. What else the machine does makes every call as late, and no call is
/// blamed for that.
#[derive(Debug, Default)]
pub(super) struct Lateness(Cell<Duration>);

impl Lateness {
    /// Sets a timer again and again; never ends.
    pub(super) async fn watch(&self) -> Infallible {
        const PAUSE: Duration = Duration::from_millis(5);
        loop {
            let started = Instant::now();
            tokio::time::sleep(PAUSE).await;
            let late = started.elapsed().saturating_sub(PAUSE);
            self.0.set(self.0.get().max(late));
        }
    }

    pub(super) fn worst(&self) -> Duration {
        self.0.get()
    }
}

/// The bytes of this process in memory, where the system tells them.
pub(super) fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1_024)
}
