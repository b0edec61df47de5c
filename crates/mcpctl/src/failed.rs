//! What is printed when there is no result: one line, one kind, one exit status.

use std::error::Error;
use std::time::Duration;

use mcp_policy::port::LedgerError;
use mcp_policy::{Cause, Failure, Refusal, RegistryError};
use mcp_wire::{Delivery, Stage};

use crate::exit::Exit;
use crate::kinds;
use crate::printable::printable_line;

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
    pub(crate) around: Box<Around>,
}

/// What is around a failure.
#[derive(Debug, Default)]
pub(crate) struct Around {
    /// How far the operation had come; `None` when it did not begin.
    pub(crate) phase: Option<&'static str>,
    pub(crate) elapsed: Option<Duration>,
    /// Names that are like one that is not known.
    alike: Vec<String>,
    /// What `--verbose` shows: where the time went, and what lies beneath the message.
    detail: Vec<String>,
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
    KindUnknown,
    ToolNotReadOnly,
    ArgumentInvalid,
    LockUnreadable,
    LockInvalid,
    LockVersionUnknown,
    LockDuplicate,
    OutputUnwritable,
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
            Self::KindUnknown => "kind-unknown",
            Self::ToolNotReadOnly => "tool-not-read-only",
            Self::ArgumentInvalid => "argument-invalid",
            Self::LockUnreadable => "lock-unreadable",
            Self::LockInvalid => "lock-invalid",
            Self::LockVersionUnknown => "lock-version-unknown",
            Self::LockDuplicate => "lock-duplicate",
            Self::OutputUnwritable => "output-unwritable",
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
            | Self::ApprovalUnknown
            | Self::KindUnknown
            | Self::ToolNotReadOnly
            | Self::ArgumentInvalid => true,
            Self::CaUnreadable
            | Self::CaInvalid
            | Self::RuntimeUnavailable
            | Self::ConfigUnreadable
            | Self::ConfigInvalid
            | Self::ConfigDuplicate
            | Self::StorePathUnknown
            | Self::DemoUnavailable
            | Self::LockUnreadable
            | Self::LockInvalid
            | Self::LockVersionUnknown
            | Self::LockDuplicate
            | Self::OutputUnwritable => false,
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
            around: Box::new(Around {
                phase: Some(phase(failure)),
                elapsed: Some(failure.timing().total()),
                alike: Vec::new(),
                detail: detail(failure),
            }),
        }
    }

    /// What to do, where the message does not say it: the word on the kind, else that on the class.
    pub(crate) fn hint(&self) -> Option<String> {
        if let [one, rest @ ..] = &*self.around.alike {
            let rest: String = rest.iter().map(|name| format!(" or {name}")).collect();
            return Some(format!("did you mean {one}{rest}?"));
        }
        let of_class = || kinds::hint(self.class).filter(|_| self.said().is_none());
        kinds::hint(self.kind)
            .or_else(of_class)
            .map(|hint| hint.replace('`', ""))
    }

    /// What the message itself says that is to be done.
    fn said(&self) -> Option<&str> {
        self.message.split_once("; ").map(|(_, advice)| advice)
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

    /// What to do, wherever that is said: behind the message, or in it.
    pub(crate) fn advice(&self) -> Option<String> {
        self.hint().or_else(|| self.said().map(str::to_owned))
    }

    /// One line: what is wrong, where and how far it had come, and what to do.
    pub(crate) fn text(&self) -> String {
        let elapsed = self
            .around
            .elapsed
            .map(|elapsed| format!("{} ms", elapsed.as_millis()));
        let about = [
            self.server.as_deref(),
            Some(self.kind),
            Some(self.delivery.name()),
            self.around.phase,
            elapsed.as_deref(),
        ];
        let about: Vec<&str> = about.into_iter().flatten().collect();
        let hint = self.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
        let message = printable_line(&self.message);
        format!(
            "mcpctl: {message} ({}){}\n",
            about.join(", "),
            printable_line(&hint)
        )
    }

    /// The lines of `--verbose`.
    pub(crate) fn detailed(&self) -> String {
        let about = format!("class {}, culprit {}", self.class, self.culprit);
        let lines = [about].into_iter().chain(self.around.detail.iter().cloned());
        lines
            .map(|line| format!("mcpctl: {}\n", printable_line(&line)))
            .collect()
    }

    /// The same with names that may have been meant.
    pub(crate) fn like(mut self, names: Vec<String>) -> Self {
        self.around.alike = names;
        self
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
            around: Box::default(),
        }
    }
}

/// How far an operation had come that failed like this.
fn phase(failure: &Failure) -> &'static str {
    match failure.cause() {
        Cause::DeadlineExceeded { stage, .. } | Cause::Cancelled { stage } => stage.name(),
        Cause::Transport(error) => error.stage().name(),
        Cause::Malformed(_) | Cause::Walk(_) => Stage::Body.name(),
        Cause::Rpc { .. } => "answered",
        Cause::Refused(_) => Stage::Start.name(),
        // The outcome is there.
        Cause::Unrecorded | _ => "settle",
    }
}

fn detail(failure: &Failure) -> Vec<String> {
    let timing = failure.timing();
    let spent = [
        ("policy", timing.policy()),
        ("queue", timing.queue()),
        ("connect", timing.connect()),
        ("first byte", timing.first_byte()),
        ("body", timing.body()),
        ("decode", timing.decode()),
    ];
    let spent = spent.map(|(part, time)| format!("{part} {:.1} ms", time.as_secs_f64() * 1_000.0));
    let mut lines = vec![format!("time: {}", spent.join(", "))];
    let mut source = failure.source();
    while let Some(cause) = source {
        lines.push(format!("caused by: {cause}"));
        source = cause.source();
    }
    lines
}
