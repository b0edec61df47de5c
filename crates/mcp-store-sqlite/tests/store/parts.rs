//! What a child does: this very program, run once more for the one test below. It is told its part by the environment, and
//! speaks by lines on its standard error, which the test harness leaves alone.

use std::fs::OpenOptions;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, Command, Stdio};
use std::sync::Arc;

use mcp_policy::catalogue::{CatalogueRow, LocalName};
use mcp_policy::ledger::LeaseHolder;
use mcp_policy::port::{
    CatalogueChange, CatalogueStore, Committed, Generation, ImportSuccess, LedgerError, RunLedger,
    ServerStore, StoreError,
};
use mcp_store_sqlite::SqliteStore;
use mcp_testkit::block_on;
use mcp_testkit::ledger_suite::{Call, well};
use mcp_testkit::store_suite::row;
use mcp_wire::ToolName;

use crate::support::{at, name, open, open_as, record};

const PART: &str = "MCP_STORE_TEST_PART";
const FILE: &str = "MCP_STORE_TEST_FILE";

/// How many rows an import of the part `commit` has.
pub(crate) const ROWS: usize = 2_500;

/// The windows in which a call may be cut off, in order.
pub(crate) const WINDOWS: [&str; 4] = ["unstamped", "stamped", "sent", "answered"];

/// The file beside the store to which the part `calls` sends: the numbers of steps, of 8 bytes each.
pub(crate) const SENT: &str = "sent";

/// How many changes the part `import` makes.
pub(crate) const CHANGES: usize = 40;

/// Speaks with a child.
pub(crate) struct Partner {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStderr>,
}

/// The command of a child. `program` is this one, or a copy of it.
pub(crate) fn command(program: &Path, part: &str, file: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .args([
            "--exact",
            "parts::a_child_does_its_part",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(PART, part)
        .env(FILE, file)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

pub(crate) fn this_program() -> PathBuf {
    std::env::current_exe().unwrap()
}

impl Partner {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        Self {
            to: child.stdin.take().unwrap(),
            from: BufReader::new(child.stderr.take().unwrap()),
            child,
        }
    }

    /// The next line; `None` when the child has ended.
    pub(crate) fn hear(&mut self) -> Option<String> {
        let mut line = String::new();
        // A line that was cut by the end of the child counts for none.
        self.from.read_line(&mut line).unwrap();
        line.strip_suffix('\n').map(str::to_owned)
    }

    pub(crate) fn say(&mut self, line: &str) {
        writeln!(self.to, "{line}").unwrap();
    }

    /// Ends the child at once, and gives what it had still said.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::iter::from_fn(|| self.hear()).collect()
    }

    /// Waits for the child, and gives what it had still to say.
    pub(crate) fn finish(mut self) -> Vec<String> {
        let lines = std::iter::from_fn(|| self.hear()).collect();
        self.child.wait().unwrap();
        lines
    }
}

/// The rows of one import of the server `a`, told from those of others by the generation that they make.
pub(crate) fn rows(generation: u64) -> Vec<CatalogueRow> {
    let mark = format!("{generation:08} {}", "words ".repeat(40));
    let mut first = row(&name("a"), "tool", &mark).unwrap();
    first.last_seen = at(generation);
    let rows = (0..ROWS).map(|number| {
        let mut row = first.clone();
        row.remote_name = ToolName::parse(&format!("tool_{number:04}")).unwrap();
        row.local_name = LocalName::compose(&row.server, &row.remote_name).unwrap();
        row
    });
    rows.collect()
}

/// One import of the server `a`, on the catalogue of the generation `base`.
pub(crate) fn import(store: &SqliteStore, base: u64) -> Result<Committed, StoreError> {
    let change = CatalogueChange {
        server: name("a"),
        rows: rows(base + 1),
        import: Some(ImportSuccess {
            at: at(base + 1),
            set_aside: Vec::new(),
        }),
    };
    block_on(store.commit(Generation(base), change))
}

fn speak(line: &str) {
    writeln!(io::stderr(), "{line}").unwrap();
}

fn hear() {
    io::stdin().read_line(&mut String::new()).unwrap();
}

/// Opens the file and says what came of it.
fn part_open(file: &Path) {
    match open(file) {
        Ok(_) => speak("opened"),
        Err(error) => speak(error.kind()),
    }
}

/// Opens the file when it is told to, and puts one row after the other, each by reading and changing.
fn part_import(file: &Path, child: &str) -> Result<(), StoreError> {
    speak("ready");
    hear();
    let store = Arc::new(open(file)?);
    let (own, shared) = (format!("own_{child}"), "shared");
    block_on(store.add(record(&own)))?;
    block_on(store.add(record(shared)))?;
    let mut stale = 0;
    for number in 0..CHANGES {
        let server = if number % 2 == 0 { shared } else { &own };
        let change = CatalogueChange {
            server: name(server),
            rows: vec![row(&name(server), &format!("{child}_{number}"), "").unwrap()],
            import: None,
        };
        loop {
            let base = block_on(store.catalogue())?.generation;
            match block_on(store.commit(base, change.clone()))? {
                Committed::Done => break,
                Committed::Stale => stale += 1,
            }
        }
    }
    speak(&format!("done {stale}"));
    Ok(())
}

/// Imports all rows anew again and again, and says before and after it which generation it makes.
fn part_commit(file: &Path, base: &str) -> Result<(), StoreError> {
    let store = open(file)?;
    for base in base.parse().unwrap().. {
        speak(&format!("begin {}", base + 1));
        assert_eq!(import(&store, base)?, Committed::Done);
        speak(&format!("done {}", base + 1));
    }
    Ok(())
}

/// Makes calls under a holder, 15 in each run. It halts for good in a window, once it has made some calls before that;
/// in the window `end` it ends after so many calls. Says the window and the step where it halts, or each call.
fn part_calls(file: &Path, terms: &str) -> Result<(), LedgerError> {
    let terms: Vec<&str> = terms.split(' ').collect();
    let (holder, window, before) = (terms[0], terms[1], terms[2].parse::<usize>().unwrap());
    let store = open_as(file, LeaseHolder(holder.parse().unwrap()))?;
    let mut sent = OpenOptions::new();
    let mut sent = sent
        .create(true)
        .append(true)
        .open(file.with_file_name(SENT))
        .unwrap();
    for number in 0.. {
        if window == "end" && number == before {
            return Ok(());
        }
        let call = Call::of(&format!("{holder} {}", number / 15)).unwrap();
        let reached = |reached: &str, step: u64| {
            if reached == window && number == before {
                speak(&format!("{window} {step}"));
                hear();
            }
        };
        if number % 15 == 0 {
            block_on(store.open(&call.run, &call.actor, at(1)))?;
        }
        block_on(store.charge(&call.run))?;
        reached("unstamped", 0);
        let step = block_on(store.stamp(&call.request(), at(1)))?;
        reached("stamped", step.0);
        sent.write_all(&step.0.to_le_bytes()).unwrap();
        reached("sent", step.0);
        block_on(store.settle(step, well(), at(1)))?;
        reached("answered", step.0);
        if !WINDOWS.contains(&window) {
            speak(&format!("call {number}"));
        }
    }
    Ok(())
}

#[test]
fn a_child_does_its_part() {
    let (Ok(part), Some(file)) = (std::env::var(PART), std::env::var_os(FILE)) else {
        return;
    };
    let file = Path::new(&file);
    let outcome = match part.split_once(' ').unwrap_or((&part, "")) {
        ("open", _) => {
            part_open(file);
            Ok(())
        }
        ("import", child) => part_import(file, child),
        ("commit", base) => part_commit(file, base),
        ("calls", terms) => {
            part_calls(file, terms).unwrap();
            Ok(())
        }
        (other, _) => panic!("there is no part {other}"),
    };
    if let Err(error) = outcome {
        speak(&format!("error {}", error.kind()));
    }
}
