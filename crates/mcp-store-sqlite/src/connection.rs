//! How the file is opened: under which rules SQLite works on it.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use mcp_policy::port::StoreError;
use rusqlite::{Connection, MAIN_DB, OpenFlags};

use crate::fault::Fault;
use crate::migrations;
use crate::options::SqliteOptions;

/// How long to wait before the log is asked for once more.
const PAUSE: Duration = Duration::from_millis(1);

/// Opens a file that is there and brings it to the latest version. A file that is not ours, or newer, stays as it is.
///
/// # Errors
///
/// Whatever keeps the store from being used.
pub(crate) fn open(path: &Path, options: SqliteOptions) -> Result<Connection, Fault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    // SQLite counts it as a C `int` of milliseconds.
    let longest = Duration::from_millis(i32::MAX.unsigned_abs().into());
    connection.busy_timeout(options.busy_timeout.min(longest))?;
    // SQLite opens a file that may not be written for reading.
    if connection.is_readonly(MAIN_DB)? {
        return Err(Fault(StoreError::Denied));
    }
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    migrations::version(&mut connection)?;
    keep_log(&connection, options.busy_timeout)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // Elsewhere than on Apple's systems this changes nothing: there, a plain sync does not reach the disk.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    if let Some(bytes) = options.max_bytes {
        let page: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let pages = i64::try_from(bytes).unwrap_or(i64::MAX) / page.max(1);
        connection.pragma_update_and_check(None, "max_page_count", pages.max(1), |_| Ok(()))?;
    }
    migrations::run(&mut connection)?;
    Ok(connection)
}

/// Sets the write-ahead log. That takes the whole file for a moment. SQLite does not wait for that when another connection
/// is about to write, as of two that open a new file one is; so it is asked for again until the time is over.
fn keep_log(connection: &Connection, patience: Duration) -> Result<(), Fault> {
    let began = Instant::now();
    loop {
        let asked = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0));
        match asked.map_err(Fault::from) {
            Ok(mode) => {
                let mode: String = mode;
                // A file system without shared memory keeps the old one.
                return if mode == "wal" {
                    Ok(())
                } else {
                    Err(Fault(StoreError::Unavailable))
                };
            }
            Err(Fault(StoreError::Busy)) if began.elapsed() < patience => thread::sleep(PAUSE),
            Err(fault) => return Err(fault),
        }
    }
}
