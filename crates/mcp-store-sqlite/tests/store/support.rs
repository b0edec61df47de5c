//! Directories of their own for each test, and stores in them.

use std::fs;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Waker};
use std::thread;
use std::time::Duration;

use mcp_policy::ledger::LeaseHolder;
use mcp_policy::port::{StoreError, UnixTime};
use mcp_policy::{ServerName, ServerRecord};
use mcp_store_sqlite::{SqliteOptions, SqliteStore};
use mcp_wire::PortFuture;
use rusqlite::Connection;

/// A directory that goes away with the value.
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("mcp-store-{}-{number}", process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Where the store is.
    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("mcp.db")
    }

    /// Opens the store with its usual settings.
    pub(crate) fn open(&self) -> SqliteStore {
        open(&self.file()).unwrap()
    }

    /// A connection of somebody else to the file.
    pub(crate) fn raw(&self) -> Connection {
        Connection::open(self.file()).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn open(file: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(file, SqliteOptions::default())
}

/// Opens the store under a holder of runs.
pub(crate) fn open_as(file: &Path, holder: LeaseHolder) -> Result<SqliteStore, StoreError> {
    let mut options = SqliteOptions::default();
    options.holder = Some(holder);
    SqliteStore::open(file, options)
}

/// Settings under which no lock is waited for.
pub(crate) fn impatient() -> SqliteOptions {
    let mut options = SqliteOptions::default();
    options.busy_timeout = Duration::ZERO;
    options
}

pub(crate) fn name(text: &str) -> ServerName {
    ServerName::parse(text).unwrap()
}

pub(crate) fn record(text: &str) -> ServerRecord {
    ServerRecord::new(name(text), None)
}

pub(crate) fn at(second: u64) -> UnixTime {
    UnixTime(Duration::from_secs(second))
}

/// Polls an answer once, so that the question is put before the store's thread while there is room.
pub(crate) fn ask<T>(answer: &mut PortFuture<T>) {
    let mut context = Context::from_waker(Waker::noop());
    assert!(Pin::new(answer).poll(&mut context).is_pending());
}

/// Waits until the last connection to a file is closed, which does away with its log.
pub(crate) fn until_closed(file: &Path) {
    while beside(file, "-wal").exists() {
        thread::yield_now();
    }
}

/// The file that SQLite keeps beside another one.
pub(crate) fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
