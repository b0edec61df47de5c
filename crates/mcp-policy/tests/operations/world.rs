//! A client whose ports answer as a test says, and the log of what they were asked.

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_policy::ledger::RunEnd;
use mcp_policy::memory::{MemoryDenials, MemoryLedger, MemoryStore};
use mcp_policy::port::{
    Actor, ApprovalDecision, Approvals, CallAttempt, CallOrigin, CallRequest, Cancellation, Clock, Contact,
    Denial, DenialReason, Denials, Gate, HealthStore, LedgerError, Moment, RunId, RunLedger, Step, StepId,
    StepOutcome, StoreError, UnixTime, Untraced,
};
use mcp_policy::{ApprovalSubject, CallOutcome, Client, Failure, Ports, Server, ServerName};
use mcp_testkit::{FakeClock, FixedProcess, MemoryAnswer, MemoryTransport, SeededEntropy};
use mcp_wire::{
    Arguments, ClientInfo, Delivery, Endpoint, Exchange, ExchangeEvent, Message, Method, PortFuture,
    RequestIds, Stage, Target, ToolName, Transport,
};

use crate::support::{Task, now};

/// What the ports answer; `None` never does.
#[derive(Debug, Clone)]
pub(crate) struct Answers {
    pub(crate) gate: Option<Result<(), DenialReason>>,
    pub(crate) denial: Option<Result<(), StoreError>>,
    pub(crate) approval: Option<Result<ApprovalDecision, StoreError>>,
    /// On `Ok`, the ledger in memory answers; so with the two below.
    pub(crate) charge: Option<Result<(), LedgerError>>,
    pub(crate) stamp: Option<Result<(), LedgerError>>,
    pub(crate) settle: Option<Result<(), LedgerError>>,
    pub(crate) contact: Option<Result<(), StoreError>>,
    /// A leg whose answer comes only when the clock has run so long. It wakes nobody.
    pub(crate) late: Option<(Method, Duration)>,
    /// A port whose answer comes only when the clock has run so long, by its name in the log. It wakes nobody.
    pub(crate) late_port: Option<(&'static str, Duration)>,
    /// A leg that waits for ever before its first byte.
    pub(crate) unsent: Option<Method>,
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            gate: Some(Ok(())),
            denial: Some(Ok(())),
            approval: Some(Ok(ApprovalDecision::Granted)),
            charge: Some(Ok(())),
            stamp: Some(Ok(())),
            settle: Some(Ok(())),
            contact: Some(Ok(())),
            late: None,
            late_port: None,
            unsent: None,
        }
    }
}

/// A client, its one server, and everything around them.
pub(crate) struct World {
    pub(crate) client: Client,
    pub(crate) server: Server,
    pub(crate) clock: FakeClock,
    ports: Arc<Recorder>,
}

/// What every port of a [`World`] is: it writes down that it was asked, then answers.
struct Recorder {
    answers: Answers,
    log: Arc<Mutex<Vec<String>>>,
    ledger: MemoryLedger,
    denials: MemoryDenials,
    health: MemoryStore,
    transport: MemoryTransport,
    clock: FakeClock,
}

impl World {
    /// A world under the strict settings, with ids from a seed and the server that `script` plays.
    pub(crate) fn new(
        answers: Answers,
        script: impl FnMut(&Message) -> MemoryAnswer + Send + 'static,
    ) -> Self {
        Self::at(FakeClock::new(), answers, script)
    }

    /// As [`World::new`], with a clock that the script can move.
    pub(crate) fn at(
        clock: FakeClock,
        answers: Answers,
        script: impl FnMut(&Message) -> MemoryAnswer + Send + 'static,
    ) -> Self {
        let (entropy, process) = (Arc::new(SeededEntropy::new(1)), Arc::<FixedProcess>::default());
        let ids = RequestIds::new(entropy, process).unwrap();
        Self::with_ids(ids, clock, answers, script)
    }

    pub(crate) fn with_ids(
        ids: RequestIds,
        clock: FakeClock,
        answers: Answers,
        script: impl FnMut(&Message) -> MemoryAnswer + Send + 'static,
    ) -> Self {
        let ports = Arc::new(Recorder {
            answers,
            log: Arc::default(),
            ledger: MemoryLedger::default(),
            denials: MemoryDenials::default(),
            health: MemoryStore::default(),
            transport: MemoryTransport::new(script),
            clock: clock.clone(),
        });
        let wired = wired(&ports);
        for run in ["run-1", "run-2"] {
            let opened = ports
                .ledger
                .open(&RunId(run.to_owned()), &Actor::Unattended, clock.wall());
            assert!(matches!(now(opened), Ok(())));
        }
        let info = ClientInfo {
            name: "host".to_owned(),
            version: "1".to_owned(),
        };
        let target = Target::new(Endpoint::parse("https://srv.example/mcp").unwrap());
        Self {
            client: Client::with_ids(info, ids, wired),
            server: Server::new(ServerName::parse("demo").unwrap(), target),
            clock,
            ports,
        }
    }

    /// Calls `echo` in the run `run-1`.
    pub(crate) fn call<'a>(
        &'a self,
        cancellation: &'a dyn Cancellation,
    ) -> Task<'a, Result<CallOutcome, Failure>> {
        self.call_in("run-1", cancellation)
    }

    pub(crate) fn call_in<'a>(
        &'a self,
        run: &'a str,
        cancellation: &'a dyn Cancellation,
    ) -> Task<'a, Result<CallOutcome, Failure>> {
        Task::new(async move {
            let (tool, run) = (ToolName::parse("echo").unwrap(), RunId(run.to_owned()));
            let (arguments, actor) = (Arguments::none(), Actor::Unattended);
            self.client
                .call_tool(&self.server, &tool, &arguments, &run, &actor, cancellation)
                .await
        })
    }

    /// The wall-clock time at which the clock of a world starts.
    pub(crate) fn clock_at_zero(&self) -> UnixTime {
        UnixTime(self.clock.wall().0 - self.clock.now().0)
    }

    /// The ports of the client, for another one.
    pub(crate) fn ports(&self) -> Ports {
        wired(&self.ports)
    }

    /// What the ports were asked, in order; a transport by the methods of its messages.
    pub(crate) fn log(&self) -> Vec<String> {
        self.ports.log.lock().unwrap().clone()
    }

    pub(crate) fn ledger(&self) -> &MemoryLedger {
        &self.ports.ledger
    }

    /// The one step that the ledger holds.
    pub(crate) fn step(&self) -> Step {
        let [step] = <[Step; 1]>::try_from(self.ports.ledger.steps()).expect("one step");
        step
    }

    /// The number of steps that the ledger holds.
    pub(crate) fn steps(&self) -> usize {
        self.ports.ledger.steps().len()
    }

    pub(crate) fn denials(&self) -> Vec<Denial> {
        self.ports.denials.all()
    }

    pub(crate) fn last_contact(&self) -> Option<Contact> {
        self.ports.health.last_contact(&self.server.name)
    }
}

fn wired(ports: &Arc<Recorder>) -> Ports {
    Ports {
        transport: ports.clone(),
        clock: Arc::new(ports.clock.clone()),
        entropy: Arc::new(SeededEntropy::new(2)),
        process: Arc::<FixedProcess>::default(),
        gate: ports.clone(),
        denials: ports.clone(),
        approvals: ports.clone(),
        ledger: ports.clone(),
        health: ports.clone(),
        trace: Arc::new(Untraced),
    }
}

impl Recorder {
    fn note(&self, entry: impl Into<String>) {
        self.log.lock().unwrap().push(entry.into());
    }

    /// The answer of a port, when it is time for it.
    fn in_time<T: Send + 'static>(&self, port: &str, answer: PortFuture<T>) -> PortFuture<T> {
        match self.answers.late_port {
            Some((late, at)) if late == port => {
                let clock = self.clock.clone();
                PortFuture::pending(async move {
                    poll_fn(|_| {
                        if clock.now() < Moment(at) {
                            Poll::Pending
                        } else {
                            Poll::Ready(())
                        }
                    })
                    .await;
                    answer.await
                })
            }
            Some(_) | None => answer,
        }
    }
}

/// The answer that a test gives; on `Ok`, that of `otherwise`.
fn say<T: Send + 'static, E: Send + 'static>(
    answer: Option<Result<(), E>>,
    otherwise: impl FnOnce() -> PortFuture<Result<T, E>>,
) -> PortFuture<Result<T, E>> {
    match answer {
        None => PortFuture::pending(std::future::pending()),
        Some(Err(error)) => PortFuture::ready(Err(error)),
        Some(Ok(())) => otherwise(),
    }
}

impl Gate for Recorder {
    fn judge(&self, _attempt: &CallAttempt<'_>) -> PortFuture<Result<CallOrigin, DenialReason>> {
        self.note("gate");
        let answer = say(self.answers.gate, || PortFuture::ready(Ok(CallOrigin::AdHoc)));
        self.in_time("gate", answer)
    }
}

impl Denials for Recorder {
    fn record(
        &self,
        attempt: &CallAttempt<'_>,
        reason: DenialReason,
        now: UnixTime,
    ) -> PortFuture<Result<(), StoreError>> {
        self.note("denial");
        say(self.answers.denial, || self.denials.record(attempt, reason, now))
    }
}

impl Approvals for Recorder {
    fn decide(&self, _subject: &ApprovalSubject) -> PortFuture<Result<ApprovalDecision, StoreError>> {
        self.note("approval");
        let answer = match self.answers.approval {
            None => PortFuture::pending(std::future::pending()),
            Some(answer) => PortFuture::ready(answer),
        };
        self.in_time("approval", answer)
    }
}

impl RunLedger for Recorder {
    fn open(&self, run: &RunId, actor: &Actor, now: UnixTime) -> PortFuture<Result<(), LedgerError>> {
        self.ledger.open(run, actor, now)
    }

    fn charge(&self, run: &RunId) -> PortFuture<Result<(), LedgerError>> {
        self.note("charge");
        self.in_time("charge", say(self.answers.charge, || self.ledger.charge(run)))
    }

    fn stamp(&self, call: &CallRequest<'_>, now: UnixTime) -> PortFuture<Result<StepId, LedgerError>> {
        self.note("stamp");
        self.in_time("stamp", say(self.answers.stamp, || self.ledger.stamp(call, now)))
    }

    fn settle(
        &self,
        step: StepId,
        outcome: StepOutcome,
        now: UnixTime,
    ) -> PortFuture<Result<(), LedgerError>> {
        let (status, delivery) = (outcome.status.name(), outcome.delivery.name());
        self.note(format!("settle {status} {delivery}"));
        say(self.answers.settle, || self.ledger.settle(step, outcome, now))
    }

    fn end(&self, run: &RunId, end: RunEnd, now: UnixTime) -> PortFuture<Result<(), LedgerError>> {
        self.note(format!("end {}", end.name()));
        self.ledger.end(run, end, now)
    }

    fn reclaim(&self, now: UnixTime) -> PortFuture<Result<Vec<Step>, LedgerError>> {
        self.ledger.reclaim(now)
    }
}

impl HealthStore for Recorder {
    fn record(&self, server: &ServerName, contact: Contact) -> PortFuture<Result<(), StoreError>> {
        self.note("contact");
        say(self.answers.contact, || self.health.record(server, contact))
    }

    fn last(&self, server: &ServerName) -> PortFuture<Result<Option<Contact>, StoreError>> {
        self.health.last(server)
    }
}

impl Transport for Recorder {
    fn open(&self, target: &Arc<Target>, message: Message) -> Box<dyn Exchange> {
        let method = message.leg().method;
        self.note(method.as_str());
        let exchange = self.transport.open(target, message);
        if self.answers.unsent == Some(method) {
            return Box::new(UnsentExchange(self.log.clone()));
        }
        match self.answers.late {
            Some((late, at)) if late == method => Box::new(LateExchange {
                exchange,
                clock: self.clock.clone(),
                at: Moment(at),
            }),
            Some(_) | None => exchange,
        }
    }
}

/// Waits for a place; each poll is written down.
struct UnsentExchange(Arc<Mutex<Vec<String>>>);

impl Exchange for UnsentExchange {
    fn poll_event(&mut self, _cx: &mut Context<'_>) -> Poll<ExchangeEvent> {
        self.0.lock().unwrap().push("polled".to_owned());
        Poll::Pending
    }

    fn stage(&self) -> Stage {
        Stage::Queue
    }

    fn delivery(&self) -> Delivery {
        Delivery::NotSent
    }
}

struct LateExchange {
    exchange: Box<dyn Exchange>,
    clock: FakeClock,
    at: Moment,
}

impl Exchange for LateExchange {
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<ExchangeEvent> {
        if self.clock.now() < self.at {
            return Poll::Pending;
        }
        self.exchange.poll_event(cx)
    }

    fn stage(&self) -> Stage {
        self.exchange.stage().max(Stage::FirstByte)
    }

    /// The message is on its way while its answer is late.
    fn delivery(&self) -> Delivery {
        match self.exchange.delivery() {
            Delivery::NotSent | Delivery::Unknown => Delivery::Unknown,
            Delivery::Answered => Delivery::Answered,
        }
    }
}
