//! What an operation came to, as plain data: the form that expectations are compared with.

use mcp_policy::catalogue::{LocalName, Plan};
use mcp_policy::{CallOutcome, Cause, Failure, Pong, RegistryError, ToolList};

use crate::catalogue::OfferedTool;
use crate::oracle::Expected;
use crate::reply::Values;

/// The kinds of the gate's denials.
const DENIALS: [&str; 7] = [
    "tool-not-registered",
    "tool-disabled",
    "admin-required",
    "group-disabled",
    "above-trust-zone",
    "policy-unavailable",
    "server-changed",
];

/// The end of one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Result {
        text: String,
        /// The raw text of the structured content.
        structured: Option<String>,
    },
    ToolError {
        text: String,
    },
    RpcError {
        code: i64,
        message: String,
        http_status: Option<u16>,
    },
    Pong {
        version: String,
        name: String,
    },
    Tools {
        names: Vec<String>,
        quarantined: usize,
    },
    /// What an import did, by local name.
    Imported {
        added: Vec<String>,
        changed: Vec<String>,
        drifted: Vec<String>,
        returned: Vec<String>,
        orphaned: Vec<String>,
    },
    /// What gate and model see.
    Offered {
        tools: Vec<OfferedTool>,
    },
    Failed {
        kind: String,
        delivery: String,
        /// Everything that the failure shows: as text, and to a developer.
        shown: String,
    },
}

impl Outcome {
    pub(crate) fn of(failure: &Failure) -> Self {
        if let Cause::Rpc { error, http_status } = failure.cause() {
            return Self::RpcError {
                code: error.code().get(),
                message: error.message().to_owned(),
                http_status: *http_status,
            };
        }
        Self::Failed {
            kind: failure.kind().to_owned(),
            delivery: failure.delivery().name().to_owned(),
            shown: format!("{failure} {failure:?}"),
        }
    }

    pub(crate) fn called(call: &CallOutcome) -> Self {
        let (text, structured) = (call.text.clone(), call.structured.as_deref().map(str::to_owned));
        if call.is_error {
            Self::ToolError { text }
        } else {
            Self::Result { text, structured }
        }
    }

    pub(crate) fn pong(pong: &Pong) -> Self {
        Self::Pong {
            version: pong.version.to_string(),
            name: pong.server.name.clone(),
        }
    }

    pub(crate) fn tools(list: &ToolList) -> Self {
        let names = list.tools.iter().map(|tool| tool.name().as_str().to_owned());
        Self::Tools {
            names: names.collect(),
            quarantined: list.quarantined.len(),
        }
    }

    pub(crate) fn imported(plan: &Plan) -> Self {
        let named = |names: &mut dyn Iterator<Item = &LocalName>| names.map(ToString::to_string).collect();
        let drifted = plan.changed.iter().filter(|(_, change)| change.drifted);
        Self::Imported {
            added: named(&mut plan.added.iter()),
            changed: named(&mut plan.changed.keys()),
            drifted: named(&mut drifted.map(|(name, _)| name)),
            returned: named(&mut plan.returned.iter()),
            orphaned: named(&mut plan.orphaned.iter()),
        }
    }

    pub(crate) fn of_registry(error: &RegistryError) -> Self {
        if let RegistryError::List(failure) = error {
            return Self::of(failure);
        }
        Self::Failed {
            kind: error.kind().to_owned(),
            delivery: error.delivery().name().to_owned(),
            shown: format!("{error} {error:?}"),
        }
    }

    /// The end of an operation that the suite could not even ask for; no expectation meets it.
    pub(crate) fn impossible() -> Self {
        Self::Failed {
            kind: "impossible".to_owned(),
            delivery: String::new(),
            shown: String::new(),
        }
    }

    /// The kind of a failure, if it is one.
    pub(crate) fn kind(&self) -> Option<&str> {
        match self {
            Self::Failed { kind, .. } => Some(kind),
            Self::Result { .. }
            | Self::ToolError { .. }
            | Self::RpcError { .. }
            | Self::Pong { .. }
            | Self::Tools { .. }
            | Self::Imported { .. }
            | Self::Offered { .. } => None,
        }
    }

    /// Whether the gate denied it.
    pub(crate) fn is_denied_by_gate(&self) -> bool {
        self.kind().is_some_and(|kind| DENIALS.contains(&kind))
    }

    /// Whether it was refused before its step was stamped.
    pub(crate) fn is_refused_before_stamp(&self) -> bool {
        let before = ["approval-denied", "approval-pending", "run-limit", "no-run"];
        self.is_denied_by_gate()
            || self
                .kind()
                .is_some_and(|kind| before.contains(&kind) || kind.starts_with("store-"))
    }

    /// Whether an operation on the server completed, be it with a tool's own failure.
    pub(crate) const fn is_completed(&self) -> bool {
        match self {
            Self::Result { .. }
            | Self::ToolError { .. }
            | Self::Pong { .. }
            | Self::Tools { .. }
            | Self::Imported { .. } => true,
            Self::Offered { .. } | Self::RpcError { .. } | Self::Failed { .. } => false,
        }
    }
}

/// Whether an outcome is the expected one; `values` stand for placeholders.
pub(crate) fn meets(expected: &Expected, outcome: &Outcome, values: &Values) -> bool {
    match (expected, outcome) {
        (
            Expected::Result { text, structured },
            Outcome::Result {
                text: found,
                structured: raw,
            },
        ) => {
            text == found
                && structured
                    .as_ref()
                    .is_none_or(|structured| raw.as_ref() == Some(structured))
        }
        (Expected::ToolError { text }, Outcome::ToolError { text: found }) => text == found,
        (
            Expected::RpcError {
                code,
                message,
                http_status,
            },
            Outcome::RpcError {
                code: found,
                message: shown,
                http_status: status,
            },
        ) => {
            code == found
                && message.as_ref().is_none_or(|message| message == shown)
                && http_status.is_none_or(|expected| *status == Some(expected))
        }
        (
            Expected::Failed { kind, delivery, says },
            Outcome::Failed {
                kind: found,
                delivery: known,
                shown,
            },
        ) => {
            kind == found
                && delivery.as_ref().is_none_or(|delivery| delivery == known)
                && says.as_ref().is_none_or(|says| shown.contains(says.as_str()))
        }
        (
            Expected::Pong { version, name },
            Outcome::Pong {
                version: found,
                name: shown,
            },
        ) => version == found && name == shown,
        (
            Expected::Tools { names, quarantined },
            Outcome::Tools {
                names: found,
                quarantined: set_aside,
            },
        ) => names == found && quarantined == set_aside,
        (
            Expected::Imported {
                added,
                changed,
                drifted,
                returned,
                orphaned,
            },
            Outcome::Imported {
                added: found,
                changed: differ,
                drifted: off,
                returned: back,
                orphaned: gone,
            },
        ) => (added, changed, drifted, returned, orphaned) == (found, differ, off, back, gone),
        (Expected::Offered { tools }, Outcome::Offered { tools: found }) => {
            tools.len() == found.len()
                && found
                    .iter()
                    .zip(tools)
                    .all(|(tool, expected)| tool.meets(expected, values))
        }
        (_, _) => false,
    }
}
