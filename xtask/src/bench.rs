//! `cargo xtask bench`: what one warm call costs, in instructions and allocations; `cargo xtask bench micro`: ratios of
//! speed.
//!
//! The first counts rather than times, so that its figures do not depend on what else the machine does. It needs
//! valgrind.

mod micro;
mod server;

use std::path::PathBuf;
use std::process::Command;

use self::server::EchoServer;
use crate::failure::Failure;

/// Calls of the two runs whose difference is divided: what starting up costs falls out.
const FEW: u64 = 20;
const MANY: u64 = 220;

/// Bytes of text in the tool's answer.
const TEXT_BYTES: [usize; 3] = [100, 10_000, 1_000_000];

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [] => count_calls(),
        [what] if what == "micro" => micro::run(),
        [other, ..] => Err(Failure::new(format!(
            "unknown benchmark {other}; there is micro, or none"
        ))),
    }
}

fn count_calls() -> Result<(), Failure> {
    let program = build()?;
    println!("one call_tool on a pooled connection: initialize, initialized, tools/call");
    println!(
        "{:>12} {:>14} {:>12} {:>14}",
        "text bytes", "instructions", "allocations", "bytes"
    );
    for bytes in TEXT_BYTES {
        let server = EchoServer::start(bytes)?;
        let count = |calls: u64| -> Result<Counts, Failure> {
            let callgrind = valgrind(
                &["--tool=callgrind", "--callgrind-out-file=/dev/null"],
                &program,
                &server.url(),
                calls,
            )?;
            let memcheck = valgrind(
                &["--tool=memcheck", "--leak-check=no"],
                &program,
                &server.url(),
                calls,
            )?;
            Counts::read(&callgrind, &memcheck)
        };
        let (few, many) = (count(FEW)?, count(MANY)?);
        let per_call = |few: u64, many: u64| many.saturating_sub(few) / (MANY - FEW);
        println!(
            "{bytes:>12} {:>14} {:>12} {:>14}",
            per_call(few.instructions, many.instructions),
            per_call(few.allocations, many.allocations),
            per_call(few.bytes, many.bytes),
        );
    }
    Ok(())
}

fn build() -> Result<PathBuf, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args([
            "build",
            "--quiet",
            "--release",
            "--package",
            "mcp-host",
            "--example",
            "warm_calls",
        ])
        .status()?;
    if !status.success() {
        return Err(Failure::new("the example does not build"));
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join("release/examples/warm_calls"))
}

/// Runs the program under a tool of valgrind and gives what the tool says.
fn valgrind(options: &[&str], program: &PathBuf, url: &str, calls: u64) -> Result<String, Failure> {
    let output = Command::new("valgrind")
        .args(options)
        .arg(program)
        .arg(url)
        .arg(calls.to_string())
        .output()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok(text)
    } else {
        Err(Failure::new(format!("a run failed: {text}")))
    }
}

struct Counts {
    instructions: u64,
    allocations: u64,
    bytes: u64,
}

impl Counts {
    fn read(callgrind: &str, memcheck: &str) -> Result<Self, Failure> {
        let heap = after(memcheck, "total heap usage:")?;
        let heap: Vec<u64> = heap.split(' ').filter_map(number).collect();
        let [allocations, _frees, bytes] = heap[..] else {
            return Err(Failure::new("valgrind's heap line has another form"));
        };
        let instructions = number(after(callgrind, "Collected :")?);
        let instructions = instructions.ok_or_else(|| Failure::new("valgrind's count has another form"))?;
        Ok(Self {
            instructions,
            allocations,
            bytes,
        })
    }
}

fn after<'a>(text: &'a str, mark: &str) -> Result<&'a str, Failure> {
    text.lines()
        .find_map(|line| line.split_once(mark))
        .map(|(_, rest)| rest.trim())
        .ok_or_else(|| Failure::new(format!("valgrind does not say {mark}")))
}

fn number(text: &str) -> Option<u64> {
    text.replace(',', "").parse().ok()
}
