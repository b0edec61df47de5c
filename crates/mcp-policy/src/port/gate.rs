//! Permission: who may call what, and the record of every no.

use mcp_wire::{Arguments, PortFuture, ToolName};

use super::{StoreError, UnixTime};
use crate::catalogue::{Fingerprint, LocalName};
use crate::server::Server;

/// Decides whether a call may take place. A gate that cannot decide denies.
pub trait Gate: Send + Sync {
    /// Judges a call before anything else happens for it, and says what the call is: approval and audit go by that.
    ///
    /// # Errors
    ///
    /// The reason of the denial.
    ///
    /// # Cancel safety
    ///
    /// A gate reads only. A dropped answer means nothing.
    fn judge(&self, attempt: &CallAttempt<'_>) -> PortFuture<Result<CallOrigin, DenialReason>>;
}

/// Keeps what the gate refused, and nothing else: an executed call never enters it.
pub trait Denials: Send + Sync {
    /// Keeps one denial, of this moment.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it could not be kept. The call stays denied.
    ///
    /// # Cancel safety
    ///
    /// A denial whose answer is dropped may be kept or not.
    fn record(
        &self,
        attempt: &CallAttempt<'_>,
        reason: DenialReason,
        now: UnixTime,
    ) -> PortFuture<Result<(), StoreError>>;
}

/// Reads what [`Denials`] kept.
pub trait DenialLog: Send + Sync {
    /// The last denials, at most `limit`, in the order in which they were kept.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    fn denials(&self, limit: usize) -> PortFuture<Result<Vec<Denial>, StoreError>>;
}

/// A call that the gate refused. Its arguments are not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// When.
    pub at: UnixTime,
    /// The server's name.
    pub server: String,
    /// The tool's name on the wire.
    pub tool: String,
    /// The run that would have made the call.
    pub run: RunId,
    /// On whose behalf.
    pub actor: Actor,
    /// Why not.
    pub reason: DenialReason,
}

impl Denial {
    /// The denial of this call.
    #[must_use]
    pub fn of(attempt: &CallAttempt<'_>, reason: DenialReason, at: UnixTime) -> Self {
        Self {
            at,
            server: attempt.server.name.to_string(),
            tool: attempt.tool.as_str().to_owned(),
            run: attempt.run.clone(),
            actor: attempt.actor.clone(),
            reason,
        }
    }
}

/// One call that asks for permission.
#[derive(Debug, Clone, Copy)]
pub struct CallAttempt<'a> {
    /// The server, with its class and approval rule.
    pub server: &'a Server,
    /// The tool's name on the wire.
    pub tool: &'a ToolName,
    /// The arguments.
    pub arguments: &'a Arguments,
    /// The run that makes the call.
    pub run: &'a RunId,
    /// On whose behalf.
    pub actor: &'a Actor,
}

impl<'a> CallAttempt<'a> {
    /// The call that the gate has let pass as one of this origin.
    #[must_use]
    pub const fn permitted(self, origin: &'a CallOrigin) -> CallRequest<'a> {
        CallRequest {
            server: self.server,
            tool: self.tool,
            arguments: self.arguments,
            run: self.run,
            actor: self.actor,
            origin,
        }
    }
}

/// One call that the gate has let pass: what approval and ledger are asked about.
#[derive(Debug, Clone, Copy)]
pub struct CallRequest<'a> {
    /// The server, with its class and approval rule.
    pub server: &'a Server,
    /// The tool's name on the wire.
    pub tool: &'a ToolName,
    /// The arguments.
    pub arguments: &'a Arguments,
    /// The run that makes the call.
    pub run: &'a RunId,
    /// On whose behalf.
    pub actor: &'a Actor,
    /// What the gate found the call to be.
    pub origin: &'a CallOrigin,
}

/// What a permitted call is. The gate says it, and nobody else.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CallOrigin {
    /// The call of a tool of the catalogue, judged in just this definition.
    Catalogued {
        /// Its name before gate and model.
        local_name: LocalName,
        /// The definition that was judged.
        fingerprint: Fingerprint,
    },
    /// A call outside catalogue and gate: an operator's on a bare URL, or that of a host whose own code decides.
    AdHoc,
}

impl CallOrigin {
    /// The stable name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Catalogued { .. } => "catalogued",
            Self::AdHoc => "adHoc",
        }
    }
}

/// The run of a host's agent that a call belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub String);

/// On whose behalf a call is made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Actor {
    /// A known user.
    User(String),
    /// Nobody in particular; never an administrator.
    Unattended,
}

/// Why the gate denies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum DenialReason {
    /// The tool is not registered.
    #[error("the tool is not registered")]
    NotRegistered,
    /// The tool is disabled.
    #[error("the tool is disabled")]
    ToolDisabled,
    /// The tool is for administrators.
    #[error("the tool requires an administrator")]
    RequiresAdmin,
    /// The tool's group is disabled by configuration.
    #[error("the tool's group is disabled")]
    ConfigurationGroup,
    /// The data class is above the ceiling of the trust zone.
    #[error("the data class is above the ceiling of the trust zone")]
    TrustZone,
    /// The stores could not be asked, so nothing is known that would permit the call.
    #[error("the stores of the gate could not be asked")]
    PolicyUnavailable,
    /// The class, the approval rule, the URL or the credentials of the server have changed since the caller read them.
    #[error("the record of the server has changed; read it again")]
    ServerChanged,
}

impl DenialReason {
    /// Every reason.
    pub const ALL: [Self; 7] = [
        Self::NotRegistered,
        Self::ToolDisabled,
        Self::RequiresAdmin,
        Self::ConfigurationGroup,
        Self::TrustZone,
        Self::PolicyUnavailable,
        Self::ServerChanged,
    ];

    /// The reason of this stable name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// The stable name, by which a decision is explained and a denial is kept.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotRegistered => "notRegistered",
            Self::ToolDisabled => "toolDisabled",
            Self::RequiresAdmin => "requiresAdmin",
            Self::ConfigurationGroup => "configurationGroup",
            Self::TrustZone => "trustZone",
            Self::PolicyUnavailable => "policyUnavailable",
            Self::ServerChanged => "serverChanged",
        }
    }

    /// The stable kebab-case kind of the refusal.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::NotRegistered => "tool-not-registered",
            Self::ToolDisabled => "tool-disabled",
            Self::RequiresAdmin => "admin-required",
            Self::ConfigurationGroup => "group-disabled",
            Self::TrustZone => "above-trust-zone",
            Self::PolicyUnavailable => "policy-unavailable",
            Self::ServerChanged => "server-changed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_read_by_its_name() {
        for reason in DenialReason::ALL {
            assert_eq!(DenialReason::named(reason.name()), Some(reason));
        }
        assert_eq!(DenialReason::named(""), None);
    }
}
