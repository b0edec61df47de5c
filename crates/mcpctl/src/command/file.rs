//! A file that a command writes: whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mcp_host::OsEntropy;
use mcp_policy::Refusal;
use mcp_wire::{Entropy, IdError};

use crate::failed::{Failed, Local};

/// Who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readers {
    /// Whom the system lets by default.
    Default,
    /// The owner alone.
    Owner,
}

/// Puts a text into the place of a file, through a new file beside it: nobody ever reads half of it.
///
/// # Errors
///
/// `output-unwritable`; what was there is as it was. A device, a directory or a link is never replaced.
pub(super) fn write(path: &Path, option: &str, text: &str, readers: Readers) -> Result<(), Failed> {
    let unwritable = |_error| {
        let message = format!("the file of {option} could not be written");
        Failed::local(Local::OutputUnwritable, message)
    };
    if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
        let message = format!("what is at the path of {option} is no plain file");
        return Err(Failed::local(Local::OutputUnwritable, message));
    }
    let beside = beside(path)?;
    let written = create(&beside, readers).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let placed = written.and_then(|()| fs::rename(&beside, path));
    if placed.is_err() {
        // It may not even have been made.
        let _left = fs::remove_file(&beside);
    }
    placed.map_err(unwritable)
}

/// A name in the same directory that nobody can know beforehand.
fn beside(path: &Path) -> Result<PathBuf, Failed> {
    let mut random = [0; 16];
    let drawn = OsEntropy.fill(&mut random);
    drawn.map_err(|_error| Failed::of(&Refusal::Id(IdError::Entropy).into()))?;
    Ok(path.with_file_name(format!(".mcpctl-{:032x}", u128::from_be_bytes(random))))
}

#[cfg(unix)]
fn create(path: &Path, readers: Readers) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mode = match readers {
        Readers::Default => 0o666,
        Readers::Owner => 0o600,
    };
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
}

/// Beyond Unix a file has no such mode; its directory decides who may read it.
#[cfg(not(unix))]
fn create(path: &Path, readers: Readers) -> io::Result<File> {
    match readers {
        Readers::Default | Readers::Owner => OpenOptions::new().write(true).create_new(true).open(path),
    }
}
