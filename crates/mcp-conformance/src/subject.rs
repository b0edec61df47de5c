//! The client under test: the real one, wired to a scripted peer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_http::{HttpOptions, HttpTransport, Tls};
use mcp_policy::memory::{FixedApprovals, MemoryDenials, MemoryHealth, MemoryLedger, PermitAll};
use mcp_policy::port::{Actor, ApprovalDecision, Never, RunId};
use mcp_policy::{Client, Failure, Ports, Refusal, Server, WalkLimits};
use mcp_testkit::{AdmitAll, FakeClock, FixedProcess, MemoryCredentials, ScriptedPeer, SeededEntropy};
use mcp_wire::{Arguments, ClientInfo, Entropy, EntropyUnavailable, RequestIds, ToolName};

use crate::oracle::{ClientSetup, EntropySetup, Operation};
use crate::outcome::Outcome;
use crate::profile::CREDENTIAL;

/// Where the clients of one oracle live: the process, the stores, the peer.
pub(crate) struct Surroundings {
    setup: ClientSetup,
    peer: ScriptedPeer,
    clock: FakeClock,
    entropy: Arc<OracleEntropy>,
    pub(crate) process: Arc<FixedProcess>,
    pub(crate) credentials: Arc<MemoryCredentials>,
    pub(crate) health: Arc<MemoryHealth>,
    pub(crate) ledger: Arc<MemoryLedger>,
}

impl Surroundings {
    pub(crate) fn new(setup: ClientSetup, peer: ScriptedPeer, clock: FakeClock) -> Self {
        Self {
            entropy: Arc::new(OracleEntropy::new(setup.entropy)),
            setup,
            peer,
            clock,
            process: Arc::default(),
            credentials: Arc::new(MemoryCredentials::holding(CREDENTIAL, "secret")),
            health: Arc::default(),
            ledger: Arc::default(),
        }
    }

    /// A client; or, when its namespace cannot be drawn, how every operation of it would end.
    pub(crate) fn client(&self) -> Result<Client, Outcome> {
        self.entropy.next_client();
        let ids = RequestIds::starting_at(self.entropy.clone(), self.process.clone(), self.setup.first)
            .map_err(|error| Outcome::of(&Failure::Refused(Refusal::Id(error))))?;
        let transport = HttpTransport::with_dialler(
            Arc::new(AdmitAll),
            self.credentials.clone(),
            Arc::new(self.peer.clone()),
            Tls::platform(),
            HttpOptions::default(),
        );
        let ports = Ports {
            transport: Arc::new(transport),
            clock: Arc::new(self.clock.clone()),
            entropy: self.entropy.clone(),
            process: self.process.clone(),
            gate: Arc::new(PermitAll),
            denials: Arc::new(MemoryDenials::default()),
            approvals: Arc::new(FixedApprovals(ApprovalDecision::Granted)),
            ledger: self.ledger.clone(),
            health: self.health.clone(),
        };
        let info = ClientInfo {
            name: "conformance".to_owned(),
            version: "1".to_owned(),
        };
        Ok(Client::with_ids(info, ids, ports))
    }
}

/// Carries one operation out and says what came of it.
pub(crate) async fn carry_out(client: &Client, operation: Operation, server: &Server) -> Outcome {
    let outcome = match operation {
        Operation::CallTool => call_echo(client, server).await,
        Operation::ListTools => client
            .list_tools(server, WalkLimits::default())
            .await
            .map(|list| Outcome::Tools {
                names: list
                    .tools
                    .iter()
                    .map(|tool| tool.name().as_str().to_owned())
                    .collect(),
                quarantined: list.quarantined.len(),
            }),
        Operation::Ping => client.ping(server).await.map(|pong| Outcome::pong(&pong)),
        Operation::Probe => client.probe(server).await.map(|probe| Outcome::pong(&probe.pong)),
    };
    outcome.unwrap_or_else(|failure| Outcome::of(&failure))
}

async fn call_echo(client: &Client, server: &Server) -> Result<Outcome, Failure> {
    let Ok(tool) = ToolName::parse("echo") else {
        return Ok(Outcome::impossible());
    };
    let (run, actor) = (
        RunId("conformance".to_owned()),
        Actor::User("operator".to_owned()),
    );
    let call = client
        .call_tool(server, &tool, &Arguments::none(), &run, &actor, &Never)
        .await?;
    let (text, structured) = (call.text, call.structured.map(String::from));
    Ok(if call.is_error {
        Outcome::ToolError { text }
    } else {
        Outcome::Result { text, structured }
    })
}

/// Seeded bytes, as long as the oracle lets them be had.
struct OracleEntropy {
    setup: EntropySetup,
    seeded: SeededEntropy,
    /// Whether the current client has drawn its namespace.
    drawn: AtomicBool,
}

impl OracleEntropy {
    fn new(setup: EntropySetup) -> Self {
        Self {
            setup,
            seeded: SeededEntropy::new(227),
            drawn: AtomicBool::new(false),
        }
    }

    fn next_client(&self) {
        self.drawn.store(false, Ordering::Relaxed);
    }
}

impl Entropy for OracleEntropy {
    fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
        let drawn = self.drawn.swap(true, Ordering::Relaxed);
        match self.setup {
            EntropySetup::Healthy => self.seeded.fill(target),
            EntropySetup::FailsAfterwards if !drawn => self.seeded.fill(target),
            EntropySetup::FailsAfterwards | EntropySetup::Fails => Err(EntropyUnavailable),
        }
    }
}
