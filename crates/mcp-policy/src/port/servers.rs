//! Servers: what an operator configured, kept.

use mcp_wire::PortFuture;

use super::StoreError;
use crate::record::ServerRecord;
use crate::server::ServerName;

/// Keeps the records of servers, one for each name.
///
/// Several processes may use one store. A change is whole or not there, and what an answer says is durable.
///
/// What is read is what was written. Only bounds above 2^63 - 1 may come back as that number.
///
/// # Cancel safety
///
/// A change whose answer is dropped before it began is not begun; one that had begun may be whole.
pub trait ServerStore: Send + Sync {
    /// All records, by name.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    fn servers(&self) -> PortFuture<Result<Vec<ServerRecord>, StoreError>>;

    /// One record.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    fn server(&self, name: &ServerName) -> PortFuture<Result<Option<ServerRecord>, StoreError>>;

    /// Adds a record, with an empty catalogue. `false` when there is one of this name; it stays as it is.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    fn add(&self, record: ServerRecord) -> PortFuture<Result<bool, StoreError>>;

    /// Puts a record in the place of the one of its name. `false` when there is none.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    fn replace(&self, record: ServerRecord) -> PortFuture<Result<bool, StoreError>>;

    /// Removes a record with its catalogue and its contact. `false` when there is none.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    fn remove(&self, name: &ServerName) -> PortFuture<Result<bool, StoreError>>;
}
