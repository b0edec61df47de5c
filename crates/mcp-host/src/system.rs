//! The operating system's random source and process identity.

use mcp_wire::{Entropy, EntropyUnavailable, ProcessId, ProcessIdentity};

/// The operating system's random source.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsEntropy;

impl Entropy for OsEntropy {
    fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
        getrandom::fill(target).map_err(|_unavailable| EntropyUnavailable)
    }
}

/// The operating system's process id, asked anew each time.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsProcess;

impl ProcessIdentity for OsProcess {
    fn current(&self) -> ProcessId {
        ProcessId(u64::from(std::process::id()))
    }
}
