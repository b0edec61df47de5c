//! The client under test: the real one, wired to a scripted peer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use mcp_http::{HttpOptions, HttpTransport, Tls};
use mcp_policy::memory::{FixedApprovals, MemoryDenials, MemoryLedger, MemoryStore, PermitAll};
use mcp_policy::port::{
    Actor, ApprovalDecision, Cancellation, CancellationUnknown, Clock, RunId, RunLedger, Untraced,
};
use mcp_policy::{Client, Failure, Ports, Refusal, Server, Session, WalkLimits};
use mcp_testkit::{AdmitAll, FakeClock, FixedProcess, MemoryCredentials, ScriptedPeer, SeededEntropy};
use mcp_wire::{Arguments, ClientInfo, Entropy, EntropyUnavailable, PortFuture, RequestIds, ToolName};

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
    pub(crate) health: Arc<MemoryStore>,
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
            .map_err(|error| Outcome::of(&Failure::from(Refusal::Id(error))))?;
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
            trace: Arc::new(Untraced),
        };
        let info = ClientInfo {
            name: "conformance".to_owned(),
            version: "1".to_owned(),
        };
        // In memory it is opened at once; a second client goes on with the run of the first.
        let _opened_before = self.ledger.open(&run(), &actor(), self.clock.wall());
        Ok(Client::with_ids(info, ids, ports))
    }
}

/// The one run of all calls.
fn run() -> RunId {
    RunId("conformance".to_owned())
}

fn actor() -> Actor {
    Actor::User("operator".to_owned())
}

/// What carries operations out.
pub(crate) enum Subject<'a> {
    /// The client, with a session for each operation.
    Client(&'a Client, &'a Server),
    /// One session that the host holds.
    Session(Box<Session<'a>>),
    /// Nothing: every operation ends like this.
    None(Outcome),
}

impl<'a> Subject<'a> {
    pub(crate) async fn new(client: &'a Client, server: &'a Server, held: bool) -> Self {
        if !held {
            return Self::Client(client, server);
        }
        match client.open_session(server).await {
            Ok(session) => Self::Session(Box::new(session)),
            Err(failure) => Self::None(Outcome::of(&failure)),
        }
    }

    pub(crate) const fn is_held(&self) -> bool {
        match self {
            Self::Session(_) => true,
            Self::Client(..) | Self::None(_) => false,
        }
    }

    /// Whether the next operation comes to its first step.
    pub(crate) fn can_begin(&self) -> bool {
        match self {
            Self::Client(..) => true,
            Self::Session(session) => !session.is_gone(),
            Self::None(_) => false,
        }
    }

    /// Carries one operation out and says what came of it.
    pub(crate) async fn carry_out(&mut self, operation: Operation, caller: &Caller) -> Outcome {
        let outcome = match (operation, self) {
            (_, Self::None(outcome)) => Ok(outcome.clone()),
            (Operation::CallTool, subject) => subject.call_echo(caller).await,
            (Operation::ListTools, Self::Client(client, server)) => client
                .list_tools(server, WalkLimits::default())
                .await
                .map(|list| Outcome::tools(&list)),
            (Operation::ListTools, Self::Session(session)) => session
                .list_tools(WalkLimits::default())
                .await
                .map(|list| Outcome::tools(&list)),
            (Operation::Ping, Self::Client(client, server)) => {
                client.ping(server).await.map(|pong| Outcome::pong(&pong))
            }
            // A held session has had its handshake.
            (Operation::Ping, Self::Session(session)) => Ok(Outcome::pong(session.pong())),
            (Operation::Probe, Self::Client(client, server)) => {
                client.probe(server).await.map(|probe| Outcome::pong(&probe.pong))
            }
            (Operation::Probe, Self::Session(session)) => {
                session.probe().await.map(|probe| Outcome::pong(&probe.pong))
            }
        };
        outcome.unwrap_or_else(|failure| Outcome::of(&failure))
    }

    /// Ends what is held.
    pub(crate) async fn close(self) {
        match self {
            Self::Session(session) => session.close().await,
            Self::Client(..) | Self::None(_) => {}
        }
    }

    async fn call_echo(&mut self, caller: &Caller) -> Result<Outcome, Failure> {
        let Ok(tool) = ToolName::parse("echo") else {
            return Ok(Outcome::impossible());
        };
        let (run, actor) = (run(), actor());
        let arguments = Arguments::none();
        let call = match self {
            Self::Client(client, server) => {
                client
                    .call_tool(server, &tool, &arguments, &run, &actor, caller)
                    .await?
            }
            Self::Session(session) => session.call_tool(&tool, &arguments, &run, &actor, caller).await?,
            Self::None(outcome) => return Ok(outcome.clone()),
        };
        let (text, structured) = (call.text, call.structured.map(String::from));
        Ok(if call.is_error {
            Outcome::ToolError { text }
        } else {
            Outcome::Result { text, structured }
        })
    }
}

/// The caller of every operation, who cancels when the oracle says so. It cannot wake anybody.
#[derive(Debug, Default)]
pub(crate) struct Caller(AtomicBool);

impl Caller {
    pub(crate) fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Cancellation for Caller {
    fn ask(&self) -> PortFuture<Result<bool, CancellationUnknown>> {
        PortFuture::ready(Ok(self.0.load(Ordering::Relaxed)))
    }

    fn poll_changed(&self, _cx: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
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
