//! What the kernel says of this process: its time on a processor and its memory. And the figures of a sample.

use std::fs;
use std::time::{Duration, Instant};

/// The time of all threads on a processor so far.
pub(crate) fn cpu() -> Duration {
    let tasks = fs::read_dir("/proc/self/task").expect("threads");
    let nanos = tasks.flatten().map(|task| {
        let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        let first = text.split(' ').next().unwrap_or_default();
        first.parse::<u64>().unwrap_or(0)
    });
    Duration::from_nanos(nanos.sum())
}

/// What is in memory, in bytes.
pub(crate) struct Memory {
    pub(crate) resident: u64,
    pub(crate) peak: u64,
}

pub(crate) fn memory() -> Memory {
    let status = fs::read_to_string("/proc/self/status").expect("a status");
    let kilobytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let digits = line.unwrap_or_default().trim().trim_end_matches(" kB");
        digits.parse::<u64>().expect("a size") * 1_024
    };
    Memory {
        resident: kilobytes("VmRSS:"),
        peak: kilobytes("VmHWM:"),
    }
}

/// The times of single operations, and what all of them took.
pub(crate) struct Sample {
    started: Instant,
    cpu: Duration,
    times: Vec<Duration>,
}

impl Sample {
    pub(crate) fn start() -> Self {
        Self {
            cpu: cpu(),
            times: Vec::with_capacity(1 << 16),
            started: Instant::now(),
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(crate) fn add(&mut self, time: Duration) {
        self.times.push(time);
    }

    /// The figures as one line of JSON.
    pub(crate) fn line(mut self) -> String {
        let (seconds, spent) = (self.elapsed().as_secs_f64(), cpu().saturating_sub(self.cpu));
        self.times.sort_unstable();
        let count = self.times.len();
        let at = |share: f64| {
            let place = ((count as f64 * share) as usize).min(count.saturating_sub(1));
            self.times.get(place).map_or(0, Duration::as_nanos)
        };
        format!(
            "{{\"calls\":{count},\"per_second\":{:.1},\"p50_ns\":{},\"p99_ns\":{},\"cpu_ns\":{}}}",
            count as f64 / seconds,
            at(0.5),
            at(0.99),
            spent.as_nanos() / (count as u128).max(1)
        )
    }
}
