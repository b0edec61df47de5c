//! What an import does to the catalogue: first a plan to look at, then its rows to store.

use std::collections::{BTreeMap, BTreeSet};

use mcp_wire::ToolName;

use super::definition::{Offer, Part};
use super::lint::Flag;
use super::name::LocalName;
use super::row::{CatalogueRow, Standing};
use crate::port::UnixTime;
use crate::quarantine::Quarantined;

/// The difference that one server's offer makes, and the rows that come of it.
///
/// Nothing is deleted and nothing is switched on. A tool can stand in several lists: one that comes back changed is both
/// returned and changed, and one whose definition was set aside is quarantined and, if it was there before, orphaned.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// Tools that were never seen before. They are off.
    pub added: BTreeSet<LocalName>,
    /// Tools whose definition differs from the last one.
    pub changed: BTreeMap<LocalName, Change>,
    /// Tools that were orphaned and are offered again, with the operator's word as it was.
    pub returned: BTreeSet<LocalName>,
    /// Tools that the server offered before and offers no longer, or not in a form that can be used.
    pub orphaned: BTreeSet<LocalName>,
    /// Tools that are as they were.
    pub unchanged: BTreeSet<LocalName>,
    /// Definitions that were set aside, and why.
    pub quarantined: Vec<Quarantined>,
    /// Added tools that differ from an orphaned one in nothing but the name, each with one such.
    pub rename_suspects: BTreeSet<RenameSuspect>,
    /// What a person should look at, for each tool that is offered.
    pub flags: BTreeMap<LocalName, BTreeSet<Flag>>,
    rows: BTreeMap<ToolName, CatalogueRow>,
}

/// How a tool's definition changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The parts that differ.
    pub parts: BTreeSet<Part>,
    /// Whether it was on and is therefore off until it is confirmed.
    pub drifted: bool,
}

/// A tool that may have taken another name. The operator's word does not go with it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RenameSuspect {
    /// The orphaned tool.
    pub gone: LocalName,
    /// The added tool.
    pub new: LocalName,
}

impl Plan {
    /// Draws the plan of one import.
    ///
    /// `before` is the catalogue; rows of other servers are passed over and do not come into the plan. `now` is the time
    /// of the import.
    #[must_use]
    pub fn draw(before: &[CatalogueRow], offer: Offer, now: UnixTime) -> Self {
        let Offer {
            server,
            tools,
            quarantined,
        } = offer;
        let own = before.iter().filter(|row| row.server == server);
        let mut plan = Self {
            added: BTreeSet::new(),
            changed: BTreeMap::new(),
            returned: BTreeSet::new(),
            orphaned: BTreeSet::new(),
            unchanged: BTreeSet::new(),
            quarantined,
            rename_suspects: BTreeSet::new(),
            flags: BTreeMap::new(),
            rows: own.map(|row| (row.remote_name.clone(), row.clone())).collect(),
        };
        for (name, row) in &mut plan.rows {
            if !tools.contains_key(name) {
                if !row.is_orphaned() {
                    plan.orphaned.insert(row.local_name.clone());
                }
                row.miss(now);
            }
        }
        for (name, tool) in tools {
            plan.flags.insert(tool.local_name.clone(), tool.flags.clone());
            let Some(row) = plan.rows.get_mut(&name) else {
                plan.added.insert(tool.local_name.clone());
                plan.rows
                    .insert(name, CatalogueRow::first(server.clone(), tool, now));
                continue;
            };
            let before = row.clone();
            row.see(tool.definition, now);
            let local_name = row.local_name.clone();
            if before.definition.fingerprint != row.definition.fingerprint {
                let change = Change {
                    parts: before.definition.difference(&row.definition),
                    drifted: before.standing != row.standing,
                };
                plan.changed.insert(local_name.clone(), change);
            } else if !before.is_orphaned() {
                plan.unchanged.insert(local_name.clone());
            }
            if before.is_orphaned() {
                plan.returned.insert(local_name);
            }
        }
        plan.suspect_renames();
        plan
    }

    /// Each added tool is a suspect once, however many tools are alike.
    fn suspect_renames(&mut self) {
        let mut gone: BTreeMap<_, Vec<&LocalName>> = BTreeMap::new();
        let mut new: BTreeMap<_, Vec<&LocalName>> = BTreeMap::new();
        for row in self.rows.values() {
            if row.is_orphaned() {
                gone.entry(row.definition.nameless())
                    .or_default()
                    .push(&row.local_name);
            } else if self.added.contains(&row.local_name) {
                new.entry(row.definition.nameless())
                    .or_default()
                    .push(&row.local_name);
            }
        }
        for (definition, new) in new {
            let gone = gone.get(&definition).map_or(&[][..], Vec::as_slice);
            let gone = gone
                .iter()
                .chain(std::iter::repeat_n(gone.last(), new.len()).flatten());
            self.rename_suspects
                .extend(gone.zip(new).map(|(gone, new)| RenameSuspect {
                    gone: (*gone).clone(),
                    new: new.clone(),
                }));
        }
    }

    /// Whether the catalogue says the same after the import as before, but for when its tools were last seen.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.added.is_empty()
            && self.changed.is_empty()
            && self.returned.is_empty()
            && self.orphaned.is_empty()
    }

    /// The server's rows after the import, by remote name: all that were there before, and the added ones.
    pub fn rows(&self) -> impl Iterator<Item = &CatalogueRow> {
        self.rows.values()
    }

    /// The tools that are off until they are confirmed, of this import or an earlier one.
    pub fn drifted(&self) -> impl Iterator<Item = &CatalogueRow> {
        self.rows().filter(|row| match row.standing {
            Standing::Drifted { .. } => true,
            Standing::Off | Standing::On { .. } => false,
        })
    }

    /// The rows to store, in one transaction.
    #[must_use]
    pub fn into_rows(self) -> Vec<CatalogueRow> {
        self.rows.into_values().collect()
    }
}
