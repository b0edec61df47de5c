//! The handshake of the legacy revisions, and the two operations that are little more than it.

use std::time::Duration;

use mcp_wire::{Delivery, InitializeResult, Message, PeerInfo, ProtocolVersion, SessionId};

use crate::client::Client;
use crate::deadline::Deadline;
use crate::failure::Failure;
use crate::leg::Legs;
use crate::port::{Cancellation, Never};
use crate::server::Server;

/// What the handshake agreed on. Lives for one operation.
pub(crate) struct Negotiated {
    pub(crate) version: ProtocolVersion,
    pub(crate) session: Option<SessionId>,
    server: PeerInfo,
    capabilities: Box<str>,
    latency: Duration,
}

impl Negotiated {
    /// A message of this session.
    pub(crate) fn message(&self, message: Message) -> Message {
        message.in_session(self.version, self.session.as_ref())
    }
}

/// The answer to [`Client::ping`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pong {
    /// The negotiated revision.
    pub version: ProtocolVersion,
    /// The server's name and version; remote text, clipped.
    pub server: PeerInfo,
    /// The capabilities that the server declared, as a JSON object; remote text.
    pub capabilities: Box<str>,
    /// How long the `initialize` leg took.
    pub latency: Duration,
}

/// The answer to [`Client::probe`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// What the handshake said.
    pub pong: Pong,
    /// How long the `ping` request took.
    pub latency: Duration,
}

impl Client {
    /// Shakes hands with a server and notes the contact. Needs no permission, lists nothing and calls nothing.
    ///
    /// # Errors
    ///
    /// [`Failure`]; nothing is noted then.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the current exchange. Nothing is noted.
    pub async fn ping(&self, server: &Server) -> Result<Pong, Failure> {
        let mut deadline = self.begin(server);
        let mut legs = self.legs(server, 1)?;
        let negotiated = self.shake_hands(&mut deadline, &mut legs, &Never).await?;
        self.note_contact(&mut deadline, server, negotiated.latency).await;
        Ok(pong(negotiated))
    }

    /// Shakes hands and sends one `ping` request. The request passes no permission gate: it asks whether the server
    /// answers requests inside a session, and can execute nothing.
    ///
    /// # Errors
    ///
    /// [`Failure`]; nothing is noted then. A server that does not know `ping` answers with [`Failure::Rpc`].
    ///
    /// # Cancel safety
    ///
    /// As [`Client::ping`].
    pub async fn probe(&self, server: &Server) -> Result<Probe, Failure> {
        let mut deadline = self.begin(server);
        let mut legs = self.legs(server, 2)?;
        let negotiated = self
            .shake_hands(&mut deadline, &mut legs, &Never)
            .await
            .map_err(Failure::before_request)?;
        let ping = |id| negotiated.message(Message::ping(id));
        let reply = legs.request(&mut deadline, ping, &Never).await?;
        self.note_contact(&mut deadline, server, reply.latency).await;
        Ok(Probe {
            pong: pong(negotiated),
            latency: reply.latency,
        })
    }

    /// `initialize`, the check of what it says, and `notifications/initialized`, whose acceptance is awaited.
    ///
    /// A failure speaks of `initialize`: that it was answered, once it was.
    pub(crate) async fn shake_hands(
        &self,
        deadline: &mut Deadline<'_>,
        legs: &mut Legs<'_>,
        cancellation: &dyn Cancellation,
    ) -> Result<Negotiated, Failure> {
        let initialize = |id| Message::initialize(id, self.info());
        let reply = legs.request(deadline, initialize, cancellation).await?;
        let facts = InitializeResult::parse(&reply.result).map_err(|fault| Failure::Malformed {
            fault,
            delivery: Delivery::Unknown,
        })?;
        let negotiated = Negotiated {
            version: facts.version,
            session: reply.session,
            server: facts.server,
            capabilities: facts.capabilities,
            latency: reply.latency,
        };
        let initialized = negotiated.message(Message::initialized());
        legs.notify(deadline, initialized, cancellation)
            .await
            .map_err(|failure| failure.with_delivery(Delivery::Answered))?;
        Ok(negotiated)
    }
}

fn pong(negotiated: Negotiated) -> Pong {
    Pong {
        version: negotiated.version,
        server: negotiated.server,
        capabilities: negotiated.capabilities,
        latency: negotiated.latency,
    }
}
