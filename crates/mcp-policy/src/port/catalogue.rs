//! The catalogue: what servers offered and what operators said of it, kept.

use std::collections::BTreeMap;

use mcp_wire::{PortFuture, ToolName};

use super::{StoreError, UnixTime};
use crate::catalogue::CatalogueRow;
use crate::server::ServerName;

/// Keeps the rows of imported tools and how the last import of each server ended.
///
/// Several processes may use one store. Whoever changes rows says which generation of the catalogue he read; when another
/// has been there since, nothing is changed and he reads again. No row is ever deleted but with its server.
///
/// Times come back to the nanosecond, up to 2^63 - 1 of them; a store may keep a later time as that one.
///
/// # Cancel safety
///
/// A change whose answer is dropped before it began is not begun; one that had begun may be whole, and is never in part.
pub trait CatalogueStore: Send + Sync {
    /// The whole catalogue as it is now.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    fn catalogue(&self) -> PortFuture<Result<Snapshot, StoreError>>;

    /// One row as it is now, by its name on the wire.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    fn row(
        &self,
        server: &ServerName,
        tool: &ToolName,
    ) -> PortFuture<Result<Option<CatalogueRow>, StoreError>>;

    /// Makes a change, all of it or nothing.
    ///
    /// # Errors
    ///
    /// [`StoreError`]; nothing is changed. [`StoreError::Unavailable`] also when the caller broke the terms of a change:
    /// a row belongs to another server, or its local name to another tool.
    fn commit(&self, base: Generation, change: CatalogueChange) -> PortFuture<Result<Committed, StoreError>>;

    /// Notes that an import failed. Changes no row and no generation; does nothing when the server is not there.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    fn note_failure(&self, server: &ServerName, failure: ImportFailure)
    -> PortFuture<Result<(), StoreError>>;
}

/// How often the rows of the catalogue have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Generation(pub u64);

/// The catalogue at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// Which one it is.
    pub generation: Generation,
    /// What is kept of each server that has a record.
    pub servers: BTreeMap<ServerName, ServerCatalogue>,
}

/// What is kept of one server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerCatalogue {
    /// Its tools, by remote name, the orphaned ones included.
    pub rows: BTreeMap<ToolName, CatalogueRow>,
    /// How its imports went.
    pub imports: Imports,
}

/// How the imports of a server went: the last one that went well, and one that failed after it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Imports {
    /// The last import that went well.
    pub success: Option<ImportSuccess>,
    /// The last failure, when none went well after it.
    pub failure: Option<ImportFailure>,
}

/// An import that went well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportSuccess {
    /// When.
    pub at: UnixTime,
    /// What was set aside.
    pub set_aside: Vec<SetAside>,
}

/// A definition that an import set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Its name on the wire, where it has a usable one.
    pub name: Option<ToolName>,
    /// The kind of the reason; one of our own words.
    pub reason: String,
}

/// An import that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportFailure {
    /// When.
    pub at: UnixTime,
    /// The kind of the failure; one of our own words.
    pub reason: String,
}

/// In one word how the imports of a server stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImportStatus {
    /// None was made.
    NeverImported,
    /// The last one took in everything.
    Ok,
    /// The last one set something aside.
    Partial,
    /// The last one failed; the catalogue is that of an earlier one.
    Error,
}

impl ImportStatus {
    /// The stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NeverImported => "never_imported",
            Self::Ok => "ok",
            Self::Partial => "partial",
            Self::Error => "error",
        }
    }
}

impl Imports {
    /// In one word.
    #[must_use]
    pub fn status(&self) -> ImportStatus {
        match (&self.failure, &self.success) {
            (Some(_), _) => ImportStatus::Error,
            (None, None) => ImportStatus::NeverImported,
            (None, Some(success)) if success.set_aside.is_empty() => ImportStatus::Ok,
            (None, Some(_)) => ImportStatus::Partial,
        }
    }
}

/// A change of one server's part of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueChange {
    /// The server; every row is one of its own.
    pub server: ServerName,
    /// The rows to put in the place of those of their names, or beside them.
    pub rows: Vec<CatalogueRow>,
    /// The import that the rows come from, if they do; it ends a failure.
    pub import: Option<ImportSuccess>,
}

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Committed {
    /// It is made and durable.
    Done,
    /// The catalogue is of another generation, or the server is no longer there. Nothing was changed.
    Stale,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_a_stable_name() {
        for (status, name) in [
            (ImportStatus::NeverImported, "never_imported"),
            (ImportStatus::Ok, "ok"),
            (ImportStatus::Partial, "partial"),
            (ImportStatus::Error, "error"),
        ] {
            assert_eq!(status.name(), name);
        }
    }
}
