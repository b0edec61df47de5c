//! What linking this client costs: distinct crates, and the bytes of a small program.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::rows::{Row, Wanted};
use crate::failure::Failure;

/// Distinct crates that `mcp-http` may bring, itself included.
const CRATES: f64 = 60.0;

pub(super) fn measure(tell: &mut impl FnMut(Row)) -> Result<(), Failure> {
    let ours = |value: f64| [[Some(value), None, None]];
    tell(Row::new(
        "mcp-http, with TLS as always",
        "crates",
        &ours(crates()? as f64),
        Wanted::AtMost(CRATES),
    ));
    tell(Row::new(
        "example quickstart, stripped",
        "KiB",
        &ours(quickstart()? as f64 / 1_024.0),
        Wanted::Nothing,
    ));
    Ok(())
}

fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(".."));
    command
}

/// The distinct crates that are linked into whoever depends on `mcp-http`.
fn crates() -> Result<usize, Failure> {
    let mut command = cargo();
    command.args(["tree", "--locked", "-p", "mcp-http", "-e", "normal,no-proc-macro"]);
    let output = command.args(["--prefix", "none", "--format", "{p}"]).output()?;
    if !output.status.success() {
        return Err(Failure::new("cargo tree failed"));
    }
    Ok(distinct(&String::from_utf8_lossy(&output.stdout)))
}

/// The distinct lines of a tree; a crate that was told of before is marked.
fn distinct(tree: &str) -> usize {
    let lines = tree.lines().map(|line| line.trim_end_matches(" (*)"));
    lines
        .filter(|line| !line.is_empty())
        .collect::<BTreeSet<_>>()
        .len()
}

/// The bytes of the example of the release profile without its symbols.
fn quickstart() -> Result<u64, Failure> {
    let target = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/bench/minimal");
    let mut command = cargo();
    command.args(["build", "--quiet", "--release", "--locked", "-p", "mcp-host"]);
    command.args(["--example", "quickstart", "--target-dir"]);
    if !command.arg(&target).status()?.success() {
        return Err(Failure::new("the example does not build"));
    }
    let stripped = target.join("quickstart-stripped");
    let mut strip = Command::new("strip");
    strip
        .arg("-o")
        .arg(&stripped)
        .arg(target.join("release/examples/quickstart"));
    if !strip.status()?.success() {
        return Err(Failure::new("strip failed"));
    }
    Ok(fs::metadata(stripped)?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_counts_once_in_each_version() {
        let tree = "mcp-http v0.1.0 (/x)\nhttp v1.4.0\nbytes v1.11.0\nhyper v1.8.1\nhttp v1.4.0 (*)\nhttp v0.2.0\n\n";
        assert_eq!(distinct(tree), 5);
    }
}
