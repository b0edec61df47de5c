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
        let record = self.servers.server(name).await.map_err(failed)?;
        record.ok_or_else(|| Failed::of_registry(&RegistryError::UnknownServer).at(name.as_str()))
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
