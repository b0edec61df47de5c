//! The form of a step: what is done before an operation, the operation, and what the catalogue holds after it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::oracle::{Expected, Operation};
use crate::reply::ReplySpec;

/// What a server answers, by the method of the message.
pub(crate) type LegReplies = BTreeMap<String, Vec<ReplySpec>>;

/// An operation before the one that an oracle is about. Its members mean what they mean in an oracle.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    #[serde(default)]
    acts: Vec<Act>,
    operation: Operation,
    #[serde(default)]
    tool: Option<String>,
    #[serde(default)]
    legs: LegReplies,
    expect: Expected,
    #[serde(default)]
    catalogue: Option<ExpectedCatalogue>,
}

/// One operation of a run, be it of a step or the oracle's own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn<'a> {
    /// Which answers hold: those of the step of this number.
    pub(crate) stage: usize,
    pub(crate) acts: &'a [Act],
    pub(crate) operation: Operation,
    pub(crate) tool: Option<&'a str>,
    pub(crate) legs: &'a LegReplies,
    pub(crate) expect: &'a Expected,
    pub(crate) catalogue: Option<&'a ExpectedCatalogue>,
}

impl Step {
    pub(crate) fn turn(&self, stage: usize) -> Turn<'_> {
        Turn {
            stage,
            acts: &self.acts,
            operation: self.operation,
            tool: self.tool.as_deref(),
            legs: &self.legs,
            expect: &self.expect,
            catalogue: self.catalogue.as_ref(),
        }
    }
}

/// What happens on this side before an operation. A tool is named by its local name.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Act {
    /// The operator switches a tool on.
    Enable(String),
    /// The operator confirms a tool in the definition that the row holds.
    Confirm(String),
    /// The record of the server loses a part.
    Withdraw(RecordPart),
    /// The operator says whether the server's tools need an approval.
    Approval(Rule),
    /// The operator says of which class the server's data is.
    Class(String),
    /// The person grants what is pending for a tool.
    Grant(String),
    /// The person denies what is pending for a tool.
    Deny(String),
    /// The store gives back another text for a tool's input schema.
    StoreSchema {
        /// Whose.
        tool: String,
        /// Which.
        text: String,
    },
}

/// A rule that is on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Rule {
    On,
    Off,
}

/// A part of a record that a server needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RecordPart {
    Class,
    Url,
    Switch,
}

/// What the catalogue must hold of the server: all of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedCatalogue {
    /// How the last import ended: `never_imported`, `ok`, `partial` or `error`.
    pub(crate) status: String,
    /// The kind of the failure, when it failed.
    #[serde(default)]
    pub(crate) reason: Option<String>,
    /// The rows, by remote name.
    #[serde(default)]
    pub(crate) rows: Vec<ExpectedRow>,
    /// What was set aside: the name, where there is a usable one, and the kind of the reason.
    #[serde(default)]
    pub(crate) set_aside: Vec<(Option<String>, String)>,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedRow {
    /// The local name.
    pub(crate) name: String,
    /// Whether it is switched on in the definition that it holds.
    #[serde(default)]
    pub(crate) on: bool,
    /// Since when it is orphaned, in milliseconds after the start of the run.
    #[serde(default)]
    pub(crate) orphaned_ms: Option<u64>,
    /// The stored input schema, byte for byte; unchecked when absent.
    #[serde(default)]
    pub(crate) schema: Option<String>,
    /// The stored annotations, byte for byte; unchecked when absent.
    #[serde(default)]
    pub(crate) annotations: Option<String>,
}

/// A tool before gate and model. A member that is absent is unchecked, but for the name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedTool {
    /// The local name.
    pub(crate) name: String,
    /// The name on the wire.
    #[serde(default)]
    pub(crate) remote_name: Option<String>,
    /// The group.
    #[serde(default)]
    pub(crate) group: Option<String>,
    /// The description for the model.
    #[serde(default)]
    pub(crate) description: Option<String>,
    /// The input schema, byte for byte.
    #[serde(default)]
    pub(crate) schema: Option<String>,
    /// The class of its data; `{{class}}` stands for that of the profile.
    #[serde(default)]
    pub(crate) class: Option<String>,
    /// `on` or `off`; `{{approval}}` stands for that of the profile.
    #[serde(default)]
    pub(crate) approval: Option<String>,
    /// What a call of it does to the world: `read_only`, `idempotent_write` or `non_idempotent_write`.
    #[serde(default)]
    pub(crate) effect: Option<String>,
    /// Whether it is remote.
    #[serde(default)]
    pub(crate) remote: Option<bool>,
    /// Whether it is for administrators only.
    #[serde(default)]
    pub(crate) admin: Option<bool>,
    /// Whether an import switches it on.
    #[serde(default)]
    pub(crate) on_by_default: Option<bool>,
    /// Whether it is switched on.
    #[serde(default)]
    pub(crate) on: Option<bool>,
}
