//! Stores with one fault each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

use mcp_policy::catalogue::{CatalogueRow, Standing};
use mcp_policy::memory::MemoryStore;
use mcp_policy::port::{
    CatalogueChange, CatalogueStore, Committed, Contact, Generation, HealthStore, ImportFailure, ServerStore,
    Snapshot, StoreError, UnixTime,
};
use mcp_policy::{ServerName, ServerRecord, Switch};
use mcp_testkit::block_on;
use mcp_wire::{PortFuture, ToolName};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    CredentialsLost,
    SwitchedOffIsOn,
    QueryLost,
    BoundsNarrow,
    LatestFirst,
    AddReplaces,
    ReplaceAdds,
    ReplaceEmptiesCatalogue,
    RemovedContactStays,
    RemovingIsNoChange,
    RemovedRowsReturn,
    SecondsOnly,
    TitleLost,
    DriftedIsOff,
    NullEndsText,
    AnyGeneration,
    UnknownServerIsDone,
    OthersEmptied,
    OrphansDeleted,
    EachRowCounts,
    ContactCounts,
    TermsUnheeded,
    HalfOnError,
    SetAsideSorted,
    SetAsideLost,
    ChangeEndsFailure,
    FailureCounts,
    FailureEndsSuccess,
    FailureStays,
    FailureOfAnyone,
    FirstContactWins,
    LatestContactWins,
    ContactNeedsRecord,
    NothingDurable,
    LateChangeLost,
    AlwaysAdded,
}

/// A store in memory with one fault. What it has to remember for it lies beside the store.
pub(crate) struct Faulty {
    store: MemoryStore,
    fault: Fault,
    beside: Mutex<Beside>,
}

#[derive(Default)]
struct Beside {
    added: u64,
    failures: BTreeMap<ServerName, ImportFailure>,
    removed: Snapshot,
}

impl Faulty {
    pub(crate) fn new(fault: Fault) -> Self {
        Self {
            store: MemoryStore::default(),
            fault,
            beside: Mutex::default(),
        }
    }

    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn now(&self) -> Snapshot {
        block_on(self.store.catalogue()).unwrap()
    }

    fn is_there(&self, name: &ServerName) -> bool {
        block_on(self.store.server(name)).unwrap().is_some()
    }

    /// Makes a change that counts and changes nothing.
    fn count(&self) {
        let snapshot = self.now();
        if let Some(server) = snapshot.servers.keys().next() {
            let change = CatalogueChange {
                server: server.clone(),
                rows: Vec::new(),
                import: None,
            };
            block_on(self.store.commit(snapshot.generation, change)).unwrap();
        }
    }

    fn bend_record(&self, mut record: ServerRecord) -> ServerRecord {
        match self.fault {
            Fault::CredentialsLost => record.credentials.truncate(1),
            Fault::SwitchedOffIsOn => record.switch = Switch::On,
            Fault::QueryLost => {
                record.endpoint = record
                    .endpoint
                    .and_then(|endpoint| mcp_wire::Endpoint::parse(endpoint.origin()).ok());
            }
            Fault::BoundsNarrow => record.walk.tools = record.walk.tools.min(1 << 31),
            _ => {}
        }
        record
    }

    fn bend_change(&self, mut change: CatalogueChange) -> CatalogueChange {
        for row in &mut change.rows {
            match (self.fault, row.standing) {
                (Fault::SecondsOnly, _) => {
                    row.first_seen = UnixTime(Duration::from_secs(row.first_seen.0.as_secs()))
                }
                (Fault::TitleLost, _) => {
                    row.definition.title = row.definition.title.take().filter(|t| !t.is_empty())
                }
                (Fault::DriftedIsOff, Standing::Drifted { .. }) => row.standing = Standing::Off,
                (Fault::NullEndsText, _) => {
                    if let Some(text) = &mut row.definition.description {
                        text.truncate(text.find('\0').unwrap_or(text.len()));
                    }
                }
                _ => {}
            }
        }
        if let Some(success) = &mut change.import {
            match self.fault {
                Fault::SetAsideSorted => success.set_aside.sort_by(|one, other| one.name.cmp(&other.name)),
                Fault::SetAsideLost => success.set_aside.retain(|set_aside| set_aside.name.is_some()),
                _ => {}
            }
        }
        change
    }

    fn bend_snapshot(&self, mut snapshot: Snapshot) -> Snapshot {
        let beside = self.beside.lock().unwrap();
        snapshot.generation.0 += beside.added;
        if self.is(Fault::RemovingIsNoChange) {
            snapshot.generation.0 = snapshot.generation.0.min(2);
        }
        for (name, server) in &mut snapshot.servers {
            if self.is(Fault::OrphansDeleted) {
                server.rows.retain(|_, row| row.orphaned_since.is_none());
            }
            if let Some(failure) = beside.failures.get(name) {
                server.imports.failure = Some(failure.clone());
            }
            if self.is(Fault::FailureEndsSuccess) && server.imports.failure.is_some() {
                server.imports.success = None;
            }
            if self.is(Fault::RemovedRowsReturn)
                && let Some(removed) = beside.removed.servers.get(name)
            {
                server.clone_from(removed);
            }
        }
        snapshot
    }
}

impl ServerStore for Faulty {
    fn servers(&self) -> PortFuture<Result<Vec<ServerRecord>, StoreError>> {
        let mut records = block_on(self.store.servers()).unwrap();
        if self.is(Fault::LatestFirst) {
            records.reverse();
        }
        PortFuture::ready(Ok(records))
    }

    fn server(&self, name: &ServerName) -> PortFuture<Result<Option<ServerRecord>, StoreError>> {
        self.store.server(name)
    }

    fn add(&self, record: ServerRecord) -> PortFuture<Result<bool, StoreError>> {
        if self.is(Fault::AddReplaces) && self.is_there(&record.name) {
            return self.store.replace(record);
        }
        let added = block_on(self.store.add(self.bend_record(record)));
        PortFuture::ready(added.map(|added| added || self.is(Fault::AlwaysAdded)))
    }

    fn replace(&self, record: ServerRecord) -> PortFuture<Result<bool, StoreError>> {
        let is_there = self.is_there(&record.name);
        if self.is(Fault::ReplaceAdds) && !is_there {
            return self.store.add(record);
        }
        if self.is(Fault::ReplaceEmptiesCatalogue) && is_there {
            block_on(self.store.remove(&record.name)).unwrap();
            return self.store.add(record);
        }
        self.store.replace(record)
    }

    fn remove(&self, name: &ServerName) -> PortFuture<Result<bool, StoreError>> {
        if self.is_there(name) {
            self.beside.lock().unwrap().removed = self.now();
        }
        let contact = self.store.last_contact(name);
        let removed = block_on(self.store.remove(name));
        if let Some(contact) = contact.filter(|_| self.is(Fault::RemovedContactStays)) {
            block_on(self.store.record(name, contact)).unwrap();
        }
        PortFuture::ready(removed)
    }
}

impl CatalogueStore for Faulty {
    fn catalogue(&self) -> PortFuture<Result<Snapshot, StoreError>> {
        PortFuture::ready(Ok(self.bend_snapshot(self.now())))
    }

    fn row(
        &self,
        server: &ServerName,
        tool: &ToolName,
    ) -> PortFuture<Result<Option<CatalogueRow>, StoreError>> {
        let mut snapshot = self.bend_snapshot(self.now());
        let kept = snapshot.servers.remove(server);
        PortFuture::ready(Ok(kept.and_then(|mut kept| kept.rows.remove(tool))))
    }

    fn commit(&self, base: Generation, change: CatalogueChange) -> PortFuture<Result<Committed, StoreError>> {
        let mut change = self.bend_change(change);
        let mut beside = self.beside.lock().unwrap();
        let mut base = Generation(base.0.saturating_sub(beside.added));
        let server = change.server.clone();
        match self.fault {
            Fault::AnyGeneration => base = self.now().generation,
            Fault::LateChangeLost if base.0 >= 8 => return PortFuture::ready(Ok(Committed::Done)),
            Fault::UnknownServerIsDone if !self.is_there(&server) => {
                return PortFuture::ready(Ok(Committed::Done));
            }
            Fault::EachRowCounts => beside.added += (change.rows.len() as u64).saturating_sub(1),
            Fault::TermsUnheeded => {
                let held: BTreeSet<_> = self
                    .now()
                    .servers
                    .into_values()
                    .flat_map(|server| server.rows.into_values())
                    .map(|row| row.local_name)
                    .collect();
                change
                    .rows
                    .retain(|row| row.server == server && !held.contains(&row.local_name));
            }
            Fault::HalfOnError => {
                let half = CatalogueChange {
                    rows: change.rows.iter().take(1).cloned().collect(),
                    ..change.clone()
                };
                let outcome = block_on(self.store.commit(base, change.clone()));
                if outcome.is_err() {
                    block_on(self.store.commit(base, half)).unwrap();
                }
                return PortFuture::ready(outcome);
            }
            Fault::FailureStays => {
                let failure = self
                    .now()
                    .servers
                    .get(&server)
                    .and_then(|server| server.imports.failure.clone());
                beside
                    .failures
                    .extend(failure.map(|failure| (server.clone(), failure)));
            }
            Fault::ChangeEndsFailure if change.import.is_none() => {
                change.import = self
                    .now()
                    .servers
                    .get(&server)
                    .and_then(|server| server.imports.success.clone());
            }
            _ => {}
        }
        let outcome = block_on(self.store.commit(base, change));
        if self.is(Fault::OthersEmptied) {
            let others: Vec<_> = self
                .now()
                .servers
                .into_keys()
                .filter(|name| *name != server)
                .collect();
            for other in others {
                let record = block_on(self.store.server(&other)).unwrap().unwrap();
                block_on(self.store.remove(&other)).unwrap();
                block_on(self.store.add(record)).unwrap();
            }
        }
        PortFuture::ready(outcome)
    }

    fn note_failure(
        &self,
        server: &ServerName,
        failure: ImportFailure,
    ) -> PortFuture<Result<(), StoreError>> {
        if self.is(Fault::FailureCounts) {
            self.count();
        }
        if self.is(Fault::FailureOfAnyone) {
            self.beside
                .lock()
                .unwrap()
                .failures
                .insert(server.clone(), failure.clone());
        }
        self.store.note_failure(server, failure)
    }
}

impl HealthStore for Faulty {
    fn record(&self, server: &ServerName, contact: Contact) -> PortFuture<Result<(), StoreError>> {
        let last = self.store.last_contact(server);
        let is_kept = match self.fault {
            Fault::FirstContactWins => last.is_none(),
            Fault::LatestContactWins => last.is_none_or(|last| last.at <= contact.at),
            Fault::ContactNeedsRecord => self.is_there(server),
            Fault::ContactCounts => {
                self.count();
                true
            }
            _ => true,
        };
        if is_kept {
            return self.store.record(server, contact);
        }
        PortFuture::ready(Ok(()))
    }

    fn last(&self, server: &ServerName) -> PortFuture<Result<Option<Contact>, StoreError>> {
        self.store.last(server)
    }
}
