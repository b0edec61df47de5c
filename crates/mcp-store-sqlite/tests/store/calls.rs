//! Calls of processes that are killed or that share the ledger: no step is lost, none repeated, and what was stamped and
//! not settled is in doubt.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread;

use mcp_policy::ledger::{LeaseHolder, verify};
use mcp_policy::port::{Audit, LedgerError, RunLedger, Step, StepId, StepState, StoreError};
use mcp_store_sqlite::{SqliteOptions, SqliteStore};
use mcp_testkit::block_on;
use mcp_testkit::ledger_suite::{Call, HOLDER, at};

use crate::parts::{Partner, SENT, WINDOWS, command, this_program};
use crate::support::{Directory, impatient, open_as};

/// How often a child is killed in each window, and at a moment of its own choice.
const KILLS: u32 = 12;
const FREE_KILLS: u32 = 24;

/// Beyond every lease of the children.
const LATER: u64 = 1_000_000;

/// The numbers of the steps that were sent, in order.
fn sent(directory: &Directory) -> Vec<u64> {
    let bytes = fs::read(directory.path().join(SENT)).unwrap_or_default();
    let numbers = bytes.chunks(8).map(|number| number.try_into().unwrap());
    numbers.map(u64::from_le_bytes).collect()
}

/// What the next process finds: gives the steps that it put in doubt, after everything else is as it must be.
fn found(directory: &Directory, round: u32) -> Vec<Step> {
    let store = open_as(&directory.file(), LeaseHolder(u128::MAX - u128::from(round))).unwrap();
    let early = block_on(store.reclaim(at(2))).unwrap();
    assert_eq!(early, [], "a lease is not over");
    let doubted = block_on(store.reclaim(at(LATER))).unwrap();
    assert_eq!(block_on(store.reclaim(at(LATER))).unwrap(), []);
    let steps = block_on(store.steps()).unwrap();
    let sent = sent(directory);
    let distinct: BTreeSet<u64> = sent.iter().copied().collect();
    assert_eq!(distinct.len(), sent.len(), "a step was sent twice");
    for number in sent {
        let step = steps.iter().find(|step| step.id.0 == number);
        assert!(step.unwrap().is_stamped(), "step {number} was sent");
    }
    let numbers: Vec<u64> = steps.iter().map(|step| step.id.0).collect();
    assert_eq!(numbers, (1..=steps.len() as u64).collect::<Vec<_>>());
    for step in &steps {
        match &step.state {
            StepState::Stamped => panic!("{step:?} is not in doubt"),
            StepState::InDoubt => {}
            StepState::Settled(_) => assert!(distinct.contains(&step.id.0), "{step:?} was not sent"),
        }
    }
    block_on(verify(&store)).unwrap();
    doubted
}

#[test]
fn a_kill_in_any_window_loses_and_repeats_nothing() {
    let directory = Directory::new();
    let mut counts = Vec::new();
    let mut round = 0;
    for window in WINDOWS {
        let mut kills = 0;
        for number in 0..KILLS {
            round += 1;
            let part = format!("calls {round} {window} {}", number % 3);
            let mut partner = Partner::start(command(&this_program(), &part, &directory.file()));
            let said = partner.hear().unwrap();
            let step = said.strip_prefix(&format!("{window} ")).expect(&said).to_owned();
            partner.kill();
            kills += 1;
            let step: u64 = step.parse().unwrap();
            let doubted: Vec<StepId> = found(&directory, round).iter().map(|step| step.id).collect();
            let was_sent = sent(&directory).last() == Some(&step);
            match window {
                "unstamped" => assert_eq!(doubted, []),
                "stamped" => assert_eq!((doubted, was_sent), (vec![StepId(step)], false)),
                "sent" => assert_eq!((doubted, was_sent), (vec![StepId(step)], true)),
                "answered" => assert_eq!((doubted, was_sent), (vec![], true)),
                other => panic!("{other}"),
            }
        }
        counts.push(format!("{window} {kills}"));
    }
    println!("killed: {}", counts.join(", "));
}

#[test]
fn a_kill_at_any_moment_loses_and_repeats_nothing() {
    let directory = Directory::new();
    let mut doubted = 0;
    for round in 1..=FREE_KILLS {
        let part = format!("calls {round} never 0");
        let mut partner = Partner::start(command(&this_program(), &part, &directory.file()));
        for _ in 0..=round % 5 {
            partner.hear().unwrap();
        }
        (0..round * 40 % 700).for_each(|_| thread::yield_now());
        partner.kill();
        let found = found(&directory, round);
        assert!(found.len() <= 1, "{found:?}");
        doubted += found.len();
    }
    println!("killed at any moment: {FREE_KILLS}, with a step in doubt {doubted}");
}

#[test]
fn two_processes_share_a_ledger() {
    const CALLS: usize = 30;
    let directory = Directory::new();
    let start = |holder| {
        let part = format!("calls {holder} end {CALLS}");
        Partner::start(command(&this_program(), &part, &directory.file()))
    };
    let partners = [start(1), start(2)];
    for partner in partners {
        let lines = partner.finish();
        assert_eq!(lines.len(), CALLS, "{lines:?}");
    }
    assert_eq!(found(&directory, 3), []);
    let store = directory.open();
    assert_eq!(block_on(store.steps()).unwrap().len(), 2 * CALLS);
    assert_eq!(sent(&directory).len(), 2 * CALLS);
    let order = block_on(store.entries(0, usize::MAX)).unwrap();
    let turns = order
        .windows(2)
        .filter(|pair| pair[0].entry.run != pair[1].entry.run);
    println!(
        "two processes: {CALLS} calls each, {} changes of turn",
        turns.count()
    );
}

/// A store with an open run, which cannot be written as soon as `hinder` has been done; then what a stamp says, and that
/// nothing was entered.
fn stamp_without(
    options: SqliteOptions,
    hinder: impl FnOnce(&Directory) -> Option<rusqlite::Connection>,
) -> StoreError {
    let directory = Directory::new();
    let store = SqliteStore::open(&directory.file(), options).unwrap();
    let call = Call::of("r").unwrap();
    block_on(store.open(&call.run, &call.actor, at(1))).unwrap();
    let hindrance = hinder(&directory);
    let before = state(&directory.file());
    let stamped = block_on(store.stamp(&call.request(), at(2)));
    assert_eq!(state(&directory.file()), before);
    drop(hindrance);
    match stamped {
        Err(LedgerError::Store(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn state(file: &Path) -> impl PartialEq + std::fmt::Debug + use<> {
    let store = SqliteStore::open(file, impatient()).unwrap();
    let entries = block_on(store.entries(0, usize::MAX)).unwrap();
    let (runs, steps) = (
        block_on(store.runs()).unwrap(),
        block_on(Audit::steps(&store)).unwrap(),
    );
    (runs, steps, entries, block_on(store.head()).unwrap())
}

#[test]
fn a_ledger_that_cannot_be_written_stamps_nothing() {
    let mut options = impatient();
    options.holder = Some(HOLDER);
    let held = stamp_without(options, |directory| {
        let raw = directory.raw();
        raw.execute_batch("BEGIN IMMEDIATE").unwrap();
        Some(raw)
    });
    assert_eq!(held, StoreError::Busy);
    // Each write of the stamp fails in turn; those before it are taken back.
    for write in [
        "UPDATE ON runs",
        "INSERT ON steps",
        "INSERT ON entries",
        "UPDATE ON meta",
    ] {
        let refused = stamp_without(options, |directory| {
            let trigger = format!("CREATE TRIGGER no BEFORE {write} BEGIN SELECT RAISE(ABORT, 'no'); END");
            directory.raw().execute_batch(&trigger).unwrap();
            None
        });
        assert_eq!(refused, StoreError::Unavailable, "{write}");
    }
}

#[test]
fn a_ledger_without_room_stamps_nothing() {
    let directory = Directory::new();
    let mut options = SqliteOptions::default();
    (options.holder, options.max_bytes) = (Some(HOLDER), Some(400_000));
    let store = SqliteStore::open(&directory.file(), options).unwrap();
    let mut call = Call::of("r").unwrap();
    block_on(store.open(&call.run, &call.actor, at(1))).unwrap();
    let mut stamped = 0;
    let error = loop {
        match block_on(store.stamp(&call.request(), at(2))) {
            Ok(_) => stamped += 1,
            Err(error) => break error,
        }
        assert!(stamped < 10_000);
    };
    assert_eq!(error, LedgerError::Store(StoreError::Full));
    assert_eq!(block_on(verify(&store)).unwrap().steps, stamped);
    call.run.0.push('x');
    assert_eq!(
        block_on(store.stamp(&call.request(), at(2))),
        Err(LedgerError::NoRun)
    );
}
