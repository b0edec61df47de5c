//! Ten thousand calls to a server that never answers, ended by their deadlines, and as many ended by their callers: what
//! they held is free again.
//!
//! The streams are in memory and the clock moves when nobody has anything to do, so nothing here waits.

use std::sync::Arc;
use std::time::Duration;

use mcp_host::{Budget, CancelToken, Client, OsEntropy, OsProcess, Server, Tls, TokioClock};
use mcp_http::{HttpOptions, HttpTransport};
use mcp_policy::memory::{FixedApprovals, MemoryDenials, MemoryLedger, MemoryStore, PermitAll};
use mcp_policy::port::{Actor, ApprovalDecision, Never, RunId, Untraced};
use mcp_policy::{Failure, Ports, ServerName};
use mcp_testkit::{AdmitAll, MemoryCredentials, PeerReply, RecordedRequest, ReplyEnd, ScriptedPeer};
use mcp_wire::{Arguments, ClientInfo, Delivery, Endpoint, Target, ToolName};
use tokio::runtime::Handle;
use tokio::task::JoinSet;

const CALLS: usize = 10_000;

/// Says nothing, ever.
fn silent(_request: &RecordedRequest) -> PeerReply {
    PeerReply {
        pieces: Vec::new(),
        end: ReplyEnd::KeepOpen,
    }
}

struct World {
    peer: ScriptedPeer,
    client: Arc<Client>,
    ledger: Arc<MemoryLedger>,
    server: Server,
}

impl World {
    fn new() -> Option<Self> {
        let (peer, ledger) = (ScriptedPeer::new(silent), Arc::new(MemoryLedger::new(u32::MAX)));
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

    /// Starts all calls at once; each is cancelled by the token, if there is one.
    fn start(&self, token: Option<&CancelToken>) -> JoinSet<Result<(), Failure>> {
        let mut calls = JoinSet::new();
        for _ in 0..CALLS {
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
            if self.peer.log().open == 0 && Handle::current().metrics().num_alive_tasks() == 0 {
                break;
            }
            tokio::task::yield_now().await;
        }
        self.peer.log().open == 0
            && Handle::current().metrics().num_alive_tasks() == 0
            && self.ledger.steps().iter().all(|step| step.outcome.is_some())
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

#[tokio::test(start_paused = true)]
async fn a_storm_of_deadlines_and_cancellations_leaves_nothing_behind() {
    let world = World::new().unwrap();

    let ended = kinds(world.start(None)).await;
    assert_eq!(ended.len(), CALLS);
    // The handshake was never answered, so no call was sent.
    assert!(
        ended
            .iter()
            .all(|end| *end == ("deadline-exceeded", Delivery::NotSent))
    );
    // The queue held the others back: no more than its bound ever reached the server.
    assert!(
        world.peer.log().requests.len() <= 64,
        "{}",
        world.peer.log().requests.len()
    );
    assert!(world.is_calm().await);
    let heard = world.peer.log().requests.len();

    let token = CancelToken::new();
    let calls = world.start(Some(&token));
    // The places of the first storm are free again, so the server hears of the second.
    for _ in 0..CALLS {
        if world.peer.log().requests.len() > heard {
            break;
        }
        tokio::task::yield_now().await;
    }
    assert!(world.peer.log().requests.len() > heard);
    token.cancel();
    let ended = kinds(calls).await;
    assert_eq!(ended.len(), CALLS);
    assert!(ended.iter().all(|end| *end == ("cancelled", Delivery::NotSent)));
    assert!(world.is_calm().await);
    assert_eq!(world.ledger.steps().len(), 2 * CALLS);
}
