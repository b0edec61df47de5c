//! The handshake of the legacy revisions, and the two operations that are little more than it.

use std::time::Duration;

use mcp_wire::{Delivery, InitializeResult, Message, PeerInfo, ProtocolVersion, RequestMeta};

use crate::client::Client;
use crate::conversation::Conversation;
use crate::deadline::Deadline;
use crate::failure::Failure;
use crate::leg::Legs;
use crate::port::{Cancellation, Never};
use crate::server::Server;
use crate::timing::Timing;

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
    /// Where the time of the handshake went.
    pub timing: Timing,
}

/// The answer to [`Client::probe`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// What the handshake said.
    pub pong: Pong,
    /// How long the `ping` request took.
    pub latency: Duration,
    /// Where the time of the whole operation went.
    pub timing: Timing,
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
        let mut conversation = Conversation::of_one_operation();
        let pong = self.greet(&mut deadline, server, &mut conversation).await;
        self.end(&mut deadline, server, &mut conversation, pong, |pong| {
            pong.latency
        })
        .await
    }

    /// Shakes hands and sends one `ping` request. The request passes no permission gate: it asks whether the server
    /// answers requests inside a session, and can execute nothing.
    ///
    /// # Errors
    ///
    /// [`Failure`]; nothing is noted then. A server that does not know `ping` answers with [`Cause::Rpc`](crate::Cause::Rpc).
    ///
    /// # Cancel safety
    ///
    /// As [`Client::ping`].
    pub async fn probe(&self, server: &Server) -> Result<Probe, Failure> {
        let mut deadline = self.begin(server);
        let mut conversation = Conversation::of_one_operation();
        let probe = self
            .greet_and_probe(&mut deadline, server, &mut conversation)
            .await;
        self.end(&mut deadline, server, &mut conversation, probe, |probe| {
            probe.latency
        })
        .await
    }

    /// The legs of a handshake and no more.
    pub(crate) async fn greet(
        &self,
        deadline: &mut Deadline<'_>,
        server: &Server,
        conversation: &mut Conversation,
    ) -> Result<Pong, Failure> {
        let mut legs = self.legs(server, 1, conversation)?;
        self.shake_hands(deadline, &mut legs, &Never).await
    }

    async fn greet_and_probe(
        &self,
        deadline: &mut Deadline<'_>,
        server: &Server,
        conversation: &mut Conversation,
    ) -> Result<Probe, Failure> {
        let mut legs = self.legs(server, 2, conversation)?;
        let pong = self
            .shake_hands(deadline, &mut legs, &Never)
            .await
            .map_err(Failure::before_request)?;
        let latency = legs.ping(deadline).await?;
        Ok(Probe {
            pong,
            latency,
            timing: deadline.timing(),
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
    ) -> Result<Pong, Failure> {
        let initialize = |meta: RequestMeta<'_>| Message::initialize(meta, self.info());
        let reply = legs.request(deadline, initialize, cancellation).await?;
        let facts = reply.span.read(|| InitializeResult::parse(&reply.result))?;
        drop(reply.span);
        legs.conversation.agree(facts.version, reply.session);
        legs.notify(deadline, Message::initialized(), cancellation)
            .await
            .map_err(|failure| failure.with_delivery(Delivery::Answered))?;
        legs.conversation.begin();
        Ok(Pong {
            version: facts.version,
            server: facts.server,
            capabilities: facts.capabilities,
            latency: reply.latency,
            timing: deadline.timing(),
        })
    }
}

impl Legs<'_> {
    /// One `ping` request; gives how long it took.
    pub(crate) async fn ping(&mut self, deadline: &mut Deadline<'_>) -> Result<Duration, Failure> {
        let reply = self
            .request(deadline, |meta: RequestMeta<'_>| Message::ping(meta), &Never)
            .await?;
        Ok(reply.latency)
    }
}
