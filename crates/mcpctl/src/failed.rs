//! What is printed when there is no result: one line, one kind, one exit status.

use mcp_policy::port::LedgerError;
use mcp_policy::{Failure, Refusal, RegistryError};
use mcp_wire::Delivery;

use crate::exit::Exit;

/// An ending without a result, ready to be printed.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) kind: &'static str,
    pub(crate) class: &'static str,
    pub(crate) culprit: &'static str,
    pub(crate) delivery: Delivery,
    pub(crate) message: String,
    pub(crate) server: Option<String>,
    pub(crate) exit: Exit,
}

/// What is refused here, before an operation begins. Nothing was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Local {
    /// The command line cannot be read.
    Usage,
    ToolNameInvalid,
    ArgumentsUnreadable,
    ArgumentsTooLarge,
    BudgetInvalid,
    HeaderInvalid,
    HeaderReserved,
    CaUnreadable,
    CaInvalid,
    RuntimeUnavailable,
    ServerNameInvalid,
    ServerExists,
    ClassUnknown,
    GroupInvalid,
    FingerprintInvalid,
    ConfigUnreadable,
    ConfigInvalid,
    ConfigDuplicate,
    StorePathUnknown,
    ZoneUnknown,
    RoleUnknown,
    StepUnknown,
    ProxyInvalid,
    ApprovalUnknown,
    DemoUnavailable,
}

impl Local {
    /// The stable kebab-case kind.
    pub(crate) const fn kind(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::ToolNameInvalid => "tool-name-invalid",
            Self::ArgumentsUnreadable => "arguments-unreadable",
            Self::ArgumentsTooLarge => "arguments-too-large",
            Self::BudgetInvalid => "budget-invalid",
            Self::HeaderInvalid => "header-invalid",
            Self::HeaderReserved => "header-reserved",
            Self::CaUnreadable => "ca-unreadable",
            Self::CaInvalid => "ca-invalid",
            Self::RuntimeUnavailable => "runtime-unavailable",
            Self::ServerNameInvalid => "server-name-invalid",
            Self::ServerExists => "server-exists",
            Self::ClassUnknown => "class-unknown",
            Self::GroupInvalid => "group-invalid",
            Self::FingerprintInvalid => "fingerprint-invalid",
            Self::ConfigUnreadable => "config-unreadable",
            Self::ConfigInvalid => "config-invalid",
            Self::ConfigDuplicate => "config-duplicate",
            Self::StorePathUnknown => "store-path-unknown",
            Self::ZoneUnknown => "zone-unknown",
            Self::RoleUnknown => "role-unknown",
            Self::StepUnknown => "step-unknown",
            Self::ProxyInvalid => "proxy-invalid",
            Self::ApprovalUnknown => "approval-unknown",
            Self::DemoUnavailable => "demo-unavailable",
        }
    }

    /// Whether the command line cannot be meant; otherwise something that it names cannot be used.
    const fn is_usage(self) -> bool {
        match self {
            Self::Usage
            | Self::ToolNameInvalid
            | Self::ArgumentsUnreadable
            | Self::ArgumentsTooLarge
            | Self::BudgetInvalid
            | Self::HeaderInvalid
            | Self::HeaderReserved
            | Self::ServerNameInvalid
            | Self::ServerExists
            | Self::ClassUnknown
            | Self::GroupInvalid
            | Self::FingerprintInvalid
            | Self::ZoneUnknown
            | Self::RoleUnknown
            | Self::StepUnknown
            | Self::ProxyInvalid
            | Self::ApprovalUnknown => true,
            Self::CaUnreadable
            | Self::CaInvalid
            | Self::RuntimeUnavailable
            | Self::ConfigUnreadable
            | Self::ConfigInvalid
            | Self::ConfigDuplicate
            | Self::StorePathUnknown
            | Self::DemoUnavailable => false,
        }
    }
}

impl Failed {
    pub(crate) fn local(local: Local, message: impl ToString) -> Self {
        let (class, exit) = if local.is_usage() {
            ("usage", Exit::Usage)
        } else {
            ("configuration", Exit::Configuration)
        };
        Self::before(local.kind(), class, exit, message)
    }

    /// A value of the command line that the wire cannot carry, by the kind that the wire has for it.
    pub(crate) fn typed(kind: &'static str, message: impl ToString) -> Self {
        Self::before(kind, "usage", Exit::Usage, message)
    }

    /// The person stopped the operation, and it is not known how far it had come.
    pub(crate) fn interrupted() -> Self {
        let delivery = Delivery::Unknown;
        Self {
            delivery,
            ..Self::before("cancelled", "cancelled", Exit::Interrupted, "interrupted")
        }
    }

    pub(crate) fn of(failure: &Failure) -> Self {
        Self {
            kind: failure.kind(),
            class: failure.class().name(),
            culprit: failure.culprit().name(),
            delivery: failure.delivery(),
            message: failure.to_string(),
            server: None,
            exit: Exit::of(failure),
        }
    }

    /// The failure of a command on the ledger.
    pub(crate) fn of_ledger(error: &LedgerError) -> Self {
        let refusal = match error {
            LedgerError::RunLimit { limit } => Refusal::RunLimit { limit: *limit },
            LedgerError::RunExists => Refusal::RunExists,
            LedgerError::Store(error) => return Self::of_registry(&RegistryError::Store(*error)),
            // A later kind is of the runs as well.
            LedgerError::NoRun | _ => Refusal::NoRun,
        };
        Self::of(&refusal.into())
    }

    /// A check that says no.
    pub(crate) fn of_check(kind: &'static str, message: impl ToString) -> Self {
        Self {
            culprit: "policy",
            ..Self::before(kind, "check", Exit::CheckFailed, message)
        }
    }

    /// The failure of a command on the store.
    pub(crate) fn of_registry(error: &RegistryError) -> Self {
        let (class, culprit, exit) = match error {
            RegistryError::List(failure) => return Self::of(failure),
            RegistryError::UnknownServer | RegistryError::UnknownTool => ("usage", "caller", Exit::Usage),
            RegistryError::Gap(_) => ("refusal", "caller", Exit::Refused),
            RegistryError::Act(_) => ("refusal", "policy", Exit::Refused),
            // A later kind ends as one of the store until it has a place of its own.
            RegistryError::Store(_) | RegistryError::Contended | _ => {
                ("refusal", "policy", Exit::Configuration)
            }
        };
        Self {
            culprit,
            ..Self::before(error.kind(), class, exit, error)
        }
    }

    pub(crate) fn at(mut self, server: &str) -> Self {
        self.server = Some(server.to_owned());
        self
    }

    fn before(kind: &'static str, class: &'static str, exit: Exit, message: impl ToString) -> Self {
        Self {
            kind,
            class,
            culprit: "caller",
            delivery: Delivery::NotSent,
            message: message.to_string(),
            server: None,
            exit,
        }
    }
}
