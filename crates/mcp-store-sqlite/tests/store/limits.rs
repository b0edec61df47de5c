//! A lock that is held, a store without room, a full queue, and answers that nobody waits for.

use std::thread;
use std::time::Duration;

use mcp_policy::port::{CatalogueStore, Committed, Contact, HealthStore, ServerStore, StoreError};
use mcp_store_sqlite::{SqliteOptions, SqliteStore};
use mcp_testkit::block_on;
use rusqlite::Connection;

use crate::parts::import;
use crate::support::{Directory, ask, at, impatient, name, open, record, until_closed};

/// Somebody else who holds the write lock until he is dropped.
struct Holder(Connection);

impl Holder {
    fn of(directory: &Directory) -> Self {
        let raw = directory.raw();
        raw.execute_batch("BEGIN IMMEDIATE").unwrap();
        Self(raw)
    }

    fn let_go(self) {
        self.0.execute_batch("ROLLBACK").unwrap();
    }
}

#[test]
fn a_lock_beyond_the_timeout_is_busy_and_changes_nothing() {
    let directory = Directory::new();
    let store = SqliteStore::open(&directory.file(), impatient()).unwrap();
    block_on(store.add(record("a"))).unwrap();
    let contact = Contact {
        at: at(5),
        latency: Duration::ZERO,
    };
    let holder = Holder::of(&directory);
    assert_eq!(block_on(store.add(record("b"))), Err(StoreError::Busy));
    assert_eq!(block_on(store.remove(&name("a"))), Err(StoreError::Busy));
    assert_eq!(import(&store, 0), Err(StoreError::Busy));
    assert_eq!(block_on(store.record(&name("a"), contact)), Err(StoreError::Busy));
    // Reading needs no lock, and neither does opening.
    let other = SqliteStore::open(&directory.file(), impatient()).unwrap();
    assert_eq!(block_on(other.servers()), Ok(vec![record("a")]));
    holder.let_go();
    assert_eq!(block_on(store.servers()), Ok(vec![record("a")]));
    assert_eq!(block_on(store.last(&name("a"))), Ok(None));
    assert_eq!(import(&store, 0), Ok(Committed::Done));
}

#[test]
fn a_new_file_that_is_held_is_busy() {
    let directory = Directory::new();
    let raw = directory.raw();
    raw.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let opened = SqliteStore::open(&directory.file(), impatient());
    assert_eq!(opened.unwrap_err(), StoreError::Busy);
    raw.execute_batch("ROLLBACK").unwrap();
    assert!(SqliteStore::open(&directory.file(), impatient()).is_ok());
}

/// SQLite waits for a reader of a new file by itself, but not for a writer who has not yet the log.
#[test]
fn a_new_file_in_use_is_waited_for() {
    for begin in ["BEGIN; SELECT * FROM sqlite_schema", "BEGIN IMMEDIATE"] {
        let directory = Directory::new();
        let raw = directory.raw();
        raw.execute_batch("CREATE TABLE t (x); DROP TABLE t").unwrap();
        raw.execute_batch(begin).unwrap();
        let opened = SqliteStore::open(&directory.file(), impatient());
        assert_eq!(opened.unwrap_err(), StoreError::Busy, "{begin}");
        thread::scope(|scope| {
            let opener = scope.spawn(|| open(&directory.file()).map(|_| ()));
            // Whoever is not quick enough to meet the lock proves nothing, and fails nothing.
            (0..20_000).for_each(|_| thread::yield_now());
            raw.execute_batch("ROLLBACK").unwrap();
            assert_eq!(opener.join().unwrap(), Ok(()), "{begin}");
        });
    }
}

#[test]
fn a_lock_within_the_timeout_is_waited_for() {
    let directory = Directory::new();
    let store = directory.open();
    let holder = Holder::of(&directory);
    let mut added = store.add(record("a"));
    ask(&mut added);
    holder.let_go();
    assert_eq!(block_on(added), Ok(true));
}

#[test]
fn a_store_without_room_is_full_and_as_it_was() {
    let directory = Directory::new();
    let mut options = SqliteOptions::default();
    options.max_bytes = Some(1);
    let opened = SqliteStore::open(&directory.file(), options);
    assert_eq!(opened.unwrap_err(), StoreError::Full);
    options.max_bytes = Some(200_000);
    let store = SqliteStore::open(&directory.file(), options).unwrap();
    block_on(store.add(record("a"))).unwrap();
    let before = block_on(store.catalogue()).unwrap();
    assert_eq!(import(&store, 0), Err(StoreError::Full));
    assert_eq!(block_on(store.catalogue()), Ok(before));
    // What fits is kept, by the same store and by one with more room.
    assert_eq!(block_on(store.add(record("b"))), Ok(true));
    let roomy = open(&directory.file()).unwrap();
    assert_eq!(import(&roomy, 0), Ok(Committed::Done));
    assert_eq!(block_on(store.catalogue()), block_on(roomy.catalogue()));
}

#[test]
fn a_change_that_nobody_waits_for_is_not_begun() {
    let directory = Directory::new();
    let mut options = SqliteOptions::default();
    options.queue = 1;
    let store = SqliteStore::open(&directory.file(), options).unwrap();
    let holder = Holder::of(&directory);
    // The first waits for the lock or still for the thread, the next ones in the queue and before it.
    let mut dropped: Vec<_> = ["a", "b", "c", "d"].map(|name| store.add(record(name))).into();
    dropped.iter_mut().for_each(ask);
    dropped.push(store.add(record("e")));
    drop(dropped);
    holder.let_go();
    assert_eq!(block_on(store.servers()), Ok(vec![]));
}

#[test]
fn an_answer_waits_for_a_place_in_the_queue() {
    for queue in [0, 1, 2] {
        let directory = Directory::new();
        let mut options = SqliteOptions::default();
        options.queue = queue;
        let store = SqliteStore::open(&directory.file(), options).unwrap();
        let holder = Holder::of(&directory);
        let mut added: Vec<_> = ["a", "b", "c", "d", "e"]
            .map(|name| store.add(record(name)))
            .into();
        added.iter_mut().for_each(ask);
        holder.let_go();
        for added in added {
            assert_eq!(block_on(added), Ok(true));
        }
        assert_eq!(block_on(store.servers()).unwrap().len(), 5);
    }
}

#[test]
fn a_dropped_store_still_answers_and_then_closes() {
    let directory = Directory::new();
    let store = directory.open();
    let holder = Holder::of(&directory);
    let mut first = store.add(record("a"));
    let mut second = store.add(record("b"));
    ask(&mut first);
    ask(&mut second);
    drop(store);
    holder.let_go();
    assert_eq!(block_on(second), Ok(true));
    assert_eq!(block_on(first), Ok(true));
    until_closed(&directory.file());
    assert_eq!(block_on(directory.open().servers()).unwrap().len(), 2);
}
