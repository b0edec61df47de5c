//! A server as a process, on a loopback port of its own, and the form of its answers.

use std::fmt;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::install::Workspace;
use super::package::Package;
use super::process::Process;
use crate::failure::Failure;

const START_LIMIT: Duration = Duration::from_secs(30);
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// How long to wait before the port is tried again.
const POLL: Duration = Duration::from_millis(2);

/// The request of [`Running::form`].
const INITIALIZE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{},"clientInfo":{"name":"interop","version":"0"}}}"#
);

/// A server that accepts connections. It is ended when this is dropped.
pub(crate) struct Running {
    port: u16,
    _process: Process,
}

impl Running {
    /// Starts a server and waits until it accepts connections.
    pub(crate) fn start(package: Package, form: Form, workspace: &Workspace) -> Result<Self, Failure> {
        let name = package.name();
        let port = free_port()?;
        let logs = workspace.target.join("interop");
        fs::create_dir_all(&logs)?;
        let log = logs.join(format!("{name}-{form}.log"));
        let output = File::create(&log)?;
        let mut command = package.server(workspace, port, form);
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

    pub(crate) fn url(&self) -> String {
        format!("http://{}:{}/mcp", Ipv4Addr::LOCALHOST, self.port)
    }

    pub(super) const fn port(&self) -> u16 {
        self.port
    }

    /// The form in which the server answers a plain `initialize` that accepts both framings.
    pub(super) fn form(&self) -> Result<Form, Failure> {
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
        let mut lines = Vec::new();
        for line in BufReader::new(stream).lines() {
            let line = line?;
            if line.is_empty() {
                return Form::of_head(&lines);
            }
            lines.push(line);
        }
        Err(Failure::new(
            "the answer to a plain initialize has no end of its head",
        ))
    }
}

/// A port that nobody has. It lies below those that systems give out of themselves, so that no other program is given it
/// before the server has it.
fn free_port() -> Result<u16, Failure> {
    const FIRST: u32 = 20_000;
    const COUNT: u32 = 10_000;
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    let free = (0..COUNT).find_map(|_| {
        let at = std::process::id().wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed));
        let port = u16::try_from(FIRST + at % COUNT).ok()?;
        TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok().map(|_| port)
    });
    free.ok_or_else(|| Failure::new("there is no free port"))
}

/// How a server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) framing: Framing,
    pub(crate) state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    Json,
    Sse,
}

/// Whether a server issues a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Sessions,
    Stateless,
}

impl Form {
    pub(super) const fn new(framing: Framing, state: State) -> Self {
        Self { framing, state }
    }

    /// The form that the head of an answer shows.
    fn of_head(lines: &[String]) -> Result<Self, Failure> {
        let field = |wanted: &str| {
            let mut fields = lines.iter().filter_map(|line| line.split_once(':'));
            fields.find_map(|(name, value)| name.eq_ignore_ascii_case(wanted).then(|| value.trim()))
        };
        let media_type = field("content-type").and_then(|value| value.split(';').next());
        let framing = match media_type.map(str::to_ascii_lowercase).as_deref() {
            Some("application/json") => Framing::Json,
            Some("text/event-stream") => Framing::Sse,
            Some(_) | None => {
                let head = lines.join(", ");
                return Err(Failure::new(format!(
                    "a plain initialize is answered with {head}"
                )));
            }
        };
        let state = match field("mcp-session-id") {
            Some(_) => State::Sessions,
            None => State::Stateless,
        };
        Ok(Self { framing, state })
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.framing.as_str(), self.state.as_str())
    }
}

impl Framing {
    /// The name, also as an argument of our servers.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Sse => "sse",
        }
    }
}

impl State {
    /// The name, also as an argument of our servers.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Stateless => "stateless",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_shows_the_form() {
        let form = |lines: &[&str]| {
            let lines: Vec<_> = lines.iter().copied().map(String::from).collect();
            Form::of_head(&lines).ok()
        };
        let status = "HTTP/1.1 200 OK";
        assert_eq!(
            form(&[status, "Content-Type: application/json; charset=utf-8"]),
            Some(Form::new(Framing::Json, State::Stateless))
        );
        assert_eq!(
            form(&[status, "mcp-session-id: s", "content-type:text/event-stream"]),
            Some(Form::new(Framing::Sse, State::Sessions))
        );
        assert_eq!(form(&[status, "content-type: text/html"]), None);
        assert_eq!(form(&[status]), None);
    }
}
