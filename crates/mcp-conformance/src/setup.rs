//! How the client of an oracle is set up, and the host around it.

use std::collections::BTreeSet;

use mcp_policy::gate::{GateRules, Mode, ModelZones, TrustZone};
use mcp_policy::memory::MemoryLedger;
use mcp_policy::port::Actor;
use mcp_policy::{GroupName, GroupNameError};
use serde::Deserialize;

/// The user of every call that has one.
const OPERATOR: &str = "operator";

/// What is unusual about the client of an oracle, its process and its host.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ClientSetup {
    /// How many clients carry the operation out, one after another.
    pub(crate) clients: usize,
    /// After how many operations another process goes on.
    pub(crate) fork_after: Option<usize>,
    /// Whether random bytes can be had.
    pub(crate) entropy: EntropySetup,
    /// The first number of the sequence.
    pub(crate) first: u64,
    /// Whether the server is configured with a bearer credential.
    pub(crate) credential: bool,
    /// The rules of the gate.
    pub(crate) gate: GateSetup,
    /// Whom approvals are asked of.
    pub(crate) person: Person,
    /// The ledger and the run.
    pub(crate) ledger: LedgerSetup,
}

impl Default for ClientSetup {
    fn default() -> Self {
        Self {
            clients: 1,
            fork_after: None,
            entropy: EntropySetup::Healthy,
            first: 1,
            credential: false,
            gate: GateSetup::default(),
            person: Person::default(),
            ledger: LedgerSetup::default(),
        }
    }
}

impl ClientSetup {
    /// Whether this is a client like any other, for one operation.
    pub(crate) fn is_ordinary(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether random bytes can be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EntropySetup {
    Healthy,
    /// Never.
    Fails,
    /// Only for the namespace of each client.
    FailsAfterwards,
}

/// The rules of the gate, as their stores would hold them. By default the models run on this machine and the caller is an
/// administrator, so that nothing is denied but what an oracle brings about.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct GateSetup {
    mode: String,
    zone: String,
    groups_off: Vec<String>,
    caller: CallerSetup,
}

/// Who calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CallerSetup {
    Administrator,
    User,
    Nobody,
}

impl Default for GateSetup {
    fn default() -> Self {
        Self {
            mode: "enforce".to_owned(),
            zone: "local".to_owned(),
            groups_off: Vec::new(),
            caller: CallerSetup::Administrator,
        }
    }
}

impl GateSetup {
    pub(crate) fn rules(&self) -> Result<GateRules, GroupNameError> {
        let groups: Result<BTreeSet<GroupName>, _> = self
            .groups_off
            .iter()
            .map(|name| GroupName::parse(name))
            .collect();
        let mut rules = GateRules::default();
        rules.mode = Mode::from_stored(&self.mode);
        rules.disabled_groups = groups?;
        rules.zones = ModelZones::of(TrustZone::from_stored(&self.zone));
        if self.caller == CallerSetup::Administrator {
            rules.administrators.insert(OPERATOR.to_owned());
        }
        Ok(rules)
    }

    pub(crate) fn actor(&self) -> Actor {
        match self.caller {
            CallerSetup::Administrator | CallerSetup::User => Actor::User(OPERATOR.to_owned()),
            CallerSetup::Nobody => Actor::Unattended,
        }
    }
}

/// What the person says who is asked for an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Person {
    /// Yes, at once.
    #[default]
    Grants,
    /// Nothing, unless an act says so.
    Away,
}

/// The ledger and the run in which calls are made.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LedgerSetup {
    pub(crate) run: RunSetup,
    /// What the ledger cannot store.
    pub(crate) fails: BTreeSet<LedgerChange>,
    /// The calls that a run may make.
    pub(crate) calls: u32,
}

impl Default for LedgerSetup {
    fn default() -> Self {
        Self {
            run: RunSetup::Opened,
            fails: BTreeSet::new(),
            calls: MemoryLedger::CALLS_PER_RUN,
        }
    }
}

/// What became of the run before the first operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunSetup {
    Opened,
    /// Nobody opened it.
    Never,
    /// It was opened, and is over.
    Ended,
}

/// A change that a ledger is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LedgerChange {
    Charge,
    Stamp,
    Settle,
    End,
}
