//! `cargo xtask bench micro`: ratios of one run, beside other ways to do the same, against their targets.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::failure::Failure;

/// A ratio of speeds that is wanted: how many times as fast as `beside` our own is, at least.
struct Target {
    ours: &'static str,
    beside: &'static str,
    at_least: f64,
}

const fn target(ours: &'static str, beside: &'static str, at_least: f64) -> Target {
    Target {
        ours,
        beside,
        at_least,
    }
}

/// Scanner and verdict beside an envelope of raw values and a whole value; event streams beside a crate for them and a
/// scan that finds line ends, copies, and checks UTF-8.
const TARGETS: [Target; 16] = [
    target("call/verdict/1K", "call/raw_value/1K", 1.0),
    target("call/verdict/100K", "call/raw_value/100K", 1.0),
    target("call/verdict/2M", "call/raw_value/2M", 1.0),
    target("list/verdict/1K", "list/raw_value/1K", 1.0),
    target("list/verdict/100K", "list/raw_value/100K", 1.0),
    target("list/verdict/2M", "list/raw_value/2M", 1.0),
    target("call/verdict/1K", "call/value/1K", 1.0),
    target("call/verdict/100K", "call/value/100K", 1.0),
    target("call/verdict/2M", "call/value/2M", 1.0),
    target("list/verdict/1K", "list/value/1K", 1.0),
    target("list/verdict/100K", "list/value/100K", 1.0),
    target("list/verdict/2M", "list/value/2M", 1.0),
    target("small-events/decoder/2M", "small-events/sse-stream/2M", 1.3),
    target("small-events/decoder/2M", "small-events/scan/2M", 0.5),
    target("one-event/decoder/2M", "one-event/scan/2M", 0.7),
    target("one-event/decoder/2M", "one-event/sse-stream/2M", 0.0),
];

/// What an id may cost beyond one system call for the process, in nanoseconds.
const ID_NANOSECONDS: f64 = 100.0;

pub(super) fn run() -> Result<(), Failure> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let (manifest, place) = (
        root.join("xtask/peers/bench/Cargo.toml"),
        root.join("target/bench"),
    );
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["bench", "--quiet", "--manifest-path"])
        .arg(&manifest)
        .args([
            "--",
            "--quiet",
            "--noplot",
            "--warm-up-time",
            "1",
            "--measurement-time",
            "3",
        ])
        // Where criterion keeps its results as well.
        .env("CARGO_TARGET_DIR", &place)
        .status()?;
    if !status.success() {
        return Err(Failure::new("the benchmarks do not run"));
    }
    let results = place.join("criterion");
    println!(
        "{:<26} {:>12} {:<28} {:>12} {:>7} {:>7}",
        "ours", "ns", "beside", "ns", "ratio", "wanted"
    );
    let mut missed = 0;
    for Target {
        ours,
        beside,
        at_least,
    } in TARGETS
    {
        let (ours_ns, beside_ns) = (median(&results, ours)?, median(&results, beside)?);
        let ratio = beside_ns / ours_ns;
        let verdict = if ratio < at_least { "MISS" } else { "" };
        missed += usize::from(ratio < at_least);
        println!(
            "{ours:<26} {ours_ns:>12.0} {beside:<28} {beside_ns:>12.0} {ratio:>7.2} {at_least:>7.1} {verdict}"
        );
    }
    let beyond = median(&results, "ids/allocate")? - median(&results, "ids/getpid")?;
    println!("one request id costs {beyond:.0} ns beyond one getpid, {ID_NANOSECONDS} are allowed");
    missed += usize::from(beyond > ID_NANOSECONDS);
    if missed == 0 {
        Ok(())
    } else {
        Err(Failure::new(format!("{missed} targets are missed")))
    }
}

/// The median time of one benchmark, in nanoseconds.
fn median(results: &Path, name: &str) -> Result<f64, Failure> {
    let text = fs::read(results.join(name).join("new/estimates.json"))?;
    let estimates: Value = serde_json::from_slice(&text)?;
    let median = estimates
        .pointer("/median/point_estimate")
        .and_then(Value::as_f64);
    median.ok_or_else(|| Failure::new(format!("{name} has no estimate")))
}
