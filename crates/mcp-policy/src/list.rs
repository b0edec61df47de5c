//! `tools/list`: all pages of a list under one deadline, with raw definitions out.

use std::time::Duration;

use mcp_wire::{Message, ProtocolVersion, RequestMeta, ToolDefinition, ToolsPage};

use crate::client::Client;
use crate::conversation::Conversation;
use crate::deadline::Deadline;
use crate::failure::Failure;
use crate::leg::Legs;
use crate::port::Never;
use crate::quarantine::Quarantined;
use crate::server::Server;
use crate::timing::Timing;
use crate::walk::{Walk, WalkLimits};

/// A server's tools as it defined them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolList {
    /// The definitions that can be told apart, in the server's order.
    pub tools: Vec<ToolDefinition>,
    /// What was set aside, and why.
    pub quarantined: Vec<Quarantined>,
    /// The negotiated revision.
    pub version: ProtocolVersion,
    /// How long the last page took.
    pub latency: Duration,
    /// Where the time of the whole operation went.
    pub timing: Timing,
}

impl Client {
    /// Lists a server's tools, all pages under one deadline. Hands out what the server wrote; nothing is normalised,
    /// stored or enabled by it.
    ///
    /// # Errors
    ///
    /// [`Failure`]; a list that fails on any page is no list.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the current exchange. Nothing is noted.
    pub async fn list_tools(&self, server: &Server, limits: WalkLimits) -> Result<ToolList, Failure> {
        let mut deadline = self.begin(server);
        let mut conversation = Conversation::of_one_operation();
        let list = self
            .greet_and_walk(&mut deadline, server, &mut conversation, limits)
            .await;
        self.end(&mut deadline, server, &mut conversation, list, |list| {
            list.latency
        })
        .await
    }

    async fn greet_and_walk(
        &self,
        deadline: &mut Deadline<'_>,
        server: &Server,
        conversation: &mut Conversation,
        limits: WalkLimits,
    ) -> Result<ToolList, Failure> {
        let mut legs = self.legs(server, limits.pages.saturating_add(1), conversation)?;
        let pong = self
            .shake_hands(deadline, &mut legs, &Never)
            .await
            .map_err(Failure::before_request)?;
        legs.walk(deadline, pong.version, limits).await
    }
}

impl Legs<'_> {
    /// The walk over all pages, from the first.
    pub(crate) async fn walk(
        &mut self,
        deadline: &mut Deadline<'_>,
        version: ProtocolVersion,
        limits: WalkLimits,
    ) -> Result<ToolList, Failure> {
        let mut walk = Walk::new(limits);
        let latency = loop {
            let request = |meta: RequestMeta<'_>| Message::tools_list(meta, walk.next());
            let reply = self.request(deadline, request, &Never).await;
            let reply = if walk.has_begun() {
                reply.map_err(Failure::after_request)?
            } else {
                reply?
            };
            let page = reply.span.read(|| ToolsPage::parse(&reply.result))?;
            if walk.take_in(page)? {
                break reply.latency;
            }
        };
        let (tools, quarantined) = walk.finish();
        Ok(ToolList {
            tools,
            quarantined,
            version,
            latency,
            timing: deadline.timing(),
        })
    }
}
