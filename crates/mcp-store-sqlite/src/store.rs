//! The store: each method of a port is one question to its thread.

use std::path::Path;

use mcp_policy::catalogue::CatalogueRow;
use mcp_policy::ledger::LeaseHolder;
use mcp_policy::port::{
    CatalogueChange, CatalogueStore, Committed, Contact, Generation, HealthStore, ImportFailure, ServerStore,
    Snapshot, StoreError,
};
use mcp_policy::{ServerName, ServerRecord};
use mcp_wire::{PortFuture, ToolName};

use crate::options::SqliteOptions;
use crate::thread::StoreThread;
use crate::{catalogue, connection, contacts, file, servers};

/// Servers, catalogue, contacts, the ledger, denials and approvals in one file of SQLite.
///
/// One thread owns the connection. A question reaches it when its answer is first polled; no call blocks its caller, and
/// no runtime is needed. Questions are answered one after the other, so each reads what those before it wrote. A change
/// is on the disk when it is answered.
///
/// Dropping the store ends the thread, after the questions that lie before it; answers that are waited for still come.
///
/// # Cancel safety
///
/// A change whose answer is dropped before the thread has the file's write lock is not begun. One that has begun is made
/// whole. A stamp whose answer was dropped before it was taken is settled as never sent, before anything that is asked
/// after that.
pub struct SqliteStore {
    pub(crate) thread: StoreThread,
    pub(crate) holder: Option<LeaseHolder>,
    pub(crate) calls_per_run: u32,
}

impl SqliteStore {
    /// Opens the store, and makes it if there is none: the file for its owner alone (0600), a missing directory too (0700).
    /// A file of an earlier version is brought to the latest one. A file that is there keeps its permissions.
    ///
    /// Blocks the calling thread, for a lock of another process up to the busy timeout at each step.
    ///
    /// # Errors
    ///
    /// [`StoreError`]. [`StoreError::Newer`] leaves the file as it is, and so does [`StoreError::Corrupt`], also for the
    /// file of another program. [`StoreError::Unavailable`] also on a file system that cannot share memory between
    /// processes.
    pub fn open(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        let path = file::make(path)?;
        let connection = connection::open(&path, options).map_err(|fault| fault.0)?;
        let thread = StoreThread::start(connection, options.queue)?;
        Ok(Self {
            thread,
            holder: options.holder,
            calls_per_run: options.calls_per_run,
        })
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}

impl ServerStore for SqliteStore {
    fn servers(&self) -> PortFuture<Result<Vec<ServerRecord>, StoreError>> {
        self.thread.read(servers::all)
    }

    fn server(&self, name: &ServerName) -> PortFuture<Result<Option<ServerRecord>, StoreError>> {
        let name = name.clone();
        self.thread
            .read(move |transaction| servers::one(transaction, &name))
    }

    fn add(&self, record: ServerRecord) -> PortFuture<Result<bool, StoreError>> {
        self.thread
            .change(move |transaction| servers::add(transaction, &record))
    }

    fn replace(&self, record: ServerRecord) -> PortFuture<Result<bool, StoreError>> {
        self.thread
            .change(move |transaction| servers::replace(transaction, &record))
    }

    fn remove(&self, name: &ServerName) -> PortFuture<Result<bool, StoreError>> {
        let name = name.clone();
        self.thread.change(move |transaction| {
            let was_there = servers::remove(transaction, &name)?;
            if was_there {
                contacts::forget(transaction, &name)?;
                catalogue::next_generation(transaction)?;
            }
            Ok(was_there)
        })
    }
}

impl CatalogueStore for SqliteStore {
    fn catalogue(&self) -> PortFuture<Result<Snapshot, StoreError>> {
        self.thread.read(catalogue::snapshot)
    }

    fn row(
        &self,
        server: &ServerName,
        tool: &ToolName,
    ) -> PortFuture<Result<Option<CatalogueRow>, StoreError>> {
        let (server, tool) = (server.clone(), tool.clone());
        self.thread
            .read(move |transaction| catalogue::row(transaction, &server, &tool))
    }

    fn commit(&self, base: Generation, change: CatalogueChange) -> PortFuture<Result<Committed, StoreError>> {
        self.thread
            .change(move |transaction| catalogue::commit(transaction, base, &change))
    }

    fn note_failure(
        &self,
        server: &ServerName,
        failure: ImportFailure,
    ) -> PortFuture<Result<(), StoreError>> {
        let server = server.clone();
        self.thread
            .change(move |transaction| catalogue::note_failure(transaction, &server, &failure))
    }
}

impl HealthStore for SqliteStore {
    fn record(&self, server: &ServerName, contact: Contact) -> PortFuture<Result<(), StoreError>> {
        let server = server.clone();
        self.thread
            .change(move |transaction| contacts::record(transaction, &server, contact))
    }

    fn last(&self, server: &ServerName) -> PortFuture<Result<Option<Contact>, StoreError>> {
        let server = server.clone();
        self.thread
            .read(move |transaction| contacts::last(transaction, &server))
    }
}
