//! The client under test: the real one, wired to a scripted peer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use mcp_http::{HttpOptions, HttpTransport, Tls};
use mcp_policy::memory::{FixedApprovals, MemoryDenials, MemoryLedger, MemoryStore, PermitAll};
use mcp_policy::port::{
    Actor, ApprovalDecision, Cancellation, CancellationUnknown, Clock, RunId, RunLedger, Untraced,
};
use mcp_policy::{Client, Failure, Ports, Refusal, RegistryError, Server, Session, WalkLimits};
use mcp_testkit::{AdmitAll, FakeClock, FixedProcess, MemoryCredentials, ScriptedPeer, SeededEntropy};
use mcp_wire::{Arguments, ClientInfo, Entropy, EntropyUnavailable, PortFuture, RequestIds, ToolName};

use crate::host::Host;
use crate::oracle::{ClientSetup, EntropySetup, Operation};
use crate::outcome::Outcome;
use crate::profile::CREDENTIAL;
use crate::step::Turn;

/// Where the clients of one oracle live: the process, the stores, the peer.
pub(crate) struct Surroundings {
    setup: ClientSetup,
    peer: ScriptedPeer,
    clock: FakeClock,
    entropy: Arc<OracleEntropy>,
    pub(crate) process: Arc<FixedProcess>,
    pub(crate) credentials: Arc<MemoryCredentials>,
    /// Servers, catalogue and contacts.
    pub(crate) store: Arc<MemoryStore>,
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
            store: Arc::default(),
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
            health: self.store.clone(),
            trace: Arc::new(Untraced),
        };
        let info = ClientInfo {
            name: "conformance".to_owned(),
            version: "1".to_owned(),
        };
        // In memory it is opened at once; a second client goes on with the run of the first.
        let (run, actor) = on_behalf_of();
        let _opened_before = self.ledger.open(&run, &actor, self.clock.wall());
        Ok(Client::with_ids(info, ids, ports))
    }
}

/// What carries operations out.
pub(crate) enum Subject<'a> {
    /// The client, with a session for each operation.
    Client(Host<'a>),
    /// One session that the host holds.
    Session(Box<Session<'a>>),
    /// Nothing: every operation ends like this.
    None(Outcome),
}

impl<'a> Subject<'a> {
    /// Opens a session to be held.
    pub(crate) async fn hold(client: &'a Client, server: &'a Server) -> Self {
        match client.open_session(server).await {
            Ok(session) => Self::Session(Box::new(session)),
            Err(failure) => Self::None(Outcome::of(&failure)),
        }
    }

    pub(crate) const fn is_held(&self) -> bool {
        match self {
            Self::Session(_) => true,
            Self::Client(_) | Self::None(_) => false,
        }
    }

    /// Whether an operation comes to its first step.
    pub(crate) async fn can_begin(&self, turn: Turn<'_>) -> bool {
        match self {
            Self::Client(host) => {
                host.server(turn.operation).await.is_ok() && host.remote_name(turn.tool).await.is_ok()
            }
            Self::Session(session) => !session.is_gone(),
            Self::None(_) => false,
        }
    }

    /// Carries one operation out and says what came of it.
    pub(crate) async fn carry_out(&mut self, turn: Turn<'_>, caller: &Caller) -> Outcome {
        match self {
            Self::Client(host) => match by_record(*host, turn, caller).await {
                Ok(outcome) => outcome,
                Err(error) => Outcome::of_registry(&error),
            },
            Self::Session(session) => match in_session(session, turn, caller).await {
                Ok(outcome) => outcome,
                Err(failure) => Outcome::of(&failure),
            },
            Self::None(outcome) => outcome.clone(),
        }
    }

    /// Ends what is held.
    pub(crate) async fn close(self) {
        match self {
            Self::Session(session) => session.close().await,
            Self::Client(_) | Self::None(_) => {}
        }
    }
}

/// An operation of the server that the host's record names, in a session of its own.
async fn by_record(host: Host<'_>, turn: Turn<'_>, caller: &Caller) -> Result<Outcome, RegistryError> {
    // What the registry does needs no server at hand.
    match turn.operation {
        Operation::Import => return Ok(host.import().await),
        Operation::RemoteTools => return Ok(host.remote_tools().await),
        Operation::CallTool | Operation::ListTools | Operation::Ping | Operation::Probe => {}
    }
    let server = host.server(turn.operation).await?;
    let tool = host.remote_name(turn.tool).await?;
    let (run, actor) = on_behalf_of();
    let client = host.client;
    Ok(match turn.operation {
        Operation::CallTool => Outcome::called(
            client
                .call_tool(&server, &tool, &Arguments::none(), &run, &actor, caller)
                .await?,
        ),
        Operation::ListTools => Outcome::tools(&client.list_tools(&server, WalkLimits::default()).await?),
        Operation::Ping => Outcome::pong(&client.ping(&server).await?),
        Operation::Probe => Outcome::pong(&client.probe(&server).await?.pong),
        Operation::Import | Operation::RemoteTools => Outcome::impossible(),
    })
}

/// An operation in a session that is held.
async fn in_session(session: &mut Session<'_>, turn: Turn<'_>, caller: &Caller) -> Result<Outcome, Failure> {
    let (run, actor) = on_behalf_of();
    Ok(match (turn.operation, ToolName::parse("echo")) {
        (Operation::CallTool, Ok(tool)) => Outcome::called(
            session
                .call_tool(&tool, &Arguments::none(), &run, &actor, caller)
                .await?,
        ),
        (Operation::ListTools, _) => Outcome::tools(&session.list_tools(WalkLimits::default()).await?),
        // A held session has had its handshake.
        (Operation::Ping, _) => Outcome::pong(session.pong()),
        (Operation::Probe, _) => Outcome::pong(&session.probe().await?.pong),
        (Operation::CallTool | Operation::Import | Operation::RemoteTools, _) => Outcome::impossible(),
    })
}

/// The run and the user of every call.
fn on_behalf_of() -> (RunId, Actor) {
    (
        RunId("conformance".to_owned()),
        Actor::User("operator".to_owned()),
    )
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
