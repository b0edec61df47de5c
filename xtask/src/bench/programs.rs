//! The programs under load and the server that answers them: built once, started as often as needed.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::failure::Failure;

/// The three clients, in the order of the columns.
pub(super) const CLIENTS: [&str; 3] = ["ours", "raw", "rmcp"];

/// Where the programs are, and a server that runs as long as this value lives.
pub(super) struct Programs {
    place: PathBuf,
    server: Child,
    port: u16,
}

impl Programs {
    /// Builds what is not built, and starts the server.
    pub(super) fn build() -> Result<Self, Failure> {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
        let target = root.join("target/bench");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["build", "--quiet", "--release", "--locked", "--manifest-path"])
            .arg(root.join("xtask/peers/bench/Cargo.toml"))
            .args(["-p", "bench-server", "-p", "load"])
            .args(
                CLIENTS
                    .iter()
                    .flat_map(|client| ["-p".to_owned(), format!("bench-{client}")]),
            )
            .env("CARGO_TARGET_DIR", &target)
            .status()?;
        if !status.success() {
            return Err(Failure::new("the programs under load do not build"));
        }
        let place = target.join("release");
        let mut server = Command::new(place.join("bench-server"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        if let Some(output) = server.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let port = line.trim().parse()?;
        Ok(Self { place, server, port })
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// Runs a client and reads the line of figures that it prints.
    pub(super) fn figures(
        &self,
        client: &str,
        mode: &str,
        path: &str,
        options: &[String],
    ) -> Result<Value, Failure> {
        let mut command = Command::new(self.place.join(format!("bench-{client}")));
        command.arg(mode).arg(self.url(path)).args(options);
        Ok(serde_json::from_str(output(&mut command)?.0.trim())?)
    }

    /// Runs a client under another program; what that one says, and what it says as an error.
    pub(super) fn under<S: AsRef<OsStr>>(
        &self,
        outer: &[S],
        client: &str,
        mode: &str,
        path: &str,
        options: &[String],
    ) -> Result<(String, String), Failure> {
        let [program, outer @ ..] = outer else {
            return Err(Failure::new("no program"));
        };
        let mut command = match program.as_ref().to_str() {
            Some("steps") => Command::new(self.place.join("steps")),
            Some(_) | None => Command::new(program),
        };
        command
            .args(outer)
            .arg(self.place.join(format!("bench-{client}")))
            .arg(mode)
            .arg(self.url(path))
            .args(options);
        output(&mut command)
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        // It ends by itself when its input does; this only waits for it.
        drop(self.server.stdin.take());
        let _ended = self.server.wait();
    }
}

fn output(command: &mut Command) -> Result<(String, String), Failure> {
    let output = command.output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok((text(&output.stdout), text(&output.stderr)))
    } else {
        Err(Failure::new(format!(
            "{command:?} failed: {}",
            text(&output.stderr)
        )))
    }
}
