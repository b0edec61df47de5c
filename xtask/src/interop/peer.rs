//! Servers of other makers as processes: installed as pinned, on a free loopback port, ended with their guard.

use std::env;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Workspace;
use crate::failure::Failure;

const START_LIMIT: Duration = Duration::from_secs(30);
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// Short, because it is part of the durations that are shown.
const POLL: Duration = Duration::from_millis(2);

/// The request of [`Running::framing`].
const INITIALIZE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{},"clientInfo":{"name":"interop","version":"0"}}}"#
);

/// A server that accepts connections. It is ended when this is dropped.
pub(super) struct Running {
    port: u16,
    _process: Process,
}

impl Running {
    /// Starts a server and waits until it accepts connections.
    pub(super) fn start(
        name: &str,
        package: Package,
        framing: Framing,
        workspace: &Workspace,
    ) -> Result<Self, Failure> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let log = workspace.target.join("interop").join(format!("{name}.log"));
        let output = File::create(&log)?;
        let mut command = package.server(workspace, port, framing);
        command
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output);
        let mut process = Process::spawn(&mut command)?;
        let deadline = Instant::now() + START_LIMIT;
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if process.exit_within(POLL)?.is_some() || Instant::now() > deadline {
                return Err(Failure::new(format!(
                    "{name} does not listen; its output is in {}",
                    log.display()
                )));
            }
        }
        Ok(Self {
            port,
            _process: process,
        })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}:{}/mcp", Ipv4Addr::LOCALHOST, self.port)
    }

    /// The framing in which the server answers a plain `initialize` that accepts both.
    pub(super) fn framing(&self) -> Result<Framing, Failure> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.set_read_timeout(Some(ANSWER_LIMIT))?;
        let head = [
            "POST /mcp HTTP/1.1",
            &format!("Host: {}:{}", Ipv4Addr::LOCALHOST, self.port),
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
            &format!("Content-Length: {}", INITIALIZE.len()),
            "Connection: close",
        ];
        stream.write_all(format!("{}\r\n\r\n{INITIALIZE}", head.join("\r\n")).as_bytes())?;
        for line in BufReader::new(stream).lines() {
            let line = line?;
            if line.is_empty() {
                break;
            }
            if let Some(("content-type", value)) = line.to_ascii_lowercase().split_once(':') {
                return Framing::of_content_type(value);
            }
        }
        Err(Failure::new(
            "the answer to a plain initialize has no content type",
        ))
    }
}

/// How a server frames its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    Json,
    Sse,
}

impl Framing {
    fn of_content_type(value: &str) -> Result<Self, Failure> {
        match value.split(';').next().map(str::trim) {
            Some("application/json") => Ok(Self::Json),
            Some("text/event-stream") => Ok(Self::Sse),
            Some(_) | None => Err(Failure::new(format!(
                "a plain initialize is answered with{value}"
            ))),
        }
    }

    /// The name of the framing, also as an argument of `server.py`.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Sse => "sse",
        }
    }
}

/// What is installed. The pins are in the folder of the same name under `xtask/peers`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Package {
    Everything,
    PythonSdk,
}

impl Package {
    /// Installs the pinned versions under `target/interop`, unless the last complete installation had the same pins.
    pub(super) fn install(self, workspace: &Workspace) -> Result<(), Failure> {
        let installation = Installation {
            name: self.name(),
            pins: self.pins(workspace),
            place: self.place(workspace),
            lock: self.lock(),
        };
        installation.ensure(match self {
            Self::Everything => install_node_modules,
            Self::PythonSdk => install_python,
        })
    }

    /// The pinned version.
    pub(super) fn version(self, workspace: &Workspace) -> Result<String, Failure> {
        let pins = self.pins(workspace);
        let version = match self {
            Self::Everything => {
                let package: Value = serde_json::from_slice(&fs::read(pins.join("package.json"))?)?;
                let version = package.pointer("/dependencies/@modelcontextprotocol~1server-everything");
                version.and_then(Value::as_str).map(String::from)
            }
            Self::PythonSdk => {
                let requirements = fs::read_to_string(pins.join("requirements.txt"))?;
                requirements
                    .lines()
                    .find_map(|line| line.strip_prefix("mcp=="))
                    .map(String::from)
            }
        };
        version.ok_or_else(|| Failure::new(format!("{} has no pinned version", self.name())))
    }

    /// The command that starts the server. It inherits nothing but the search path: one of the servers shows its
    /// environment to callers.
    fn server(self, workspace: &Workspace, port: u16, framing: Framing) -> Command {
        let place = self.place(workspace);
        let mut command = match self {
            Self::Everything => Command::new("node"),
            Self::PythonSdk => Command::new(place.join("bin/python")),
        };
        command
            .env_clear()
            .envs(env::var_os("PATH").map(|path| ("PATH", path)));
        command.current_dir(self.pins(workspace));
        match self {
            Self::Everything => command
                .args(["--import", "./loopback.mjs"])
                .arg(place.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js"))
                .arg("streamableHttp")
                .env("PORT", port.to_string()),
            Self::PythonSdk => command.args(["server.py", &port.to_string(), "--framing", framing.as_str()]),
        };
        command
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Everything => "everything",
            Self::PythonSdk => "python-sdk",
        }
    }

    /// The file that pins every package.
    const fn lock(self) -> &'static str {
        match self {
            Self::Everything => "package-lock.json",
            Self::PythonSdk => "requirements.txt",
        }
    }

    fn pins(self, workspace: &Workspace) -> PathBuf {
        workspace.root.join("xtask/peers").join(self.name())
    }

    fn place(self, workspace: &Workspace) -> PathBuf {
        workspace.target.join("interop").join(self.name())
    }
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

/// Runs a command to its end.
pub(crate) fn succeed(command: &mut Command) -> Result<(), Failure> {
    let status = Process::spawn(command)?.0.wait()?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!("{command:?}: {status}")))
    }
}

/// A child process. It is ended when this is dropped.
pub(super) struct Process(Child);

impl Process {
    pub(super) fn spawn(command: &mut Command) -> Result<Self, Failure> {
        let program = command.get_program().to_owned();
        let child = command.spawn();
        child
            .map(Self)
            .map_err(|error| Failure::new(format!("cannot start {}: {error}", program.display())))
    }

    /// The exit status, if the process ends in time.
    pub(super) fn exit_within(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let deadline = Instant::now() + limit;
        loop {
            let status = self.0.try_wait()?;
            if status.is_some() || Instant::now() > deadline {
                return Ok(status);
            }
            thread::sleep(POLL);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
