//! Approval: a person's word for one call.

use std::fmt;

use mcp_wire::PortFuture;

use super::StoreError;
use crate::approval::ApprovalSubject;

/// Knows the word on calls to servers whose operator requires one.
///
/// The order for each call: the gate has let it pass, then this is asked, then the ledger. A word is for one call: an
/// implementation that keeps a person's grant uses it up with the answer, and of two calls that ask for it at the same time
/// one gets it. A denial stays until the person takes it back. One that stands for a standing word, as
/// [`FixedApprovals`](crate::memory::FixedApprovals) does, says so.
pub trait Approvals: Send + Sync {
    /// The decision on one subject. It depends on the subject and on what was said of it, and on nothing else.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be known; the call is then refused.
    ///
    /// # Cancel safety
    ///
    /// A dropped answer may have used up a grant. The call did not take place, and the person is asked again.
    fn decide(&self, subject: &ApprovalSubject) -> PortFuture<Result<ApprovalDecision, StoreError>>;
}

/// Where a person reads what calls wait for, and gives a word.
pub trait ApprovalDesk: Send + Sync {
    /// All that were asked for and are not used up, in the order in which they were asked for.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    fn approvals(&self) -> PortFuture<Result<Vec<Approval>, StoreError>>;

    /// Gives a word on an approval; the last one counts. `false` when there is none of this id: it was never given out, is
    /// used up or was taken back.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    ///
    /// # Cancel safety
    ///
    /// A word whose answer is dropped may have been given.
    fn say(&self, id: ApprovalId, word: Word) -> PortFuture<Result<bool, StoreError>>;

    /// Forgets an approval with whatever was said of it; the next call asks anew. `false` as for [`ApprovalDesk::say`].
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    ///
    /// # Cancel safety
    ///
    /// An approval whose answer is dropped may have been forgotten.
    fn withdraw(&self, id: ApprovalId) -> PortFuture<Result<bool, StoreError>>;
}

/// One approval that was asked for and is not used up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The number under which it is decided.
    pub id: ApprovalId,
    /// What it is for.
    pub subject: ApprovalSubject,
    /// What was said of it; `None` while it is pending.
    pub word: Option<Word>,
}

/// A person's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Word {
    /// Yes, once.
    Granted,
    /// No, until it is taken back.
    Denied,
}

/// What is known of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApprovalDecision {
    /// The call may take place.
    Granted,
    /// The call may not take place.
    Denied,
    /// Nobody has decided yet. The host suspends the step under this id and makes the same call again when a person has
    /// decided on it.
    Pending(ApprovalId),
}

/// The number under which an approval is decided. It is never given to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApprovalId(pub u64);

impl fmt::Display for ApprovalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
