//! A session that a host holds over several operations.

use mcp_wire::{Arguments, Delivery, ToolName};

use crate::call::CallOutcome;
use crate::client::Client;
use crate::conversation::Conversation;
use crate::deadline::Deadline;
use crate::failure::Failure;
use crate::handshake::{Pong, Probe};
use crate::leg::Legs;
use crate::list::ToolList;
use crate::port::{Actor, CallAttempt, Cancellation, Never, RunId};
use crate::refusal::Refusal;
use crate::server::Server;
use crate::walk::WalkLimits;

/// One conversation with one server, held over several operations: the handshake is made once.
///
/// A session is for one principal and one conversation. What a server remembers of it, it may use for whoever speaks
/// next, so a host opens a session for each. Operations follow one another, and each has its own budget and its own ids.
/// A call goes the whole way of [`Client::call_tool`].
///
/// A server may lose a session and say so with a 404. A list or a probe then shakes hands anew and is repeated, once. A
/// call is not repeated: it fails as `session-lost`. When the session cannot be had again it is
/// [gone](Session::is_gone), and every further operation is refused as `session-gone`.
///
/// End it with [`Session::close`]. One that is dropped says nothing to the server.
pub struct Session<'a> {
    client: &'a Client,
    server: &'a Server,
    conversation: Conversation,
    pong: Pong,
}

impl Client {
    /// Opens a session for the host to hold: one handshake, whose contact is noted.
    ///
    /// # Errors
    ///
    /// As [`Client::ping`].
    ///
    /// # Cancel safety
    ///
    /// As [`Client::ping`].
    pub async fn open_session<'a>(&'a self, server: &'a Server) -> Result<Session<'a>, Failure> {
        let mut deadline = self.begin(server);
        let mut conversation = Conversation::held();
        match self.greet(&mut deadline, server, &mut conversation).await {
            Ok(pong) => {
                self.note_contact(&mut deadline, server, pong.latency).await;
                Ok(Session {
                    client: self,
                    server,
                    conversation,
                    pong,
                })
            }
            Err(failure) => {
                self.say(server, [conversation.end()]).await;
                Err(failure.after(deadline.timing()))
            }
        }
    }
}

impl Session<'_> {
    /// What the last handshake said.
    #[must_use]
    pub const fn pong(&self) -> &Pong {
        &self.pong
    }

    /// Whether the server lost the session and it was not had again. There is nothing left to do but to open another.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.conversation.version().is_none()
    }

    /// Calls a tool, once, in the order of [`Client::call_tool`]; the one leg is the call itself.
    ///
    /// # Errors
    ///
    /// As [`Client::call_tool`], and [`Refusal::SessionGone`] before anything else is asked. A session that turns out to
    /// be lost is gone.
    ///
    /// # Cancel safety
    ///
    /// As [`Client::call_tool`]. The session can be used on.
    pub async fn call_tool(
        &mut self,
        tool: &ToolName,
        arguments: &Arguments,
        run: &RunId,
        actor: &Actor,
        cancellation: &dyn Cancellation,
    ) -> Result<CallOutcome, Failure> {
        self.check_not_gone()?;
        let attempt = CallAttempt {
            server: self.server,
            tool,
            arguments,
            run,
            actor,
        };
        let client = self.client;
        client
            .carry_out(&attempt, &mut self.conversation, cancellation)
            .await
    }

    /// Lists the server's tools, as [`Client::list_tools`]. When the session was lost, the list is walked again from its
    /// first page in a new one, once and under the same deadline.
    ///
    /// # Errors
    ///
    /// As [`Client::list_tools`], and [`Refusal::SessionGone`].
    ///
    /// # Cancel safety
    ///
    /// As [`Client::list_tools`]. Dropped while it shakes hands anew, it leaves the session gone.
    pub async fn list_tools(&mut self, limits: WalkLimits) -> Result<ToolList, Failure> {
        self.check_not_gone()?;
        let (client, server) = (self.client, self.server);
        let mut deadline = client.begin(server);
        let mut legs = client.legs(server, twice(limits.pages), &mut self.conversation)?;
        let mut list = legs.walk(&mut deadline, self.pong.version, limits).await;
        if legs.conversation.version().is_none() {
            list = match again(client, &mut deadline, &mut legs, &mut self.pong).await {
                Ok(()) => legs.walk(&mut deadline, self.pong.version, limits).await,
                Err(failure) => Err(failure),
            }
            .map_err(Failure::after_request);
        }
        client
            .end(&mut deadline, server, &mut self.conversation, list, |list| {
                list.latency
            })
            .await
    }

    /// Sends one `ping` request, as [`Client::probe`]. When the session was lost, it is sent again in a new one, once and
    /// under the same deadline.
    ///
    /// # Errors
    ///
    /// As [`Client::probe`], and [`Refusal::SessionGone`].
    ///
    /// # Cancel safety
    ///
    /// As [`Session::list_tools`].
    pub async fn probe(&mut self) -> Result<Probe, Failure> {
        self.check_not_gone()?;
        let (client, server) = (self.client, self.server);
        let mut deadline = client.begin(server);
        let mut legs = client.legs(server, twice(1), &mut self.conversation)?;
        let mut latency = legs.ping(&mut deadline).await;
        if legs.conversation.version().is_none() {
            latency = match again(client, &mut deadline, &mut legs, &mut self.pong).await {
                Ok(()) => legs.ping(&mut deadline).await,
                Err(failure) => Err(failure),
            }
            .map_err(Failure::after_request);
        }
        let pong = self.pong.clone();
        let probe = latency.map(|latency| Probe {
            pong,
            latency,
            timing: deadline.timing(),
        });
        client
            .end(&mut deadline, server, &mut self.conversation, probe, |probe| {
                probe.latency
            })
            .await
    }

    /// Ends the session: tells a server that issued one, within [`Budget::FAREWELL`](crate::Budget::FAREWELL). It cannot
    /// fail; a server that does not hear of it lets the session expire.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the session without a further word.
    pub async fn close(mut self) {
        self.client.say(self.server, [self.conversation.end()]).await;
    }

    fn check_not_gone(&self) -> Result<(), Refusal> {
        if self.is_gone() {
            Err(Refusal::SessionGone)
        } else {
            Ok(())
        }
    }
}

/// The requests of an operation that may be repeated after a handshake.
const fn twice(requests: u32) -> u32 {
    requests.saturating_mul(2).saturating_add(1)
}

/// Shakes hands once more after a session was lost. The request that found it lost had been sent.
async fn again(
    client: &Client,
    deadline: &mut Deadline<'_>,
    legs: &mut Legs<'_>,
    pong: &mut Pong,
) -> Result<(), Failure> {
    match client.shake_hands(deadline, legs, &Never).await {
        Ok(anew) => {
            *pong = anew;
            Ok(())
        }
        Err(failure) => {
            legs.conversation.abandon();
            Err(failure.with_delivery(Delivery::Unknown))
        }
    }
}

impl std::fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("server", &self.server.name)
            .field("version", &self.pong.version)
            .field("gone", &self.is_gone())
            .finish_non_exhaustive()
    }
}
