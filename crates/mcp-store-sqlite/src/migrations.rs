//! The versions of the tables, and whose file it is.

use mcp_policy::port::StoreError;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::fault::Fault;

/// Marks the file as one of this program: `mcps`.
const APPLICATION: i32 = 0x6d63_7073;

/// What leads from each version to the next one; the first leads from nothing to version 1. A published one stays as it is.
const MIGRATIONS: [&str; 2] = [
    include_str!("migrations/0001.sql"),
    include_str!("migrations/0002.sql"),
];

/// The version of a file: how many migrations it has behind it. Changes nothing.
///
/// # Errors
///
/// [`StoreError::Newer`] for a version that is not known here; [`StoreError::Corrupt`] for a file of another program.
pub(crate) fn version(connection: &mut Connection) -> Result<usize, Fault> {
    version_in(&connection.transaction()?)
}

/// As [`version`]. All of it is of one moment: another process may make the file's tables just now.
fn version_in(connection: &Transaction<'_>) -> Result<usize, Fault> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let (application, version) = (pragma("application_id")?, pragma("user_version")?);
    if application == 0 && version == 0 {
        let is_empty: bool =
            connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| {
                row.get(0)
            })?;
        return if is_empty { Ok(0) } else { Err(Fault::CORRUPT) };
    }
    let (Ok(found), true) = (u32::try_from(version), application == APPLICATION) else {
        return Err(Fault::CORRUPT);
    };
    match usize::try_from(found) {
        Ok(0) => Err(Fault::CORRUPT),
        Ok(version) if version <= MIGRATIONS.len() => Ok(version),
        Ok(_) | Err(_) => Err(Fault(StoreError::Newer {
            found,
            known: u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX),
        })),
    }
}

/// Brings the file to the latest version, in one transaction. Whoever comes second finds the work done.
///
/// # Errors
///
/// As [`version`], and whatever keeps SQLite from writing.
pub(crate) fn run(connection: &mut Connection) -> Result<(), Fault> {
    if version(connection)? == MIGRATIONS.len() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version = version_in(&transaction)?;
    for migration in MIGRATIONS.iter().skip(version) {
        transaction.execute_batch(migration)?;
    }
    let latest = i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX);
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", latest)?;
    Ok(transaction.commit()?)
}
