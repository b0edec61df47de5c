//! What an operator decided for the gate, apart from servers and tools.

use std::collections::BTreeSet;

use super::zone::{ModelZones, TrustZone};
use crate::port::Actor;
use crate::record::GroupName;

/// The rules of a gate. By default they are the strictest: enforced, without an administrator, for models of the farthest
/// zone.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GateRules {
    /// Whether the ceiling of the zone is enforced on the host's own tools.
    pub mode: Mode,
    /// The groups that are switched off. A group that is off beats a tool that is on.
    pub disabled_groups: BTreeSet<GroupName>,
    /// The names of the users who are administrators. An empty name is nobody's.
    pub administrators: BTreeSet<String>,
    /// Where the models run that see the answers.
    pub zones: ModelZones,
}

impl Default for GateRules {
    fn default() -> Self {
        Self {
            mode: Mode::Enforce,
            disabled_groups: BTreeSet::new(),
            administrators: BTreeSet::new(),
            zones: ModelZones::of(TrustZone::ExternalGlobal),
        }
    }
}

impl GateRules {
    /// Whether the caller is an administrator. Nobody in particular is none.
    #[must_use]
    pub fn is_administrator(&self, caller: &Actor) -> bool {
        match caller {
            Actor::User(name) => !name.is_empty() && self.administrators.contains(name),
            Actor::Unattended => false,
        }
    }
}

/// Whether the ceiling of a zone is enforced, or only observed.
///
/// It concerns the host's own tools and the ceiling alone. A remote tool is enforced in either mode, and what an operator
/// switched off or reserved to administrators is so in either mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A class above the ceiling denies.
    Enforce,
    /// A class above the ceiling is told by the decision, and does not deny.
    Observe,
}

impl Mode {
    /// The text by which a store holds the mode.
    #[must_use]
    pub const fn as_stored(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Observe => "observe",
        }
    }

    /// The mode that a store holds as this text: it observes only if the text is `observe`, exactly.
    #[must_use]
    pub fn from_stored(text: &str) -> Self {
        if text == "observe" {
            Self::Observe
        } else {
            Self::Enforce
        }
    }
}
