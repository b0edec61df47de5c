//! Idle connections: few, briefly kept, and shared by nobody but the same origin with the same credentials.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mcp_wire::{Credential, Target};
use tokio::time::Instant;

use crate::connection::Connection;
use crate::transport::HttpOptions;

/// Whose connections are whose: the origin, and the references of the credentials that travel on them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PoolKey {
    origin: String,
    credentials: Vec<String>,
}

impl PoolKey {
    pub(crate) fn of(target: &Target) -> Self {
        let reference = |credential: &Credential| credential.reference.0.clone();
        Self {
            origin: target.endpoint.origin(),
            credentials: target.credentials.iter().map(reference).collect(),
        }
    }
}

impl PoolKey {
    /// Scheme, host and port.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }
}

/// The idle connections of one transport. The lock is held for a few moves and never across a wait.
pub(crate) struct Pool {
    idle: Mutex<BTreeMap<PoolKey, Vec<Idle>>>,
    keep: Duration,
    per_key: usize,
}

struct Idle {
    connection: Connection,
    since: Instant,
}

impl Pool {
    pub(crate) fn new(options: HttpOptions) -> Self {
        Self {
            idle: Mutex::default(),
            keep: options.idle,
            per_key: options.idle_connections,
        }
    }

    /// The connection that was used last and is still good. One that carries exchanges side by side stays in the pool as
    /// well.
    pub(crate) fn take(&self, key: &PoolKey) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let connections = idle.get_mut(key)?;
        let now = Instant::now();
        connections.retain(|idle| !idle.connection.is_closed() && now - idle.since < self.keep);
        let shared = connections.last_mut().and_then(|last| {
            last.since = now;
            last.connection.share()
        });
        let taken = shared.or_else(|| connections.pop().map(|idle| idle.connection));
        if connections.is_empty() {
            idle.remove(key);
        }
        taken
    }

    /// Keeps a connection whose last answer was read to its end.
    pub(crate) fn put(&self, key: PoolKey, connection: Connection) {
        if connection.is_closed() {
            return;
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        idle.retain(|_, connections| {
            connections.retain(|idle| !idle.connection.is_closed() && now - idle.since < self.keep);
            !connections.is_empty()
        });
        let connections = idle.entry(key).or_default();
        if let Some(shared) = connections.iter_mut().find(|idle| idle.connection.is_shared()) {
            shared.since = now;
            return;
        }
        if connections.len() < self.per_key {
            connections.push(Idle {
                connection,
                since: now,
            });
        }
    }
}
