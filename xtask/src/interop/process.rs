//! Child processes that are ended with their guard.

use std::io;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// Short, because it is part of the durations that are shown.
const POLL: Duration = Duration::from_millis(2);

/// Runs a command to its end.
pub(crate) fn succeed(command: &mut Command) -> Result<(), Failure> {
    let status = Process::spawn(command)?.0.wait()?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!("{command:?}: {status}")))
    }
}

/// A child process. It is ended when this is dropped.
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn spawn(command: &mut Command) -> Result<Self, Failure> {
        let program = command.get_program().to_owned();
        let child = command.spawn();
        child
            .map(Self)
            .map_err(|error| Failure::new(format!("cannot start {}: {error}", program.display())))
    }

    /// The ends of what it reads and writes, where both are pipes; once.
    pub(crate) fn pipes(&mut self) -> Result<(ChildStdin, ChildStdout), Failure> {
        let pipes = self.0.stdin.take().zip(self.0.stdout.take());
        pipes.ok_or_else(|| Failure::new("the process has no pipes"))
    }

    /// What it prints, where that was asked for; once.
    pub(crate) fn output(&mut self) -> Option<ChildStdout> {
        self.0.stdout.take()
    }

    /// The exit status, if the process ends in time.
    pub(crate) fn exit_within(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let deadline = Instant::now() + limit;
        loop {
            let status = self.0.try_wait()?;
            if status.is_some() || Instant::now() > deadline {
                return Ok(status);
            }
            thread::sleep(POLL);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
