//! The client: its ports, and what every operation starts and ends with.

use std::sync::Arc;
use std::time::Duration;

use mcp_wire::{ClientInfo, Entropy, IdError, ProcessIdentity, RequestIds, Transport};

use crate::conversation::Conversation;
use crate::deadline::Deadline;
use crate::failure::Failure;
use crate::leg::Legs;
use crate::port::{Approvals, Clock, Contact, Denials, Gate, HealthStore, RunLedger, TraceSource};
use crate::refusal::Refusal;
use crate::server::Server;
use crate::telemetry;

/// Carries out operations on servers. May be used from several threads; operations share nothing but the ports and the
/// sequence of ids.
///
/// Each operation makes a session of its own and ends it; [`Client::open_session`] holds one over several operations.
/// No operation is repeated here but a list or a probe whose held session was lost, once.
///
/// # Farewells
///
/// Last of all, an operation tells the server what is over: a request that its caller cancelled while it was under way,
/// then the session, where the server issued one. All of it has [`Budget::FAREWELL`](crate::Budget::FAREWELL) beyond the
/// operation's own budget. It comes after the outcome was stored, and nothing about it changes the outcome. A request
/// that ran into its deadline is not announced as cancelled; a future that is dropped says nothing.
pub struct Client {
    info: ClientInfo,
    ids: RequestIds,
    ports: Ports,
}

/// What a client is wired to. All of it: a port that is added must be decided on by every root.
#[derive(Clone)]
pub struct Ports {
    /// Sends the legs.
    pub transport: Arc<dyn Transport>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Tells the trace that an operation is part of.
    pub trace: Arc<dyn TraceSource>,
    /// Gives random bytes for request ids.
    pub entropy: Arc<dyn Entropy>,
    /// Tells the process.
    pub process: Arc<dyn ProcessIdentity>,
    /// Permits calls.
    pub gate: Arc<dyn Gate>,
    /// Keeps what the gate refused.
    pub denials: Arc<dyn Denials>,
    /// Knows a person's word.
    pub approvals: Arc<dyn Approvals>,
    /// Stamps and settles steps.
    pub ledger: Arc<dyn RunLedger>,
    /// Notes contacts.
    pub health: Arc<dyn HealthStore>,
}

impl Client {
    /// A client that introduces itself as `info`.
    ///
    /// # Errors
    ///
    /// [`IdError::Entropy`] when the namespace of its ids cannot be drawn.
    pub fn new(info: ClientInfo, ports: Ports) -> Result<Self, IdError> {
        let ids = RequestIds::new(ports.entropy.clone(), ports.process.clone())?;
        Ok(Self { info, ids, ports })
    }

    /// A client that takes its ids from `ids`.
    #[must_use]
    pub fn with_ids(info: ClientInfo, ids: RequestIds, ports: Ports) -> Self {
        Self { info, ids, ports }
    }

    pub(crate) fn info(&self) -> &ClientInfo {
        &self.info
    }

    pub(crate) fn ports(&self) -> &Ports {
        &self.ports
    }

    /// Starts the budget of an operation.
    pub(crate) fn begin(&self, server: &Server) -> Deadline<'_> {
        Deadline::start(&*self.ports.clock, server.budget)
    }

    /// Sets the ids aside for an operation of at most `requests` requests. After this no leg lacks one.
    pub(crate) fn legs<'a>(
        &'a self,
        server: &'a Server,
        requests: u32,
        conversation: &'a mut Conversation,
    ) -> Result<Legs<'a>, Failure> {
        let ids = self.ids.reserve(requests).map_err(Refusal::Id)?;
        Ok(Legs {
            transport: &*self.ports.transport,
            trace: &*self.ports.trace,
            server,
            tool: None,
            ids,
            conversation,
        })
    }

    /// What every operation ends with: the contact of a completed one or the time of a failed one, then the farewells.
    pub(crate) async fn end<T>(
        &self,
        deadline: &mut Deadline<'_>,
        server: &Server,
        conversation: &mut Conversation,
        outcome: Result<T, Failure>,
        latency: impl FnOnce(&T) -> Duration,
    ) -> Result<T, Failure> {
        telemetry::ended(server, &outcome, deadline.timing());
        let outcome = match outcome {
            Ok(completed) => {
                self.note_contact(deadline, server, latency(&completed)).await;
                Ok(completed)
            }
            Err(failure) => Err(failure.after(deadline.timing())),
        };
        self.bid_farewell(server, conversation).await;
        outcome
    }

    /// Notes the contact of a completed operation. What becomes of the note changes nothing about the result.
    pub(crate) async fn note_contact(&self, deadline: &mut Deadline<'_>, server: &Server, latency: Duration) {
        let contact = Contact {
            at: self.ports.clock.wall(),
            latency,
        };
        let noted = deadline.within(self.ports.health.record(&server.name, contact));
        if !matches!(noted.await, Ok(Ok(()))) {
            telemetry::contact_not_noted(server);
        }
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}
