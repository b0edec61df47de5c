//! What is printed when there is no result: one line, one kind, one exit status.

use mcp_policy::Failure;
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
            | Self::HeaderReserved => true,
            Self::CaUnreadable | Self::CaInvalid | Self::RuntimeUnavailable => false,
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
