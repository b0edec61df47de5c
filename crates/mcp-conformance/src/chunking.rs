//! How the bytes of an answer are cut before they are read. No verdict may depend on it.

use mcp_testkit::SeededEntropy;
use mcp_wire::Entropy;

/// One way of cutting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chunking {
    /// As few pieces as there are.
    Whole,
    /// Byte by byte. Of a body above 64 KiB only the first and the last 4 KiB and the bytes around 2 MiB; the rest in
    /// pieces of 8 KiB.
    Bytes,
    /// Pieces of 1 to 97 bytes, or of up to 16 KiB in a body above 64 KiB, as a seed has it.
    Random(u64),
}

const LARGE: usize = 64 * 1_024;
const LIMIT: usize = 2 * 1_024 * 1_024;
const CLOSE: usize = 4 * 1_024;

impl Chunking {
    /// The three cuttings that every oracle runs under.
    pub const ALL: [Self; 3] = [Self::Whole, Self::Bytes, Self::Random(227)];

    /// The name, for the table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Bytes => "bytes",
            Self::Random(_) => "random",
        }
    }

    /// The pieces of `bytes`.
    pub(crate) fn cut(self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut pieces = Vec::new();
        let mut at = 0;
        let source = SeededEntropy::new(match self {
            Self::Random(seed) => seed,
            Self::Whole | Self::Bytes => 0,
        });
        while at < bytes.len() {
            let length = match self {
                Self::Whole => bytes.len(),
                Self::Bytes if bytes.len() <= LARGE || is_close(at, bytes.len()) => 1,
                Self::Bytes => to_next_close(at, bytes.len()),
                Self::Random(_) => random_length(&source, bytes.len()),
            };
            let end = at.saturating_add(length).min(bytes.len());
            pieces.push(bytes.get(at..end).unwrap_or_default().to_vec());
            at = end;
        }
        pieces
    }
}

/// Whether a position of a large body is one where every byte counts.
const fn is_close(at: usize, length: usize) -> bool {
    at < CLOSE || at + CLOSE >= length || at.abs_diff(LIMIT) <= CLOSE
}

/// A piece that does not run over the next such position.
fn to_next_close(at: usize, length: usize) -> usize {
    let next = if at < LIMIT - CLOSE {
        (LIMIT - CLOSE).min(length - CLOSE)
    } else {
        length - CLOSE
    };
    next.saturating_sub(at).clamp(1, 8 * 1_024)
}

/// The length of a piece, as the source has it.
fn random_length(source: &SeededEntropy, length: usize) -> usize {
    let mut word = [0; 8];
    // A seeded source does not fail.
    let _infallible = source.fill(&mut word);
    let most: u64 = if length <= LARGE { 97 } else { 16 * 1_024 };
    usize::try_from(u64::from_le_bytes(word) % most).map_or(1, |length| length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cutting_keeps_every_byte_in_order() {
        for length in [0, 1, 100, LARGE, LARGE + 1, LIMIT + 3 * CLOSE, LIMIT + 1] {
            let bytes: Vec<u8> = (0..length).map(|at| u8::try_from(at % 251).unwrap()).collect();
            for chunking in Chunking::ALL {
                let pieces = chunking.cut(&bytes);
                assert!(pieces.iter().all(|piece| !piece.is_empty()));
                assert_eq!(pieces.concat(), bytes, "{} of {length}", chunking.name());
            }
        }
    }

    #[test]
    fn bytes_are_single_around_the_limit_and_at_the_end() {
        let bytes = vec![0; LIMIT + 100_000];
        let pieces = Chunking::Bytes.cut(&bytes);
        let mut at = 0;
        for piece in pieces {
            assert!(piece.len() == 1 || !is_close(at, bytes.len()));
            at += piece.len();
            assert!(piece.len() == 1 || at <= LIMIT - CLOSE || at > LIMIT + CLOSE);
        }
    }
}
