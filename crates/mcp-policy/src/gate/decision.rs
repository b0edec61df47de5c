//! The rule of the gate: five questions in their order, and what the answers come to.

use super::rules::{GateRules, Mode};
use super::zone::TrustZone;
use crate::catalogue::RemoteTool;
use crate::port::{Actor, DenialReason};
use crate::record::{GroupName, Switch};
use crate::server::DataClass;

/// A tool as far as the gate judges it: one of a server, or one of the host's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// Whose tool it is.
    pub provenance: Provenance,
    /// Whether it is switched on, as it stands.
    pub switch: Switch,
    /// Who may call it.
    pub audience: Audience,
    /// The group that it is switched by, if any.
    pub group: Option<&'a GroupName>,
    /// The class of the data that it handles.
    pub class: DataClass,
}

impl<'a> From<&'a RemoteTool> for Candidate<'a> {
    fn from(tool: &'a RemoteTool) -> Self {
        Self {
            provenance: if tool.is_remote() {
                Provenance::Remote
            } else {
                Provenance::Host
            },
            switch: if tool.is_on { Switch::On } else { Switch::Off },
            audience: if tool.requires_admin() {
                Audience::Administrators
            } else {
                Audience::Everyone
            },
            group: Some(&tool.group),
            class: tool.class,
        }
    }
}

/// Whose tool it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provenance {
    /// The host's own.
    Host,
    /// A server's. Rules are enforced on it in either mode.
    Remote,
}

/// Who may call a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Audience {
    /// Everyone, also unattended runs.
    Everyone,
    /// Administrators.
    Administrators,
}

/// One question of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GateStep {
    /// Is there such a tool?
    Registered,
    /// Is it switched on?
    Enabled,
    /// May the caller call it?
    Administrator,
    /// Is its group switched on?
    Group,
    /// May the models see what it answers?
    TrustZone,
}

impl GateStep {
    /// Every question, in the order in which they are asked.
    pub const ALL: [Self; 5] = [
        Self::Registered,
        Self::Enabled,
        Self::Administrator,
        Self::Group,
        Self::TrustZone,
    ];

    /// The reason of a denial by this step.
    #[must_use]
    pub const fn reason(self) -> DenialReason {
        match self {
            Self::Registered => DenialReason::NotRegistered,
            Self::Enabled => DenialReason::ToolDisabled,
            Self::Administrator => DenialReason::RequiresAdmin,
            Self::Group => DenialReason::ConfigurationGroup,
            Self::TrustZone => DenialReason::TrustZone,
        }
    }
}

/// How a step was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepAnswer {
    /// Nothing stands against the call.
    Passes,
    /// The call is denied.
    Denies,
    /// It would be denied, were it not that this is only observed.
    Observed,
    /// Could not be asked: there is no tool.
    NotAsked,
}

/// What the gate says of one call, and why.
///
/// Every step is answered, also those after the first that denies: who reads it sees all that stands against the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    answers: [(GateStep, StepAnswer); GateStep::ALL.len()],
    pub(super) facts: Facts,
}

/// What the answers rest on, for whoever explains them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) tool: Option<ToolFacts>,
    pub(super) mode: Mode,
    pub(super) zone: TrustZone,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToolFacts {
    pub(super) provenance: Provenance,
    pub(super) audience: Audience,
    pub(super) group: Option<GroupName>,
    pub(super) class: DataClass,
}

impl Decision {
    /// Whether the call may take place.
    #[must_use]
    pub fn is_permitted(&self) -> bool {
        self.reason().is_none()
    }

    /// The reason of the denial: that of the first step that denies. `None` when the call is permitted.
    #[must_use]
    pub fn reason(&self) -> Option<DenialReason> {
        self.first(StepAnswer::Denies)
    }

    /// The reason that would have denied the call, were it not only observed. Says nothing of other reasons.
    #[must_use]
    pub fn observed(&self) -> Option<DenialReason> {
        self.first(StepAnswer::Observed)
    }

    /// Every step with its answer, in the order in which they are asked.
    #[must_use]
    pub const fn steps(&self) -> &[(GateStep, StepAnswer)] {
        &self.answers
    }

    fn first(&self, wanted: StepAnswer) -> Option<DenialReason> {
        let mut found = self.answers.iter().filter(|(_, answer)| *answer == wanted);
        found.next().map(|(step, _)| step.reason())
    }
}

/// Judges one call. `None` stands for a tool that is not registered.
#[must_use]
pub fn judge(tool: Option<Candidate<'_>>, caller: &Actor, rules: &GateRules) -> Decision {
    let zone = rules.zones.worst();
    Decision {
        answers: GateStep::ALL.map(|step| (step, answer(step, tool, caller, rules, zone))),
        facts: Facts {
            tool: tool.map(|tool| ToolFacts {
                provenance: tool.provenance,
                audience: tool.audience,
                group: tool.group.cloned(),
                class: tool.class,
            }),
            mode: rules.mode,
            zone,
        },
    }
}

fn answer(
    step: GateStep,
    tool: Option<Candidate<'_>>,
    caller: &Actor,
    rules: &GateRules,
    zone: TrustZone,
) -> StepAnswer {
    let Some(tool) = tool else {
        return match step {
            GateStep::Registered => StepAnswer::Denies,
            GateStep::Enabled | GateStep::Administrator | GateStep::Group | GateStep::TrustZone => {
                StepAnswer::NotAsked
            }
        };
    };
    let passes = match step {
        GateStep::Registered => true,
        GateStep::Enabled => tool.switch == Switch::On,
        GateStep::Administrator => match tool.audience {
            Audience::Everyone => true,
            Audience::Administrators => rules.is_administrator(caller),
        },
        GateStep::Group => tool
            .group
            .is_none_or(|group| !rules.disabled_groups.contains(group)),
        GateStep::TrustZone => zone.admits(tool.class),
    };
    match (passes, step, rules.mode, tool.provenance) {
        (true, _, _, _) => StepAnswer::Passes,
        (false, GateStep::TrustZone, Mode::Observe, Provenance::Host) => StepAnswer::Observed,
        (false, _, _, _) => StepAnswer::Denies,
    }
}
