//! `cargo xtask links`: hosts that link single crates, each built by itself.
//!
//! Each is a workspace of its own, so no feature of another crate of this one leaks in. They are built with the versions
//! of this workspace's lock file. `no-std` is the proof that `mcp-wire` needs no standard library, `quickstart` that a
//! client needs no TLS. Beside them the crates are counted that the client brings with TLS and without.

mod crates;
mod quickstart;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use self::crates::distinct;
use crate::failure::Failure;

pub(crate) use self::crates::FORMS;

/// The hosts under `xtask/links`, and how each is built.
const HOSTS: [(&str, &str); 4] = [
    ("no-std", "check"),
    ("wire", "build"),
    ("wire-http", "build"),
    (QUICKSTART, "build"),
];

/// The example of `mcp-host`, which speaks TLS only with a feature of its own.
pub(crate) const QUICKSTART: &str = "quickstart";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::new(format!("unknown option {argument}; there is none")));
    }
    let target = root().join("target/links");
    for (host, how) in HOSTS {
        let manifest = manifest(host)?;
        let status = cargo(how, &manifest)
            .arg("--target-dir")
            .arg(&target)
            .env("RUSTFLAGS", "--deny warnings")
            .status()?;
        if !status.success() {
            return Err(Failure::new(format!("{host} does not build")));
        }
        println!("{host}: built, {} crates beneath it", beneath(&manifest)?);
    }
    quickstart::run(&target.join("debug/links-quickstart"))?;
    println!("quickstart: called a tool over plain HTTP, and refused https");
    for form in FORMS {
        let (name, most, crates) = (form.name, form.most, form.crates()?);
        println!("{name}: {crates} crates, at most {most}");
        if crates > most {
            return Err(Failure::new(format!("{name} brings too many crates")));
        }
    }
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The manifest of a host, with the lock file of this workspace beside it.
pub(crate) fn manifest(host: &str) -> Result<PathBuf, Failure> {
    let manifest = root().join("xtask/links").join(host).join("Cargo.toml");
    fs::copy(root().join("Cargo.lock"), manifest.with_file_name("Cargo.lock"))?;
    Ok(manifest)
}

/// How many other crates a host links.
fn beneath(manifest: &Path) -> Result<usize, Failure> {
    let tree = cargo("tree", manifest)
        .args(["--edges", "normal", "--prefix", "none", "--format", "{p}"])
        .output()?;
    Ok(distinct(&String::from_utf8_lossy(&tree.stdout)).saturating_sub(1))
}

pub(crate) fn cargo(command: &str, manifest: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .arg(command)
        .arg("--quiet")
        .arg("--manifest-path")
        .arg(manifest);
    cargo
}
