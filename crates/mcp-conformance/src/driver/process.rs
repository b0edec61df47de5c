//! One run of a client: a command with a time limit, and what it printed.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// More than an answer of the suite takes. What is beyond is cut off and cannot be read as an answer.
const OUTPUT_LIMIT: u64 = 16 * 1_024 * 1_024;
const POLL: Duration = Duration::from_millis(5);

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Run {
    Ended(Vec<u8>),
    /// It was ended at the limit.
    Hang,
}

/// Runs `command` through the shell with these arguments behind it.
pub(super) fn run(command: &str, arguments: &[&str], limit: Duration) -> io::Result<Run> {
    let deadline = Instant::now() + limit;
    let mut group = Group::start(command, arguments)?;
    let (sender, receiver) = mpsc::channel();
    if let Some(stdout) = group.0.stdout.take() {
        thread::spawn(move || {
            let mut output = Vec::new();
            let read = stdout.take(OUTPUT_LIMIT).read_to_end(&mut output);
            // Nobody waits any more when the limit has struck.
            let _ = sender.send(read.map(|_| output));
        });
    }
    let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
    let Ok(output) = receiver.recv_timeout(left(deadline)) else {
        return Ok(Run::Hang);
    };
    while group.0.try_wait()?.is_none() {
        if left(deadline).is_zero() {
            return Ok(Run::Hang);
        }
        thread::sleep(POLL);
    }
    Ok(Run::Ended(output?))
}

/// The shell and all that it started; ended when this is dropped.
struct Group(Child);

impl Group {
    fn start(command: &str, arguments: &[&str]) -> io::Result<Self> {
        // The shell hands its parameters on as they are, so nothing in them is read as a part of the command.
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("{command} \"$@\""), "driver"])
            .args(arguments);
        for name in ["NO_PROXY", "no_proxy"] {
            shell.env(name, "127.0.0.1");
        }
        shell.stdin(Stdio::null()).stderr(Stdio::null());
        shell.stdout(Stdio::piped()).process_group(0);
        shell.spawn().map(Self)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.0.try_wait().is_ok_and(|status| status.is_some()) {
            return;
        }
        let group = format!("-{}", self.0.id());
        // A failure means that the group has ended.
        let _ = Command::new("kill")
            .args(["-KILL", "--", &group])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn arguments_reach_the_command_as_they_are() {
        let arguments = ["call", "http://127.0.0.1:1/a?b=1&c", "$(echo x)", "{}"];
        let run = run("printf '<%s>'", &arguments, LONG).unwrap();
        let output = b"<call><http://127.0.0.1:1/a?b=1&c><$(echo x)><{}>".to_vec();
        assert_eq!(run, Run::Ended(output));
    }

    #[test]
    fn a_command_beyond_the_limit_is_ended_with_what_it_started() {
        let started = Instant::now();
        let hang = run("sleep 60; echo", &[], Duration::from_millis(50)).unwrap();
        assert_eq!(hang, Run::Hang);
        assert!(started.elapsed() < LONG);
    }
}
