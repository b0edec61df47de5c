//! One run of `mcpctl`, and what it printed.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::install::Workspace;
use super::process::Process;
use super::step::Step;
use crate::failure::Failure;

/// No step takes that long.
const STEP_LIMIT: Duration = Duration::from_secs(30);

/// One run of `mcpctl`.
pub(super) struct Ran {
    /// What it printed, or why that is no answer.
    answer: Result<Value, String>,
    exit: Option<i32>,
    duration: Duration,
}

impl Ran {
    pub(super) fn of(step: &Step, url: &str, mcpctl: &Path, workspace: &Workspace) -> Result<Self, Failure> {
        // A file takes any amount of output while nobody reads.
        let output = workspace.target.join("interop/stdout");
        let mut command = Command::new(mcpctl);
        command.args(["--json", step.command, url]).args(step.arguments);
        command
            .arg("--store")
            .arg(workspace.target.join("interop/store.db"));
        command.stdin(Stdio::null()).stdout(File::create(&output)?);
        let started = Instant::now();
        let status = Process::spawn(&mut command)?.exit_within(STEP_LIMIT)?;
        let duration = started.elapsed();
        let answer = match status {
            Some(_) => answer(&fs::read(&output)?),
            None => Err(format!("no end within {} s", STEP_LIMIT.as_secs())),
        };
        Ok(Self {
            answer,
            exit: status.and_then(|status| status.code()),
            duration,
        })
    }

    pub(super) fn mismatches(&self, step: &Step) -> Vec<String> {
        match (&self.answer, self.exit) {
            (Ok(answer), Some(exit)) => step.mismatches(answer, exit),
            (Ok(_), None) => vec![String::from("ended by a signal")],
            (Err(reason), _) => vec![reason.clone()],
        }
    }

    pub(super) fn exit_shown(&self) -> String {
        self.exit
            .map_or_else(|| String::from("-"), |exit| exit.to_string())
    }

    pub(super) fn milliseconds(&self) -> String {
        self.duration.as_millis().to_string()
    }

    /// A text of the answer, for the table.
    pub(super) fn text(&self, key: &str) -> &str {
        self.answer
            .as_ref()
            .ok()
            .and_then(|answer| answer.get(key)?.as_str())
            .unwrap_or("-")
    }
}

/// Standard output has to be one line, and that line one JSON value.
fn answer(stdout: &[u8]) -> Result<Value, String> {
    match stdout.strip_suffix(b"\n") {
        Some(line) if !line.contains(&b'\n') => {
            serde_json::from_slice(line).map_err(|error| format!("standard output is not JSON: {error}"))
        }
        Some(_) | None => Err(format!(
            "standard output is not one line: {:?}",
            String::from_utf8_lossy(stdout)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_of_json_is_an_answer() {
        assert_eq!(answer(b"{}\n"), Ok(serde_json::json!({})));
        for stdout in ["", "\n", "{}", "{}\n\n", "{}\n{}\n", "{\n}\n", "text\n"] {
            assert!(answer(stdout.as_bytes()).is_err(), "{stdout:?}");
        }
    }
}
