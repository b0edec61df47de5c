//! Claims on several threads, and on several stores in one place.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use mcp_policy::ServerName;
use mcp_policy::catalogue::CatalogueRow;
use mcp_policy::port::{Committed, StoreError};

use super::Stores;
use super::bench::{Bench, Broken, Held, same};
use super::samples::{change, record, row, server_name};
use crate::block_on;

const THREADS: usize = 4;
const CHANGES: usize = 12;

pub(super) fn no_change_is_lost_among_threads(bench: &mut Bench<'_>) -> Held {
    let names = [server_name("a")?, server_name("b")?];
    bench.add(&names.each_ref())?;
    let stores = [bench.store(), bench.beside()?];
    let works = |at: usize| {
        let server = names.get(at / 2 % 2).cloned();
        let store = stores.get(at % 2).map(Arc::clone);
        move || match (store, server) {
            (Some(store), Some(server)) => put_rows(&*store, &server, at),
            _ => Ok(()),
        }
    };
    all(works)?;
    let snapshot = bench.snapshot()?;
    let rows: usize = snapshot.servers.values().map(|server| server.rows.len()).sum();
    same("the rows", rows, THREADS * CHANGES)?;
    let changes = u64::try_from(THREADS * CHANGES).unwrap_or(u64::MAX);
    same("the generation", snapshot.generation.0, changes)
}

/// Reads, changes, and does so anew when somebody else was faster: one row for each change. Each time that somebody was
/// faster, a change was made; so it happens no more often than there are changes.
fn put_rows(store: &dyn Stores, server: &ServerName, thread: usize) -> Held {
    for number in 0..CHANGES {
        let row = row(server, &format!("t{thread}_{number}"), "")?;
        let mut committed = Committed::Stale;
        for _ in 0..THREADS * CHANGES {
            committed = put(store, server, &row)?;
            if committed == Committed::Done {
                break;
            }
        }
        same("a change that was tried again", committed, Committed::Done)?;
    }
    Ok(())
}

fn put(store: &dyn Stores, server: &ServerName, row: &CatalogueRow) -> Result<Committed, StoreError> {
    let base = block_on(store.catalogue())?.generation;
    block_on(store.commit(base, change(server, vec![row.clone()])))
}

pub(super) fn a_name_is_added_once_among_threads(bench: &mut Bench<'_>) -> Held {
    let stores: Result<Vec<_>, Broken> = (0..THREADS).map(|_| bench.beside()).collect();
    let stores = stores?;
    let name = server_name("a")?;
    let added = AtomicUsize::new(0);
    let works = |at: usize| {
        let (store, record, added) = (stores.get(at), record(&name), &added);
        move || {
            if let Some(store) = store
                && block_on(store.add(record))?
            {
                added.fetch_add(1, Ordering::SeqCst);
            }
            Ok(())
        }
    };
    all(works)?;
    same("how often it was added", added.into_inner(), 1)
}

/// Does the work of every thread at once.
fn all<W: FnOnce() -> Held + Send>(works: impl Fn(usize) -> W) -> Held {
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|at| scope.spawn(works(at))).collect();
        for thread in threads {
            let panicked = |_| Broken(String::from("a thread panicked"));
            thread.join().map_err(panicked)??;
        }
        Ok(())
    })
}
