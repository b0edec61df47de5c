//! The file before SQLite sees it: its owner's alone from its first moment.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use mcp_policy::port::StoreError;

use crate::fault;

/// Held from making a file to closing it. Closing any handle of a file gives up every lock that this process has on it,
/// SQLite's too; so nothing may lock a file whose first handle is still open, and a file that is there is never opened.
static MAKING: Mutex<()> = Mutex::new(());

/// Makes the file, and the directories above it, unless they are there. Gives the absolute path: SQLite gives a meaning
/// to some relative ones. What is there keeps its permissions.
///
/// # Errors
///
/// [`StoreError`].
pub(crate) fn make(path: &Path) -> Result<PathBuf, StoreError> {
    let path = std::path::absolute(path).map_err(|error| fault::of_io(&error))?;
    if let Some(directory) = path.parent() {
        make_directory(directory).map_err(|error| fault::of_io(&error))?;
    }
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    match owners_alone().open(&path) {
        Ok(_) => Ok(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(path),
        Err(error) => Err(fault::of_io(&error)),
    }
}

fn owners_alone() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn make_directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}
