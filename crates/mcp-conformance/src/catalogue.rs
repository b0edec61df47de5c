//! What the store holds of the server, and what gate and model see of it, as plain data.

use mcp_policy::catalogue::{CatalogueRow, RemoteTool, WriteEffect};
use mcp_policy::port::{ServerCatalogue, UnixTime};

use crate::reply::{Values, fill};
use crate::step::{ExpectedCatalogue, ExpectedRow, ExpectedTool};

/// The server's part of the catalogue at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Catalogue {
    /// How the last import ended.
    pub(crate) status: String,
    /// The kind of the failure, when it failed.
    pub(crate) reason: Option<String>,
    /// By remote name.
    pub(crate) rows: Vec<Row>,
    /// What the last import that went well set aside.
    pub(crate) set_aside: Vec<(Option<String>, String)>,
}

/// One row. Times are milliseconds after the start of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) on: bool,
    pub(crate) orphaned_ms: Option<u64>,
    pub(crate) first_seen_ms: u64,
    pub(crate) schema: String,
    pub(crate) annotations: Option<String>,
}

impl Catalogue {
    pub(crate) fn of(kept: &ServerCatalogue, start: UnixTime) -> Self {
        let set_aside = kept.imports.success.iter().flat_map(|success| &success.set_aside);
        Self {
            status: kept.imports.status().name().to_owned(),
            reason: kept
                .imports
                .failure
                .as_ref()
                .map(|failure| failure.reason.clone()),
            rows: kept.rows.values().map(|row| Row::of(row, start)).collect(),
            set_aside: set_aside
                .map(|one| {
                    let name = one.name.as_ref().map(|name| name.as_str().to_owned());
                    (name, one.reason.clone())
                })
                .collect(),
        }
    }

    pub(crate) fn meets(&self, expected: &ExpectedCatalogue) -> bool {
        self.status == expected.status
            && self.reason == expected.reason
            && self.set_aside == expected.set_aside
            && self.rows.len() == expected.rows.len()
            && self
                .rows
                .iter()
                .zip(&expected.rows)
                .all(|(row, expected)| row.meets(expected))
    }
}

impl Row {
    fn of(row: &CatalogueRow, start: UnixTime) -> Self {
        let since =
            |time: UnixTime| u64::try_from(time.0.saturating_sub(start.0).as_millis()).unwrap_or(u64::MAX);
        Self {
            name: row.local_name.to_string(),
            on: row.is_on(),
            orphaned_ms: row.orphaned_since.map(since),
            first_seen_ms: since(row.first_seen),
            schema: row.definition.input_schema.clone(),
            annotations: row.definition.annotations.clone(),
        }
    }

    fn meets(&self, expected: &ExpectedRow) -> bool {
        self.name == expected.name
            && self.on == expected.on
            && self.orphaned_ms == expected.orphaned_ms
            && expected
                .schema
                .as_ref()
                .is_none_or(|schema| *schema == self.schema)
            && (expected.annotations.is_none() || expected.annotations == self.annotations)
    }
}

/// A tool before gate and model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OfferedTool {
    pub(crate) name: String,
    pub(crate) remote_name: String,
    pub(crate) group: String,
    pub(crate) description: String,
    pub(crate) schema: String,
    pub(crate) class: String,
    pub(crate) approval: String,
    pub(crate) effect: String,
    pub(crate) remote: bool,
    pub(crate) admin: bool,
    pub(crate) on_by_default: bool,
    pub(crate) on: bool,
}

impl OfferedTool {
    pub(crate) fn of(tool: &RemoteTool) -> Self {
        let effect = match tool.write_effect() {
            WriteEffect::ReadOnly => "read_only",
            WriteEffect::IdempotentWrite => "idempotent_write",
            WriteEffect::NonIdempotentWrite => "non_idempotent_write",
        };
        Self {
            name: tool.local_name.to_string(),
            remote_name: tool.remote_name.as_str().to_owned(),
            group: tool.group.as_str().to_owned(),
            description: tool.description.clone(),
            schema: tool.input_schema.as_str().to_owned(),
            class: tool.class.name().to_owned(),
            approval: tool.approval.as_stored().to_owned(),
            effect: effect.to_owned(),
            remote: tool.is_remote(),
            admin: tool.requires_admin(),
            on_by_default: tool.is_on_by_default(),
            on: tool.is_on,
        }
    }

    pub(crate) fn meets(&self, expected: &ExpectedTool, values: &Values) -> bool {
        let texts = [
            (&expected.remote_name, &self.remote_name),
            (&expected.group, &self.group),
            (&expected.description, &self.description),
            (&expected.schema, &self.schema),
            (&expected.class, &self.class),
            (&expected.approval, &self.approval),
            (&expected.effect, &self.effect),
        ];
        let flags = [
            (expected.remote, self.remote),
            (expected.admin, self.admin),
            (expected.on_by_default, self.on_by_default),
            (expected.on, self.on),
        ];
        let says = |(expected, found): (&Option<String>, &String)| {
            expected
                .as_ref()
                .is_none_or(|expected| fill(expected, values) == *found)
        };
        expected.name == self.name
            && texts.into_iter().all(says)
            && flags
                .into_iter()
                .all(|(expected, found)| expected.is_none_or(|expected| expected == found))
    }
}
