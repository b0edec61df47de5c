//! The suite on disk: profiles, oracles and the list of checks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcp_testkit::{FixedProcess, SeededEntropy};
use mcp_wire::{Framing, RequestId, RequestIds};
use serde::de::DeserializeOwned;

use crate::checklist::Check;
use crate::oracle::{FrameCase, Oracle, OracleFile};
use crate::profile::Profile;
use crate::reply::id_values;
use crate::run::matches;
use crate::server::{Conversation, ConversationFile};
use crate::structure::StructureCase;

/// Everything that `specs/` says.
#[derive(Debug)]
pub struct Suite {
    /// The oracles, in the order of their files.
    pub oracles: Vec<Oracle>,
    /// The profiles, by name.
    pub profiles: Vec<Profile>,
    /// The numbered list of checks.
    pub checks: Vec<Check>,
    /// Conversations with the server.
    pub(crate) conversations: Vec<Conversation>,
    /// Cases that the project's own files decide.
    pub structure: Vec<StructureCase>,
    /// The root of the project whose files these are.
    pub root: PathBuf,
    /// The requirements of the specifications, by id, in the order of their text.
    pub requirements: Vec<String>,
}

/// `specs/` cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file or folder cannot be read.
    #[error("{path}: {error}")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A file is not of its form.
    #[error("{path}: {error}")]
    Form {
        /// Which.
        path: PathBuf,
        /// Why.
        error: serde_json::Error,
    },
    /// Two oracles have the same id.
    #[error("the oracle {0} occurs twice")]
    Twice(String),
    /// There is nothing to run.
    #[error("specs/ holds no oracle or no profile")]
    Empty,
    /// A profile cannot be configured.
    #[error("a profile cannot be configured")]
    Profile,
}

impl Suite {
    /// Reads the specifications under `specs`.
    ///
    /// # Errors
    ///
    /// [`LoadError`]: the suite is never run in part.
    pub fn load(specs: &Path) -> Result<Self, LoadError> {
        let (mut oracles, mut ids, mut requirements) = (Vec::new(), BTreeSet::new(), Vec::new());
        let (mut structure, mut conversations) = (Vec::new(), Vec::new());
        for folder in entries(specs)?.into_iter().filter(|path| path.is_dir()) {
            requirements.extend(read_requirements(&folder.join("spec.md"))?);
            for path in json_files(&folder.join("oracles"))? {
                let file: OracleFile = read(&path)?;
                structure.extend(file.structure);
                let frames = file.frames.into_iter().flat_map(FrameCase::into_oracles);
                for mut oracle in file.oracles.into_iter().chain(frames) {
                    if !ids.insert(oracle.id.clone()) {
                        return Err(LoadError::Twice(oracle.id));
                    }
                    oracle.set.clone_from(&file.set);
                    oracles.push(oracle);
                }
            }
            for path in json_files(&folder.join("conversations"))? {
                let file: ConversationFile = read(&path)?;
                for mut conversation in file.conversations {
                    if !ids.insert(conversation.id.clone()) {
                        return Err(LoadError::Twice(conversation.id));
                    }
                    conversation.set.clone_from(&file.set);
                    conversations.push(conversation);
                }
            }
        }
        let conformance = specs.join("027-client-conformance");
        let profiles: Result<Vec<Profile>, LoadError> = json_files(&conformance.join("profiles"))?
            .iter()
            .map(|path| read(path))
            .collect();
        let suite = Self {
            oracles,
            profiles: profiles?,
            checks: read(&conformance.join("checks.json"))?,
            conversations,
            structure,
            root: specs.join(".."),
            requirements,
        };
        if suite.oracles.is_empty() || suite.profiles.is_empty() {
            return Err(LoadError::Empty);
        }
        Ok(suite)
    }
}

impl Suite {
    /// The requirements that nothing proves.
    pub(crate) fn unproven(&self) -> Vec<String> {
        let named: BTreeSet<&String> = self
            .oracles
            .iter()
            .flat_map(|oracle| &oracle.requirements)
            .chain(
                self.conversations
                    .iter()
                    .flat_map(|conversation| &conversation.requirements),
            )
            .chain(self.structure.iter().flat_map(|case| &case.requirements))
            .collect();
        self.requirements
            .iter()
            .filter(|requirement| !named.contains(requirement))
            .cloned()
            .collect()
    }
}

impl Oracle {
    /// The bodies that the oracle scripts as answers to requests, rendered for one id.
    pub(crate) fn bodies(&self) -> Vec<(Vec<u8>, Framing, RequestId)> {
        let ids = RequestIds::new(Arc::new(SeededEntropy::new(1)), Arc::new(FixedProcess::default()));
        let Some(id) = ids.and_then(|ids| ids.allocate()).ok() else {
            return Vec::new();
        };
        let values = id_values(id.as_str());
        let replies = self
            .stages()
            .flatten()
            .filter(|(method, _)| !method.starts_with("notifications/") && *method != "DELETE");
        replies
            .flat_map(|(_, replies)| replies)
            .filter_map(|reply| Some((reply.body(&values), reply.reply_framing()?, id)))
            .collect()
    }

    /// Whether `filter` is part of the oracle's id, set or one of its requirements.
    #[must_use]
    pub fn matches(&self, filter: &str) -> bool {
        matches(filter, &self.id, &self.set, &self.requirements)
    }
}

/// The ids in the first column of a specification's tables.
fn read_requirements(path: &Path) -> Result<Vec<String>, LoadError> {
    let text = fs::read_to_string(path).map_err(|error| LoadError::Read {
        path: path.to_owned(),
        error,
    })?;
    let id = |line: &str| {
        let (id, _) = line.strip_prefix("| R-")?.split_once(" |")?;
        Some(format!("R-{id}"))
    };
    Ok(text.lines().filter_map(id).collect())
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, LoadError> {
    let text = fs::read(path).map_err(|error| LoadError::Read {
        path: path.to_owned(),
        error,
    })?;
    serde_json::from_slice(&text).map_err(|error| LoadError::Form {
        path: path.to_owned(),
        error,
    })
}

/// The JSON files of a folder in the order of their names; none when the folder does not exist.
fn json_files(folder: &Path) -> Result<Vec<PathBuf>, LoadError> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let is_json = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    Ok(entries(folder)?.into_iter().filter(is_json).collect())
}

/// What a folder holds, in the order of the names.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let unreadable = |error| LoadError::Read {
        path: folder.to_owned(),
        error,
    };
    let entries: Result<Vec<_>, _> = fs::read_dir(folder)
        .map_err(unreadable)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect();
    let mut entries = entries.map_err(unreadable)?;
    entries.sort();
    Ok(entries)
}
