//! Where the demonstration keeps its store: a directory of its own, gone when it ends.

use std::fs;
use std::path::PathBuf;

use mcp_host::OsEntropy;
use mcp_policy::Refusal;
use mcp_wire::{Entropy, IdError};

use crate::failed::{Failed, Local};

/// A directory that is removed with what is in it.
pub(super) struct Place(PathBuf);

impl Place {
    /// A directory of a name that nobody can know beforehand, for its owner alone.
    pub(super) fn make() -> Result<Self, Failed> {
        let mut random = [0; 16];
        let drawn = OsEntropy.fill(&mut random);
        drawn.map_err(|_error| Failed::of(&Refusal::Id(IdError::Entropy).into()))?;
        let name = format!("mcpctl-demo-{:032x}", u128::from_be_bytes(random));
        let path = std::env::temp_dir().join(name);
        create(&path).map_err(|_error| {
            let message = "there is no directory for a temporary store";
            Failed::local(Local::DemoUnavailable, message)
        })?;
        Ok(Self(path))
    }

    /// The path of the store, for `--store`.
    pub(super) fn store(&self) -> String {
        self.0.join("store.db").to_string_lossy().into_owned()
    }
}

#[cfg(unix)]
fn create(path: &std::path::Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn create(path: &std::path::Path) -> std::io::Result<()> {
    fs::create_dir(path)
}

impl Drop for Place {
    fn drop(&mut self) {
        // What cannot be removed lies in the system's directory for such files.
        let _left = fs::remove_dir_all(&self.0);
    }
}
