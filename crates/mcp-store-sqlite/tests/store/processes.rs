//! Several processes in one file: nothing is lost, and none sees a lock.

use std::sync::Barrier;
use std::thread;

use mcp_policy::port::{CatalogueStore, ServerStore};
use mcp_testkit::block_on;

use crate::parts::{CHANGES, Partner, command, this_program};
use crate::support::{Directory, open};

/// Starts children that open one new file at the same moment and change it; gives how many found a stale catalogue.
fn import_at_once(children: usize) -> Vec<u32> {
    let directory = Directory::new();
    let mut partners: Vec<Partner> = (0..children)
        .map(|child| {
            Partner::start(command(
                &this_program(),
                &format!("import {child}"),
                &directory.file(),
            ))
        })
        .collect();
    for partner in &mut partners {
        assert_eq!(partner.hear().as_deref(), Some("ready"));
    }
    for partner in &mut partners {
        partner.say("go");
    }
    let lines: Vec<Vec<String>> = partners.into_iter().map(Partner::finish).collect();
    let stale = lines.iter().map(|lines| match lines.as_slice() {
        [line] => line.strip_prefix("done ").and_then(|stale| stale.parse().ok()),
        _ => None,
    });
    let stale: Option<Vec<u32>> = stale.collect();
    let stale = stale.unwrap_or_else(|| panic!("{lines:?}"));
    let store = directory.open();
    assert_eq!(block_on(store.servers()).unwrap().len(), children + 1);
    let snapshot = block_on(store.catalogue()).unwrap();
    let rows: usize = snapshot.servers.values().map(|server| server.rows.len()).sum();
    assert_eq!(rows, children * CHANGES);
    assert_eq!(snapshot.generation.0, (children * CHANGES) as u64);
    stale
}

#[test]
fn two_processes_lose_nothing() {
    for _ in 0..3 {
        let stale = import_at_once(2);
        println!("two processes: {CHANGES} changes each, none lost; stale {stale:?}");
    }
}

#[test]
fn six_processes_lose_nothing() {
    let stale = import_at_once(6);
    println!("six processes: {CHANGES} changes each, none lost; stale {stale:?}");
}

#[test]
fn a_new_file_is_opened_by_many_at_once() {
    const OPENERS: usize = 8;
    for _ in 0..20 {
        let directory = Directory::new();
        let barrier = Barrier::new(OPENERS);
        let opened = thread::scope(|scope| {
            let open = || {
                barrier.wait();
                open(&directory.file()).map(|_| ())
            };
            let openers: Vec<_> = (0..OPENERS).map(|_| scope.spawn(open)).collect();
            let opened = openers.into_iter().map(|opener| opener.join().unwrap());
            opened.collect::<Vec<_>>()
        });
        assert_eq!(opened, [Ok(()); OPENERS]);
    }
}
