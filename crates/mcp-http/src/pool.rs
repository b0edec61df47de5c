//! Idle connections: few, briefly kept, and shared by nobody but the same origin with the same credentials.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use mcp_wire::{Credential, Target};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

use crate::connection::Connection;
use crate::options::HttpOptions;

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
            origin: target.endpoint.origin().to_owned(),
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
    kept: Arc<Mutex<Kept>>,
    keep: Duration,
    per_key: usize,
}

#[derive(Default)]
struct Kept {
    idle: BTreeMap<PoolKey, Vec<Idle>>,
    /// The task that closes connections when their time is up; it ends when there are none.
    sweeper: Option<AbortHandle>,
}

struct Idle {
    connection: Connection,
    since: Instant,
}

impl Pool {
    pub(crate) fn new(options: HttpOptions) -> Self {
        Self {
            kept: Arc::default(),
            keep: options.idle,
            per_key: options.idle_connections,
        }
    }

    /// The connection that was used last and is still good. One that carries exchanges side by side stays in the pool as
    /// well.
    pub(crate) fn take(&self, key: &PoolKey) -> Option<Connection> {
        let mut kept = lock(&self.kept);
        let connections = kept.idle.get_mut(key)?;
        let now = Instant::now();
        while let Some(mut last) = connections.pop() {
            if !last.is_good(now, self.keep) {
                continue;
            }
            if let Some(shared) = last.connection.share() {
                last.since = now;
                connections.push(last);
                return Some(shared);
            }
            return Some(last.connection);
        }
        None
    }

    /// Keeps a connection whose last answer was read to its end.
    pub(crate) fn put(&self, key: &PoolKey, connection: Connection) {
        if connection.is_closed() {
            return;
        }
        let mut kept = lock(&self.kept);
        let now = Instant::now();
        if kept.sweeper.as_ref().is_none_or(AbortHandle::is_finished) {
            let sweeper = tokio::spawn(sweep(Arc::downgrade(&self.kept), self.keep, now + self.keep));
            kept.sweeper = Some(sweeper.abort_handle());
        }
        let connections = match kept.idle.get_mut(key) {
            Some(connections) => connections,
            None => kept.idle.entry(key.clone()).or_default(),
        };
        if connection.is_shared()
            && let Some(shared) = connections.iter_mut().find(|idle| idle.connection.is_shared())
        {
            shared.since = now;
            return;
        }
        connections.push(Idle {
            connection,
            since: now,
        });
        if connections.len() > self.per_key {
            // The one that was idle for longest has died the likeliest.
            connections.remove(0);
        }
    }
}

impl Idle {
    /// Whether it may be used again.
    fn is_good(&self, now: Instant, keep: Duration) -> bool {
        !self.connection.is_closed() && now - self.since < keep
    }
}

impl Kept {
    /// Closes the connections that have been idle for `keep`. When the next one is due.
    fn close(&mut self, now: Instant, keep: Duration) -> Option<Instant> {
        self.idle.retain(|_, connections| {
            connections.retain(|idle| idle.is_good(now, keep));
            !connections.is_empty()
        });
        let idle = self.idle.values().flatten();
        idle.map(|idle| idle.since + keep).min()
    }
}

/// Closes idle connections in time, also when no message comes any more: what a server sends on them is read as long as
/// they are open.
async fn sweep(kept: Weak<Mutex<Kept>>, keep: Duration, mut due: Instant) {
    loop {
        sleep_until(due).await;
        let Some(kept) = kept.upgrade() else {
            return;
        };
        let mut kept = lock(&kept);
        match kept.close(Instant::now(), keep) {
            Some(next) => due = next,
            None => {
                // Whoever puts a connection back next finds no task and starts another one.
                kept.sweeper = None;
                return;
            }
        }
    }
}

fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
