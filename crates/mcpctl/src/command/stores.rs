//! The store of the operator: where it is, and what is kept in it.

use std::path::PathBuf;
use std::sync::Arc;

use mcp_policy::port::{CatalogueStore, HealthStore, ServerStore, StoreError};
use mcp_policy::{RegistryError, ServerName, ServerRecord};
use mcp_store_sqlite::{SqliteOptions, SqliteStore};

use crate::arguments::Options;
use crate::failed::{Failed, Local};

/// The one store behind its ports.
pub(crate) struct Stores {
    pub(crate) servers: Arc<dyn ServerStore>,
    pub(crate) catalogue: Arc<dyn CatalogueStore>,
    pub(crate) health: Arc<dyn HealthStore>,
}

impl Stores {
    /// Opens the store; makes one where there is none.
    pub(crate) fn open(options: &Options) -> Result<Self, Failed> {
        let path = path(options)?;
        let store = SqliteStore::open(&path, SqliteOptions::default()).map_err(failed)?;
        let store = Arc::new(store);
        Ok(Self {
            servers: store.clone(),
            catalogue: store.clone(),
            health: store,
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
