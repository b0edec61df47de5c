//! Randomness and process identity without the operating system.

use std::sync::atomic::{AtomicU64, Ordering};

use mcp_wire::{Entropy, EntropyUnavailable, ProcessId, ProcessIdentity};

/// Bytes that follow from a seed (SplitMix64). The same seed gives the same ids.
#[derive(Debug)]
pub struct SeededEntropy(AtomicU64);

impl SeededEntropy {
    /// A source that starts at `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        for chunk in target.chunks_mut(8) {
            let mut word = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
            word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            let bytes = (word ^ word >> 31).to_le_bytes();
            chunk.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = byte);
        }
        Ok(())
    }
}

/// A random source that fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct FailingEntropy;

impl Entropy for FailingEntropy {
    fn fill(&self, _target: &mut [u8]) -> Result<(), EntropyUnavailable> {
        Err(EntropyUnavailable)
    }
}

/// A process id that changes only when a test says so.
#[derive(Debug, Default)]
pub struct FixedProcess(AtomicU64);

impl FixedProcess {
    /// From now on, another process runs.
    pub fn fork(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl ProcessIdentity for FixedProcess {
    fn current(&self) -> ProcessId {
        ProcessId(self.0.load(Ordering::Relaxed))
    }
}
