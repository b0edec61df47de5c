//! Files that are no store, a damaged one, or a newer one: an error, and never another catalogue.

use std::fs;
use std::path::Path;

use mcp_policy::port::{CatalogueStore, ServerStore, Snapshot, StoreError};
use mcp_testkit::block_on;

use crate::parts::import;
use crate::support::{Directory, beside, open, record, until_closed};

/// A store of several pages, closed.
fn filled() -> (Directory, Snapshot) {
    let directory = Directory::new();
    let store = directory.open();
    block_on(store.add(record("a"))).unwrap();
    import(&store, 0).unwrap();
    let snapshot = block_on(store.catalogue()).unwrap();
    drop(store);
    until_closed(&directory.file());
    (directory, snapshot)
}

/// What opening and reading everything gives.
fn read(file: &Path) -> Result<Snapshot, StoreError> {
    let store = open(file)?;
    block_on(store.servers())?;
    let snapshot = block_on(store.catalogue());
    drop(store);
    until_closed(file);
    snapshot
}

/// Opening fails so, and leaves every byte as it is.
fn refuses(directory: &Directory, expected: StoreError) {
    let before = fs::read(directory.file()).unwrap();
    assert_eq!(open(&directory.file()).unwrap_err(), expected);
    assert!(fs::read(directory.file()).unwrap() == before);
    assert!(!beside(&directory.file(), "-wal").exists());
}

#[test]
fn a_newer_version_is_told_and_left_alone() {
    for found in [3, 77, i32::MAX] {
        let (directory, _) = filled();
        let raw = directory.raw();
        raw.pragma_update(None, "user_version", found).unwrap();
        raw.execute_batch("DROP TABLE contacts").unwrap();
        drop(raw);
        let found = found.try_into().unwrap();
        refuses(&directory, StoreError::Newer { found, known: 2 });
    }
}

#[test]
fn the_file_of_another_program_is_left_alone() {
    for statements in [
        "CREATE TABLE theirs (x)",
        "PRAGMA application_id = 1234; PRAGMA user_version = 1",
        "PRAGMA user_version = 1; CREATE TABLE servers (name)",
        "PRAGMA application_id = 0x6d637073; CREATE TABLE servers (name)",
        "PRAGMA application_id = 0x6d637073; PRAGMA user_version = -1",
    ] {
        let directory = Directory::new();
        directory.raw().execute_batch(statements).unwrap();
        refuses(&directory, StoreError::Corrupt);
    }
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let noise: Vec<u8> = (0..20_000_u32)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    for bytes in [&noise[..], &noise[..10], b"SQLite format 3\0", b"{}\n"] {
        let directory = Directory::new();
        fs::write(directory.file(), bytes).unwrap();
        refuses(&directory, StoreError::Corrupt);
    }
}

#[test]
fn a_truncated_store_is_corrupt() {
    let (directory, _) = filled();
    let whole = fs::read(directory.file()).unwrap();
    // SQLite itself takes a file of one byte for an empty one.
    for length in [
        2,
        100,
        511,
        512,
        4_095,
        4_096,
        4_097,
        40_960,
        whole.len() / 2,
        whole.len() - 4_096,
    ] {
        fs::write(directory.file(), &whole[..length]).unwrap();
        assert_eq!(
            read(&directory.file()).err(),
            Some(StoreError::Corrupt),
            "{length}"
        );
    }
}

#[test]
fn a_page_of_noise_is_corrupt_or_unused() {
    let (directory, snapshot) = filled();
    let whole = fs::read(directory.file()).unwrap();
    let pages = whole.len() / 4_096;
    let mut corrupt = 0;
    for page in (0..pages).step_by(pages / 40) {
        let mut damaged = whole.clone();
        damaged[page * 4_096..(page + 1) * 4_096].fill(0xa5);
        fs::write(directory.file(), damaged).unwrap();
        match read(&directory.file()) {
            Err(StoreError::Corrupt) => corrupt += 1,
            read => assert!(read == Ok(snapshot.clone()), "page {page}"),
        }
    }
    println!("{corrupt} of 40 pages of noise were seen");
    assert!(corrupt > 20);
}

#[test]
fn a_store_without_its_tables_is_corrupt() {
    for table in ["tools", "imports", "meta"] {
        let (directory, _) = filled();
        directory
            .raw()
            .execute_batch(&format!("DROP TABLE {table}"))
            .unwrap();
        assert_eq!(
            read(&directory.file()).err(),
            Some(StoreError::Corrupt),
            "{table}"
        );
    }
    let (directory, _) = filled();
    directory.raw().execute_batch("DELETE FROM meta").unwrap();
    assert_eq!(read(&directory.file()).err(), Some(StoreError::Corrupt));
}

#[test]
fn an_empty_file_is_a_new_store() {
    let directory = Directory::new();
    fs::write(directory.file(), "").unwrap();
    assert_eq!(read(&directory.file()), Ok(Snapshot::default()));
}
