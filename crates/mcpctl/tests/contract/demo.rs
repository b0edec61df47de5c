//! `demo`: it walks to its end, and leaves nothing behind.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Ended, Invocation};

/// A directory for temporary files that is this test's own, and empty.
fn place(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("mcpctl-demo-test-{name}-{}", std::process::id()));
    fs::create_dir(&path).unwrap();
    path
}

fn demo(place: &Path, options: &[&str]) -> Ended {
    let arguments = ["demo"].iter().chain(options.iter());
    Invocation::new(arguments)
        .env("TMPDIR", place)
        .env("HOME", place)
        .run()
}

#[test]
fn every_command_ends_as_it_should_and_nothing_is_left() {
    let place = place("whole");
    let ended = demo(&place, &["--json"]);
    assert_eq!((ended.exit, ended.stderr.as_str()), (Some(0), ""));
    let line: Value = serde_json::from_str(&ended.stdout).unwrap();
    let steps = line["steps"].as_array().unwrap();
    let exits: Vec<u64> = steps.iter().map(|step| step["exit"].as_u64().unwrap()).collect();
    assert_eq!(exits, [0, 0, 0, 6, 0, 0, 0, 6, 0, 0, 0, 0]);
    let printed = |at: usize| steps[at]["printed"].as_str().unwrap();
    assert!(printed(0).contains("mcpctl-demo"), "{}", printed(0));
    assert_eq!(printed(5), "hello\n");
    assert!(
        printed(6).contains("changed\tmcp_demo_echo (description, switched off)"),
        "{}",
        printed(6)
    );
    assert!(printed(8).contains("3 tools: 0 on, 1 changed"), "{}", printed(8));
    assert!(
        printed(9).contains("demo echo\tok\tok, answered"),
        "{}",
        printed(9)
    );
    assert_eq!(printed(10).matches("toolDisabled").count(), 2);
    assert!(printed(11).starts_with("whole: "), "{}", printed(11));
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
    fs::remove_dir(place).unwrap();
}

#[test]
fn each_command_stands_before_what_it_prints() {
    let place = place("text");
    let ended = demo(&place, &[]);
    assert_eq!((ended.exit, ended.stderr.as_str()), (Some(0), ""));
    let call = "$ mcpctl call demo echo '{\"message\":\"hello\"}' --approve\nhello\n";
    assert!(ended.stdout.contains(call), "{}", ended.stdout);
    assert!(
        ended
            .stdout
            .ends_with("Server and store are gone; yours was not touched.\n")
    );
    fs::remove_dir(place).unwrap();
}

#[test]
fn it_takes_no_store_and_needs_a_place_for_its_own() {
    let place = place("refused");
    let ended = demo(&place, &["--store", "store.db"]);
    assert_eq!(ended.exit, Some(2));
    let ended = demo(&place.join("not-there"), &["--json"]);
    assert_eq!(ended.exit, Some(8));
    assert!(
        ended.stdout.contains("\"kind\":\"demo-unavailable\""),
        "{}",
        ended.stdout
    );
    fs::remove_dir(place).unwrap();
}
