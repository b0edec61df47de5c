//! The ports of a host around a call: gate, denials, approvals and ledger, and what they were asked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_policy::gate::{CatalogueGate, GateRules};
use mcp_policy::ledger::{RunEnd, RunState};
use mcp_policy::memory::{MemoryApprovals, MemoryLedger, MemoryStore, PermitAll, Word};
use mcp_policy::port::{
    Actor, ApprovalDecision, Approvals, Audit as _, CallAttempt, CallOrigin, CallRequest, DenialReason,
    Denials, Gate, LedgerError, RunId, RunLedger, Step, StepId, StepOutcome, StoreError, UnixTime,
};
use mcp_policy::{ApprovalSubject, GroupNameError};
use mcp_wire::PortFuture;

use crate::setup::{ClientSetup, LedgerChange, LedgerSetup, Person, RunSetup};

/// The ports around the calls of one oracle.
pub(crate) struct Governance {
    pub(crate) gate: Arc<dyn Gate>,
    pub(crate) denials: Arc<KeptDenials>,
    pub(crate) approvals: Arc<AskedPerson>,
    pub(crate) ledger: Arc<FailingLedger>,
    /// The run and the caller of every call.
    pub(crate) run: RunId,
    pub(crate) actor: Actor,
    run_setup: RunSetup,
    seen: Arc<Mutex<Vec<Judged>>>,
}

/// One call that was put to the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judged {
    pub(crate) remote_name: String,
    pub(crate) class: String,
    pub(crate) approval: String,
    /// The local name that the gate found, if it permitted the call of a tool that it knows.
    pub(crate) local_name: Option<String>,
    /// The reason, if it denied.
    pub(crate) denied: Option<String>,
}

/// One call that was put to the approvals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) local_name: Option<String>,
    pub(crate) remote_name: String,
    pub(crate) word: String,
}

/// What the ports hold after the run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept {
    pub(crate) judged: Vec<Judged>,
    pub(crate) asked: Vec<Asked>,
    /// What the store of denials holds: the name on the wire and the reason.
    pub(crate) denials: Vec<(String, String)>,
    /// `open`, `done` or `failed`; nothing when there is no run.
    pub(crate) run: Option<String>,
    pub(crate) steps: Vec<Step>,
}

impl Governance {
    /// The ports as an oracle has them set up. A gate without rules permits calls on a bare URL; those of tools that the
    /// catalogue names go through the catalogue's gate.
    pub(crate) fn new(
        setup: &ClientSetup,
        store: &Arc<MemoryStore>,
        by_local_name: bool,
    ) -> Result<Self, GroupNameError> {
        let seen = Arc::<Mutex<Vec<Judged>>>::default();
        let rules: GateRules = setup.gate.rules()?;
        let inner: Arc<dyn Gate> = if by_local_name {
            Arc::new(CatalogueGate::new(store.clone(), store.clone(), rules))
        } else {
            Arc::new(PermitAll)
        };
        Ok(Self {
            gate: Arc::new(WatchedGate {
                inner,
                seen: seen.clone(),
            }),
            denials: Arc::default(),
            approvals: Arc::new(AskedPerson::new(setup.person)),
            ledger: Arc::new(FailingLedger::new(&setup.ledger)),
            run: RunId("conformance".to_owned()),
            actor: setup.gate.actor(),
            run_setup: setup.ledger.run,
            seen,
        })
    }

    /// Brings the run about. A second client goes on with the run of the first.
    pub(crate) async fn open_run(&self, now: UnixTime) {
        match self.run_setup {
            RunSetup::Never => {}
            RunSetup::Opened => {
                let _opened_before = self.ledger.open(&self.run, &self.actor, now).await;
            }
            RunSetup::Ended => {
                let _opened_before = self.ledger.open(&self.run, &self.actor, now).await;
                let _ended_before = self.ledger.end(&self.run, RunEnd::Done, now).await;
            }
        }
    }

    /// Everything that the ports hold.
    pub(crate) async fn kept(&self) -> Result<Kept, StoreError> {
        let runs = self.ledger.inner.runs().await?;
        let state = runs.into_iter().find(|run| run.id == self.run);
        let state = state.map(|run| match run.state {
            RunState::Open => "open",
            RunState::Ended(end) => end.name(),
        });
        Ok(Kept {
            judged: lock(&self.seen).clone(),
            asked: lock(&self.approvals.asked).clone(),
            denials: lock(&self.denials.0).clone(),
            run: state.map(str::to_owned),
            steps: self.ledger.inner.steps(),
        })
    }
}

/// Keeps a denial once somebody waits for it to be kept: the name on the wire and the reason.
#[derive(Default)]
pub(crate) struct KeptDenials(Arc<Mutex<Vec<(String, String)>>>);

impl Denials for KeptDenials {
    fn record(
        &self,
        attempt: &CallAttempt<'_>,
        reason: DenialReason,
        _now: UnixTime,
    ) -> PortFuture<Result<(), StoreError>> {
        let denial = (attempt.tool.as_str().to_owned(), reason.name().to_owned());
        let kept = self.0.clone();
        PortFuture::pending(async move {
            lock(&kept).push(denial);
            Ok(())
        })
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A gate that notes what it was asked and what it said.
struct WatchedGate {
    inner: Arc<dyn Gate>,
    seen: Arc<Mutex<Vec<Judged>>>,
}

impl Gate for WatchedGate {
    fn judge(&self, attempt: &CallAttempt<'_>) -> PortFuture<Result<CallOrigin, DenialReason>> {
        let mut judged = Judged {
            remote_name: attempt.tool.as_str().to_owned(),
            class: attempt.server.class.name().to_owned(),
            approval: attempt.server.approval.as_stored().to_owned(),
            local_name: None,
            denied: None,
        };
        let (answer, seen) = (self.inner.judge(attempt), self.seen.clone());
        PortFuture::pending(async move {
            let answer = answer.await;
            match &answer {
                Ok(origin) => judged.local_name = local_name(origin),
                Err(reason) => judged.denied = Some(reason.name().to_owned()),
            }
            lock(&seen).push(judged);
            answer
        })
    }
}

fn local_name(origin: &CallOrigin) -> Option<String> {
    match origin {
        CallOrigin::Catalogued { local_name, .. } => Some(local_name.to_string()),
        CallOrigin::AdHoc => None,
    }
}

/// Approvals, and the person who may be there to give them.
pub(crate) struct AskedPerson {
    inner: Arc<MemoryApprovals>,
    person: Person,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl AskedPerson {
    fn new(person: Person) -> Self {
        Self {
            inner: Arc::default(),
            person,
            asked: Arc::default(),
        }
    }

    /// Says a word on what is pending for a tool. Whether there is anything.
    pub(crate) fn say(&self, tool: &str, word: Word) -> bool {
        let all = self.inner.list();
        let asked = all
            .iter()
            .find(|asked| local_name(&asked.subject.origin).as_deref() == Some(tool));
        asked.is_some_and(|asked| match word {
            Word::Granted => self.inner.grant(asked.id).is_ok(),
            Word::Denied => self.inner.deny(asked.id).is_ok(),
        })
    }
}

impl Approvals for AskedPerson {
    fn decide(&self, subject: &ApprovalSubject) -> PortFuture<Result<ApprovalDecision, StoreError>> {
        let (inner, person, asked) = (self.inner.clone(), self.person, self.asked.clone());
        let subject = subject.clone();
        PortFuture::pending(async move {
            let mut decision = inner.decide(&subject).await?;
            if let (ApprovalDecision::Pending(id), Person::Grants) = (decision, person) {
                inner.grant(id).map_err(|_| StoreError::Unavailable)?;
                decision = inner.decide(&subject).await?;
            }
            lock(&asked).push(Asked {
                local_name: local_name(&subject.origin),
                remote_name: subject.tool.as_str().to_owned(),
                word: match decision {
                    ApprovalDecision::Granted => "granted",
                    ApprovalDecision::Denied => "denied",
                    ApprovalDecision::Pending(_) => "pending",
                }
                .to_owned(),
            });
            Ok(decision)
        })
    }
}

/// A ledger that cannot store some of its changes.
pub(crate) struct FailingLedger {
    inner: MemoryLedger,
    setup: LedgerSetup,
}

impl FailingLedger {
    fn new(setup: &LedgerSetup) -> Self {
        Self {
            inner: MemoryLedger::new(setup.calls),
            setup: setup.clone(),
        }
    }

    /// What a change comes to: nothing is stored when it fails.
    fn unless_failing<T: Send + 'static>(
        &self,
        change: LedgerChange,
        carry_out: impl FnOnce(&MemoryLedger) -> PortFuture<Result<T, LedgerError>>,
    ) -> PortFuture<Result<T, LedgerError>> {
        if self.setup.fails.contains(&change) {
            PortFuture::ready(Err(StoreError::Unavailable.into()))
        } else {
            carry_out(&self.inner)
        }
    }
}

impl RunLedger for FailingLedger {
    fn open(&self, run: &RunId, actor: &Actor, now: UnixTime) -> PortFuture<Result<(), LedgerError>> {
        self.inner.open(run, actor, now)
    }

    fn charge(&self, run: &RunId) -> PortFuture<Result<(), LedgerError>> {
        self.unless_failing(LedgerChange::Charge, |ledger| ledger.charge(run))
    }

    fn stamp(&self, call: &CallRequest<'_>, now: UnixTime) -> PortFuture<Result<StepId, LedgerError>> {
        self.unless_failing(LedgerChange::Stamp, |ledger| ledger.stamp(call, now))
    }

    fn settle(
        &self,
        step: StepId,
        outcome: StepOutcome,
        now: UnixTime,
    ) -> PortFuture<Result<(), LedgerError>> {
        self.unless_failing(LedgerChange::Settle, |ledger| ledger.settle(step, outcome, now))
    }

    fn end(&self, run: &RunId, end: RunEnd, now: UnixTime) -> PortFuture<Result<(), LedgerError>> {
        self.unless_failing(LedgerChange::End, |ledger| ledger.end(run, end, now))
    }

    fn reclaim(&self, now: UnixTime) -> PortFuture<Result<Vec<Step>, LedgerError>> {
        self.inner.reclaim(now)
    }
}
