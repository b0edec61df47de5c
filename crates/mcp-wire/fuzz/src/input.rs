//! The fuzzer's bytes as choices, and as pieces of a stream.

use std::sync::Arc;

use mcp_wire::{Entropy, EntropyUnavailable, ProcessId, ProcessIdentity, RequestId, RequestIds};

/// Bytes from which choices are taken one after another.
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next byte; 0 at the end.
    pub fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    /// At most `count` bytes.
    pub fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// The bytes up to the next line feed, which is passed over.
    pub fn line(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|byte| *byte == b'\n');
        let line = self.take(end.unwrap_or(self.0.len()));
        self.byte();
        line
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub const fn rest(self) -> &'a [u8] {
        self.0
    }
}

/// The same bytes in three cuttings: whole, byte by byte, and as `seed` has it.
pub fn cuttings(bytes: &[u8], seed: u8) -> [Vec<&[u8]>; 3] {
    let mut state = u32::from(seed);
    let (mut pieces, mut rest) = (Vec::new(), bytes);
    while !rest.is_empty() {
        // The constants of Numerical Recipes; its high bits are good enough to cut with.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let length = (state >> 24) as usize % 23 + 1;
        let (piece, after) = rest.split_at(length.min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    [vec![bytes], bytes.chunks(1).collect(), pieces]
}

struct Fixed;

impl Entropy for Fixed {
    fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
        target.fill(0);
        Ok(())
    }
}

impl ProcessIdentity for Fixed {
    fn current(&self) -> ProcessId {
        ProcessId(1)
    }
}

/// The id of every request here, whose text the corpora contain: 32 zeros, a hyphen and 1.
pub fn request_id() -> RequestId {
    let ids = RequestIds::new(Arc::new(Fixed), Arc::new(Fixed));
    ids.and_then(|ids| ids.allocate())
        .expect("a source that does not fail gives an id")
}
