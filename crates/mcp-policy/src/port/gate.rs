//! Permission: who may call what, and the record of every no.

use mcp_wire::{Arguments, PortFuture, ToolName};

use super::StoreError;
use crate::server::Server;

/// Decides whether a call may take place. A gate that cannot decide denies.
pub trait Gate: Send + Sync {
    /// Judges a call before anything else happens for it.
    ///
    /// # Errors
    ///
    /// The reason of the denial.
    fn judge(&self, call: &CallRequest<'_>) -> PortFuture<Result<(), DenialReason>>;
}

/// Keeps what the gate refused, and nothing else: an executed call never enters it.
pub trait Denials: Send + Sync {
    /// Keeps one denial.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it could not be kept. The call stays denied.
    fn record(&self, call: &CallRequest<'_>, reason: DenialReason) -> PortFuture<Result<(), StoreError>>;
}

/// One call that asks for permission.
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
}
