//! Runs `mcpctl` against servers of other makers and compares what it prints with what these servers answer.

pub(crate) mod peer;
mod step;

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use self::peer::{Framing, Package, Process, Running, succeed};
use self::step::{EVERYTHING, PYTHON_SDK, Step};
use crate::failure::Failure;

/// No step of this task takes that long.
const STEP_LIMIT: Duration = Duration::from_secs(30);

/// A server to talk to and what to ask it.
struct Peer {
    name: &'static str,
    package: Package,
    framing: Framing,
    steps: &'static [Step],
}

const PEERS: &[Peer] = &[
    Peer {
        name: "everything",
        package: Package::Everything,
        framing: Framing::Sse,
        steps: EVERYTHING,
    },
    Peer {
        name: "python-sdk-json",
        package: Package::PythonSdk,
        framing: Framing::Json,
        steps: PYTHON_SDK,
    },
    Peer {
        name: "python-sdk-sse",
        package: Package::PythonSdk,
        framing: Framing::Sse,
        steps: PYTHON_SDK,
    },
];

/// `interop [--filter PEER]`. A peer that cannot be installed or started fails the task.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let peers = chosen(arguments)?;
    let workspace = Workspace::locate()?;
    let mcpctl = build_mcpctl(&workspace)?;
    for peer in &peers {
        peer.package.install(&workspace)?;
    }
    let mut tally = Tally::default();
    print_row([
        "peer", "version", "framing", "revision", "step", "outcome", "exit", "ms",
    ]);
    for peer in peers {
        try_peer(peer, &workspace, &mcpctl, &mut tally)?;
    }
    tally.close()
}

fn chosen(arguments: &[String]) -> Result<Vec<&'static Peer>, Failure> {
    let filter = match arguments {
        [] => "",
        [option, filter] if option == "--filter" => filter.as_str(),
        _ => return Err(Failure::new("the only option is --filter PEER")),
    };
    let peers: Vec<_> = PEERS.iter().filter(|peer| peer.name.contains(filter)).collect();
    if peers.is_empty() {
        let names: Vec<_> = PEERS.iter().map(|peer| peer.name).collect();
        return Err(Failure::new(format!(
            "no peer is named {filter}; there are {}",
            names.join(", ")
        )));
    }
    Ok(peers)
}

/// Where the sources and the products of the build are.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
}

impl Workspace {
    pub(crate) fn locate() -> Result<Self, Failure> {
        let mut command = Command::new(cargo());
        command
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .stderr(Stdio::inherit());
        let output = command.output()?;
        if !output.status.success() {
            return Err(Failure::new(format!("cargo metadata: {}", output.status)));
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)?;
        let path = |key: &str| {
            let path = metadata.get(key).and_then(Value::as_str).map(PathBuf::from);
            path.ok_or_else(|| Failure::new(format!("cargo metadata has no {key}")))
        };
        Ok(Self {
            root: path("workspace_root")?,
            target: path("target_directory")?,
        })
    }
}

pub(crate) fn build_mcpctl(workspace: &Workspace) -> Result<PathBuf, Failure> {
    succeed(Command::new(cargo()).args(["build", "--quiet", "-p", "mcpctl"]))?;
    Ok(workspace.target.join("debug/mcpctl"))
}

pub(crate) fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"))
}

/// Starts a peer, takes all its steps and prints a row for each.
fn try_peer(peer: &Peer, workspace: &Workspace, mcpctl: &Path, tally: &mut Tally) -> Result<(), Failure> {
    let version = peer.package.version(workspace)?;
    let running = Running::start(peer.name, peer.package, peer.framing, workspace)?;
    let framing = running.framing()?;
    let mismatch = (framing != peer.framing).then(|| format!("{} was expected", peer.framing.as_str()));
    let framing = framing.as_str();
    print_row([peer.name, &version, framing, "-", "framing", "-", "-", "-"]);
    tally.add(peer.name, "framing", mismatch.into_iter().collect());
    for step in peer.steps {
        let ran = Ran::of(step, &running.url(), mcpctl, workspace)?;
        let revision = ran.text("protocol_version");
        let exit = ran
            .exit
            .map_or_else(|| String::from("-"), |exit| exit.to_string());
        let duration = ran.duration.as_millis().to_string();
        let name = step.name();
        print_row([
            peer.name,
            &version,
            framing,
            revision,
            &name,
            ran.text("outcome"),
            &exit,
            &duration,
        ]);
        tally.add(peer.name, &name, ran.mismatches(step));
    }
    Ok(())
}

fn print_row([peer, version, framing, revision, step, outcome, exit, ms]: [&str; 8]) {
    println!(
        "{peer:<16} {version:<10} {framing:<8} {revision:<11} {step:<28} {outcome:<11} {exit:>4} {ms:>6}"
    );
}

/// One run of `mcpctl`.
struct Ran {
    /// What it printed, or why that is no answer.
    answer: Result<Value, String>,
    exit: Option<i32>,
    duration: Duration,
}

impl Ran {
    fn of(step: &Step, url: &str, mcpctl: &Path, workspace: &Workspace) -> Result<Self, Failure> {
        // A file takes any amount of output while nobody reads.
        let output = workspace.target.join("interop/stdout");
        let mut command = Command::new(mcpctl);
        command.args(["--json", step.command, url]).args(step.arguments);
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

    fn mismatches(&self, step: &Step) -> Vec<String> {
        match (&self.answer, self.exit) {
            (Ok(answer), Some(exit)) => step.mismatches(answer, exit),
            (Ok(_), None) => vec![String::from("ended by a signal")],
            (Err(reason), _) => vec![reason.clone()],
        }
    }

    /// A text of the answer, for the table.
    fn text(&self, key: &str) -> &str {
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

/// What passed, and why the rest did not.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    mismatches: Vec<String>,
}

impl Tally {
    fn add(&mut self, peer: &str, step: &str, mismatches: Vec<String>) {
        if mismatches.is_empty() {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
        self.mismatches.extend(
            mismatches
                .into_iter()
                .map(|mismatch| format!("{peer}, {step}: {mismatch}")),
        );
    }

    fn close(self) -> Result<(), Failure> {
        for mismatch in &self.mismatches {
            println!("{mismatch}");
        }
        println!("interop: {} passed, {} failed", self.passed, self.failed);
        if self.failed == 0 {
            Ok(())
        } else {
            Err(Failure::new(
                "mcpctl and the servers differ from what is expected of them",
            ))
        }
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

    #[test]
    fn the_filter_is_a_part_of_the_name() {
        let names = |arguments: &[&str]| {
            let arguments: Vec<_> = arguments.iter().copied().map(String::from).collect();
            chosen(&arguments)
                .map(|peers| peers.iter().map(|peer| peer.name).collect::<Vec<_>>())
                .ok()
        };
        assert_eq!(names(&[]).map(|peers| peers.len()), Some(PEERS.len()));
        assert_eq!(
            names(&["--filter", "python"]),
            Some(vec!["python-sdk-json", "python-sdk-sse"])
        );
        assert_eq!(names(&["--filter", "other"]), None);
        assert_eq!(names(&["python"]), None);
    }
}
