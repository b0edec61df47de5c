//! The chain: each entry is bound to all before it, so that none can be changed, taken out or put in between unseen.

use super::digest::Digest;
use super::entry::Entry;
use crate::hex;

/// The hash of an entry and of everything before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChainHash(pub Digest);

impl std::fmt::Display for ChainHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// An entry and the hash that it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// The entry.
    pub entry: Entry,
    /// Its hash.
    pub hash: ChainHash,
}

/// A chain up to one of its entries.
///
/// Whoever can write the whole store can write a new chain. What a chain proves against him is the hash of an entry that
/// was noted somewhere else: that one cannot change any more, nor what came before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    entries: u64,
    head: ChainHash,
}

impl Default for Chain {
    fn default() -> Self {
        Self::new()
    }
}

impl Chain {
    /// A chain without an entry.
    #[must_use]
    pub fn new() -> Self {
        Self {
            entries: 0,
            head: ChainHash(Digest::of("mcp-ledger/1", b"")),
        }
    }

    /// A chain that goes on from the entry of this number and hash.
    #[must_use]
    pub const fn at(entries: u64, head: ChainHash) -> Self {
        Self { entries, head }
    }

    /// The number of entries.
    #[must_use]
    pub const fn entries(&self) -> u64 {
        self.entries
    }

    /// The hash of the last entry.
    #[must_use]
    pub const fn head(&self) -> ChainHash {
        self.head
    }

    /// The number of the next entry.
    #[must_use]
    pub const fn next_seq(&self) -> u64 {
        self.entries + 1
    }

    /// Binds an entry to the chain and gives its hash.
    pub fn link(&mut self, entry: &Entry) -> ChainHash {
        let mut bound = Vec::with_capacity(640);
        bound.extend_from_slice(b"mcp-ledger-entry/1\n");
        bound.extend_from_slice(&hex::digits(self.head.0.as_bytes()));
        bound.push(b'\n');
        entry.write(&mut bound);
        self.entries += 1;
        self.head = ChainHash(Digest::of_pieces(&[&bound]));
        self.head
    }

    /// Takes the next entry of a chain that was stored.
    ///
    /// # Errors
    ///
    /// [`Broken`] when it is not the one that was bound here.
    pub fn check(&mut self, linked: &Linked) -> Result<(), Broken> {
        let expected = self.next_seq();
        if linked.entry.seq != expected {
            return Err(Broken::Missing { seq: expected });
        }
        if self.link(&linked.entry) == linked.hash {
            Ok(())
        } else {
            Err(Broken::Altered { seq: expected })
        }
    }
}

/// Where a stored ledger is not the one that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Broken {
    /// An entry is missing, or stands at another place.
    #[error("entry {seq} is missing or out of its place")]
    Missing {
        /// The number that was expected.
        seq: u64,
    },
    /// An entry, or one before it, is not what it was.
    #[error("entry {seq} is not what was written")]
    Altered {
        /// Its number.
        seq: u64,
    },
    /// The last entries are missing: the ledger says that there were more.
    #[error("the entries end at {found}, and there were {expected}")]
    Cut {
        /// The entries that are there.
        found: u64,
        /// The entries that there were.
        expected: u64,
    },
    /// A run or a step is not what the entries tell of it.
    #[error("{what} is not what the entries tell of it")]
    Disagrees {
        /// Which, by our own words.
        what: &'static str,
    },
}

impl Broken {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Missing { .. } => "ledger-entry-missing",
            Self::Altered { .. } => "ledger-entry-altered",
            Self::Cut { .. } => "ledger-cut",
            Self::Disagrees { .. } => "ledger-disagrees",
        }
    }
}
