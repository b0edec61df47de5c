//! Ten thousand calls to a server that never answers, ended by their deadlines, and as many ended by their callers: what
//! they held is free again, memory included.
//!
//! The streams are in memory and the clock moves when nobody has anything to do, so nothing here waits. Memory is looked
//! at over rounds of fewer calls, because an allocator that gave out much keeps much; the first of them are not counted.
//! `-- --nocapture` prints what is resident.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper_util::rt::TokioIo;
use mcp_host::{Budget, CancelToken, Client, OsEntropy, OsProcess, Server, Tls, TokioClock};
use mcp_http::{BoxedStream, Dialler, HttpOptions, HttpTransport};
use mcp_policy::ledger::RunEnd;
use mcp_policy::memory::{FixedApprovals, MemoryDenials, MemoryStore, PermitAll};
use mcp_policy::port::{
    Actor, ApprovalDecision, CallRequest, LedgerError, Never, RunId, RunLedger, Step, StepId, StepOutcome,
    UnixTime, Untraced,
};
use mcp_policy::{Failure, Ports, ServerName};
use mcp_testkit::{AdmitAll, MemoryCredentials};
use mcp_wire::{Arguments, ClientInfo, Delivery, Endpoint, PortFuture, Target, ToolName};
use tokio::io::AsyncReadExt;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

const CALLS: usize = 10_000;

/// Calls of one sort in a round, rounds that are not counted, and rounds that are.
const ROUND: usize = 500;
const WARM_UP: usize = 10;
const ROUNDS: usize = 20;

/// How much more may be resident after the rounds than before them. They have 20,000 calls: 100 bytes kept of each would
/// be 2,000,000.
const ALLOWANCE: i64 = 1_000_000;

/// Counts steps and keeps none, so that what stays resident is not its own.
#[derive(Debug, Default)]
struct CountingLedger {
    stamped: AtomicUsize,
    settled: AtomicUsize,
}

impl RunLedger for CountingLedger {
    fn open(&self, _run: &RunId, _actor: &Actor, _now: UnixTime) -> PortFuture<Result<(), LedgerError>> {
        PortFuture::ready(Ok(()))
    }

    fn charge(&self, _run: &RunId) -> PortFuture<Result<(), LedgerError>> {
        PortFuture::ready(Ok(()))
    }

    fn stamp(&self, _call: &CallRequest<'_>, _now: UnixTime) -> PortFuture<Result<StepId, LedgerError>> {
        let number = self.stamped.fetch_add(1, Ordering::Relaxed);
        PortFuture::ready(Ok(StepId(u64::try_from(number).unwrap_or(u64::MAX))))
    }

    fn settle(
        &self,
        _step: StepId,
        _outcome: StepOutcome,
        _now: UnixTime,
    ) -> PortFuture<Result<(), LedgerError>> {
        self.settled.fetch_add(1, Ordering::Relaxed);
        PortFuture::ready(Ok(()))
    }

    fn end(&self, _run: &RunId, _end: RunEnd, _now: UnixTime) -> PortFuture<Result<(), LedgerError>> {
        PortFuture::ready(Ok(()))
    }

    fn reclaim(&self, _now: UnixTime) -> PortFuture<Result<Vec<Step>, LedgerError>> {
        PortFuture::ready(Ok(Vec::new()))
    }
}

/// Makes connections to a peer that takes everything and says nothing, ever. Counts them and keeps nothing of them.
#[derive(Debug, Clone, Default)]
struct Silent {
    heard: Arc<AtomicUsize>,
    open: Arc<AtomicUsize>,
}

impl Silent {
    /// Connections on which something was said.
    fn heard(&self) -> usize {
        self.heard.load(Ordering::Relaxed)
    }

    fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }
}

impl Dialler for Silent {
    fn resolve(&self, _name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        PortFuture::ready(Ok(vec![SocketAddr::from(([203, 0, 113, 1], port))]))
    }

    fn connect(&self, _address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        self.open.fetch_add(1, Ordering::Relaxed);
        let (ours, mut theirs) = tokio::io::duplex(64 * 1_024);
        let Self { heard, open } = self.clone();
        tokio::spawn(async move {
            let mut piece = [0; 1_024];
            if matches!(theirs.read(&mut piece).await, Ok(1..)) {
                heard.fetch_add(1, Ordering::Relaxed);
            }
            // The end comes when the client drops its side.
            while matches!(theirs.read(&mut piece).await, Ok(1..)) {}
            open.fetch_sub(1, Ordering::Relaxed);
        });
        PortFuture::ready(Ok(Box::new(TokioIo::new(ours))))
    }
}

struct World {
    peer: Silent,
    client: Arc<Client>,
    ledger: Arc<CountingLedger>,
    server: Server,
}

impl World {
    fn new() -> Option<Self> {
        let (peer, ledger) = (Silent::default(), Arc::<CountingLedger>::default());
        let transport = HttpTransport::with_dialler(
            Arc::new(AdmitAll),
            Arc::new(MemoryCredentials::default()),
            Arc::new(peer.clone()),
            Tls::platform(),
            HttpOptions::default(),
        );
        let ports = Ports {
            transport: Arc::new(transport),
            clock: Arc::new(TokioClock::new()),
            entropy: Arc::new(OsEntropy),
            process: Arc::new(OsProcess),
            gate: Arc::new(PermitAll),
            denials: Arc::new(MemoryDenials::default()),
            approvals: Arc::new(FixedApprovals(ApprovalDecision::Granted)),
            ledger: ledger.clone(),
            health: Arc::new(MemoryStore::default()),
            trace: Arc::new(Untraced),
        };
        let info = ClientInfo {
            name: "storm".to_owned(),
            version: "1".to_owned(),
        };
        let client = Arc::new(Client::new(info, ports).ok()?);
        let endpoint = Endpoint::parse("http://silent.example/mcp").ok()?;
        let mut server = Server::new(ServerName::parse("silent").ok()?, Target::new(endpoint));
        server.budget = Budget::new(Duration::from_millis(50)).ok()?;
        Some(Self {
            peer,
            client,
            ledger,
            server,
        })
    }

    /// Starts so many calls at once; each is cancelled by the token, if there is one.
    fn start(&self, calls_at_once: usize, token: Option<&CancelToken>) -> JoinSet<Result<(), Failure>> {
        let mut calls = JoinSet::new();
        for _ in 0..calls_at_once {
            let (client, server, token) = (self.client.clone(), self.server.clone(), token.cloned());
            calls.spawn(async move {
                let Ok(tool) = ToolName::parse("echo") else {
                    return Ok(());
                };
                let (run, actor, arguments) =
                    (RunId("storm".to_owned()), Actor::Unattended, Arguments::none());
                let outcome = match &token {
                    Some(token) => {
                        client
                            .call_tool(&server, &tool, &arguments, &run, &actor, token)
                            .await
                    }
                    None => {
                        client
                            .call_tool(&server, &tool, &arguments, &run, &actor, &Never)
                            .await
                    }
                };
                outcome.map(|_answered| ())
            });
        }
        calls
    }

    /// Nothing of the calls is left: no connection, no task, no step without an outcome.
    async fn is_calm(&self) -> bool {
        // hyper's drivers see in their next turn that nobody holds them.
        for _ in 0..CALLS {
            if self.peer.open() == 0 && Handle::current().metrics().num_alive_tasks() == 0 {
                break;
            }
            tokio::task::yield_now().await;
        }
        self.peer.open() == 0
            && Handle::current().metrics().num_alive_tasks() == 0
            && self.ledger.settled.load(Ordering::Relaxed) == self.ledger.stamped.load(Ordering::Relaxed)
    }
}

async fn kinds(mut calls: JoinSet<Result<(), Failure>>) -> Vec<(&'static str, Delivery)> {
    let mut kinds = Vec::new();
    while let Some(ended) = calls.join_next().await {
        let outcome = ended.unwrap_or(Ok(()));
        kinds.push(outcome.map_or_else(
            |failure| (failure.kind(), failure.delivery()),
            |()| ("answered", Delivery::Answered),
        ));
    }
    kinds
}

/// The bytes of this process in memory, where the system tells them.
fn resident() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: i64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1_024)
}

/// One storm of deadlines and one of cancellations. What was resident in the middle of the second.
async fn round(world: &World, count: usize) -> Option<i64> {
    let heard = world.peer.heard();
    let ended = kinds(world.start(count, None)).await;
    assert_eq!(ended.len(), count);
    // The handshake was never answered, so no call was sent.
    assert!(
        ended
            .iter()
            .all(|end| *end == ("deadline-exceeded", Delivery::NotSent))
    );
    // The queue held the others back: no more than its bound ever reached the server.
    let reached = world.peer.heard() - heard;
    assert!(reached <= 64, "{reached}");
    assert!(world.is_calm().await);

    let heard = world.peer.heard();
    let token = CancelToken::new();
    let calls = world.start(count, Some(&token));
    // The places of the first storm are free again, so the server hears of the second.
    for _ in 0..CALLS {
        if world.peer.heard() > heard {
            break;
        }
        tokio::task::yield_now().await;
    }
    assert!(world.peer.heard() > heard);
    let during = resident();
    token.cancel();
    let ended = kinds(calls).await;
    assert_eq!(ended.len(), count);
    assert!(ended.iter().all(|end| *end == ("cancelled", Delivery::NotSent)));
    assert!(world.is_calm().await);
    during
}

#[tokio::test(start_paused = true)]
async fn a_storm_of_deadlines_and_cancellations_leaves_nothing_behind() {
    let world = World::new().unwrap();
    for _ in 0..WARM_UP {
        round(&world, ROUND).await;
    }
    let start = resident();
    let mut during = None;
    for _ in 0..ROUNDS {
        during = round(&world, ROUND).await;
    }
    let end = resident();
    round(&world, CALLS).await;
    let steps = 2 * (ROUND * (WARM_UP + ROUNDS) + CALLS);
    assert_eq!(world.ledger.stamped.load(Ordering::Relaxed), steps);
    let (Some(start), Some(during), Some(end)) = (start, during, end) else {
        println!("this system does not tell what is resident");
        return;
    };
    println!("resident: {start} bytes at the start, {during} with {ROUND} calls open, {end} at the end");
    let more = end - start;
    assert!(more < ALLOWANCE, "{more} bytes more than before the rounds");
}
