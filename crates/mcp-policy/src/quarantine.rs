//! Definitions that are set aside, and why.

use mcp_wire::{ToolName, ToolNameError};

use crate::catalogue::DefinitionFault;

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
    /// The definition can be read but not imported. A list alone never says so.
    #[error(transparent)]
    Definition(#[from] DefinitionFault),
}

impl QuarantineReason {
    /// The stable kebab-case kind. The table is in `specs/029-catalogue/spec.md`.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Unusable(error) => error.kind(),
            Self::Ambiguous => "name-ambiguous",
            Self::Definition(fault) => fault.kind(),
        }
    }
}
