//! Approvals in memory: one fixed word, or a person's word on each call.

use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_wire::PortFuture;

use crate::approval::ApprovalSubject;
use crate::port::{Approval, ApprovalDecision, ApprovalDesk, ApprovalId, Approvals, StoreError, Word};

/// Gives the same word on every call: a standing word.
#[derive(Debug, Clone, Copy)]
pub struct FixedApprovals(pub ApprovalDecision);

impl Approvals for FixedApprovals {
    fn decide(&self, _subject: &ApprovalSubject) -> PortFuture<Result<ApprovalDecision, StoreError>> {
        PortFuture::ready(Ok(self.0))
    }
}

/// Keeps what calls ask for and what a person says of it, as long as the process lives.
///
/// A call that nobody has asked about before is pending; the same call asked again is pending under the same id. A grant is
/// used up by the call that gets it. At most [`MemoryApprovals::KEPT`] are kept; beyond that a new one is refused as
/// [`StoreError::Full`], since a model can ask for ever new arguments.
#[derive(Debug, Default)]
pub struct MemoryApprovals(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    last: u64,
    all: Vec<Approval>,
}

/// There is no approval of this id: it was never given out, is used up or was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no such approval, or it is used up")]
pub struct UnknownApproval;

impl MemoryApprovals {
    /// How many are kept at most, whatever was said of them.
    pub const KEPT: usize = 1_024;

    /// All that are kept, in the order in which they were asked for.
    #[must_use]
    pub fn list(&self) -> Vec<Approval> {
        self.kept().all.clone()
    }

    /// Grants one call.
    ///
    /// # Errors
    ///
    /// [`UnknownApproval`].
    pub fn grant(&self, id: ApprovalId) -> Result<(), UnknownApproval> {
        self.say(id, Word::Granted)
    }

    /// Denies calls on this subject, until the approval is granted or withdrawn.
    ///
    /// # Errors
    ///
    /// [`UnknownApproval`].
    pub fn deny(&self, id: ApprovalId) -> Result<(), UnknownApproval> {
        self.say(id, Word::Denied)
    }

    /// Forgets an approval with whatever was said of it; the next call asks anew.
    ///
    /// # Errors
    ///
    /// [`UnknownApproval`].
    pub fn withdraw(&self, id: ApprovalId) -> Result<(), UnknownApproval> {
        let all = &mut self.kept().all;
        let at = all.iter().position(|approval| approval.id == id);
        at.map(|at| drop(all.remove(at))).ok_or(UnknownApproval)
    }

    fn say(&self, id: ApprovalId, word: Word) -> Result<(), UnknownApproval> {
        let mut kept = self.kept();
        let approval = kept.all.iter_mut().find(|approval| approval.id == id);
        approval
            .map(|approval| approval.word = Some(word))
            .ok_or(UnknownApproval)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Approvals for MemoryApprovals {
    fn decide(&self, subject: &ApprovalSubject) -> PortFuture<Result<ApprovalDecision, StoreError>> {
        PortFuture::ready(self.kept().decide(subject))
    }
}

impl ApprovalDesk for MemoryApprovals {
    fn approvals(&self) -> PortFuture<Result<Vec<Approval>, StoreError>> {
        PortFuture::ready(Ok(self.list()))
    }

    fn say(&self, id: ApprovalId, word: Word) -> PortFuture<Result<bool, StoreError>> {
        PortFuture::ready(Ok(Self::say(self, id, word).is_ok()))
    }

    fn withdraw(&self, id: ApprovalId) -> PortFuture<Result<bool, StoreError>> {
        PortFuture::ready(Ok(Self::withdraw(self, id).is_ok()))
    }
}

impl Kept {
    fn decide(&mut self, subject: &ApprovalSubject) -> Result<ApprovalDecision, StoreError> {
        let known = self.all.iter().position(|approval| approval.subject == *subject);
        let found = known.and_then(|at| Some((at, self.all.get(at)?)));
        match found.map(|(at, approval)| (at, approval.id, approval.word)) {
            Some((at, _, Some(Word::Granted))) => {
                self.all.remove(at);
                Ok(ApprovalDecision::Granted)
            }
            Some((_, _, Some(Word::Denied))) => Ok(ApprovalDecision::Denied),
            Some((_, id, None)) => Ok(ApprovalDecision::Pending(id)),
            None => self.ask(subject).map(ApprovalDecision::Pending),
        }
    }

    fn ask(&mut self, subject: &ApprovalSubject) -> Result<ApprovalId, StoreError> {
        if self.all.len() >= MemoryApprovals::KEPT {
            return Err(StoreError::Full);
        }
        self.last += 1;
        let id = ApprovalId(self.last);
        self.all.push(Approval {
            id,
            subject: subject.clone(),
            word: None,
        });
        Ok(id)
    }
}
