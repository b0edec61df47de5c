//! `cargo xtask variants`: a fifth variant of the context result must not compile in any transport.
//!
//! In a scratch copy of `mcp-wire` and `mcp-server` the variant is added; the compiler must answer E0004 in the file of each
//! transport. The copy without it must compile, so that the answer is due to the variant alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::failure::Failure;

const CRATES: [&str; 2] = ["crates/mcp-wire", "crates/mcp-server"];

/// The transports, each of which has a match of its own.
const TRANSPORTS: [&str; 2] = [
    "crates/mcp-server/src/http/respond.rs",
    "crates/mcp-server/src/stdio.rs",
];

const SUM: &str = "crates/mcp-wire/src/context.rs";
const LAST: &str = "    ProtocolVersionMismatch(ContextRefusal),\n";
const FIFTH: &str = "    /// Planted.\n    Fifth,\n";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::new(format!("unknown option {argument}; there is none")));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let scratch = root.join("target/variants");
    copy(&root, &scratch)?;
    let errors = check(&scratch)?;
    if !errors.is_empty() {
        return Err(Failure::new(format!("the copy does not compile: {errors:?}")));
    }
    println!("four variants: compiles");
    let sum = fs::read_to_string(scratch.join(SUM))?;
    if sum.matches(LAST).count() != 1 {
        return Err(Failure::new(format!("{SUM} does not end its sum as expected")));
    }
    fs::write(scratch.join(SUM), sum.replace(LAST, &format!("{LAST}{FIFTH}")))?;
    let errors = check(&scratch)?;
    let expected: BTreeSet<(String, String)> = TRANSPORTS
        .into_iter()
        .map(|file| ("E0004".to_owned(), file.to_owned()))
        .collect();
    for (code, file) in &errors {
        println!("five variants: {code} in {file}");
    }
    if errors == expected {
        Ok(())
    } else {
        Err(Failure::new(format!("expected {expected:?}")))
    }
}

/// A workspace of the two crates, with the versions of this one's lock file.
fn copy(root: &Path, scratch: &Path) -> Result<(), Failure> {
    for package in CRATES {
        let target = scratch.join(package);
        if target.exists() {
            fs::remove_dir_all(&target)?;
        }
        copy_folder(&root.join(package), &target)?;
    }
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let members = format!("members = {CRATES:?}");
    let narrowed = manifest.replace("members = [\"crates/*\", \"xtask\"]", &members);
    if narrowed == manifest {
        return Err(Failure::new(
            "the workspace does not name its members as expected",
        ));
    }
    fs::write(scratch.join("Cargo.toml"), narrowed)?;
    fs::copy(root.join("Cargo.lock"), scratch.join("Cargo.lock"))?;
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// The errors of the compiler: code and file of each.
fn check(scratch: &Path) -> Result<BTreeSet<(String, String)>, Failure> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "check",
            "--quiet",
            "--package",
            "mcp-server",
            "--message-format",
            "json",
        ])
        .arg("--manifest-path")
        .arg(scratch.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(scratch.join("target"))
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let errors: BTreeSet<_> = text.lines().filter_map(error).collect();
    if errors.is_empty() && !output.status.success() {
        return Err(Failure::new(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(errors)
}

fn error(line: &str) -> Option<(String, String)> {
    let line: Value = serde_json::from_str(line).ok()?;
    let message = line.get("message")?;
    if message.get("level")? != "error" {
        return None;
    }
    let code = message.pointer("/code/code")?.as_str()?.to_owned();
    let spans = message.get("spans")?.as_array()?;
    let span = spans
        .iter()
        .find(|span| span.get("is_primary") == Some(&Value::Bool(true)))?;
    let file: PathBuf = span.get("file_name")?.as_str()?.into();
    Some((code, file.display().to_string()))
}
