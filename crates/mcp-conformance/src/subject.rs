//! The client under test: the real one, wired to a scripted peer.

use std::sync::Arc;

use mcp_http::{HttpOptions, HttpTransport, Tls};
use mcp_policy::memory::{FixedApprovals, MemoryDenials, MemoryHealth, MemoryLedger, PermitAll};
use mcp_policy::port::{Actor, ApprovalDecision, Never, RunId};
use mcp_policy::{CallOutcome, Client, Failure, Ports, Probe, Server, ToolList, WalkLimits};
use mcp_testkit::{AdmitAll, FakeClock, FixedProcess, MemoryCredentials, ScriptedPeer, SeededEntropy};
use mcp_wire::{Arguments, ClientInfo, IdError, ToolName, ToolNameError};

use crate::oracle::Operation;

/// A client and the stores that it writes.
pub(crate) struct Subject {
    client: Client,
    pub(crate) health: Arc<MemoryHealth>,
    pub(crate) ledger: Arc<MemoryLedger>,
}

/// What an operation came to.
#[derive(Debug)]
pub(crate) enum Observed {
    Call(CallOutcome),
    Tools(ToolList),
    Pong(mcp_policy::Pong),
    Probe(Probe),
    Failed(Failure),
}

/// The suite itself could not be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SetUpError {
    #[error(transparent)]
    Ids(#[from] IdError),
    #[error(transparent)]
    Tool(#[from] ToolNameError),
}

impl Subject {
    pub(crate) fn new(peer: ScriptedPeer, clock: FakeClock) -> Result<Self, SetUpError> {
        let (health, ledger) = (
            Arc::new(MemoryHealth::default()),
            Arc::new(MemoryLedger::default()),
        );
        let transport = HttpTransport::with_dialler(
            Arc::new(AdmitAll),
            Arc::new(MemoryCredentials::default()),
            Arc::new(peer),
            Tls::platform(),
            HttpOptions::default(),
        );
        let ports = Ports {
            transport: Arc::new(transport),
            clock: Arc::new(clock),
            entropy: Arc::new(SeededEntropy::new(227)),
            process: Arc::new(FixedProcess::default()),
            gate: Arc::new(PermitAll),
            denials: Arc::new(MemoryDenials::default()),
            approvals: Arc::new(FixedApprovals(ApprovalDecision::Granted)),
            ledger: ledger.clone(),
            health: health.clone(),
        };
        let info = ClientInfo {
            name: "conformance".to_owned(),
            version: "1".to_owned(),
        };
        Ok(Self {
            client: Client::new(info, ports)?,
            health,
            ledger,
        })
    }

    pub(crate) async fn carry_out(
        &self,
        operation: Operation,
        server: &Server,
    ) -> Result<Observed, SetUpError> {
        let observed = match operation {
            Operation::CallTool => {
                let (tool, run) = (ToolName::parse("echo")?, RunId("conformance".to_owned()));
                let actor = Actor::User("operator".to_owned());
                let arguments = Arguments::none();
                let call = self
                    .client
                    .call_tool(server, &tool, &arguments, &run, &actor, &Never);
                call.await.map(Observed::Call)
            }
            Operation::ListTools => self
                .client
                .list_tools(server, WalkLimits::default())
                .await
                .map(Observed::Tools),
            Operation::Ping => self.client.ping(server).await.map(Observed::Pong),
            Operation::Probe => self.client.probe(server).await.map(Observed::Probe),
        };
        Ok(observed.unwrap_or_else(Observed::Failed))
    }
}
