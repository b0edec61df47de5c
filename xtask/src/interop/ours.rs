//! The conformance server of `mcp-server` as a process, on a free loopback port.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::install::{Workspace, cargo};
use super::process::{Process, succeed};
use crate::failure::Failure;

const START_LIMIT: Duration = Duration::from_secs(30);
/// How long to wait before the output is read again.
const POLL: Duration = Duration::from_millis(2);

pub(crate) fn build_server(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let package = ["-p", "mcp-server", "--example", "conformance_server"];
    succeed(Command::new(cargo()).args(["build", "--quiet"]).args(package))?;
    Ok(workspace.target.join("debug/examples/conformance_server"))
}

/// The server while it accepts connections. It is ended when this is dropped.
pub(crate) struct Served {
    pub(crate) url: String,
    _process: Process,
}

impl Served {
    /// Starts the server and waits until it names its URL. What it prints goes to `log`.
    pub(crate) fn start(program: &Path, options: &[&str], log: &Path) -> Result<Self, Failure> {
        let output = File::create(log)?;
        let mut command = Command::new(program);
        command.arg("0").args(options);
        command
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output);
        let mut process = Process::spawn(&mut command)?;
        let deadline = Instant::now() + START_LIMIT;
        loop {
            let printed = fs::read_to_string(log)?;
            if let Some((url, _)) = printed.split_once('\n') {
                return Ok(Self {
                    url: url.to_owned(),
                    _process: process,
                });
            }
            if process.exit_within(POLL)?.is_some() || Instant::now() > deadline {
                return Err(Failure::new(format!(
                    "the conformance server does not listen; its output is in {}",
                    log.display()
                )));
            }
        }
    }
}
