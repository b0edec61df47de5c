//! Servers, catalogue and contacts in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_wire::{PortFuture, ToolName};

use crate::catalogue::CatalogueRow;
use crate::port::{
    CatalogueChange, CatalogueStore, Committed, Contact, Generation, HealthStore, ImportFailure, ServerStore,
    Snapshot, StoreError,
};
use crate::record::ServerRecord;
use crate::server::ServerName;

/// Keeps everything in memory, as long as the process lives.
///
/// A contact is kept for any server, with a record or without.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    records: BTreeMap<ServerName, ServerRecord>,
    catalogue: Snapshot,
    /// The last contact, and how many there were.
    contacts: BTreeMap<ServerName, (Contact, usize)>,
}

impl MemoryStore {
    /// The last contact with a server.
    #[must_use]
    pub fn last_contact(&self, server: &ServerName) -> Option<Contact> {
        self.state().contacts.get(server).map(|(contact, _)| *contact)
    }

    /// How often a contact with a server was noted.
    #[must_use]
    pub fn contacts(&self, server: &ServerName) -> usize {
        self.state().contacts.get(server).map_or(0, |(_, count)| *count)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerStore for MemoryStore {
    fn servers(&self) -> PortFuture<Result<Vec<ServerRecord>, StoreError>> {
        PortFuture::ready(Ok(self.state().records.values().cloned().collect()))
    }

    fn server(&self, name: &ServerName) -> PortFuture<Result<Option<ServerRecord>, StoreError>> {
        PortFuture::ready(Ok(self.state().records.get(name).cloned()))
    }

    fn add(&self, record: ServerRecord) -> PortFuture<Result<bool, StoreError>> {
        let mut state = self.state();
        let is_new = !state.records.contains_key(&record.name);
        if is_new {
            state
                .catalogue
                .servers
                .insert(record.name.clone(), Default::default());
            state.records.insert(record.name.clone(), record);
        }
        PortFuture::ready(Ok(is_new))
    }

    fn replace(&self, record: ServerRecord) -> PortFuture<Result<bool, StoreError>> {
        let mut state = self.state();
        let known = state.records.get_mut(&record.name);
        PortFuture::ready(Ok(known.map(|known| *known = record).is_some()))
    }

    fn remove(&self, name: &ServerName) -> PortFuture<Result<bool, StoreError>> {
        let mut state = self.state();
        let was_there = state.records.remove(name).is_some();
        if was_there {
            state.catalogue.servers.remove(name);
            state.catalogue.generation.0 += 1;
            state.contacts.remove(name);
        }
        PortFuture::ready(Ok(was_there))
    }
}

impl CatalogueStore for MemoryStore {
    fn catalogue(&self) -> PortFuture<Result<Snapshot, StoreError>> {
        PortFuture::ready(Ok(self.state().catalogue.clone()))
    }

    fn row(
        &self,
        server: &ServerName,
        tool: &ToolName,
    ) -> PortFuture<Result<Option<CatalogueRow>, StoreError>> {
        let state = self.state();
        let kept = state.catalogue.servers.get(server);
        PortFuture::ready(Ok(kept.and_then(|kept| kept.rows.get(tool)).cloned()))
    }

    fn commit(&self, base: Generation, change: CatalogueChange) -> PortFuture<Result<Committed, StoreError>> {
        let catalogue = &mut self.state().catalogue;
        let is_current = catalogue.generation == base;
        let is_there = catalogue.servers.contains_key(&change.server);
        if is_current && is_there && breaks_terms(catalogue, &change) {
            return PortFuture::ready(Err(StoreError::Unavailable));
        }
        let Some(server) = catalogue.servers.get_mut(&change.server).filter(|_| is_current) else {
            return PortFuture::ready(Ok(Committed::Stale));
        };
        for row in change.rows {
            server.rows.insert(row.remote_name.clone(), row);
        }
        if let Some(success) = change.import {
            server.imports.success = Some(success);
            server.imports.failure = None;
        }
        catalogue.generation.0 += 1;
        PortFuture::ready(Ok(Committed::Done))
    }

    fn note_failure(
        &self,
        server: &ServerName,
        failure: ImportFailure,
    ) -> PortFuture<Result<(), StoreError>> {
        if let Some(server) = self.state().catalogue.servers.get_mut(server) {
            server.imports.failure = Some(failure);
        }
        PortFuture::ready(Ok(()))
    }
}

/// Whether a row belongs to another server, or its local name to another tool.
fn breaks_terms(catalogue: &Snapshot, change: &CatalogueChange) -> bool {
    let mut holders = BTreeMap::new();
    for row in catalogue.servers.values().flat_map(|server| server.rows.values()) {
        holders.insert(&row.local_name, (&row.server, &row.remote_name));
    }
    change.rows.iter().any(|row| {
        let tool = (&row.server, &row.remote_name);
        row.server != change.server || *holders.entry(&row.local_name).or_insert(tool) != tool
    })
}

impl HealthStore for MemoryStore {
    fn record(&self, server: &ServerName, contact: Contact) -> PortFuture<Result<(), StoreError>> {
        let mut state = self.state();
        let (last, count) = state.contacts.entry(server.clone()).or_insert((contact, 0));
        (*last, *count) = (contact, *count + 1);
        PortFuture::ready(Ok(()))
    }

    fn last(&self, server: &ServerName) -> PortFuture<Result<Option<Contact>, StoreError>> {
        PortFuture::ready(Ok(self.last_contact(server)))
    }
}
