//! `tools/list`: the walk through all pages, bounded, with raw definitions out.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mcp_wire::{
    Cursor, Delivery, Message, ProtocolVersion, ToolDefinition, ToolName, ToolNameError, ToolsPage,
};

use crate::client::Client;
use crate::failure::Failure;
use crate::port::Never;
use crate::server::Server;

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
}

/// A definition that was set aside. The rest of the list stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// Its name, where it has a usable one.
    pub name: Option<ToolName>,
    /// Why.
    pub reason: QuarantineReason,
}

/// Why a definition is set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum QuarantineReason {
    /// The definition or its name cannot be read.
    #[error(transparent)]
    Unusable(#[from] ToolNameError),
    /// Two definitions have this name, so neither can be meant. Both are set aside.
    #[error("the name occurs more than once")]
    Ambiguous,
}

/// The bounds of one walk. A bound names the last value that is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct WalkLimits {
    /// Pages. Default 50.
    pub pages: u32,
    /// Definitions, the quarantined ones included. Default 500.
    pub tools: usize,
    /// Bytes of all definitions and cursors together. Default 8,388,608 (8 MiB).
    pub bytes: usize,
}

impl Default for WalkLimits {
    fn default() -> Self {
        Self {
            pages: 50,
            tools: 500,
            bytes: 8 * 1_024 * 1_024,
        }
    }
}

/// Why a walk was given up. The server is at fault, and nothing of the list is handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WalkFault {
    /// There is another page after the last one allowed.
    #[error("the list of tools has more than {limit} pages")]
    TooManyPages {
        /// The pages allowed.
        limit: u32,
    },
    /// There are more tools than allowed.
    #[error("the list has more than {limit} tools")]
    TooManyTools {
        /// The tools allowed.
        limit: usize,
    },
    /// The definitions and cursors are larger than allowed.
    #[error("the list of tools is larger than {limit} bytes")]
    TooManyBytes {
        /// The bytes allowed.
        limit: usize,
    },
    /// A cursor came a second time.
    #[error("the list of tools leads back to a page that was read")]
    CursorLoop,
}

impl WalkFault {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::TooManyPages { .. } => "too-many-pages",
            Self::TooManyTools { .. } => "too-many-tools",
            Self::TooManyBytes { .. } => "list-too-large",
            Self::CursorLoop => "cursor-loop",
        }
    }
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
        let mut legs = self.legs(server, limits.pages.saturating_add(1))?;
        let negotiated = self
            .shake_hands(&mut deadline, &mut legs, &Never)
            .await
            .map_err(Failure::before_request)?;
        let mut walk = Walk::new(limits);
        let latency = loop {
            let request = |id| negotiated.message(Message::tools_list(id, walk.next.as_ref()));
            let reply = legs.request(&mut deadline, request, &Never).await?;
            let page = ToolsPage::parse(&reply.result).map_err(|fault| Failure::Malformed {
                fault,
                delivery: Delivery::Unknown,
            })?;
            if walk.take_in(page)? {
                break reply.latency;
            }
        };
        self.note_contact(&mut deadline, server, latency).await;
        let (tools, quarantined) = walk.finish();
        Ok(ToolList {
            tools,
            quarantined,
            version: negotiated.version,
            latency,
        })
    }
}

/// A walk under way.
struct Walk {
    limits: WalkLimits,
    pages: u32,
    bytes: usize,
    tools: Vec<ToolDefinition>,
    quarantined: Vec<Quarantined>,
    next: Option<Cursor>,
    seen: BTreeSet<Cursor>,
}

impl Walk {
    fn new(limits: WalkLimits) -> Self {
        Self {
            limits,
            pages: 0,
            bytes: 0,
            tools: vec![],
            quarantined: vec![],
            next: None,
            seen: BTreeSet::new(),
        }
    }

    /// Takes a page. `true` when it was the last one.
    fn take_in(&mut self, page: ToolsPage) -> Result<bool, WalkFault> {
        self.pages += 1;
        self.bytes += page.tools.iter().map(|tool| tool.text().len()).sum::<usize>();
        self.bytes += page.next.as_ref().map_or(0, Cursor::len);
        if self.bytes > self.limits.bytes {
            return Err(WalkFault::TooManyBytes {
                limit: self.limits.bytes,
            });
        }
        self.tools.extend(page.tools);
        let unusable = |error| Quarantined {
            name: None,
            reason: QuarantineReason::Unusable(error),
        };
        self.quarantined
            .extend(page.quarantined.into_iter().map(unusable));
        if self.tools.len() + self.quarantined.len() > self.limits.tools {
            return Err(WalkFault::TooManyTools {
                limit: self.limits.tools,
            });
        }
        let Some(next) = page.next else { return Ok(true) };
        if !self.seen.insert(next.clone()) {
            return Err(WalkFault::CursorLoop);
        }
        if self.pages == self.limits.pages {
            return Err(WalkFault::TooManyPages {
                limit: self.limits.pages,
            });
        }
        self.next = Some(next);
        Ok(false)
    }

    fn finish(mut self) -> (Vec<ToolDefinition>, Vec<Quarantined>) {
        let mut counts: BTreeMap<ToolName, usize> = BTreeMap::new();
        for tool in &self.tools {
            *counts.entry(tool.name().clone()).or_default() += 1;
        }
        let ambiguous = |tool: &ToolDefinition| counts.get(tool.name()).is_some_and(|count| *count > 1);
        let (twins, tools): (Vec<_>, Vec<_>) = self.tools.into_iter().partition(ambiguous);
        self.quarantined.extend(twins.into_iter().map(|tool| Quarantined {
            name: Some(tool.name().clone()),
            reason: QuarantineReason::Ambiguous,
        }));
        (tools, self.quarantined)
    }
}
