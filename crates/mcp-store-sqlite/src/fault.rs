//! How an error of SQLite or of the file system is told: as a [`StoreError`], without a text of theirs.

use std::io;

use mcp_policy::port::StoreError;
use rusqlite::{Error, ErrorCode, ffi};

/// A failure on its way to the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault(pub(crate) StoreError);

impl Fault {
    /// A value in the file that nothing of ours wrote.
    pub(crate) const CORRUPT: Self = Self(StoreError::Corrupt);

    /// The caller broke the terms of a change.
    pub(crate) const REFUSED: Self = Self(StoreError::Unavailable);
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self(match error {
            Error::SqliteFailure(error, _) | Error::SqlInputError { error, .. } => of_code(error),
            // A value of another type, range or encoding than the one that was written, or a row too few or too many.
            Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::Utf8Error(..)
            | Error::InvalidColumnType(..)
            | Error::QueryReturnedNoRows
            | Error::QueryReturnedMoreThanOneRow
            | Error::StatementChangedRows(_) => StoreError::Corrupt,
            Error::InvalidPath(_) | Error::NulError(_) => StoreError::Denied,
            // What is left says that this crate asked wrongly; which variants there are depends on rusqlite's features.
            Error::SqliteSingleThreadedMode
            | Error::InvalidParameterName(_)
            | Error::InvalidParameterCount(..)
            | Error::InvalidColumnIndex(_)
            | Error::InvalidColumnName(_)
            | Error::ToSqlConversionFailure(_)
            | Error::ExecuteReturnedResults
            | Error::MultipleStatement
            | Error::InvalidQuery
            | Error::UnwindingPanic
            | _ => StoreError::Unavailable,
        })
    }
}

fn of_code(error: ffi::Error) -> StoreError {
    match error.extended_code {
        ffi::SQLITE_IOERR_CORRUPTFS => return StoreError::Corrupt,
        // The index of the log could not be given its size.
        ffi::SQLITE_IOERR_SHMSIZE => return StoreError::Full,
        _ => {}
    }
    match error.code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
            StoreError::Busy
        }
        // `Unknown` is SQLITE_ERROR. The statements here are fixed, so it means that the tables are not as they were made.
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown => StoreError::Corrupt,
        ErrorCode::DiskFull => StoreError::Full,
        ErrorCode::CannotOpen
        | ErrorCode::PermissionDenied
        | ErrorCode::ReadOnly
        | ErrorCode::AuthorizationForStatementDenied => StoreError::Denied,
        ErrorCode::InternalMalfunction
        | ErrorCode::OperationAborted
        | ErrorCode::OutOfMemory
        | ErrorCode::OperationInterrupted
        | ErrorCode::SystemIoFailure
        | ErrorCode::NotFound
        | ErrorCode::SchemaChanged
        | ErrorCode::TooBig
        | ErrorCode::ConstraintViolation
        | ErrorCode::TypeMismatch
        | ErrorCode::ApiMisuse
        | ErrorCode::NoLargeFileSupport
        | ErrorCode::ParameterOutOfRange => StoreError::Unavailable,
        _ => StoreError::Unavailable,
    }
}

/// What a failure to make the file or its directory means.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "most kinds of failure do not concern files"
)]
pub(crate) fn of_io(error: &io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::PermissionDenied
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::NotFound
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::IsADirectory
        | io::ErrorKind::AlreadyExists
        | io::ErrorKind::InvalidFilename
        | io::ErrorKind::InvalidInput => StoreError::Denied,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full,
        _ => StoreError::Unavailable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_sqlite_has_its_error() {
        for (code, expected) in [
            (ffi::SQLITE_ERROR, StoreError::Corrupt),
            (ffi::SQLITE_INTERNAL, StoreError::Unavailable),
            (ffi::SQLITE_PERM, StoreError::Denied),
            (ffi::SQLITE_ABORT, StoreError::Unavailable),
            (ffi::SQLITE_BUSY, StoreError::Busy),
            (ffi::SQLITE_BUSY_RECOVERY, StoreError::Busy),
            (ffi::SQLITE_BUSY_SNAPSHOT, StoreError::Busy),
            (ffi::SQLITE_LOCKED, StoreError::Busy),
            (ffi::SQLITE_NOMEM, StoreError::Unavailable),
            (ffi::SQLITE_READONLY, StoreError::Denied),
            (ffi::SQLITE_READONLY_DIRECTORY, StoreError::Denied),
            (ffi::SQLITE_INTERRUPT, StoreError::Unavailable),
            (ffi::SQLITE_IOERR, StoreError::Unavailable),
            (ffi::SQLITE_IOERR_WRITE, StoreError::Unavailable),
            (ffi::SQLITE_IOERR_FSYNC, StoreError::Unavailable),
            (ffi::SQLITE_IOERR_SHMSIZE, StoreError::Full),
            (ffi::SQLITE_IOERR_CORRUPTFS, StoreError::Corrupt),
            (ffi::SQLITE_CORRUPT, StoreError::Corrupt),
            (ffi::SQLITE_FULL, StoreError::Full),
            (ffi::SQLITE_CANTOPEN, StoreError::Denied),
            (ffi::SQLITE_PROTOCOL, StoreError::Busy),
            (ffi::SQLITE_SCHEMA, StoreError::Unavailable),
            (ffi::SQLITE_TOOBIG, StoreError::Unavailable),
            (ffi::SQLITE_CONSTRAINT, StoreError::Unavailable),
            (ffi::SQLITE_CONSTRAINT_UNIQUE, StoreError::Unavailable),
            (ffi::SQLITE_MISMATCH, StoreError::Unavailable),
            (ffi::SQLITE_MISUSE, StoreError::Unavailable),
            (ffi::SQLITE_NOLFS, StoreError::Unavailable),
            (ffi::SQLITE_AUTH, StoreError::Denied),
            (ffi::SQLITE_RANGE, StoreError::Unavailable),
            (ffi::SQLITE_NOTADB, StoreError::Corrupt),
        ] {
            let error = Error::SqliteFailure(ffi::Error::new(code), Some("its own words".into()));
            assert_eq!(Fault::from(error), Fault(expected), "{code}");
        }
    }

    #[test]
    fn a_value_that_nothing_of_ours_wrote_is_damage() {
        for error in [
            Error::InvalidColumnType(0, "name".into(), rusqlite::types::Type::Blob),
            Error::IntegralValueOutOfRange(0, -1),
            Error::QueryReturnedNoRows,
        ] {
            assert_eq!(Fault::from(error), Fault::CORRUPT);
        }
        assert_eq!(Fault::from(Error::InvalidQuery), Fault(StoreError::Unavailable));
    }

    #[test]
    fn a_file_that_cannot_be_made_is_denied_or_full() {
        for (kind, expected) in [
            (io::ErrorKind::PermissionDenied, StoreError::Denied),
            (io::ErrorKind::NotADirectory, StoreError::Denied),
            (io::ErrorKind::ReadOnlyFilesystem, StoreError::Denied),
            (io::ErrorKind::StorageFull, StoreError::Full),
            (io::ErrorKind::QuotaExceeded, StoreError::Full),
            (io::ErrorKind::Interrupted, StoreError::Unavailable),
        ] {
            assert_eq!(of_io(&kind.into()), expected, "{kind}");
        }
    }
}
