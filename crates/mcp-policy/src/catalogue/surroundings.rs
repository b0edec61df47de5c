//! What else the host offers: the names that one server's tools may not take, and those that their texts may point at.

use std::collections::{BTreeMap, BTreeSet};

use mcp_wire::ToolName;

use super::name::{LocalName, NameTaken};
use super::row::CatalogueRow;
use crate::record::GroupName;
use crate::server::ServerName;

/// One server's view of the others. Decides which local names are taken; all else in it is for flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    server: ServerName,
    builtin: BTreeSet<String>,
    held: BTreeSet<LocalName>,
    /// What a word in a text can mean, by the word in lower case.
    words: BTreeMap<String, BTreeSet<Meaning>>,
    /// Who else, among the enabled servers, has a tool of this name.
    remote_names: BTreeMap<ToolName, BTreeSet<ServerName>>,
}

/// What a word stands for on another server.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Meaning {
    Tool(LocalName),
    Group(GroupName),
}

/// Another server of the host.
#[derive(Debug, Clone, Copy)]
pub struct Neighbour<'a> {
    /// Its name.
    pub server: &'a ServerName,
    /// Whether the operator has enabled it.
    pub enabled: bool,
    /// Its rows, the orphaned ones included.
    pub rows: &'a [CatalogueRow],
}

impl Surroundings {
    /// The view of `server`. It may itself be among the neighbours and is passed over there.
    pub fn of<'a>(
        server: &ServerName,
        builtin: impl IntoIterator<Item = &'a str>,
        neighbours: impl IntoIterator<Item = Neighbour<'a>>,
    ) -> Self {
        let mut view = Self {
            server: server.clone(),
            builtin: builtin.into_iter().map(str::to_owned).collect(),
            held: BTreeSet::new(),
            words: BTreeMap::new(),
            remote_names: BTreeMap::new(),
        };
        for neighbour in neighbours {
            if neighbour.server != server {
                view.take_in(neighbour);
            }
        }
        view
    }

    fn take_in(&mut self, neighbour: Neighbour<'_>) {
        let group = GroupName::of(neighbour.server);
        self.learn(group.as_str().to_owned(), Meaning::Group(group));
        for row in neighbour.rows {
            self.held.insert(row.local_name.clone());
            if row.is_orphaned() {
                continue;
            }
            for word in [row.local_name.as_str(), row.remote_name.as_str()] {
                self.learn(word.to_owned(), Meaning::Tool(row.local_name.clone()));
            }
            if neighbour.enabled {
                let servers = self.remote_names.entry(row.remote_name.clone()).or_default();
                servers.insert(neighbour.server.clone());
            }
        }
    }

    fn learn(&mut self, word: String, meaning: Meaning) {
        let meanings = self.words.entry(word.to_ascii_lowercase()).or_default();
        meanings.insert(meaning);
    }

    /// The server whose view it is.
    #[must_use]
    pub const fn server(&self) -> &ServerName {
        &self.server
    }

    /// Whether a tool of the server may have this local name.
    ///
    /// # Errors
    ///
    /// [`NameTaken`] by whoever had it first.
    pub fn claim(&self, name: &LocalName) -> Result<(), NameTaken> {
        if self.builtin.contains(name.as_str()) {
            Err(NameTaken::Builtin)
        } else if self.held.contains(name) {
            Err(NameTaken::OtherServer)
        } else {
            Ok(())
        }
    }

    /// Whether no word stands for anything on another server.
    pub(super) fn are_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// What a word, whatever its case, stands for on the other servers.
    pub(super) fn meanings(&self, word: &str) -> impl Iterator<Item = &Meaning> {
        self.words.get(&word.to_ascii_lowercase()).into_iter().flatten()
    }

    /// The other enabled servers that have a tool of this name.
    pub(super) fn sharing(&self, name: &ToolName) -> impl Iterator<Item = &ServerName> {
        self.remote_names.get(name).into_iter().flatten()
    }
}
