//! Farewells: what a server is told at the end of an operation, in a time of their own.

use mcp_wire::Message;

use crate::budget::Budget;
use crate::client::Client;
use crate::conversation::Conversation;
use crate::deadline::Deadline;
use crate::leg::{Watch, drive};
use crate::port::Never;
use crate::server::Server;
use crate::telemetry::LegSpan;

impl Client {
    /// Says what is left to say at the end of an operation: which request was given up, and that the session ends.
    pub(crate) async fn bid_farewell(&self, server: &Server, conversation: &mut Conversation) {
        let farewells = conversation.farewells();
        if farewells.iter().any(Option::is_some) {
            // In a box it does not lengthen the future of every call, most of which have nothing to say.
            Box::pin(self.say(server, farewells)).await;
        }
    }

    /// Sends these, one after another, within [`Budget::FAREWELL`] for all of them. What becomes of them is of no
    /// interest: the outcome of the operation stands.
    pub(crate) async fn say(&self, server: &Server, farewells: impl IntoIterator<Item = Option<Message>>) {
        let mut started = None;
        for farewell in farewells.into_iter().flatten() {
            let deadline =
                started.get_or_insert_with(|| Deadline::start(&*self.ports().clock, Budget::FAREWELL));
            if deadline.has_passed() {
                return;
            }
            let watch = Watch::new(&Never, deadline.now());
            let span = LegSpan::open(server);
            span.describe(&farewell, None);
            let transport = &*self.ports().transport;
            let _unheard = drive(transport, server, deadline, farewell, watch, &span).await;
        }
    }
}
