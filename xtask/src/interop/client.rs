//! A client of another maker on the conformance server: what it reports, and whether it ends its session.

mod report;
mod witness;

use std::fmt;
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use self::report::Report;
use self::witness::Witness;
use super::install::Workspace;
use super::package::{JSON_IN_SESSIONS, JSON_STATELESS, Package};
use super::process::Process;
use super::running::Running;
use crate::failure::Failure;

/// No walk takes that long.
const WALK_LIMIT: Duration = Duration::from_secs(60);

/// How a client reaches the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    Sessions,
    Stateless,
    Stdio,
}

impl Link {
    pub(super) const ALL: [Self; 3] = [Self::Sessions, Self::Stateless, Self::Stdio];

    /// What the table shows as framing and state.
    pub(super) const fn shown(self) -> [&'static str; 2] {
        match self {
            Self::Sessions => ["http", "sessions"],
            Self::Stateless => ["http", "stateless"],
            Self::Stdio => ["stdio", "-"],
        }
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sessions => "sessions",
            Self::Stateless => "stateless",
            Self::Stdio => "stdio",
        })
    }
}

/// One walk of a client through all steps.
pub(super) struct Walk {
    pub(super) report: Report,
    pub(super) exit: Option<i32>,
    pub(super) duration: Duration,
    /// The statuses that ends of sessions were answered with.
    ended: Vec<u16>,
}

impl Walk {
    /// Starts the server, then the client, and waits for its end.
    pub(super) fn of(package: Package, link: Link, workspace: &Workspace) -> Result<Self, Failure> {
        let mut command = package
            .client(workspace)
            .ok_or_else(|| Failure::new(format!("{} has no client", package.name())))?;
        let form = match link {
            Link::Sessions => Some(JSON_IN_SESSIONS),
            Link::Stateless => Some(JSON_STATELESS),
            Link::Stdio => None,
        };
        let server = Package::ConformanceServer;
        let Some(form) = form else {
            command.arg("stdio").arg(server.place(workspace)).arg("stdio");
            return Self::run(command, package, link, workspace);
        };
        let running = Running::start(server, form, workspace)?;
        let witness = Witness::before(running.port())?;
        command.arg("http").arg(witness.url());
        let mut walk = Self::run(command, package, link, workspace)?;
        walk.ended = witness.ended();
        Ok(walk)
    }

    fn run(
        mut command: Command,
        package: Package,
        link: Link,
        workspace: &Workspace,
    ) -> Result<Self, Failure> {
        let logs = workspace.target.join("interop");
        let output = logs.join("stdout");
        let log = File::create(logs.join(format!("{}-client-{link}.log", package.name())))?;
        command
            .stdin(Stdio::null())
            .stdout(File::create(&output)?)
            .stderr(log);
        let started = Instant::now();
        let status = Process::spawn(&mut command)?.exit_within(WALK_LIMIT)?;
        Ok(Self {
            duration: started.elapsed(),
            exit: status.and_then(|status| status.code()),
            report: Report::read(&fs::read_to_string(&output)?),
            ended: Vec::new(),
        })
    }

    /// In what the end differs: the client ends by itself, and ends the session that it was given.
    pub(super) fn end_mismatches(&self, link: Link) -> Vec<String> {
        let expected: &[u16] = match link {
            Link::Sessions => &[204],
            Link::Stateless | Link::Stdio => &[],
        };
        let mut mismatches = Vec::new();
        if self.exit != Some(0) {
            mismatches.push(format!("the exit status is {:?}", self.exit));
        }
        if self.ended != expected {
            mismatches.push(format!(
                "the ends of sessions were answered {:?}, not {expected:?}",
                self.ended
            ));
        }
        mismatches
    }
}
