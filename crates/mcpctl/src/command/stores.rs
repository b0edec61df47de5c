//! The store of the operator: where it is, and what is kept in it.

use std::path::PathBuf;
use std::sync::Arc;

use mcp_host::OsEntropy;
use mcp_policy::ledger::LeaseHolder;
use mcp_policy::port::{
    ApprovalDesk, Approvals, Audit, CatalogueStore, DenialLog, Denials, HealthStore, RunLedger, ServerStore,
    StoreError,
};
use mcp_policy::{Refusal, RegistryError, ServerName, ServerRecord};
use mcp_store_sqlite::{SqliteOptions, SqliteStore};
use mcp_wire::{Entropy, IdError};

use crate::alike::alike;
use crate::arguments::Options;
use crate::failed::{Failed, Local};

/// The one store behind its ports.
pub(crate) struct Stores {
    pub(crate) servers: Arc<dyn ServerStore>,
    pub(crate) catalogue: Arc<dyn CatalogueStore>,
    pub(crate) health: Arc<dyn HealthStore>,
    pub(crate) denials: Arc<dyn Denials>,
    pub(crate) denial_log: Arc<dyn DenialLog>,
    pub(crate) approvals: Arc<dyn Approvals>,
    pub(crate) desk: Arc<dyn ApprovalDesk>,
    pub(crate) ledger: Arc<dyn RunLedger>,
    pub(crate) audit: Arc<dyn Audit>,
}

impl Stores {
    /// Opens the store; makes one where there is none.
    pub(crate) fn open(options: &Options) -> Result<Self, Failed> {
        let path = path(options)?;
        let mut holder = [0; 16];
        let drawn = OsEntropy.fill(&mut holder);
        drawn.map_err(|_error| Failed::of(&Refusal::Id(IdError::Entropy).into()))?;
        let mut options = SqliteOptions::default();
        options.holder = Some(LeaseHolder(u128::from_be_bytes(holder)));
        let store = SqliteStore::open(&path, options).map_err(failed)?;
        let store = Arc::new(store);
        Ok(Self {
            servers: store.clone(),
            catalogue: store.clone(),
            health: store.clone(),
            denials: store.clone(),
            denial_log: store.clone(),
            approvals: store.clone(),
            desk: store.clone(),
            ledger: store.clone(),
            audit: store,
        })
    }

    /// The record of a name that was typed.
    pub(crate) async fn record(&self, name: &ServerName) -> Result<ServerRecord, Failed> {
        match self.servers.server(name).await.map_err(failed)? {
            Some(record) => Ok(record),
            None => Err(self.no_server(name).await),
        }
    }

    /// There is no server of this name; those that are alike are named.
    pub(crate) async fn no_server(&self, name: &ServerName) -> Failed {
        let kept = self.servers.servers().await.unwrap_or_default();
        let names = kept.iter().map(|record| record.name.as_str());
        Failed::of_registry(&RegistryError::UnknownServer)
            .like(alike(name.as_str(), names))
            .at(name.as_str())
    }

    /// There is no tool of this name, of this server or of any; those that are alike are named.
    pub(crate) async fn no_tool(&self, tool: &str, server: Option<&ServerName>) -> Failed {
        let snapshot = self.catalogue.catalogue().await.unwrap_or_default();
        let servers = snapshot.servers.iter();
        let asked = servers.filter(|(name, _)| server.is_none_or(|server| server == *name));
        let rows = asked.flat_map(|(_, kept)| kept.rows.values());
        // Whoever named a server may have meant the name that the tool has there.
        let names = rows.flat_map(|row| {
            let remote = server.map(|_| row.remote_name.as_str());
            remote.into_iter().chain([row.local_name.as_str()])
        });
        Failed::of_registry(&RegistryError::UnknownTool).like(alike(tool, names))
    }
}

/// The store that was named, else the one of the user's data.
fn path(options: &Options) -> Result<PathBuf, Failed> {
    if let Some(path) = &options.store {
        return Ok(path.clone());
    }
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let data = set("XDG_DATA_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    data.or_else(|| Some(PathBuf::from(set("HOME")?).join(".local/share")))
        .map(|data| data.join("mcpctl/store.db"))
        .ok_or_else(|| {
            Failed::local(
                Local::StorePathUnknown,
                "there is no place for the store; give one with --store, or set HOME",
            )
        })
}

pub(crate) fn failed(error: StoreError) -> Failed {
    Failed::of_registry(&RegistryError::Store(error))
}
