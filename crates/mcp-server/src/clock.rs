//! Time and randomness, as a server asks for them.

use std::time::{Duration, Instant};

use mcp_wire::{Entropy, EntropyUnavailable};

/// The time by which sessions expire.
pub trait Clock: Send + Sync {
    /// The time since a fixed moment of the clock's own. It never goes back.
    fn now(&self) -> Duration;
}

/// The monotonic clock of the operating system.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock that starts now.
    #[must_use]
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}

/// The random source of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
        getrandom::fill(target).map_err(|_failed| EntropyUnavailable)
    }
}
