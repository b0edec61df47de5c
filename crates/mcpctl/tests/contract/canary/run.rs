//! One run of a path: in directories of its own, with its secrets in place; what it proves, and what is found.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path as FilePath, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use serde_json::Value;

use super::path::{Interrupt, Path, Reach};
use super::peer::{LONELY, Peer, trusted};
use crate::support::{Ended, Form, Invocation, LIMIT, Log, await_end, interrupt, search};
use crate::table;

/// What the runs came to.
#[derive(Default)]
pub(crate) struct Tally {
    /// Where a secret was found, and in which spelling.
    pub(crate) hits: Vec<String>,
    /// Runs that did not end as their path says, or whose secrets were not there to leak.
    pub(crate) unproven: Vec<String>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Self) {
        self.hits.extend(other.hits);
        self.unproven.extend(other.unproven);
    }
}

pub(crate) fn drive(path: &Path, form: Form) -> Tally {
    let directory = Directory::new(path);
    let peer = (path.peer)();
    let name = path.name(&peer);
    let pipe = path.piped.clone().map(|bytes| directory.pipe(bytes));
    let ended = run(path, form, &directory, &peer);
    // A pipe that was not read to its end ends nobody's wait.
    let read = pipe.is_none_or(|pipe| pipe.recv_timeout(LIMIT).is_ok());
    let log = peer.end();
    let mut tally = Tally::default();
    let mut prove = |holds: bool, what: &str| {
        if !holds {
            tally.unproven.push(format!("{name}: {what}: {ended:?}"));
        }
    };
    prove(read, "the pipe was not read");
    prove(ends_as_told(path, &ended, form), "another end");
    prove(reaches(path.reach, log.as_ref()), "another reach");
    let logged = ended.stderr.contains("operation ended") || path.interrupt != Interrupt::Never;
    prove(logged || path.reach == Reach::TakenIn, "no log");
    prove(!path.shown || is_shown(&ended), "the echo is not shown");
    let mut find = |place: &str, written: &[u8]| {
        for spelling in search(written) {
            tally
                .hits
                .push(format!("{name}: {place}, {spelling}: {:?}", first_line(written)));
        }
    };
    if path.shown {
        let log: Vec<&str> = lines(&ended)
            .filter(|line| !line.starts_with("mcpctl: "))
            .collect();
        find("the log", log.join("\n").as_bytes());
    } else {
        find("standard output", ended.stdout.as_bytes());
        find("standard error", ended.stderr.as_bytes());
    }
    directory.search(&mut find);
    fs::remove_dir_all(directory.0).unwrap();
    tally
}

/// The first line in which something is found.
fn first_line(written: &[u8]) -> String {
    let mut lines = written.split(|byte| *byte == b'\n');
    let line = lines.find(|line| !search(line).is_empty());
    String::from_utf8_lossy(line.unwrap_or(written))
        .chars()
        .take(400)
        .collect()
}

fn lines(ended: &Ended) -> impl Iterator<Item = &str> {
    ended.stderr.lines()
}

/// An answer is shown on standard output, and the error of RPC as a line of text.
fn is_shown(ended: &Ended) -> bool {
    !search(ended.stdout.as_bytes()).is_empty()
        || lines(ended)
            .any(|line| line.starts_with("mcpctl: RPC error ") && !search(line.as_bytes()).is_empty())
}

fn run(path: &Path, form: Form, directory: &Directory, peer: &Peer) -> Ended {
    let origin = peer.origin();
    let url = format!("{origin}/mcp?token=canary-query");
    let words = path.arguments.iter().map(String::as_str);
    let words = words.chain(path.credentials.iter().chain(form).copied());
    let words = words.map(|word| word.replace("URL", &url).replace("ORIGIN", origin));
    let held = path.credentials.contains(&HELD).then(|| directory.held_pipe());
    let child = Invocation::new(words)
        .directory(&directory.0.join("cwd"))
        .env("HOME", directory.path("home"))
        .env("TMPDIR", directory.path("tmp"))
        .env("SSL_CERT_FILE", path.trust)
        .env("BEARER", OsStr::from_bytes(path.bearer))
        .input(&path.input)
        .start();
    // The credential before it was read to its end: this one is opened after it.
    let held: Option<File> = held.map(|opened| opened.recv_timeout(LIMIT).unwrap());
    match path.interrupt {
        Interrupt::Never => {}
        Interrupt::AtCredential => interrupt(&child),
        Interrupt::AtRequest(key) => {
            let server = peer.server.as_ref().unwrap();
            while server.seen.recv_timeout(LIMIT).unwrap() != key {}
            interrupt(&child);
        }
    }
    let ended = await_end(child);
    drop(held);
    ended
}

/// The reference to a pipe that is opened and never written.
pub(crate) const HELD: &str = "X-Held=file:../given/held";

/// With `--json` the line names the kind; the exit status is that of its row in both forms.
fn ends_as_told(path: &Path, ended: &Ended, form: Form) -> bool {
    path.ends.iter().any(|end| {
        let row = table::rows().into_iter().find(|row| row[0] == *end);
        let exit = match row {
            Some(row) => row[4].parse().ok(),
            None => Some(if *end == "tool-error" { 5 } else { 0 }),
        };
        let line: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
        let told = if form.contains(&"--json") {
            let outcome = line["outcome"].as_str().map(|outcome| outcome.replace('_', "-"));
            line["kind"] == *end || outcome.is_some_and(|outcome| outcome == *end)
        } else {
            // An answer and the usage help name no kind.
            row.is_none() || *end == "usage" || *end == "rpc-error" || ended.stderr.contains(end)
        };
        ended.exit == exit && told
    })
}

fn reaches(reach: Reach, log: Option<&Log>) -> bool {
    let none = Log::default();
    let (there, log) = (log.is_some(), log.unwrap_or(&none));
    match reach {
        Reach::Sent => log.requests.iter().any(|(head, _)| has_secrets(head)),
        Reach::Read => log.connections > 0 && log.requests.is_empty(),
        Reach::Reached => !there || (log.connections > 0 && log.requests.is_empty()),
        Reach::TakenIn => log.connections == 0,
    }
}

fn has_secrets(head: &str) -> bool {
    let head = head.to_ascii_lowercase();
    let first = head.lines().next().unwrap_or_default();
    let has = |line: &str| head.lines().any(|other| other == line);
    first.contains("/mcp?token=canary-query ")
        && has("authorization: bearer canary-bearer")
        && has("x-key: canary-header")
}

/// The directories of one run: `home`, `cwd` and `tmp`, where it may write, and `given`, where it only reads.
struct Directory(PathBuf);

impl Directory {
    fn new(path: &Path) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("written-{count}"));
        if root.exists() {
            fs::remove_dir_all(&root).unwrap();
        }
        for name in ["home", "cwd", "tmp", "given"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        let given = root.join("given");
        fs::write(given.join("authority.pem"), trusted()).unwrap();
        fs::copy(&LONELY.file, given.join("lonely.pem")).unwrap();
        fs::write(given.join("nobody.pem"), "").unwrap();
        fs::write(given.join("key"), "canary-header\n").unwrap();
        if path.piped.is_some() {
            make_pipe(&given.join("pipe"));
        }
        make_pipe(&given.join("held"));
        Self(root)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// Writes the pipe once. The message comes when a reader has opened it and all is written.
    fn pipe(&self, bytes: Vec<u8>) -> Receiver<()> {
        let path = self.0.join("given/pipe");
        let (sender, done) = mpsc::channel();
        thread::spawn(move || {
            let mut pipe = OpenOptions::new().write(true).open(path).unwrap();
            // A reader that has enough does not wait for the end.
            let _enough = pipe.write_all(&bytes);
            drop(pipe);
            let _unheard = sender.send(());
        });
        done
    }

    /// Opens the pipe that is never written, which waits for its reader.
    fn held_pipe(&self) -> Receiver<File> {
        let path = self.0.join("given/held");
        let (sender, opened) = mpsc::channel();
        thread::spawn(move || sender.send(OpenOptions::new().write(true).open(path).unwrap()));
        opened
    }

    /// Searches the names and contents of all files that were written.
    fn search(&self, find: &mut impl FnMut(&str, &[u8])) {
        for name in ["home", "cwd", "tmp"] {
            search_files(&self.0.join(name), find);
        }
    }
}

fn search_files(directory: &FilePath, find: &mut impl FnMut(&str, &[u8])) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        find("the name of a file", path.file_name().unwrap().as_encoded_bytes());
        if path.is_dir() {
            search_files(&path, find);
        } else {
            find("a file", &fs::read(path).unwrap());
        }
    }
}

fn make_pipe(path: &FilePath) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}
