//! How far a command with servers is: one line on a terminal, wiped when something else is printed.

use std::collections::BTreeSet;
use std::future::Future;
use std::io::{self, IsTerminal, Write};
use std::pin::pin;
use std::time::{Duration, Instant};

use mcp_policy::ServerName;

/// How often the line is written anew.
const TICK: Duration = Duration::from_millis(500);

/// Marks in the bar.
const BAR: usize = 20;

/// The servers that are waited for.
pub(crate) struct Progress {
    waiting: BTreeSet<ServerName>,
    total: usize,
    since: Instant,
    on_terminal: bool,
}

impl Progress {
    pub(crate) fn of(servers: &[ServerName]) -> Self {
        Self {
            waiting: servers.iter().cloned().collect(),
            total: servers.len(),
            since: Instant::now(),
            on_terminal: io::stderr().is_terminal(),
        }
    }

    pub(crate) fn done(&mut self, server: &ServerName) {
        self.waiting.remove(server);
    }

    /// Waits for `next`, and shows who is waited for. The line is gone when it comes.
    pub(crate) async fn while_waiting<T>(&self, next: impl Future<Output = T>) -> T {
        let mut next = pin!(next);
        loop {
            if let Ok(come) = tokio::time::timeout(TICK, next.as_mut()).await {
                self.write("\r\u{1b}[K");
                return come;
            }
            self.write(&format!("\r{}\u{1b}[K", self.line(self.since.elapsed())));
        }
    }

    fn line(&self, elapsed: Duration) -> String {
        let done = self.total - self.waiting.len();
        let marks = BAR * done / self.total.max(1);
        let names: Vec<&str> = self.waiting.iter().take(3).map(ServerName::as_str).collect();
        let more = if self.waiting.len() > names.len() {
            ", ..."
        } else {
            ""
        };
        format!(
            "[{}{}] {done}/{} waiting for {}{more} ({} s)",
            "#".repeat(marks),
            "-".repeat(BAR - marks),
            self.total,
            names.join(", "),
            elapsed.as_secs(),
        )
    }

    fn write(&self, text: &str) {
        if self.on_terminal {
            // A line that cannot be shown is no reason to fail.
            let _unshown = io::stderr().write_all(text.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_how_many_are_done_and_who_is_waited_for() {
        let names = ["a", "b", "c", "d", "e"].map(|name| ServerName::parse(name).unwrap());
        let mut progress = Progress::of(&names);
        let line = "[--------------------] 0/5 waiting for a, b, c, ... (0 s)";
        assert_eq!(progress.line(Duration::ZERO), line);
        names[..3].iter().for_each(|name| progress.done(name));
        let line = "[############--------] 3/5 waiting for d, e (12 s)";
        assert_eq!(progress.line(Duration::from_secs(12)), line);
    }
}
