//! The commands in a document, run by one shell, and what they print compared with what the document says.
//!
//! In a block of the language `console`, a line that begins with `$ ` is a command and the lines up to the next one are
//! what it prints, on either stream. Needs `bash`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::interop::process::Process;

/// The address of a conformance server, as documents name it.
pub(crate) const ADDRESS: &str = "http://127.0.0.1:3001/mcp";

/// Printed before what the command of that number prints. No document has the character.
const MARK: char = '\u{1}';

/// A command and what it prints.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// The line of the document.
    pub(crate) line: usize,
    pub(crate) command: String,
    pub(crate) prints: Vec<String>,
}

/// Where commands are run.
pub(crate) struct Shell<'a> {
    /// The working directory.
    pub(crate) place: &'a Path,
    /// What comes first on the search path.
    pub(crate) programs: &'a Path,
    /// Texts of the document, and what stands for them here.
    pub(crate) stand_ins: &'a [(&'a str, String)],
    /// Variables of the environment besides those of this process.
    pub(crate) variables: &'a [(&'a str, String)],
}

/// The commands of a document, in order.
pub(crate) fn steps(document: &str) -> Result<Vec<Step>, Failure> {
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

/// Runs the commands and fails when one prints other than its document says. Gives the time of each.
pub(crate) fn compare(document: &str, steps: &[Step], shell: &Shell<'_>) -> Result<Vec<Duration>, Failure> {
    let printed = play(steps, shell)?;
    let (mut differ, mut times) = (0, Vec::new());
    for (number, step) in steps.iter().enumerate() {
        let (lines, time) = printed.get(&number).cloned().unwrap_or_default();
        times.push(time);
        if lines != step.prints {
            differ += 1;
            println!(
                "{document}:{}: {}\n  says   {:?}\n  prints {lines:?}",
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
    Ok(times)
}

/// What each command prints, and how long it takes.
type Printed = BTreeMap<usize, (Vec<String>, Duration)>;

fn play(steps: &[Step], shell: &Shell<'_>) -> Result<Printed, Failure> {
    let mut script = String::from("exec 2>&1\n");
    for (number, step) in steps.iter().enumerate() {
        let mut command = step.command.clone();
        for (text, stand_in) in shell.stand_ins {
            command = command.replace(text, stand_in);
        }
        script.push_str(&format!("printf '{MARK}{number}\\n'\n{command}\n"));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        std::iter::once(PathBuf::from(shell.programs)).chain(std::env::split_paths(&path)),
    )?;
    let mut bash = Command::new("bash");
    bash.args(["-c", &script])
        .env("PATH", path)
        .env("no_proxy", "127.0.0.1")
        .envs(shell.variables.iter().map(|(name, value)| (name, value)))
        .current_dir(shell.place)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut bash = Process::spawn(&mut bash)?;
    let output = bash.output().ok_or_else(|| Failure::new("bash has no output"))?;
    sections(BufReader::new(output))
}

fn sections(printed: impl BufRead) -> Result<Printed, Failure> {
    let mut sections = Printed::new();
    let mut current: Option<(usize, Instant)> = None;
    let end = |current: Option<(usize, Instant)>, sections: &mut Printed| {
        if let Some((number, started)) = current {
            sections.entry(number).or_default().1 = started.elapsed();
        }
    };
    for line in printed.split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(&line));
        if let Some(number) = line.strip_prefix(MARK) {
            end(current, &mut sections);
            let number = number.parse()?;
            sections.entry(number).or_default();
            current = Some((number, Instant::now()));
        } else if let Some((number, _)) = current {
            sections.entry(number).or_default().0.push(line.into_owned());
        }
    }
    end(current, &mut sections);
    Ok(sections)
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
        let found = sections(&b"\x010\none\ntwo\r\n\x011\n\x012\nthree\n"[..]).unwrap();
        let lines = found.into_iter().map(|(number, (lines, _))| (number, lines));
        let expected = [(0, vec!["one", "two"]), (1, vec![]), (2, vec!["three"])];
        let expected =
            expected.map(|(number, lines)| (number, lines.into_iter().map(str::to_owned).collect()));
        assert!(lines.eq(expected));
    }
}
