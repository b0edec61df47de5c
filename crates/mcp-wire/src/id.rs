//! Request ids: which id a request leg carries, and when none may be given out.
//!
//! Requirements R-227-1a to R-227-1h in `specs/025-mcp-response-correlation`.

use alloc::sync::Arc;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

/// Gives out the ids of one client: a random 128-bit namespace and a rising sequence inside it.
///
/// The state is fixed in size and immutable but for one atomic counter, so an allocator can be shared between
/// threads without a lock. In a process other than the one that made it (a fork), it draws a fresh namespace for
/// every reservation; it neither locks nor writes there, so a child of a multi-threaded parent cannot hang.
///
/// Ids are opaque and random, which makes a repeat improbable; they are not proven unique worldwide. Not detected: a
/// virtual machine resumed twice from one snapshot, and a process id that was reused across two forks.
///
/// [MCP 2025-11-25, Base Protocol, Requests]: an id must not be null and must not be reused by its requestor.
///
/// [MCP 2025-11-25, Base Protocol, Requests]: https://modelcontextprotocol.io/specification/2025-11-25/basic#requests
pub struct RequestIds {
    entropy: Arc<dyn Entropy>,
    process: Arc<dyn ProcessIdentity>,
    owner: ProcessId,
    namespace: Namespace,
    next: AtomicU64,
}

impl RequestIds {
    /// Draws the namespace; the sequence starts at 1.
    ///
    /// # Errors
    ///
    /// [`IdError::Entropy`] when the random source fails. The fault is local: nothing outside was touched.
    pub fn new(entropy: Arc<dyn Entropy>, process: Arc<dyn ProcessIdentity>) -> Result<Self, IdError> {
        Self::starting_at(entropy, process, 1)
    }

    /// As [`RequestIds::new`], with the sequence already advanced to `first`.
    ///
    /// For hosts that test how they meet [`IdError::Exhausted`].
    ///
    /// # Errors
    ///
    /// As [`RequestIds::new`].
    pub fn starting_at(
        entropy: Arc<dyn Entropy>,
        process: Arc<dyn ProcessIdentity>,
        first: u64,
    ) -> Result<Self, IdError> {
        let owner = process.current();
        let namespace = Namespace::draw(&*entropy)?;
        Ok(Self {
            entropy,
            process,
            owner,
            namespace,
            next: AtomicU64::new(first),
        })
    }

    /// Gives out one id.
    ///
    /// # Errors
    ///
    /// As [`RequestIds::reserve`].
    pub fn allocate(&self) -> Result<RequestId, IdError> {
        if self.process.current() == self.owner {
            Ok(self.namespace.id(self.advance(1)?))
        } else {
            Ok(Namespace::draw(&*self.entropy)?.id(1))
        }
    }

    /// Sets `count` ids aside for one operation, so that none of its legs can fail for want of an id after another leg
    /// has contacted the server.
    ///
    /// # Errors
    ///
    /// [`IdError::Exhausted`] when the sequence has fewer ids left (it never wraps), [`IdError::Entropy`] when a forked
    /// child cannot draw a namespace. Both are local and come before any contact with a server.
    pub fn reserve(&self, count: u32) -> Result<ReservedIds<'_>, IdError> {
        let (count, process) = (u64::from(count), self.process.current());
        if process != self.owner {
            let namespace = Namespace::draw(&*self.entropy)?;
            return Ok(ReservedIds {
                ids: self,
                process,
                namespace,
                next: 1,
                end: 1 + count,
            });
        }
        let next = self.advance(count)?;
        Ok(ReservedIds {
            ids: self,
            process,
            namespace: self.namespace,
            next,
            end: next + count,
        })
    }

    /// Takes `count` numbers off the sequence and gives the first.
    fn advance(&self, count: u64) -> Result<u64, IdError> {
        // `u64::MAX` marks the spent sequence: it is never given out, and adding to it is never attempted.
        self.next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
                next.checked_add(count)
            })
            .map_err(|_spent| IdError::Exhausted)
    }
}

/// Ids that were set aside for one operation. What is not used is never given out.
#[derive(Debug)]
pub struct ReservedIds<'a> {
    ids: &'a RequestIds,
    process: ProcessId,
    namespace: Namespace,
    next: u64,
    end: u64,
}

impl ReservedIds<'_> {
    /// Gives out the next id. After a fork in the middle of the operation, each id has a namespace of its own.
    ///
    /// # Errors
    ///
    /// [`IdError::Exhausted`] when all of them are used, [`IdError::Entropy`] when a child that was forked meanwhile
    /// cannot draw a namespace.
    pub fn allocate(&mut self) -> Result<RequestId, IdError> {
        if self.next == self.end {
            return Err(IdError::Exhausted);
        }
        if self.ids.process.current() != self.process {
            return Ok(Namespace::draw(&*self.ids.entropy)?.id(self.next));
        }
        let id = self.namespace.id(self.next);
        self.next += 1;
        Ok(id)
    }
}

impl fmt::Debug for RequestIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestIds")
            .field("owner", &self.owner)
            .finish_non_exhaustive()
    }
}

/// A drawn namespace, as the start of each of its ids: 32 hexadecimal digits and a hyphen.
#[derive(Debug, Clone, Copy)]
struct Namespace([u8; Namespace::BYTES]);

impl Namespace {
    const BYTES: usize = 33;

    fn draw(entropy: &dyn Entropy) -> Result<Self, IdError> {
        let mut drawn = [0; 16];
        entropy.fill(&mut drawn)?;
        let mut text = [b'-'; Self::BYTES];
        for (pair, byte) in text.chunks_exact_mut(2).zip(drawn) {
            pair.copy_from_slice(&[hex_digit(byte >> 4), hex_digit(byte & 0xf)]);
        }
        Ok(Self(text))
    }

    /// The id with this number.
    fn id(&self, sequence: u64) -> RequestId {
        let mut digits = [b'0'; MAX_DIGITS];
        let (mut rest, mut first) = (sequence, MAX_DIGITS);
        for (at, digit) in digits.iter_mut().enumerate().rev() {
            *digit += u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
            first = at;
            if rest == 0 {
                break;
            }
        }
        let mut bytes = [0; RequestId::CAPACITY];
        let (namespace, number) = bytes.split_at_mut(Self::BYTES);
        namespace.copy_from_slice(&self.0);
        let digits = digits.get(first..).unwrap_or_default();
        number
            .iter_mut()
            .zip(digits)
            .for_each(|(slot, digit)| *slot = *digit);
        RequestId {
            bytes,
            len: u8::try_from(Self::BYTES + digits.len()).unwrap_or_default(),
        }
    }
}

/// Digits of the largest `u64`.
const MAX_DIGITS: usize = 20;

/// The id of one request leg: 32 hexadecimal digits, a hyphen and a decimal sequence number.
///
/// On the wire it is a JSON string without escapes. It is compared by value, never by spelling, and an id of another
/// JSON type is never equal to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId {
    bytes: [u8; Self::CAPACITY],
    len: u8,
}

impl RequestId {
    const CAPACITY: usize = Namespace::BYTES + MAX_DIGITS;

    /// The id's text, without quotation marks. It needs no escaping in JSON.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.bytes
            .get(..usize::from(self.len))
            .and_then(|text| core::str::from_utf8(text).ok())
            .unwrap_or_default()
    }
}

fn hex_digit(nibble: u8) -> u8 {
    if nibble < 10 {
        b'0' + nibble
    } else {
        b'a' + nibble - 10
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RequestId({})", self.as_str())
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Random bytes, given by the host.
pub trait Entropy: Send + Sync {
    /// Fills `target` with cryptographically secure random bytes. Must not block for long and must not fall back to
    /// a weaker source.
    ///
    /// # Errors
    ///
    /// [`EntropyUnavailable`] when secure bytes cannot be had; the content of `target` is then of no meaning.
    fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable>;
}

/// The random source failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the random source failed")]
pub struct EntropyUnavailable;

/// Which process runs this code, given by the host.
pub trait ProcessIdentity: Send + Sync {
    /// The identity of the running process. Asked for every id, so it should cost no more than a system call, and
    /// must not be cached across a fork.
    fn current(&self) -> ProcessId;
}

/// The identity of a process; on common systems its process id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessId(pub u64);

/// No id can be given out. The fault is local, and the operation is refused before any contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdError {
    /// The random source failed.
    #[error("no request id: the random source failed")]
    Entropy,
    /// The sequence of this allocator is spent.
    #[error("no request id: the sequence is spent, make a new client")]
    Exhausted,
}

impl IdError {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Entropy => "entropy-unavailable",
            Self::Exhausted => "ids-exhausted",
        }
    }
}

impl From<EntropyUnavailable> for IdError {
    fn from(EntropyUnavailable: EntropyUnavailable) -> Self {
        Self::Entropy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::AtomicU8;

    struct Counting(AtomicU8);

    impl Entropy for Counting {
        fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
            target.fill(self.0.fetch_add(1, Ordering::Relaxed));
            Ok(())
        }
    }

    struct Failing;

    impl Entropy for Failing {
        fn fill(&self, _target: &mut [u8]) -> Result<(), EntropyUnavailable> {
            Err(EntropyUnavailable)
        }
    }

    struct Process(AtomicU64);

    impl ProcessIdentity for Process {
        fn current(&self) -> ProcessId {
            ProcessId(self.0.load(Ordering::Relaxed))
        }
    }

    fn ids_from(first: u64) -> (RequestIds, Arc<Process>) {
        let process = Arc::new(Process(AtomicU64::new(7)));
        let ids =
            RequestIds::starting_at(Arc::new(Counting(AtomicU8::new(0xab))), process.clone(), first).unwrap();
        (ids, process)
    }

    #[test]
    fn ids_rise_within_one_namespace() {
        let (ids, _) = ids_from(1);
        assert_eq!(
            ids.allocate().unwrap().as_str(),
            "abababababababababababababababab-1"
        );
        assert_eq!(
            ids.allocate().unwrap().as_str(),
            "abababababababababababababababab-2"
        );
        let (ids, _) = ids_from(1_000);
        assert_eq!(
            ids.allocate().unwrap().as_str(),
            "abababababababababababababababab-1000"
        );
    }

    #[test]
    fn another_process_draws_a_namespace_for_every_id() {
        let (ids, process) = ids_from(1);
        process.0.store(8, Ordering::Relaxed);
        assert_eq!(
            ids.allocate().unwrap().as_str(),
            "acacacacacacacacacacacacacacacac-1"
        );
        assert_eq!(
            ids.allocate().unwrap().as_str(),
            "adadadadadadadadadadadadadadadad-1"
        );
        process.0.store(7, Ordering::Relaxed);
        assert_eq!(
            ids.allocate().unwrap().as_str(),
            "abababababababababababababababab-1"
        );
    }

    #[test]
    fn a_namespace_is_written_in_hexadecimal() {
        let process = Arc::new(Process(AtomicU64::new(7)));
        let ids = RequestIds::new(Arc::new(Counting(AtomicU8::new(0x9c))), process).unwrap();
        assert_eq!(
            ids.allocate().unwrap().as_str(),
            "9c9c9c9c9c9c9c9c9c9c9c9c9c9c9c9c-1"
        );
    }

    #[test]
    fn a_reservation_in_another_process_is_whole() {
        let (ids, process) = ids_from(1);
        process.0.store(8, Ordering::Relaxed);
        let mut reserved = ids.reserve(3).unwrap();
        for _ in 0..3 {
            assert!(reserved.allocate().is_ok());
        }
        assert_eq!(reserved.allocate(), Err(IdError::Exhausted));
    }

    #[test]
    fn a_spent_sequence_is_refused_and_does_not_wrap() {
        let (ids, _) = ids_from(u64::MAX - 1);
        assert_eq!(
            ids.allocate().unwrap().as_str(),
            "abababababababababababababababab-18446744073709551614"
        );
        assert_eq!(ids.allocate(), Err(IdError::Exhausted));
        assert_eq!(ids.allocate(), Err(IdError::Exhausted));
        assert_eq!(IdError::Exhausted.kind(), "ids-exhausted");
    }

    #[test]
    fn a_reservation_is_whole_or_refused() {
        let (ids, process) = ids_from(u64::MAX - 3);
        assert_eq!(ids.reserve(4).err(), Some(IdError::Exhausted));
        let mut reserved = ids.reserve(2).unwrap();
        assert_eq!(
            ids.allocate().unwrap().as_str(),
            "abababababababababababababababab-18446744073709551614"
        );
        assert_eq!(
            reserved.allocate().unwrap().as_str(),
            "abababababababababababababababab-18446744073709551612"
        );
        process.0.store(8, Ordering::Relaxed);
        assert_eq!(
            reserved.allocate().unwrap().as_str(),
            "acacacacacacacacacacacacacacacac-18446744073709551613"
        );
        assert_eq!(
            reserved.allocate().unwrap().as_str(),
            "adadadadadadadadadadadadadadadad-18446744073709551613"
        );
        process.0.store(7, Ordering::Relaxed);
        assert!(reserved.allocate().is_ok());
        assert_eq!(reserved.allocate(), Err(IdError::Exhausted));
    }

    #[test]
    fn a_failing_random_source_is_refused() {
        let process = Arc::new(Process(AtomicU64::new(7)));
        assert_eq!(
            RequestIds::new(Arc::new(Failing), process).err(),
            Some(IdError::Entropy)
        );
        assert_eq!(IdError::Entropy.kind(), "entropy-unavailable");
    }
}
