//! The exchange of one message, behind a port that any transport can stand for.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::task::{Context, Poll};

use super::{Credential, Delivery, ExchangeError, Stage};
use crate::endpoint::Endpoint;
use crate::limits::ReplyLimits;
use crate::message::Message;
use crate::reply::{Reply, ServerMessage};
use crate::session::SessionId;

/// Sends messages to servers. One instance serves every server and may be used from several threads.
pub trait Transport: Send + Sync {
    /// Opens the exchange of one message. Returns at once: nothing is looked up, read or sent before the first
    /// [`Exchange::poll_event`].
    fn open(&self, target: &Arc<Target>, message: Message) -> Box<dyn Exchange>;
}

/// One message on its way and the answer to it.
///
/// An implementation asks the [`OutboundPolicy`](super::OutboundPolicy) before it looks a name up and before it dials,
/// reads the credential at most once and after that, and writes the message at most once. It never repeats it.
///
/// # Cancel safety
///
/// Dropping the exchange aborts it: no further byte of the message is written and everything it holds is freed.
/// What the server has received by then stays received, so ask [`Exchange::delivery`] first.
pub trait Exchange: Send {
    /// Drives the exchange. After [`ExchangeEvent::Done`] it must not be polled again.
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<ExchangeEvent>;

    /// How far the exchange has come. Answers at any time.
    fn stage(&self) -> Stage;

    /// Whether the message can have reached the server. Answers at any time, and never says
    /// [`Delivery::NotSent`] once a byte may have left.
    fn delivery(&self) -> Delivery;
}

/// What an exchange has to say.
#[derive(Debug)]
pub enum ExchangeEvent {
    /// A server message came with the answer; the exchange goes on.
    Server(ServerMessage),
    /// The exchange is over.
    Done(Result<Answer, ExchangeError>),
}

/// How a leg ended well.
#[derive(Debug)]
pub enum Answer {
    /// The one response to a request.
    Reply {
        /// Its verdict.
        reply: Reply,
        /// The session that the server issued; only with the reply to `initialize`.
        session: Option<SessionId>,
        /// The HTTP status that carried it; `None` on a transport without one.
        http_status: Option<u16>,
    },
    /// A notification was accepted, or the end of a session was heard.
    Accepted,
}

/// Where a leg goes, and what goes with it besides the message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Target {
    /// The server's URL.
    pub endpoint: Endpoint,
    /// The credentials that every leg carries. A leg is refused when one of them cannot be read.
    pub credentials: Vec<Credential>,
    /// The bounds of each reply.
    pub limits: ReplyLimits,
}

impl Target {
    /// A target without a credential, with the default bounds.
    #[must_use]
    pub fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            credentials: Vec::new(),
            limits: ReplyLimits::default(),
        }
    }
}
