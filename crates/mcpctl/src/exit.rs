//! The exit status: which class of ending a script can tell apart.

use std::process::ExitCode;

use mcp_policy::{Cause, Failure, Refusal};
use mcp_wire::{CredentialError, TransportError};

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Ok,
    CheckFailed,
    Usage,
    Authentication,
    Unreachable,
    ToolOrRpcError,
    Refused,
    ProtocolBroken,
    Configuration,
    Interrupted,
}

impl Exit {
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::CheckFailed => 1,
            Self::Usage => 2,
            Self::Authentication => 3,
            Self::Unreachable => 4,
            Self::ToolOrRpcError => 5,
            Self::Refused => 6,
            Self::ProtocolBroken => 7,
            Self::Configuration => 8,
            Self::Interrupted => 130,
        }
    }

    pub(crate) fn of(failure: &Failure) -> Self {
        match failure.cause() {
            Cause::Malformed(_) | Cause::Walk(_) => Self::ProtocolBroken,
            Cause::Rpc { .. } => Self::ToolOrRpcError,
            Cause::Transport(error) => Self::of_transport(error),
            // Anything but a reference was typed, perhaps the secret itself.
            Cause::Refused(Refusal::Credential(CredentialError::UnknownForm)) => Self::Usage,
            Cause::Refused(Refusal::Credential(_) | Refusal::Id(_) | Refusal::Store(_)) => {
                Self::Configuration
            }
            Cause::Refused(_) => Self::Refused,
            Cause::Cancelled { .. } => Self::Interrupted,
            Cause::Unrecorded => Self::Configuration,
            // A later kind of failure ends as the broadest of the classes until it has a place of its own.
            Cause::DeadlineExceeded { .. } | _ => Self::Unreachable,
        }
    }

    const fn of_transport(error: &TransportError) -> Self {
        if let TransportError::Status(status) = error
            && matches!(status.status, 401 | 403)
        {
            Self::Authentication
        } else if matches!(error, TransportError::ProxyAuthenticationRequired) {
            Self::Authentication
        } else if matches!(error, TransportError::MediaType { .. }) {
            Self::ProtocolBroken
        } else {
            Self::Unreachable
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
