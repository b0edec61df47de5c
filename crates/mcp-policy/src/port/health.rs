//! Liveness: when a server last answered, and how fast.

use std::time::Duration;

use mcp_wire::PortFuture;

use super::{StoreError, UnixTime};
use crate::server::ServerName;

/// Keeps the last contact with each server, whether it has a record or not. It is no call log.
pub trait HealthStore: Send + Sync {
    /// Notes one contact: written once for each completed operation. A tool that reports an error of its own is a
    /// contact; an RPC error, a refusal and a failure are none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it could not be noted. The operation's result stands regardless.
    fn record(&self, server: &ServerName, contact: Contact) -> PortFuture<Result<(), StoreError>>;

    /// The last contact with a server.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    fn last(&self, server: &ServerName) -> PortFuture<Result<Option<Contact>, StoreError>>;
}

/// A contact with a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contact {
    /// When the operation completed.
    pub at: UnixTime,
    /// How long its last leg took.
    pub latency: Duration,
}
