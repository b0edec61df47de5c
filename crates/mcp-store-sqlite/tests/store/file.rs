//! Who may read the files, and what is made when.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;

use mcp_policy::port::{ServerStore, StoreError};
use mcp_testkit::block_on;

use crate::parts::{Partner, command, this_program};
use crate::support::{Directory, beside, open, record, until_closed};

/// The account without rights, by the usual number.
const NOBODY: u32 = 65_534;

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn what_is_made_is_its_owners_alone() {
    let directory = Directory::new();
    set_mode(directory.path(), 0o755);
    let file = directory.path().join("new/newer/mcp.db");
    let store = open(&file).unwrap();
    block_on(store.add(record("a"))).unwrap();
    for path in [file.clone(), beside(&file, "-wal"), beside(&file, "-shm")] {
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    assert_eq!(mode(&directory.path().join("new/newer")), 0o700);
    assert_eq!(mode(&directory.path().join("new")), 0o700);
    assert_eq!(mode(directory.path()), 0o755);
}

#[test]
fn what_is_there_keeps_its_permissions_and_hands_them_on() {
    let directory = Directory::new();
    drop(directory.open());
    until_closed(&directory.file());
    set_mode(&directory.file(), 0o640);
    let store = directory.open();
    block_on(store.add(record("a"))).unwrap();
    assert_eq!(mode(&directory.file()), 0o640);
    assert_eq!(mode(&beside(&directory.file(), "-wal")), 0o640);
}

#[test]
fn what_cannot_be_a_file_is_denied() {
    let directory = Directory::new();
    assert_eq!(open(directory.path()).unwrap_err(), StoreError::Denied);
    drop(directory.open());
    let below = directory.file().join("mcp.db");
    assert_eq!(open(&below).unwrap_err(), StoreError::Denied);
}

/// What an account without rights hears when it opens the file.
fn open_as_nobody(directory: &Directory) -> Vec<String> {
    let mut program = this_program();
    let is_root = directory.path().metadata().unwrap().uid() == 0;
    if is_root {
        // The program may lie where only root comes.
        let copy = directory.path().join("program");
        if !copy.exists() {
            fs::copy(program, &copy).unwrap();
        }
        program = copy;
    }
    let mut command = command(&program, "open", &directory.file());
    if is_root {
        command.uid(NOBODY).gid(NOBODY);
    }
    Partner::start(command).finish()
}

#[test]
fn without_rights_the_store_is_denied() {
    let directory = Directory::new();
    set_mode(directory.path(), 0o555);
    assert_eq!(open_as_nobody(&directory), ["store-denied"]);
    assert!(!directory.file().exists());
    set_mode(directory.path(), 0o755);
    drop(directory.open());
    until_closed(&directory.file());
    for mode in [0o000, 0o444] {
        set_mode(&directory.file(), mode);
        assert_eq!(open_as_nobody(&directory), ["store-denied"], "{mode:o}");
    }
    // The log cannot be made beside a file that may be written.
    set_mode(&directory.file(), 0o666);
    set_mode(directory.path(), 0o555);
    assert_eq!(open_as_nobody(&directory), ["store-denied"]);
    set_mode(directory.path(), 0o777);
    assert_eq!(open_as_nobody(&directory), ["opened"]);
    // SQLite would read here, and make the log that it needs for that.
    set_mode(&directory.file(), 0o444);
    assert_eq!(open_as_nobody(&directory), ["store-denied"]);
}

#[test]
fn a_name_with_a_meaning_for_sqlite_is_a_name() {
    for name in [":memory:", "file:mcp.db?mode=memory"] {
        let directory = Directory::new();
        let mut command = command(&this_program(), "open", Path::new(name));
        command.current_dir(directory.path());
        assert_eq!(Partner::start(command).finish(), ["opened"]);
        assert!(
            directory.path().join(name).metadata().unwrap().len() > 0,
            "{name}"
        );
    }
}
