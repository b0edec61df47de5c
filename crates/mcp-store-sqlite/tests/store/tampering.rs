//! A ledger that somebody has changed in the file is found out, whatever was changed.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc;
use std::task::{Context, Wake, Waker};

use mcp_policy::ledger::{Broken, RunEnd, VerifyError, verify};
use mcp_policy::port::{Audit, RunLedger, StoreError};
use mcp_store_sqlite::SqliteStore;
use mcp_testkit::block_on;
use mcp_testkit::ledger_suite::{Call, HOLDER, at, well};
use rusqlite::types::Value;
use rusqlite::{Connection, params};

use crate::support::{Directory, open_as};

/// Tells that an answer is there.
struct Rung(mpsc::Sender<()>);

impl Wake for Rung {
    fn wake(self: Arc<Self>) {
        let _ = self.0.send(());
    }
}

/// Stamps a step whose answer comes and is not taken.
fn stamp_for_nobody(directory: &Directory, store: &SqliteStore, call: &Call) {
    // The stamp waits for this lock until the answer has been polled.
    let raw = directory.raw();
    raw.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (rung, heard) = mpsc::channel();
    let waker = Waker::from(Arc::new(Rung(rung)));
    let mut answer = store.stamp(&call.request(), at(4));
    let polled = Future::poll(Pin::new(&mut answer), &mut Context::from_waker(&waker));
    assert!(polled.is_pending());
    raw.execute_batch("ROLLBACK").unwrap();
    heard.recv().unwrap();
}

/// A ledger with every event, every form of a step and every end of a run.
fn ledger(directory: &Directory) -> SqliteStore {
    let store = open_as(&directory.file(), HOLDER).unwrap();
    let (plain, full) = (Call::of("r").unwrap(), Call::catalogued("s").unwrap());
    block_on(store.open(&plain.run, &plain.actor, at(1))).unwrap();
    block_on(store.open(&full.run, &full.actor, at(2))).unwrap();
    for call in [&plain, &full] {
        block_on(store.charge(&call.run)).unwrap();
        let step = block_on(store.stamp(&call.request(), at(3))).unwrap();
        block_on(store.settle(step, well(), at(4))).unwrap();
    }
    stamp_for_nobody(directory, &store, &plain);
    block_on(store.end(&full.run, RunEnd::Done, at(5))).unwrap();
    block_on(store.stamp(&plain.request(), at(6))).unwrap();
    block_on(store.reclaim(at(100_000))).unwrap();
    let last = Call::of("t").unwrap();
    block_on(store.open(&last.run, &last.actor, at(100_001))).unwrap();
    block_on(store.stamp(&last.request(), at(100_002))).unwrap();
    store
}

/// Somebody who can write the file and knows what keeps him from it.
fn intruder(directory: &Directory) -> Connection {
    let raw = directory.raw();
    raw.execute_batch(
        "PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; DROP TRIGGER entries_are_added_in_order;
         DROP TRIGGER entries_are_not_changed; DROP TRIGGER entries_are_not_deleted;",
    )
    .unwrap();
    raw
}

/// What may be put in the place of a value.
fn others(value: &Value) -> Vec<Value> {
    let text = |text: &str| Value::Text(text.to_owned());
    match value {
        Value::Null => vec![text("x"), text("0"), Value::Integer(0), Value::Integer(1)],
        Value::Integer(number) => vec![Value::Null, Value::Integer(number + 1), Value::Integer(-1)],
        Value::Text(old) => vec![
            Value::Null,
            text(""),
            text(&format!("{old} ")),
            text(&old.to_uppercase()),
            text(&format!("+{old}")),
            text("open"),
            text("settled"),
            text("failed"),
        ],
        Value::Real(_) | Value::Blob(_) => panic!("there are no such columns"),
    }
}

#[test]
fn a_value_that_was_changed_is_found_in_every_column_of_every_row() {
    let directory = Directory::new();
    let store = ledger(&directory);
    let whole = block_on(verify(&store)).unwrap();
    assert_eq!(
        (whole.entries, whole.runs, whole.steps, whole.in_doubt),
        (14, 3, 5, 1)
    );
    let raw = intruder(&directory);
    let (mut found, mut refused) = (0, 0);
    for table in ["runs", "steps", "entries", "meta"] {
        let list = |statement: String| -> Vec<Value> {
            let mut statement = raw.prepare(&statement).unwrap();
            let list = statement.query_map([], |row| row.get(0)).unwrap();
            list.map(Result::unwrap).collect()
        };
        let rows = list(format!("SELECT rowid FROM {table} ORDER BY rowid"));
        for column in list(format!("SELECT name FROM pragma_table_info('{table}')")) {
            let Value::Text(column) = column else { panic!() };
            // No entry tells of charges, and the catalogue's columns are no concern of the ledger.
            if column == "charged" || table == "meta" && !column.starts_with("ledger_") {
                continue;
            }
            for row in &rows {
                let read = format!("SELECT {column} FROM {table} WHERE rowid = ?1");
                let value: Value = raw.query_row(&read, [row], |row| row.get(0)).unwrap();
                for other in others(&value).into_iter().filter(|other| *other != value) {
                    let change = format!("UPDATE {table} SET {column} = ?1 WHERE rowid = ?2 RETURNING rowid");
                    let changed = raw.query_row(&change, params![other, row], |row| row.get(0));
                    // A column refuses what is not of its kind.
                    let Ok(changed) = changed else {
                        refused += 1;
                        continue;
                    };
                    let changed: Value = changed;
                    let verified = block_on(verify(&store));
                    assert!(
                        verified.is_err(),
                        "{table}.{column} of {row:?}: {value:?} as {other:?}"
                    );
                    found += 1;
                    raw.query_row(&change, params![value, changed], |_| Ok(()))
                        .unwrap();
                }
            }
        }
    }
    assert_eq!(block_on(verify(&store)), Ok(whole));
    println!("changed values: {found} found, {refused} refused by the column");
    assert!(found > 1_000);
}

#[test]
fn rows_that_were_taken_out_or_put_in_are_found() {
    let cut = |found, expected| Err(VerifyError::Broken(Broken::Cut { found, expected }));
    let missing = |seq| Err(VerifyError::Broken(Broken::Missing { seq }));
    let altered = |seq| Err(VerifyError::Broken(Broken::Altered { seq }));
    let disagrees = |what| Err(VerifyError::Broken(Broken::Disagrees { what }));
    let cases = [
        ("DELETE FROM entries WHERE seq = 14", cut(13, 14)),
        ("DELETE FROM entries WHERE seq = 5", missing(5)),
        ("DELETE FROM entries", cut(0, 14)),
        (
            "DELETE FROM entries WHERE seq = 14;
             UPDATE meta SET ledger_entries = 13, ledger_head = (SELECT hash FROM entries WHERE seq = 13)",
            disagrees("a run"),
        ),
        ("UPDATE meta SET ledger_entries = 13", altered(13)),
        (
            "UPDATE entries SET seq = 100 WHERE seq = 3; UPDATE entries SET seq = 3 WHERE seq = 5;
             UPDATE entries SET seq = 5 WHERE seq = 100",
            altered(3),
        ),
        ("DELETE FROM steps WHERE id = 5", disagrees("a step")),
        ("DELETE FROM runs WHERE id = 't'", disagrees("a run")),
        (
            "INSERT INTO runs SELECT 'u', user, holder, until, charged, state FROM runs WHERE id = 't'",
            disagrees("a run"),
        ),
        (
            "UPDATE runs SET state = 'done' WHERE id = 'r'",
            disagrees("a run"),
        ),
        (
            "UPDATE steps SET state = 'stamped' WHERE state = 'in-doubt'",
            disagrees("a step"),
        ),
        ("DELETE FROM meta", Err(VerifyError::Store(StoreError::Corrupt))),
    ];
    for (statements, expected) in cases {
        let directory = Directory::new();
        let store = ledger(&directory);
        intruder(&directory).execute_batch(statements).unwrap();
        let verified = block_on(verify(&store)).map(drop);
        assert_eq!(verified, expected, "{statements}");
    }
}

#[test]
fn entries_are_only_ever_added() {
    let directory = Directory::new();
    let store = ledger(&directory);
    let before = block_on(store.entries(0, usize::MAX)).unwrap();
    for statement in [
        "UPDATE entries SET at = 0",
        "UPDATE entries SET at = at WHERE seq = 1",
        "DELETE FROM entries WHERE seq = 14",
        "DELETE FROM entries",
        "REPLACE INTO entries SELECT * FROM entries WHERE seq = 14",
        "INSERT INTO entries (seq, at, run, event, hash) VALUES (16, 0, 'r', 'ended', '')",
        "INSERT INTO entries (seq, at, run, event, hash) VALUES (0, 0, 'r', 'ended', '')",
    ] {
        assert!(directory.raw().execute(statement, []).is_err(), "{statement}");
    }
    assert_eq!(block_on(store.entries(0, usize::MAX)).unwrap(), before);
}
