//! What an operation came to, as plain data: the form that expectations are compared with.

use mcp_policy::{Cause, Failure, Pong, ToolList};

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

    /// The end of an operation that the suite could not even ask for; no expectation meets it.
    pub(crate) fn impossible() -> Self {
        Self::Failed {
            kind: "impossible".to_owned(),
            delivery: String::new(),
            shown: String::new(),
        }
    }

    /// Whether the operation completed, be it with a tool's own failure.
    pub(crate) const fn is_completed(&self) -> bool {
        match self {
            Self::Result { .. } | Self::ToolError { .. } | Self::Pong { .. } | Self::Tools { .. } => true,
            Self::RpcError { .. } | Self::Failed { .. } => false,
        }
    }
}
