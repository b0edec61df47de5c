//! The client under test: the real one, wired to a scripted peer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use mcp_policy::memory::MemoryStore;
use mcp_policy::port::{Cancellation, CancellationUnknown, Clock as _, Untraced};
use mcp_policy::{
    CallOutcome, Client, Failure, GroupNameError, Ports, Refusal, RegistryError, Server, ServerName, Session,
    WalkLimits,
};
use mcp_testkit::{FakeClock, FixedProcess, MemoryCredentials, SeededEntropy};
use mcp_wire::{Arguments, ClientInfo, Entropy, EntropyUnavailable, PortFuture, RequestIds, ToolName};

use crate::connection::Connection;
use crate::governance::Governance;
use crate::host::Host;
use crate::oracle::{Operation, Oracle};
use crate::outcome::Outcome;
use crate::profile::CREDENTIAL;
use crate::setup::{ClientSetup, EntropySetup};
use crate::step::Turn;
use crate::told::Told;

/// Where the clients of one oracle live: the process, the stores, the peer.
pub(crate) struct Surroundings {
    setup: ClientSetup,
    connection: Connection,
    clock: FakeClock,
    entropy: Arc<OracleEntropy>,
    pub(crate) process: Arc<FixedProcess>,
    pub(crate) credentials: Arc<MemoryCredentials>,
    /// Servers, catalogue and contacts.
    pub(crate) store: Arc<MemoryStore>,
    /// Gate, denials, approvals and ledger.
    pub(crate) governance: Governance,
}

impl Surroundings {
    pub(crate) fn new(
        oracle: &Oracle,
        connection: Connection,
        clock: FakeClock,
    ) -> Result<Self, GroupNameError> {
        let (setup, store) = (oracle.client.clone(), Arc::<MemoryStore>::default());
        Ok(Self {
            governance: Governance::new(&setup, &store, oracle.is_by_local_name())?,
            entropy: Arc::new(OracleEntropy::new(setup.entropy)),
            setup,
            connection,
            clock,
            process: Arc::default(),
            credentials: Arc::new(MemoryCredentials::holding(CREDENTIAL, "secret")),
            store,
        })
    }

    /// A client; or, when its namespace cannot be drawn, how every operation of it would end.
    pub(crate) async fn client(&self) -> Result<Client, Outcome> {
        self.entropy.next_client();
        let ids = RequestIds::starting_at(self.entropy.clone(), self.process.clone(), self.setup.first)
            .map_err(|error| Outcome::of(&Failure::from(Refusal::Id(error))))?;
        let ports = Ports {
            transport: self.connection.transport(self.credentials.clone()),
            clock: Arc::new(self.clock.clone()),
            entropy: self.entropy.clone(),
            process: self.process.clone(),
            gate: self.governance.gate.clone(),
            denials: self.governance.denials.clone(),
            approvals: self.governance.approvals.clone(),
            ledger: self.governance.ledger.clone(),
            health: self.store.clone(),
            trace: Arc::new(Untraced),
        };
        let info = ClientInfo {
            name: "conformance".to_owned(),
            version: "1".to_owned(),
        };
        self.governance.open_run(self.clock.wall()).await;
        Ok(Client::with_ids(info, ids, ports))
    }
}

/// What carries operations out.
pub(crate) enum Subject<'a> {
    /// The client, with a session for each operation.
    Client(Host<'a>),
    /// One session that the host holds.
    Session(Box<Session<'a>>, &'a ServerName),
    /// Nothing: every operation ends like this.
    None(Outcome),
}

impl<'a> Subject<'a> {
    /// Opens a session to be held.
    pub(crate) async fn hold(client: &'a Client, server: &'a Server) -> Self {
        match client.open_session(server).await {
            Ok(session) => Self::Session(Box::new(session), &server.name),
            Err(failure) => Self::None(Outcome::of(&failure)),
        }
    }

    pub(crate) const fn is_held(&self) -> bool {
        match self {
            Self::Session(..) => true,
            Self::Client(_) | Self::None(_) => false,
        }
    }

    /// Whether an operation comes to its first step.
    pub(crate) async fn can_begin(&self, turn: Turn<'_>) -> bool {
        match self {
            Self::Client(host) => {
                host.server(turn.operation).await.is_ok() && host.remote_name(turn.tool).await.is_ok()
            }
            Self::Session(session, _) => !session.is_gone(),
            Self::None(_) => false,
        }
    }

    /// Carries one operation out and says what came of it.
    pub(crate) async fn carry_out(
        &mut self,
        turn: Turn<'_>,
        caller: &Caller,
        governance: &Governance,
    ) -> Ended {
        match self {
            Self::Client(host) => by_record(*host, turn, caller, governance)
                .await
                .unwrap_or_else(|error| Outcome::of_registry(&error).into()),
            Self::Session(session, server) => in_session(session, server, turn, caller, governance)
                .await
                .unwrap_or_else(|failure| Outcome::of(&failure).into()),
            Self::None(outcome) => outcome.clone().into(),
        }
    }

    /// Ends what is held.
    pub(crate) async fn close(self) {
        match self {
            Self::Session(session, _) => session.close().await,
            Self::Client(_) | Self::None(_) => {}
        }
    }
}

/// How an operation ended: what it came to, and what the model is told where it is a call.
pub(crate) struct Ended {
    pub(crate) outcome: Outcome,
    pub(crate) told: Option<Told>,
}

impl From<Outcome> for Ended {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, told: None }
    }
}

impl Ended {
    fn of_call(server: &ServerName, called: Result<CallOutcome, Failure>) -> Self {
        Self {
            outcome: match &called {
                Ok(call) => Outcome::called(call),
                Err(failure) => Outcome::of(failure),
            },
            told: Some(Told::of(server, called)),
        }
    }
}

/// An operation of the server that the host's record names, in a session of its own.
async fn by_record(
    host: Host<'_>,
    turn: Turn<'_>,
    caller: &Caller,
    governance: &Governance,
) -> Result<Ended, RegistryError> {
    // What the registry does needs no server at hand.
    match turn.operation {
        Operation::Import => return Ok(host.import().await.into()),
        Operation::RemoteTools => return Ok(host.remote_tools().await.into()),
        Operation::CallTool | Operation::ListTools | Operation::Ping | Operation::Probe => {}
    }
    let server = host.server(turn.operation).await?;
    let tool = host.remote_name(turn.tool).await?;
    let Governance { run, actor, .. } = governance;
    let client = host.client;
    let outcome = match turn.operation {
        Operation::CallTool => {
            let none = Arguments::none();
            let called = client.call_tool(&server, &tool, &none, run, actor, caller).await;
            return Ok(Ended::of_call(&server.name, called));
        }
        Operation::ListTools => Outcome::tools(&client.list_tools(&server, WalkLimits::default()).await?),
        Operation::Ping => Outcome::pong(&client.ping(&server).await?),
        Operation::Probe => Outcome::pong(&client.probe(&server).await?.pong),
        Operation::Import | Operation::RemoteTools => Outcome::impossible(),
    };
    Ok(outcome.into())
}

/// An operation in a session that is held.
async fn in_session(
    session: &mut Session<'_>,
    server: &ServerName,
    turn: Turn<'_>,
    caller: &Caller,
    governance: &Governance,
) -> Result<Ended, Failure> {
    let Governance { run, actor, .. } = governance;
    let outcome = match (turn.operation, ToolName::parse("echo")) {
        (Operation::CallTool, Ok(tool)) => {
            let none = Arguments::none();
            let called = session.call_tool(&tool, &none, run, actor, caller).await;
            return Ok(Ended::of_call(server, called));
        }
        (Operation::ListTools, _) => Outcome::tools(&session.list_tools(WalkLimits::default()).await?),
        // A held session has had its handshake.
        (Operation::Ping, _) => Outcome::pong(session.pong()),
        (Operation::Probe, _) => Outcome::pong(&session.probe().await?.pong),
        (Operation::CallTool | Operation::Import | Operation::RemoteTools, _) => Outcome::impossible(),
    };
    Ok(outcome.into())
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
