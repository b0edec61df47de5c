//! What gate and model see of an imported tool.

use mcp_wire::ToolName;

use super::fingerprint::Fingerprint;
use super::name::LocalName;
use super::row::CatalogueRow;
use super::schema::{InputSchema, SchemaFault};
use crate::record::GroupName;
use crate::server::{ApprovalRule, DataClass, ServerName};

/// What an operator said of a server, as far as its tools depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerTerms<'a> {
    /// Its name.
    pub server: &'a ServerName,
    /// Whether it is enabled.
    pub enabled: bool,
    /// The class of its data; without one it offers nothing.
    pub class: Option<DataClass>,
    /// Whether a call needs an approval.
    pub approval: ApprovalRule,
    /// The group that its tools are switched by.
    pub group: &'a GroupName,
}

/// An imported tool before gate and model.
///
/// Class and approval are the operator's word on the server. That it is remote, a write that is not idempotent, for
/// administrators only and off until it is switched on holds for every imported tool and is no setting.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemoteTool {
    /// Its name before gate and model.
    pub local_name: LocalName,
    /// Its group.
    pub group: GroupName,
    /// Its server.
    pub server: ServerName,
    /// Its name on the wire.
    pub remote_name: ToolName,
    /// The title as the server wrote it.
    pub title: Option<String>,
    /// The description for the model; begins with where the tool comes from.
    pub description: String,
    /// The input schema for the model.
    pub input_schema: InputSchema,
    /// The class of the data that it handles.
    pub class: DataClass,
    /// Whether a call needs an approval.
    pub approval: ApprovalRule,
    /// The definition that all of this is taken from.
    pub fingerprint: Fingerprint,
    /// Whether the operator has switched it on in just this definition.
    pub is_on: bool,
}

/// What a call of a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WriteEffect {
    /// Nothing.
    ReadOnly,
    /// The same, however often it is called.
    IdempotentWrite,
    /// Something each time.
    NonIdempotentWrite,
}

impl RemoteTool {
    /// The tool of a row, under the terms of its server. A tool that is off is a tool: the gate denies its calls.
    ///
    /// # Errors
    ///
    /// [`Withheld`] when the row offers no tool at present. The row stays.
    pub fn of_row(row: &CatalogueRow, terms: ServerTerms<'_>) -> Result<Self, Withheld> {
        if row.server != *terms.server {
            return Err(Withheld::ForeignRow);
        }
        if !terms.enabled {
            return Err(Withheld::ServerDisabled);
        }
        let class = terms.class.ok_or(Withheld::ServerUnclassified)?;
        if row.is_orphaned() {
            return Err(Withheld::Orphaned);
        }
        Ok(Self {
            local_name: row.local_name.clone(),
            group: terms.group.clone(),
            server: row.server.clone(),
            remote_name: row.remote_name.clone(),
            title: row.definition.title.clone(),
            description: row.definition.model_description(&row.server),
            input_schema: InputSchema::from_stored(&row.definition.input_schema)?,
            class,
            approval: terms.approval,
            fingerprint: row.definition.fingerprint,
            is_on: row.is_on(),
        })
    }

    /// Always `true`.
    #[must_use]
    pub const fn is_remote(&self) -> bool {
        true
    }

    /// Always [`WriteEffect::NonIdempotentWrite`], whatever the annotations say.
    #[must_use]
    pub const fn write_effect(&self) -> WriteEffect {
        WriteEffect::NonIdempotentWrite
    }

    /// Always `true`.
    #[must_use]
    pub const fn requires_admin(&self) -> bool {
        true
    }

    /// Always `false`: an import switches nothing on.
    #[must_use]
    pub const fn is_on_by_default(&self) -> bool {
        false
    }
}

/// Why a row offers no tool at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Withheld {
    /// The row belongs to another server. The caller is at fault.
    #[error("the row belongs to another server")]
    ForeignRow,
    /// The operator has disabled the server.
    #[error("the server is disabled")]
    ServerDisabled,
    /// The operator has not said how sensitive the server's data is.
    #[error("the server has no data class")]
    ServerUnclassified,
    /// The server no longer offers the tool.
    #[error("the server no longer offers the tool")]
    Orphaned,
    /// The stored input schema no longer decodes to an object.
    #[error("the stored input schema cannot be used: {0}")]
    Schema(#[from] SchemaFault),
}

impl Withheld {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::ForeignRow => "foreign-row",
            Self::ServerDisabled => "server-disabled",
            Self::ServerUnclassified => "server-unclassified",
            Self::Orphaned => "tool-orphaned",
            Self::Schema(fault) => fault.kind(),
        }
    }
}
