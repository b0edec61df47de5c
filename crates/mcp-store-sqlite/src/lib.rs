//! Servers, catalogue, contacts, the ledger, denials and approvals in one SQLite file. This crate decides how they
//! lie there and when they are durable; what they mean is decided in [`mcp_policy`].
//!
//! [`SqliteStore`] implements [`ServerStore`](mcp_policy::port::ServerStore),
//! [`CatalogueStore`](mcp_policy::port::CatalogueStore), [`HealthStore`](mcp_policy::port::HealthStore),
//! [`RunLedger`](mcp_policy::port::RunLedger), [`Audit`](mcp_policy::port::Audit),
//! [`Denials`](mcp_policy::port::Denials), [`DenialLog`](mcp_policy::port::DenialLog),
//! [`Approvals`](mcp_policy::port::Approvals) and [`ApprovalDesk`](mcp_policy::port::ApprovalDesk). Several processes may
//! share the file, on a file system of their own machine. It holds references to secrets and no secret, but a URL's query
//! may be one, so the file is its owner's alone.
//!
//! ```
//! # fn open(directory: &std::path::Path) -> Result<(), mcp_policy::port::StoreError> {
//! use mcp_store_sqlite::{SqliteOptions, SqliteStore};
//!
//! let store = SqliteStore::open(&directory.join("mcp.db"), SqliteOptions::default())?;
//! # drop(store);
//! # Ok(())
//! # }
//! ```

mod approvals;
mod catalogue;
mod column;
mod connection;
mod contacts;
mod denials;
mod fault;
mod file;
mod ledger;
mod migrations;
mod options;
mod servers;
mod store;
mod thread;

pub use crate::options::SqliteOptions;
pub use crate::store::SqliteStore;
