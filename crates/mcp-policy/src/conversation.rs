//! What is agreed with one server, and what it is still to be told at the end.

use mcp_wire::{Message, ProtocolVersion, RequestId, SessionId};

/// A conversation with one server: nothing before the handshake, then its revision and session.
pub(crate) struct Conversation {
    life: Life,
    agreed: Option<Agreed>,
    /// The request that its caller gave up while it was under way.
    given_up: Option<RequestId>,
}

/// How long a conversation goes on.
enum Life {
    /// As long as one operation.
    Operation,
    /// Until the host ends it.
    Held,
}

struct Agreed {
    version: ProtocolVersion,
    session: Option<SessionId>,
    handshake: Handshake,
}

/// How far the handshake has come once something is agreed on.
enum Handshake {
    /// The server has not yet accepted that it is done.
    Open,
    Done,
}

impl Conversation {
    /// A conversation that ends with its operation.
    pub(crate) const fn of_one_operation() -> Self {
        Self::new(Life::Operation)
    }

    /// A conversation that the host ends.
    pub(crate) const fn held() -> Self {
        Self::new(Life::Held)
    }

    const fn new(life: Life) -> Self {
        Self {
            life,
            agreed: None,
            given_up: None,
        }
    }

    /// Takes in what the reply to `initialize` agreed on.
    pub(crate) fn agree(&mut self, version: ProtocolVersion, session: Option<SessionId>) {
        self.agreed = Some(Agreed {
            version,
            session,
            handshake: Handshake::Open,
        });
    }

    /// The server accepted that the handshake is done.
    pub(crate) fn begin(&mut self) {
        if let Some(agreed) = &mut self.agreed {
            agreed.handshake = Handshake::Done;
        }
    }

    /// The negotiated revision; none before the handshake is done and after a loss.
    pub(crate) fn version(&self) -> Option<ProtocolVersion> {
        let agreed = self.agreed.as_ref()?;
        match agreed.handshake {
            Handshake::Open => None,
            Handshake::Done => Some(agreed.version),
        }
    }

    /// The message as part of the conversation, as far as it has come.
    pub(crate) fn address(&self, message: Message) -> Message {
        match &self.agreed {
            Some(agreed) => message.in_session(agreed.version, agreed.session.as_ref()),
            None => message,
        }
    }

    /// The caller gave up a request that may have reached the server. The server is told of none before anything is
    /// agreed on: `initialize` may not be cancelled.
    pub(crate) fn give_up(&mut self, request: RequestId) {
        self.given_up = self.agreed.as_ref().map(|_agreed| request);
    }

    /// The server no longer knows the session, so there is nothing to say goodbye to.
    pub(crate) fn lose(&mut self) {
        self.agreed = None;
    }

    /// What is to be said at the end of an operation, in its order.
    pub(crate) fn farewells(&mut self) -> [Option<Message>; 2] {
        let given_up = self.given_up.take();
        let notice = given_up.map(|request| self.address(Message::cancelled(request)));
        let end = match self.life {
            Life::Operation => self.end(),
            Life::Held => None,
        };
        [notice, end]
    }

    /// The host shall not go on with it: it ends with this operation.
    pub(crate) fn abandon(&mut self) {
        self.life = Life::Operation;
    }

    /// Ends the conversation; gives the message that ends a session which the server issued.
    pub(crate) fn end(&mut self) -> Option<Message> {
        let Agreed { version, session, .. } = self.agreed.take()?;
        Some(Message::end_session(version, session?))
    }
}
