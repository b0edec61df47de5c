//! A process that is killed while it imports leaves the catalogue of before or that of after.

use std::path::Path;
use std::thread;
use std::time::Instant;

use mcp_policy::port::{CatalogueStore, Committed, ServerStore};
use mcp_testkit::block_on;

use crate::parts::{Partner, ROWS, command, import, rows, this_program};
use crate::support::{Directory, at, beside, name, open, record, until_closed};

const ROUNDS: u32 = 200;

/// The moments, by a fixed seed; what the machine does in between is its own.
struct Moments(u64);

impl Moments {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

#[test]
fn a_kill_leaves_the_catalogue_before_or_after() {
    let directory = Directory::new();
    let file = directory.file();
    let log = first_import(&file);
    let (mut before, mut after) = (0, 0);
    let mut moments = Moments(2_500);
    let mut generation = 2;
    for round in 0..ROUNDS {
        let part = format!("commit {generation}");
        let mut partner = Partner::start(command(&this_program(), &part, &file));
        let mut said = partner.hear().unwrap();
        if round % 5 == 0 {
            // Some time after an answer: the next import, or the log going into the file.
            for _ in 0..1 + 2 * moments.below(2) {
                said = partner.hear().unwrap();
            }
            (0..moments.below(1_000)).for_each(|_| thread::yield_now());
        } else {
            // Somewhere within the writes of the first import.
            let length = moments.below(log);
            while length_of(&beside(&file, "-wal")) <= length {
                thread::yield_now();
            }
        }
        let said = partner.kill().pop().unwrap_or(said);
        generation = found(&directory);
        if round % 10 == 0 {
            is_whole(&file, generation);
        }
        let (word, made) = said.split_once(' ').unwrap();
        match (word, made.parse::<u64>().unwrap()) {
            ("begin", made) if made == generation + 1 => before += 1,
            ("begin" | "done", made) if made == generation => after += 1,
            _ => panic!("generation {generation} after {said:?}"),
        }
    }
    println!("killed {ROUNDS}: {before} before, {after} after");
    assert!(before > 0 && after > 0);
}

/// Makes the store and imports once. Gives how long the log was then, in bytes.
fn first_import(file: &Path) -> u64 {
    let store = open(file).unwrap();
    block_on(store.add(record("a"))).unwrap();
    assert_eq!(import(&store, 0), Ok(Committed::Done));
    drop(store);
    until_closed(file);
    let store = open(file).unwrap();
    let began = Instant::now();
    assert_eq!(import(&store, 1), Ok(Committed::Done));
    let committed = began.elapsed();
    let log = length_of(&beside(file, "-wal"));
    let began = Instant::now();
    block_on(store.catalogue()).unwrap();
    let read = began.elapsed();
    println!("{ROWS} rows: built and committed in {committed:?}, read in {read:?}, log of {log} bytes");
    drop(store);
    until_closed(file);
    log
}

/// The catalogue as the next process finds it: whole, and of one generation, which is the answer.
fn found(directory: &Directory) -> u64 {
    let statement = "SELECT generation, succeeded_at / 1000000000, failed_at IS NULL, count(*),
            min(last_seen) / 1000000000, max(last_seen) / 1000000000, min(description), max(description)
        FROM meta, imports, tools";
    let raw = directory.raw();
    let read = |row: &rusqlite::Row<'_>| {
        let numbers: Result<Vec<i64>, _> = (0..6).map(|at| row.get(at)).collect();
        Ok((numbers?, row.get(6)?, row.get(7)?))
    };
    let (numbers, least, most): (_, String, String) = raw.query_row(statement, [], read).unwrap();
    let generation = numbers[0];
    let expected = [generation, generation, 1, 2_500, generation, generation];
    assert_eq!((numbers.as_slice(), &least), (&expected[..], &most));
    assert!(least.starts_with(&format!("{generation:08} ")), "{least}");
    generation.try_into().unwrap()
}

/// The same through the store, row by row.
fn is_whole(file: &Path, generation: u64) {
    let store = open(file).unwrap();
    let snapshot = block_on(store.catalogue()).unwrap();
    drop(store);
    until_closed(file);
    assert_eq!(snapshot.generation.0, generation);
    let server = &snapshot.servers[&name("a")];
    assert_eq!(server.imports.success.as_ref().unwrap().at, at(generation));
    assert!(server.rows.values().eq(&rows(generation)));
}

fn length_of(file: &Path) -> u64 {
    file.metadata().map_or(0, |metadata| metadata.len())
}
