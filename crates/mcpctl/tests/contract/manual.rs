//! Completions and manual pages name every command.

use std::fs;
use std::path::PathBuf;

use crate::support::Invocation;

/// Every command, with those beneath it.
const COMMANDS: [&str; 19] = [
    "ping",
    "tools",
    "call",
    "server",
    "server-add",
    "import",
    "tool",
    "tool-confirm",
    "catalogue",
    "status",
    "policy-explain",
    "approval-grant",
    "audit-verify",
    "config-check",
    "demo",
    "doctor",
    "completions",
    "man",
    "explain",
];

#[test]
fn every_command_has_a_page_that_names_its_options() {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("man");
    let _absent = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).unwrap();
    let ended = Invocation::new(["man", place.to_str().unwrap()]).run();
    assert_eq!((ended.exit, ended.stderr.as_str()), (Some(0), ""));
    let written = fs::read_dir(&place).unwrap().count();
    assert_eq!(ended.stdout.lines().count(), written);
    for command in COMMANDS {
        let file = format!("mcpctl-{command}.1");
        assert!(ended.stdout.lines().any(|line| line == file), "{file}");
        let page = fs::read_to_string(place.join(&file)).unwrap();
        let title = format!(".TH mcpctl-{command} 1");
        assert!(page.contains(&title), "{page}");
        assert!(page.contains("\\-\\-budget"), "{page}");
    }
    let page = fs::read_to_string(place.join("mcpctl.1")).unwrap();
    for command in COMMANDS.iter().filter(|command| !command.contains('-')) {
        assert!(
            page.contains(&format!("mcpctl\\-{command}(1)")),
            "{command}: {page}"
        );
    }
    let ended = Invocation::new(["man", "/proc/nowhere", "--json"]).run();
    assert_eq!(ended.exit, Some(8));
    assert!(ended.stdout.contains("output-unwritable"), "{ended:?}");
}

#[test]
fn every_shell_completes_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = Invocation::new(["completions", shell]).run();
        assert_eq!((ended.exit, ended.stderr.as_str()), (Some(0), ""));
        for command in COMMANDS.iter().filter(|command| !command.contains('-')) {
            assert!(ended.stdout.contains(command), "{shell}: {command}");
        }
    }
}
