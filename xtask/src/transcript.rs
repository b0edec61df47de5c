//! `cargo xtask transcript`: the commands in a document, run, and what they print compared with what the document says.
//!
//! In a block of the language `console`, a line that begins with `$ ` is a command and the lines up to the next one are
//! what it prints. All commands of a document are run by one shell. Needs `bash` and `curl`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::Failure;
use crate::interop::install::Workspace;
use crate::interop::package::{JSON_IN_SESSIONS, Package};
use crate::interop::running::Running;

/// The documents. The address that they name is that of a conformance server.
const DOCUMENTS: [&str; 1] = ["docs/server.md"];
const ADDRESS: &str = "http://127.0.0.1:3001/mcp";

/// Printed before what the command of that number prints. No document has the character.
const MARK: char = '\u{1}';

/// A command and what it prints.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    /// The line of the document.
    line: usize,
    command: String,
    prints: Vec<String>,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::new(format!("unknown option {argument}; there is none")));
    }
    let workspace = Workspace::locate()?;
    Package::ConformanceServer.install(&workspace)?;
    let server = Package::ConformanceServer.place(&workspace);
    let place = workspace.target.join("transcript");
    fs::create_dir_all(&place)?;
    for document in DOCUMENTS {
        let text = fs::read_to_string(workspace.root.join(document))?;
        let steps = steps(&text)?;
        let running = Running::start(Package::ConformanceServer, JSON_IN_SESSIONS, &workspace)?;
        let printed = play(&steps, &running.url(), &server, &place)?;
        let mut differ = 0;
        for (number, step) in steps.iter().enumerate() {
            let printed = printed.get(&number).map(Vec::as_slice).unwrap_or_default();
            if printed != step.prints {
                differ += 1;
                println!(
                    "{document}:{}: {}\n  says   {:?}\n  prints {printed:?}",
                    step.line, step.command, step.prints
                );
            }
        }
        println!(
            "{document}: {} commands, {differ} print other than it says",
            steps.len()
        );
        if differ > 0 {
            return Err(Failure::new(format!("{document} does not say what is printed")));
        }
    }
    Ok(())
}

fn steps(document: &str) -> Result<Vec<Step>, Failure> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for (number, line) in document.lines().enumerate() {
        match (inside, line, line.strip_prefix("$ ")) {
            (false, "```console", _) => inside = true,
            (true, "```", _) => inside = false,
            (true, _, Some(command)) => steps.push(Step {
                line: number + 1,
                command: command.to_owned(),
                prints: Vec::new(),
            }),
            (true, _, None) => {
                let last = steps.last_mut();
                let step = last.ok_or_else(|| Failure::new("a block begins with what nothing prints"))?;
                step.prints.push(line.to_owned());
            }
            (false, _, _) => {}
        }
    }
    if steps.is_empty() {
        return Err(Failure::new("a document has no commands"));
    }
    Ok(steps)
}

/// What each command prints, on either stream.
fn play(
    steps: &[Step],
    url: &str,
    server: &Path,
    place: &Path,
) -> Result<BTreeMap<usize, Vec<String>>, Failure> {
    let mut script = String::from("exec 2>&1\n");
    for (number, step) in steps.iter().enumerate() {
        let command = step.command.replace(ADDRESS, url);
        script.push_str(&format!("printf '{MARK}{number}\\n'\n{command}\n"));
    }
    let programs: Vec<PathBuf> = std::env::var_os("PATH")
        .map(|path| std::env::split_paths(&path).collect())
        .unwrap_or_default();
    let path = std::env::join_paths(server.parent().map(Path::to_owned).into_iter().chain(programs))?;
    let output = Command::new("bash")
        .args(["-c", &script])
        .env("PATH", path)
        .env("no_proxy", "127.0.0.1")
        .current_dir(place)
        .stdin(Stdio::null())
        .output()?;
    Ok(sections(&String::from_utf8_lossy(&output.stdout)))
}

fn sections(printed: &str) -> BTreeMap<usize, Vec<String>> {
    let sections = printed.split(MARK).filter_map(|section| {
        let (number, text) = section.split_once('\n')?;
        Some((number.parse().ok()?, text.lines().map(str::to_owned).collect()))
    });
    sections.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_what_they_print_are_read_from_console_blocks_only() {
        let document = "text\n```console\n$ a b\none\n\ntwo\n$ c\n```\n$ no\n```sh\n$ no\n```\n";
        let step = |line, command: &str, prints: &[&str]| Step {
            line,
            command: command.to_owned(),
            prints: prints.iter().map(|line| (*line).to_owned()).collect(),
        };
        let found = steps(document).unwrap();
        assert_eq!(found, [step(3, "a b", &["one", "", "two"]), step(7, "c", &[])]);
        assert!(steps("```console\nprinted\n```").is_err());
        assert!(steps("").is_err());
    }

    #[test]
    fn what_is_printed_belongs_to_the_command_before() {
        let found = sections("\u{1}0\none\ntwo\n\u{1}1\n\u{1}2\nthree\n");
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let expected = [
            (0, lines(&["one", "two"])),
            (1, lines(&[])),
            (2, lines(&["three"])),
        ];
        assert_eq!(found, BTreeMap::from(expected));
    }
}
