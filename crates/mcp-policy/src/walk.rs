//! The walk through the pages of a list: its bounds, and what is set aside on the way.

use std::collections::{BTreeMap, BTreeSet};

use mcp_wire::{Cursor, ToolDefinition, ToolName, ToolsPage};

use crate::quarantine::{QuarantineReason, Quarantined};

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

/// A walk under way.
pub(crate) struct Walk {
    limits: WalkLimits,
    pages: u32,
    bytes: usize,
    tools: Vec<ToolDefinition>,
    quarantined: Vec<Quarantined>,
    next: Option<Cursor>,
    seen: BTreeSet<Cursor>,
}

impl Walk {
    pub(crate) fn new(limits: WalkLimits) -> Self {
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

    /// Whether a page has been taken in.
    pub(crate) fn has_begun(&self) -> bool {
        self.pages > 0
    }

    /// Where the next page starts; the first page has no cursor.
    pub(crate) fn next(&self) -> Option<&Cursor> {
        self.next.as_ref()
    }

    /// Takes a page. `true` when it was the last one.
    pub(crate) fn take_in(&mut self, page: ToolsPage) -> Result<bool, WalkFault> {
        self.pages += 1;
        self.bytes += page.tools.iter().map(|tool| tool.text().len()).sum::<usize>();
        self.bytes += page.next.as_ref().map_or(0, |cursor| cursor.as_str().len());
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

    /// What was found: the definitions that can be told apart, and the rest.
    pub(crate) fn finish(mut self) -> (Vec<ToolDefinition>, Vec<Quarantined>) {
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
