//! Requirements that no answer can show: they hold, or do not, in the project's own files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::check::Miss;
use crate::plant::Plant;
use crate::suite::{LoadError, Suite, entries};

/// One such case; every clause that is given must hold.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StructureCase {
    /// Its name, unique in the suite.
    pub id: String,
    /// The requirements that it proves.
    pub requirements: Vec<String>,
    /// What it shows, in a few words.
    pub title: String,
    /// How many oracles each of these sets holds.
    #[serde(default)]
    sets: BTreeMap<String, usize>,
    /// Texts that a file must hold, by the file's path.
    #[serde(default)]
    holds: BTreeMap<String, Vec<String>>,
    /// How often a file must hold a text, by the file's path and the text.
    #[serde(default)]
    counts: BTreeMap<String, BTreeMap<String, usize>>,
    /// All the lines of a file but those that begin with `#`.
    #[serde(default)]
    lines: BTreeMap<String, Vec<String>>,
    /// Texts that no document may hold: no `.md` file at the root or under `docs` and `specs`. Compared without case.
    #[serde(default)]
    no_document_says: Vec<String>,
}

impl StructureCase {
    /// Compares the case with the project whose root is `root`.
    pub(crate) fn check(&self, suite: &Suite, root: &Path, plant: Plant) -> Result<Vec<Miss>, LoadError> {
        let mut misses = Vec::new();
        for (set, expected) in &self.sets {
            let found = suite
                .oracles
                .iter()
                .filter(|oracle| plant.set_of(oracle) == *set)
                .count();
            if found != *expected {
                misses.push(Miss(format!(
                    "the set {set} holds {found} oracles, not {expected}"
                )));
            }
        }
        for (file, texts) in &self.holds {
            let found = read(&root.join(file), plant)?;
            let lacking = texts.iter().filter(|text| !found.contains(text.as_str()));
            misses.extend(lacking.map(|text| Miss(format!("{file} lacks {text}"))));
        }
        for (file, texts) in &self.counts {
            let found = read(&root.join(file), plant)?;
            for (text, expected) in texts {
                let count = found.matches(text.as_str()).count();
                if count != *expected {
                    misses.push(Miss(format!("{file} holds {text} {count} times, not {expected}")));
                }
            }
        }
        for (file, expected) in &self.lines {
            let found = read(&root.join(file), plant)?;
            let found = found.lines().filter(|line| !line.starts_with('#'));
            if !found.clone().eq(expected.iter().map(String::as_str)) {
                let found: Vec<&str> = found.collect();
                misses.push(Miss(format!("{file} holds {found:?}, not {expected:?}")));
            }
        }
        if !self.no_document_says.is_empty() {
            for document in documents(root)? {
                let found = read(&document, plant)?.to_lowercase();
                let said = self
                    .no_document_says
                    .iter()
                    .filter(|text| found.contains(text.as_str()));
                misses.extend(said.map(|text| Miss(format!("{} says {text}", document.display()))));
            }
        }
        Ok(misses)
    }
}

/// The documents of the project; oracles and code are none.
fn documents(root: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let mut folders = vec![root.join("docs"), root.join("specs")];
    let mut found: Vec<PathBuf> = entries(root)?
        .into_iter()
        .filter(|path| is_document(path))
        .collect();
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            if path.is_dir() {
                folders.push(path);
            } else if is_document(&path) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

fn read(path: &Path, plant: Plant) -> Result<String, LoadError> {
    let text = fs::read_to_string(path).map_err(|error| LoadError::Read {
        path: path.to_owned(),
        error,
    })?;
    Ok(plant.alter_text(text))
}
