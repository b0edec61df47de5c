//! Waiting for an operation: a sign of life on a terminal, and a way to interrupt.

use std::future::Future;
use std::io::{self, IsTerminal, Write};
use std::pin::pin;
use std::time::{Duration, Instant};

use mcp_host::CancelToken;

/// How long a terminal stays silent.
const QUIET: Duration = Duration::from_millis(500);

/// What an interrupt does to the operation.
pub(crate) enum Interrupt<'a> {
    /// It is dropped, and its exchange with it.
    Drop,
    /// It is cancelled, and ends in order.
    Cancel(&'a CancelToken),
}

/// Waits for `operation`; `None` when an interrupt dropped it. A second interrupt always drops.
pub(crate) async fn wait<T>(
    operation: impl Future<Output = T>,
    origin: &str,
    interrupt: Interrupt<'_>,
) -> Option<T> {
    let mut operation = pin!(operation);
    let mut sign = SignOfLife::new(origin);
    let mut interrupted = false;
    loop {
        let mut signal = pin!(tokio::signal::ctrl_c());
        let mut tick = pin!(tokio::time::sleep(QUIET));
        let next = std::future::poll_fn(|cx| {
            use std::task::Poll;
            if let Poll::Ready(value) = operation.as_mut().poll(cx) {
                return Poll::Ready(Next::Done(value));
            }
            // A process that cannot listen for the signal is ended by it.
            if let Poll::Ready(Ok(())) = signal.as_mut().poll(cx) {
                return Poll::Ready(Next::Interrupt);
            }
            tick.as_mut().poll(cx).map(|()| Next::Tick)
        });
        match next.await {
            Next::Done(value) => return Some(value),
            Next::Tick => sign.show(),
            Next::Interrupt => match interrupt {
                Interrupt::Cancel(token) if !interrupted => {
                    interrupted = true;
                    token.cancel();
                }
                Interrupt::Cancel(_) | Interrupt::Drop => return None,
            },
        }
    }
}

enum Next<T> {
    Done(T),
    Interrupt,
    Tick,
}

/// One line on a terminal that says what is waited for; wiped when it is dropped.
struct SignOfLife<'a> {
    origin: &'a str,
    since: Instant,
    shown: bool,
}

impl<'a> SignOfLife<'a> {
    fn new(origin: &'a str) -> Self {
        Self {
            origin,
            since: Instant::now(),
            shown: false,
        }
    }

    fn show(&mut self) {
        let mut terminal = io::stderr();
        if terminal.is_terminal() {
            // A line that cannot be shown is no reason to fail.
            let _unshown = write!(
                terminal,
                "\rwaiting for {} ({} s)",
                self.origin,
                self.since.elapsed().as_secs()
            );
            self.shown = true;
        }
    }
}

impl Drop for SignOfLife<'_> {
    fn drop(&mut self) {
        if self.shown {
            let _unwiped = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}
