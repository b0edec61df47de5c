//! The ledger in a file: the suite of every ledger, each claim in a file of its own, and what is particular to this one.

use std::sync::Arc;

use mcp_policy::ledger::{RunEnd, Verified, verify};
use mcp_policy::port::{Audit, CatalogueStore, LedgerError, RunLedger, ServerStore, StoreError, UnixTime};
use mcp_store_sqlite::{SqliteOptions, SqliteStore};
use mcp_testkit::block_on;
use mcp_testkit::ledger_suite::{CLAIMS, Call, HOLDER, OTHER, Opened, SHARED_CLAIMS, at, broken_claims};

use crate::support::{Directory, open, open_as, record};

#[test]
fn the_ledger_in_a_file_passes_the_suite() {
    for claims in [CLAIMS, SHARED_CLAIMS] {
        let new_place = || {
            let directory = Directory::new();
            move |holder| -> Opened { Ok(Arc::new(open_as(&directory.file(), holder)?)) }
        };
        assert_eq!(broken_claims(claims, new_place), []);
    }
}

#[test]
fn a_file_of_the_first_version_is_brought_to_the_ledger() {
    let directory = Directory::new();
    let raw = directory.raw();
    raw.execute_batch(include_str!("../../src/migrations/0001.sql"))
        .unwrap();
    let insert =
        "INSERT INTO contacts (server, at, latency) VALUES ('a', 5, 7); UPDATE meta SET generation = 3";
    raw.execute_batch(insert).unwrap();
    raw.execute_batch("PRAGMA application_id = 0x6d637073; PRAGMA user_version = 1")
        .unwrap();
    drop(raw);
    let store = open_as(&directory.file(), HOLDER).unwrap();
    assert_eq!(block_on(store.catalogue()).unwrap().generation.0, 3);
    let call = Call::of("r").unwrap();
    block_on(store.open(&call.run, &call.actor, at(1))).unwrap();
    assert_eq!(block_on(store.add(record("a"))), Ok(true));
    assert_eq!(verified(&store).entries, 1);
    let contacts = "SELECT latency FROM contacts";
    let latency: i64 = directory.raw().query_row(contacts, [], |row| row.get(0)).unwrap();
    assert_eq!(latency, 7);
}

fn verified(store: &SqliteStore) -> Verified {
    block_on(verify(store)).unwrap()
}

#[test]
fn a_store_without_a_holder_leases_nothing_and_reads_and_reclaims() {
    let directory = Directory::new();
    let holder = open_as(&directory.file(), HOLDER).unwrap();
    let (call, other) = (Call::of("r").unwrap(), Call::of("s").unwrap());
    block_on(holder.open(&call.run, &call.actor, at(1))).unwrap();
    let step = block_on(holder.stamp(&call.request(), at(1))).unwrap();
    let store = open(&directory.file()).unwrap();
    let no_run = LedgerError::NoRun;
    assert_eq!(block_on(store.open(&other.run, &other.actor, at(1))), Err(no_run));
    assert_eq!(block_on(store.charge(&call.run)), Err(no_run));
    assert_eq!(block_on(store.stamp(&call.request(), at(1))), Err(no_run));
    assert_eq!(block_on(store.end(&call.run, RunEnd::Done, at(1))), Err(no_run));
    assert_eq!(block_on(store.steps()).unwrap().len(), 1);
    assert_eq!(verified(&store).entries, 2);
    let reclaimed = block_on(store.reclaim(at(100_000))).unwrap();
    assert_eq!(reclaimed[0].id, step);
    assert_eq!(verified(&store).in_doubt, 1);
}

#[test]
fn the_limit_of_a_run_is_a_setting() {
    let directory = Directory::new();
    let mut options = SqliteOptions::default();
    assert_eq!(options.calls_per_run, 20);
    (options.holder, options.calls_per_run) = (Some(OTHER), 2);
    let store = SqliteStore::open(&directory.file(), options).unwrap();
    let call = Call::of("r").unwrap();
    block_on(store.open(&call.run, &call.actor, at(1))).unwrap();
    let charges = [(); 3].map(|()| block_on(store.charge(&call.run)));
    assert_eq!(charges, [Ok(()), Ok(()), Err(LedgerError::RunLimit { limit: 2 })]);
}

#[test]
fn a_time_that_no_column_holds_is_the_latest_one() {
    let directory = Directory::new();
    let store = open_as(&directory.file(), HOLDER).unwrap();
    let (call, never) = (Call::of("r").unwrap(), UnixTime(std::time::Duration::MAX));
    block_on(store.open(&call.run, &call.actor, never)).unwrap();
    let step = block_on(store.stamp(&call.request(), never)).unwrap();
    let mut outcome = mcp_policy::port::StepOutcome::never_sent();
    outcome.timing = mcp_policy::Timing::from_parts([u64::MAX; mcp_policy::Timing::PARTS]);
    block_on(store.settle(step, outcome, never)).unwrap();
    assert_eq!(verified(&store).entries, 3);
    assert_eq!(block_on(store.entries(0, 9)).unwrap().len(), 3);
    let settled = block_on(store.settle(step, mcp_policy::port::StepOutcome::never_sent(), never));
    assert_eq!(settled, Err(LedgerError::Store(StoreError::Unavailable)));
}
