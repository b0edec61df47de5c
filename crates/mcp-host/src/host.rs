//! A client, wired and ready.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_http::{Examined, HttpOptions, HttpTransport, Proxy, Tls};
use mcp_policy::memory::{FixedApprovals, MemoryDenials, MemoryLedger, MemoryStore, PermitAll};
use mcp_policy::port::{
    Actor, ApprovalDecision, Approvals, Denials, Gate, HealthStore, Never, RunId, RunLedger, TraceSource,
    Untraced,
};
use mcp_policy::{CallOutcome, Client, Failure, OutboundRules, Ports, Server, ServerName, ServerNameError};
use mcp_wire::{
    Arguments, ArgumentsError, ClientInfo, CredentialSource, Endpoint, EndpointError, IdError, Target,
    ToolName, ToolNameError,
};

use crate::clock::TokioClock;
use crate::system::{OsEntropy, OsProcess};
use crate::vault::Vault;

/// An MCP client over HTTP, wired to tokio and the operating system.
///
/// By default it keeps its records in memory, its gate permits and its approvals are granted: that is for a host whose own
/// code decides before it calls. [`Wiring`] takes the gate, the approvals and the stores of a host with rules of its own.
///
/// Operations may run at the same time, each with a deadline and a session of its own. They must be polled inside one tokio
/// runtime with I/O and time enabled; the transport starts tasks there ([`HttpTransport`]).
#[derive(Debug)]
pub struct Host {
    client: Client,
    transport: HttpTransport,
    runs: AtomicU64,
}

/// What a host may choose before it is wired.
#[non_exhaustive]
pub struct Wiring {
    /// How the client introduces itself.
    pub info: ClientInfo,
    /// Whom TLS trusts. By default whom the platform trusts; without the feature `tls` nobody.
    pub tls: Tls,
    /// Where bytes may go.
    pub outbound: OutboundRules,
    /// Where credentials come from.
    pub credentials: Arc<dyn CredentialSource>,
    /// The proxy that every connection goes through. None by default, and never one of the environment: a host that wants
    /// that reads it and says so here.
    pub proxy: Option<Proxy>,
    /// Settings of the HTTP adapter.
    pub http: HttpOptions,
    /// The trace that the operations are part of.
    pub trace: Arc<dyn TraceSource>,
    /// Where contacts are noted.
    pub health: Arc<dyn HealthStore>,
    /// What permits calls. By default everything is permitted.
    pub gate: Arc<dyn Gate>,
    /// Where denials are kept.
    pub denials: Arc<dyn Denials>,
    /// Who approves calls. By default every call is approved.
    pub approvals: Arc<dyn Approvals>,
    /// Where runs and steps are kept.
    pub ledger: Arc<dyn RunLedger>,
}

impl Default for Wiring {
    fn default() -> Self {
        Self {
            info: ClientInfo {
                name: env!("CARGO_PKG_NAME").to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            tls: trust(),
            outbound: OutboundRules::default(),
            credentials: Arc::new(Vault),
            proxy: None,
            http: HttpOptions::default(),
            trace: Arc::new(Untraced),
            health: Arc::new(MemoryStore::default()),
            gate: Arc::new(PermitAll),
            denials: Arc::new(MemoryDenials::default()),
            approvals: Arc::new(FixedApprovals(ApprovalDecision::Granted)),
            ledger: Arc::new(MemoryLedger::default()),
        }
    }
}

#[cfg(feature = "tls")]
fn trust() -> Tls {
    Tls::platform()
}

#[cfg(not(feature = "tls"))]
const fn trust() -> Tls {
    Tls::none()
}

impl Host {
    /// A host with the default wiring.
    ///
    /// # Errors
    ///
    /// [`IdError`] when the operating system gives no random bytes.
    pub fn in_memory() -> Result<Self, IdError> {
        Self::wire(Wiring::default())
    }

    /// A host with this wiring.
    ///
    /// # Errors
    ///
    /// As [`Host::in_memory`].
    pub fn wire(wiring: Wiring) -> Result<Self, IdError> {
        let outbound = Arc::new(wiring.outbound);
        let direct = HttpTransport::new(outbound, wiring.credentials, wiring.tls, wiring.http);
        let transport = match wiring.proxy {
            None => direct,
            Some(proxy) => direct.through(proxy),
        };
        let ports = Ports {
            transport: Arc::new(transport.clone()),
            clock: Arc::new(TokioClock::new()),
            entropy: Arc::new(OsEntropy),
            process: Arc::new(OsProcess),
            gate: wiring.gate,
            denials: wiring.denials,
            approvals: wiring.approvals,
            ledger: wiring.ledger,
            health: wiring.health,
            trace: wiring.trace,
        };
        Ok(Self {
            client: Client::new(wiring.info, ports)?,
            transport,
            runs: AtomicU64::new(0),
        })
    }

    /// The client, for everything beyond [`Host::call`].
    #[must_use]
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// Goes the way to a server without a message, and says what is at each step of it. A step takes no longer than the
    /// server's budget.
    ///
    /// # Cancel safety
    ///
    /// As [`HttpTransport::examine`].
    pub async fn examine(&self, server: &Server) -> Vec<Examined> {
        let limit = server.budget.get();
        self.transport.examine(&server.target.endpoint, limit).await
    }

    /// A server without credentials, under the strict settings.
    ///
    /// # Errors
    ///
    /// [`HostError`] when the name or the URL cannot be used.
    pub fn server(&self, name: &str, url: &str) -> Result<Server, HostError> {
        Ok(Server::new(
            ServerName::parse(name)?,
            Target::new(Endpoint::parse(url)?),
        ))
    }

    /// Calls a tool with arguments in JSON, as a run of its own.
    ///
    /// # Errors
    ///
    /// [`HostError`]: the name or the arguments cannot be used, or the call failed.
    ///
    /// # Cancel safety
    ///
    /// As [`Client::call_tool`].
    pub async fn call(&self, server: &Server, tool: &str, arguments: &str) -> Result<CallOutcome, HostError> {
        let (tool, arguments) = (ToolName::parse(tool)?, Arguments::parse(arguments)?);
        let run = RunId(format!("host-{}", self.runs.fetch_add(1, Ordering::Relaxed)));
        let actor = Actor::Unattended;
        self.client.open_run(&run, &actor).await?;
        let outcome = self
            .client
            .call_tool(server, &tool, &arguments, &run, &actor, &Never)
            .await;
        // A run that cannot be ended is over when its lease is.
        let _ended_later = self.client.end_run(&run).await;
        Ok(outcome?)
    }
}

/// Why a host could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// The server's name cannot be used.
    #[error(transparent)]
    Name(#[from] ServerNameError),
    /// The URL cannot be used.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The tool's name cannot be used.
    #[error(transparent)]
    Tool(#[from] ToolNameError),
    /// The arguments cannot be used.
    #[error(transparent)]
    Arguments(#[from] ArgumentsError),
    /// The operation failed.
    #[error(transparent)]
    Failure(#[from] Failure),
}
