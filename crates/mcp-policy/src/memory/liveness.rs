//! Contacts in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use mcp_wire::PortFuture;

use crate::port::{Contact, HealthStore, StoreError};
use crate::server::ServerName;

/// Keeps the contacts of each server; the last one is the one that counts.
#[derive(Debug, Default)]
pub struct MemoryHealth(Mutex<BTreeMap<ServerName, (Contact, usize)>>);

impl MemoryHealth {
    /// The last contact with a server.
    #[must_use]
    pub fn last(&self, server: &ServerName) -> Option<Contact> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(server)
            .map(|(contact, _)| *contact)
    }

    /// How often a contact with a server was noted.
    #[must_use]
    pub fn count(&self, server: &ServerName) -> usize {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(server)
            .map_or(0, |(_, count)| *count)
    }
}

impl HealthStore for MemoryHealth {
    fn record(&self, server: &ServerName, contact: Contact) -> PortFuture<Result<(), StoreError>> {
        let mut contacts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, count) = contacts.entry(server.clone()).or_insert((contact, 0));
        *last = contact;
        *count += 1;
        PortFuture::ready(Ok(()))
    }

    fn last(&self, server: &ServerName) -> PortFuture<Result<Option<Contact>, StoreError>> {
        PortFuture::ready(Ok(self.last(server)))
    }
}
