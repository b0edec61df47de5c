//! Packages of other makers, installed as pinned.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::process::succeed;
use crate::failure::Failure;

/// Where the sources and the products of the build are.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
}

impl Workspace {
    pub(crate) fn locate() -> Result<Self, Failure> {
        let mut command = Command::new(cargo());
        command
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .stderr(Stdio::inherit());
        let output = command.output()?;
        if !output.status.success() {
            return Err(Failure::new(format!("cargo metadata: {}", output.status)));
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)?;
        let path = |key: &str| {
            let path = metadata.get(key).and_then(Value::as_str).map(PathBuf::from);
            path.ok_or_else(|| Failure::new(format!("cargo metadata has no {key}")))
        };
        Ok(Self {
            root: path("workspace_root")?,
            target: path("target_directory")?,
        })
    }
}

pub(crate) fn build_mcpctl(workspace: &Workspace) -> Result<PathBuf, Failure> {
    succeed(Command::new(cargo()).args(["build", "--quiet", "-p", "mcpctl"]))?;
    Ok(workspace.target.join("debug/mcpctl"))
}

pub(crate) fn build_conformance_server() -> Result<(), Failure> {
    let example = ["-p", "mcp-server", "--example", "conformance_server"];
    succeed(Command::new(cargo()).args(["build", "--quiet"]).args(example))
}

pub(crate) fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"))
}

/// Where pinned packages come from and where they go.
pub(crate) struct Installation {
    pub(crate) name: &'static str,
    pub(crate) pins: PathBuf,
    pub(crate) place: PathBuf,
    /// The file of the pins that names every package.
    pub(crate) lock: &'static str,
}

impl Installation {
    /// Installs, unless the last complete installation had the same pins.
    pub(crate) fn ensure(&self, install: fn(&Path, &Path) -> Result<(), Failure>) -> Result<(), Failure> {
        let stamp = self.place.join("installed");
        let lock = fs::read(self.pins.join(self.lock))?;
        if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
            return Ok(());
        }
        eprintln!("installing {}", self.name);
        if self.place.exists() {
            fs::remove_dir_all(&self.place)?;
        }
        fs::create_dir_all(&self.place)?;
        install(&self.pins, &self.place)?;
        fs::write(stamp, lock)?;
        Ok(())
    }
}

pub(crate) fn install_node_modules(pins: &Path, place: &Path) -> Result<(), Failure> {
    for file in ["package.json", "package-lock.json", ".npmrc"] {
        fs::copy(pins.join(file), place.join(file))?;
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    succeed(npm.current_dir(place).stdout(Stdio::null()))
}

pub(crate) fn install_python(pins: &Path, place: &Path) -> Result<(), Failure> {
    succeed(Command::new("python3").args(["-m", "venv"]).arg(place))?;
    // The list is complete, and nothing is built.
    let only_these = ["--no-deps", "--only-binary", ":all:"];
    let mut pip = Command::new(place.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet"])
        .args(only_these)
        .arg("--requirement");
    succeed(pip.arg(pins.join("requirements.txt")))
}

/// Builds a workspace of its own; Cargo knows by itself what is to be done again.
pub(crate) fn build_workspace(pins: &Path, place: &Path) -> Result<(), Failure> {
    let mut build = Command::new(cargo());
    build.args(["build", "--quiet", "--locked", "--manifest-path"]);
    build.arg(pins.join("Cargo.toml")).arg("--target-dir").arg(place);
    succeed(&mut build)
}
