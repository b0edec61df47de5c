//! `cargo xtask links`: hosts that link single crates, each built by itself.
//!
//! Each is a workspace of its own, so no feature of another crate of this one leaks in. They are built with the versions
//! of this workspace's lock file. `no-std` is the proof that `mcp-wire` needs no standard library.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::failure::Failure;

/// The hosts under `xtask/links`, and how each is built.
const HOSTS: [(&str, &str); 3] = [("no-std", "check"), ("wire", "build"), ("wire-http", "build")];

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::new(format!("unknown option {argument}; there is none")));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (host, how) in HOSTS {
        let manifest = root.join("xtask/links").join(host).join("Cargo.toml");
        fs::copy(root.join("Cargo.lock"), manifest.with_file_name("Cargo.lock"))?;
        let status = cargo(how, &manifest)
            .arg("--target-dir")
            .arg(root.join("target/links"))
            .env("RUSTFLAGS", "--deny warnings")
            .status()?;
        if !status.success() {
            return Err(Failure::new(format!("{host} does not build")));
        }
        println!("{host}: built, {} crates beneath it", beneath(&manifest)?);
    }
    Ok(())
}

/// How many other crates a host links.
fn beneath(manifest: &Path) -> Result<usize, Failure> {
    let tree = cargo("tree", manifest)
        .args(["--edges", "normal", "--prefix", "none", "--format", "{p}"])
        .output()?;
    let text = String::from_utf8_lossy(&tree.stdout).into_owned();
    let mut crates: Vec<&str> = text.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    crates.sort_unstable();
    crates.dedup();
    Ok(crates.len().saturating_sub(1))
}

fn cargo(command: &str, manifest: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .arg(command)
        .arg("--quiet")
        .arg("--manifest-path")
        .arg(manifest);
    cargo
}
