//! A file that a command writes: whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use mcp_host::OsEntropy;
use mcp_policy::Refusal;
use mcp_wire::{Entropy, IdError};

use crate::failed::{Failed, Local};

/// Puts a text into the place of a file, through a new file beside it: nobody ever reads half of it.
///
/// # Errors
///
/// `output-unwritable`; what was there is as it was. A device, a directory or a link is never replaced.
pub(super) fn write(path: &Path, option: &str, text: &str) -> Result<(), Failed> {
    let unwritable = |_error| {
        let message = format!("the file of {option} could not be written");
        Failed::local(Local::OutputUnwritable, message)
    };
    if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
        let message = format!("what is at the path of {option} is no plain file");
        return Err(Failed::local(Local::OutputUnwritable, message));
    }
    let beside = beside(path)?;
    let created = OpenOptions::new().write(true).create_new(true).open(&beside);
    let written = created.and_then(|mut file| {
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
