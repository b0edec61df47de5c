//! One round: servers of every kind, calls to them with deadlines and cancellations, and what must hold afterwards.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mcp_host::{
    Budget, CancelToken, Client, HttpOptions, OsEntropy, OsProcess, OutboundRules, Server, Tls, TokioClock,
    Vault,
};
use mcp_http::HttpTransport;
use mcp_policy::memory::{FixedApprovals, MemoryDenials, MemoryLedger, MemoryStore, PermitAll};
use mcp_policy::port::{Actor, ApprovalDecision, RunId, Untraced};
use mcp_policy::{Ports, ServerName};
use mcp_testkit::loopback;
use mcp_wire::{Arguments, ClientInfo, Delivery, Endpoint, Target, ToolName};
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use super::behaviour::Behaviour;
use super::chance::Chance;
use super::verdict::{Ended, Left, Seen};
use super::watch::{Counted, Lateness};
use crate::failure::Failure;

/// Servers of a round. Each has a few calls, one after another; the servers are called at the same time.
const SERVERS: usize = 40;

/// Calls of a server that keeps its connection.
const CALLS: u64 = 6;

/// Callers of the one server that is called by several at the same time.
const CROWD: usize = 8;

/// The shortest and the longest budget, in milliseconds.
const SHORTEST: u64 = 20;
const LONGEST: u64 = 250;

/// How long a connection is kept for the next call. The task that closes idle ones lives as long, also without a client.
const IDLE: Duration = Duration::from_millis(100);

/// After this time a round, or the end of a task, is waited for no longer. Far beyond what any of them may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Everything that a round left behind.
pub(super) struct Round<'a> {
    pub(super) behaviours: Vec<&'a Behaviour>,
    pub(super) ended: Vec<Ended>,
    pub(super) seen: Vec<Seen>,
    pub(super) left: Left,
    pub(super) ledger: Arc<MemoryLedger>,
    pub(super) lateness: Duration,
}

/// The calls of one caller to one server.
struct Visit {
    server: usize,
    calls: Vec<Planned>,
}

struct Planned {
    budget: Duration,
    /// After which time the caller cancels.
    cancel: Option<Duration>,
}

impl Planned {
    const PATIENT: Self = Self {
        budget: Duration::from_secs(60),
        cancel: None,
    };
}

/// Plays one round. The servers run elsewhere, so that what the client leaves on this runtime is its own.
pub(super) async fn play<'a>(
    chance: &mut Chance,
    behaviours: &'a [Behaviour],
    servers: &Handle,
) -> Result<Round<'a>, Failure> {
    let Some((crowd, others)) = behaviours.split_first() else {
        return Err(Failure::new("there is no behaviour"));
    };
    let mut chosen = vec![crowd];
    chosen.extend((0..SERVERS).filter_map(|_| chance.of(others)));
    let mut started = Vec::new();
    for behaviour in &chosen {
        let server = loopback::Server::repeat(behaviour.script.clone(), None);
        started.push(servers.spawn(server).await??);
    }
    let visits = plan(chance, &chosen);
    let count = visits.iter().map(|visit| visit.calls.len()).sum::<usize>();

    let ledger = Arc::new(MemoryLedger::new(u32::try_from(count)?));
    let mut options = HttpOptions::default();
    options.idle = IDLE;
    let transport = HttpTransport::new(
        Arc::new(OutboundRules::default()),
        Arc::new(Vault),
        Tls::platform(),
        options,
    );
    let (transport, open) = Counted::new(transport);
    let client = Arc::new(client(transport, ledger.clone())?);
    let run = RunId("soak".to_owned());
    client.open_run(&run, &Actor::Unattended).await?;

    let lateness = Lateness::default();
    let mut calls = JoinSet::new();
    for visit in visits {
        let Some(server) = started.get(visit.server) else {
            continue;
        };
        let endpoint = Endpoint::parse(&server.http_url())?;
        let target = Server::new(
            ServerName::parse(&format!("s{}", visit.server))?,
            Target::new(endpoint),
        );
        calls.spawn(call_in_turn(client.clone(), target, run.clone(), visit));
    }
    let mut ended = Vec::new();
    let all = async {
        while let Some(visit) = calls.join_next().await {
            ended.extend(visit??);
        }
        Ok::<_, Failure>(())
    };
    tokio::select! {
        all = all => all?,
        never = lateness.watch() => match never {},
        // Calls that are still open are missing from what ended.
        () = tokio::time::sleep(PATIENCE) => {}
    }
    let exchanges = open.load(Ordering::Relaxed);
    client.end_run(&run).await?;
    drop(client);
    let left = Left {
        calls: count,
        exchanges,
        tasks: tasks_in_the_end().await,
    };
    let seen = started
        .iter()
        .map(|server| server.seen(|seen| Seen::of(&seen.requests)));
    Ok(Round {
        behaviours: chosen,
        ended,
        seen: seen.collect(),
        left,
        ledger,
        lateness: lateness.worst(),
    })
}

fn client(transport: Counted, ledger: Arc<MemoryLedger>) -> Result<Client, Failure> {
    let ports = Ports {
        transport: Arc::new(transport),
        clock: Arc::new(TokioClock::new()),
        entropy: Arc::new(OsEntropy),
        process: Arc::new(OsProcess),
        gate: Arc::new(PermitAll),
        denials: Arc::new(MemoryDenials::default()),
        approvals: Arc::new(FixedApprovals(ApprovalDecision::Granted)),
        ledger,
        health: Arc::new(MemoryStore::default()),
        trace: Arc::new(Untraced),
    };
    let info = ClientInfo {
        name: "soak".to_owned(),
        version: "1".to_owned(),
    };
    Ok(Client::new(info, ports)?)
}

fn plan(chance: &mut Chance, chosen: &[&Behaviour]) -> Vec<Visit> {
    let mut visits = Vec::new();
    for (server, behaviour) in chosen.iter().enumerate() {
        let is_crowd = server == 0;
        for _ in 0..if is_crowd { CROWD } else { 1 } {
            let count = if behaviour.is_kept {
                1 + chance.below(CALLS)
            } else {
                1
            };
            // A call that is given up leaves a connection in the middle of its script, so where others follow in order,
            // none is.
            let in_order = behaviour.is_kept && !is_crowd;
            let calls = (0..count).map(|_| {
                if in_order {
                    Planned::PATIENT
                } else {
                    planned(chance)
                }
            });
            let calls = calls.collect();
            visits.push(Visit { server, calls });
        }
    }
    visits
}

fn planned(chance: &mut Chance) -> Planned {
    let budget = SHORTEST + chance.below(LONGEST - SHORTEST);
    let cancel = chance.below(3) == 0;
    Planned {
        budget: Duration::from_millis(budget),
        cancel: cancel.then(|| Duration::from_millis(chance.below(budget))),
    }
}

async fn call_in_turn(
    client: Arc<Client>,
    mut server: Server,
    run: RunId,
    visit: Visit,
) -> Result<Vec<Ended>, Failure> {
    let (tool, arguments) = (ToolName::parse("echo")?, Arguments::none());
    let mut ended = Vec::new();
    for Planned { budget, cancel } in visit.calls {
        server.budget = Budget::new(budget)?;
        let token = CancelToken::new();
        let started = Instant::now();
        let call = client.call_tool(&server, &tool, &arguments, &run, &Actor::Unattended, &token);
        let mut call = std::pin::pin!(call);
        let mut cancelled = None;
        let canceller = async {
            match cancel {
                Some(after) => tokio::time::sleep(after).await,
                None => std::future::pending().await,
            }
        };
        let outcome = tokio::select! {
            biased;
            outcome = &mut call => outcome,
            () = canceller => {
                token.cancel();
                cancelled = Some(started.elapsed());
                call.await
            }
        };
        let took = started.elapsed();
        let (kind, delivery, text) = match outcome {
            Ok(outcome) => ("ok", Delivery::Answered, Some(outcome.text)),
            Err(failure) => (failure.kind(), failure.delivery(), None),
        };
        ended.push(Ended {
            server: visit.server,
            budget,
            cancelled,
            took,
            kind,
            delivery,
            text,
        });
    }
    Ok(ended)
}

/// The tasks of this runtime, once what is ending has ended.
async fn tasks_in_the_end() -> usize {
    let started = Instant::now();
    loop {
        let tasks = Handle::current().metrics().num_alive_tasks();
        if tasks == 0 || started.elapsed() > PATIENCE {
            return tasks;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
