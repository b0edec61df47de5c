//! The binary: started, fed, and awaited.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

use super::{LIMIT, ORIGIN, search};

/// A command line of `mcpctl`, with an environment that holds a home for its store and nothing else.
pub(crate) struct Invocation {
    command: Command,
    input: Vec<u8>,
}

/// How a run ended and what it printed.
#[derive(Debug)]
pub(crate) struct Ended {
    /// `None` when a signal ended it.
    pub(crate) exit: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Invocation {
    pub(crate) fn new<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcpctl"));
        command.args(arguments);
        Self::of(command)
    }

    /// Another program that leads to the binary.
    pub(crate) fn of(mut command: Command) -> Self {
        command
            .env_clear()
            .env("HOME", home())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self {
            command,
            input: Vec::new(),
        }
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Where it runs.
    pub(crate) fn directory(mut self, path: &Path) -> Self {
        self.command.current_dir(path);
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub(crate) fn input(mut self, bytes: &[u8]) -> Self {
        self.input = bytes.to_owned();
        self
    }

    pub(crate) fn run(self) -> Ended {
        finish(self.start())
    }

    /// Starts it, and gives it its whole input.
    pub(crate) fn start(mut self) -> Child {
        let mut child = self.command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // One that does not read its input closes it.
        thread::spawn(move || stdin.write_all(&self.input));
        child
    }
}

/// Waits for the end, and searches what was printed for secrets.
pub(crate) fn finish(child: Child) -> Ended {
    let ended = await_end(child);
    for text in [&ended.stdout, &ended.stderr] {
        let found = search(text.as_bytes());
        assert!(found.is_empty(), "a secret is printed as {found:?}: {ended:?}");
    }
    ended
}

/// Interrupts a run, as a person would.
pub(crate) fn interrupt(child: &Child) {
    let id = child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(killed.success());
}

/// A home for each thread of the tests, so that none waits for the store of another.
fn home() -> PathBuf {
    let thread = format!("{:?}", thread::current().id());
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("homes")
        .join(thread);
    std::fs::create_dir_all(&home).unwrap();
    home
}

/// Waits for the end. A run that does not end fails the test, however long the others may take.
pub(crate) fn await_end(child: Child) -> Ended {
    let id = child.id().to_string();
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let Ok(output) = ended.recv_timeout(LIMIT) else {
        Command::new("kill").args(["-KILL", &id]).status().unwrap();
        panic!("mcpctl did not end");
    };
    let output = output.unwrap();
    Ended {
        exit: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Ended {
    /// The same with the times set to 0 and `server` as the address that all tests expect.
    pub(crate) fn normalised(self, server: &str) -> Self {
        let normalise = |text: &str| without_times(&text.replace(server, ORIGIN));
        Self {
            exit: self.exit,
            stdout: normalise(&self.stdout),
            stderr: normalise(&self.stderr),
        }
    }
}

/// Sets every measured time to 0: it follows one of two marks, or ends the brackets of a failure.
pub(crate) fn without_times(text: &str) -> String {
    let mut text = text
        .split(" ms)")
        .map(|piece| match piece.rsplit_once(", ") {
            Some((before, time)) if !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit()) => {
                format!("{before}, 0")
            }
            _ => piece.to_owned(),
        })
        .collect::<Vec<_>>()
        .join(" ms)");
    for mark in ["_ms\":", "answered in "] {
        let mut pieces = text.split(mark);
        let mut set = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let rest = piece.trim_start_matches(|c: char| c.is_ascii_digit());
            set += mark;
            set += if rest.len() < piece.len() { "0" } else { "" };
            set += rest;
        }
        text = set;
    }
    text
}
