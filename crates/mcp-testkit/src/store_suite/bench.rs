//! What a claim works with: the store, another one in the same place, and words for what does not hold.

use std::fmt::Debug;
use std::sync::Arc;

use mcp_policy::catalogue::CatalogueRow;
use mcp_policy::port::{
    CatalogueChange, Committed, Contact, Generation, ImportFailure, ImportSuccess, Imports, ServerCatalogue,
    Snapshot, StoreError,
};
use mcp_policy::{ServerName, ServerRecord};

use mcp_wire::ToolName;

use super::samples::record;
use super::{Opened, Stores};
use crate::block_on;

/// Why a claim does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken(pub String);

/// Whether a claim holds.
pub type Held = Result<(), Broken>;

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Self {
        Self(format!("the store failed: {}", error.kind()))
    }
}

/// Holds when both are equal.
pub(crate) fn same<T: PartialEq + Debug>(what: &str, found: T, expected: T) -> Held {
    if found == expected {
        Ok(())
    } else {
        Err(Broken(format!("{what}: found {found:?}, expected {expected:?}")))
    }
}

/// A store in its place.
pub struct Bench<'a> {
    open: &'a mut dyn FnMut() -> Opened,
    store: Arc<dyn Stores>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(open: &'a mut dyn FnMut() -> Opened) -> Result<Self, Broken> {
        let store = open()?;
        Ok(Self { open, store })
    }

    /// Another store in the same place, beside this one.
    pub(super) fn beside(&mut self) -> Result<Arc<dyn Stores>, Broken> {
        Ok((self.open)()?)
    }

    pub(super) fn store(&self) -> Arc<dyn Stores> {
        Arc::clone(&self.store)
    }

    /// Closes the store after having opened the next one, so that a place in memory may keep what it holds.
    pub(super) fn reopen(&mut self) -> Held {
        self.store = (self.open)()?;
        Ok(())
    }

    /// Everything that is kept of the catalogue. It is the same before and after the store is opened anew.
    pub(super) fn snapshot(&mut self) -> Result<Snapshot, Broken> {
        let before = block_on(self.store.catalogue())?;
        self.reopen()?;
        let after = block_on(self.store.catalogue())?;
        same("the catalogue after reopening", &after, &before)?;
        Ok(after)
    }

    /// One row.
    pub(super) fn row(&self, server: &ServerName, tool: &ToolName) -> Result<Option<CatalogueRow>, Broken> {
        Ok(block_on(self.store.row(server, tool))?)
    }

    /// What is kept of one server.
    pub(super) fn of_server(&mut self, server: &ServerName) -> Result<ServerCatalogue, Broken> {
        let servers = self.snapshot()?.servers;
        let server = servers.get(server).cloned();
        server.ok_or_else(|| Broken(String::from("the catalogue lacks a server that has a record")))
    }

    pub(super) fn imports(&mut self, server: &ServerName) -> Result<Imports, Broken> {
        Ok(self.of_server(server)?.imports)
    }

    /// Adds plain records of these names.
    pub(super) fn add(&self, names: &[&ServerName]) -> Held {
        for name in names {
            same("adding", self.add_record(record(name))?, true)?;
        }
        Ok(())
    }

    pub(super) fn add_record(&self, record: ServerRecord) -> Result<bool, Broken> {
        Ok(block_on(self.store.add(record))?)
    }

    pub(super) fn replace(&self, record: ServerRecord) -> Result<bool, Broken> {
        Ok(block_on(self.store.replace(record))?)
    }

    pub(super) fn remove(&self, name: &ServerName) -> Result<bool, Broken> {
        Ok(block_on(self.store.remove(name))?)
    }

    pub(super) fn servers(&self) -> Result<Vec<ServerRecord>, Broken> {
        Ok(block_on(self.store.servers())?)
    }

    pub(super) fn server(&self, name: &ServerName) -> Result<Option<ServerRecord>, Broken> {
        Ok(block_on(self.store.server(name))?)
    }

    pub(super) fn generation(&self) -> Result<Generation, Broken> {
        Ok(block_on(self.store.catalogue())?.generation)
    }

    /// Makes a change on the catalogue as it is now.
    pub(super) fn commit(&self, change: CatalogueChange) -> Held {
        let committed = self.commit_on(self.generation()?, change)?;
        same(
            "a change on the current generation",
            committed,
            Ok(Committed::Done),
        )
    }

    pub(super) fn commit_on(
        &self,
        base: Generation,
        change: CatalogueChange,
    ) -> Result<Result<Committed, StoreError>, Broken> {
        Ok(block_on(self.store.commit(base, change)))
    }

    /// Makes an import without a row.
    pub(super) fn import(&self, server: &ServerName, success: ImportSuccess) -> Held {
        self.commit(CatalogueChange {
            server: server.clone(),
            rows: Vec::new(),
            import: Some(success),
        })
    }

    pub(super) fn note_failure(&self, server: &ServerName, failure: ImportFailure) -> Held {
        Ok(block_on(self.store.note_failure(server, failure))?)
    }

    pub(super) fn record_contact(&self, server: &ServerName, contact: Contact) -> Held {
        Ok(block_on(self.store.record(server, contact))?)
    }

    pub(super) fn last_contact(&self, server: &ServerName) -> Result<Option<Contact>, Broken> {
        Ok(block_on(self.store.last(server))?)
    }
}
