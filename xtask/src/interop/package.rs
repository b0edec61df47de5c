//! What is installed: servers and clients of other makers, and the server of this workspace; how each is started.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::install::{
    Installation, Workspace, build_conformance_server, build_workspace, install_node_modules, install_python,
};
use super::running::{Form, Framing, State};
use crate::failure::Failure;

/// A package with a server, most with a client too. Its pins are in the folder of the same name under `xtask/peers`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Package {
    Everything,
    PythonSdk,
    Fastmcp,
    TypescriptSdk,
    Rmcp,
    /// The example of `mcp-server`, pinned by the lock file of this workspace.
    ConformanceServer,
}

pub(crate) const JSON_IN_SESSIONS: Form = Form::new(Framing::Json, State::Sessions);
pub(crate) const JSON_STATELESS: Form = Form::new(Framing::Json, State::Stateless);
const SSE_IN_SESSIONS: Form = Form::new(Framing::Sse, State::Sessions);
const SSE_STATELESS: Form = Form::new(Framing::Sse, State::Stateless);

impl Package {
    pub(super) const ALL: [Self; 6] = [
        Self::Everything,
        Self::PythonSdk,
        Self::Fastmcp,
        Self::TypescriptSdk,
        Self::Rmcp,
        Self::ConformanceServer,
    ];

    /// Those that have a client too.
    pub(super) const CLIENTS: [Self; 3] = [Self::PythonSdk, Self::TypescriptSdk, Self::Rmcp];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Everything => "everything",
            Self::PythonSdk => "python-sdk",
            Self::Fastmcp => "fastmcp",
            Self::TypescriptSdk => "typescript-sdk",
            Self::Rmcp => "rmcp",
            Self::ConformanceServer => "conformance-server",
        }
    }

    /// The forms in which the server answers `initialize`. The reference server has one, and rmcp none in sessions but
    /// event streams. Ours opens an event stream only for a request with notifications.
    pub(super) const fn forms(self) -> &'static [Form] {
        match self {
            Self::Everything => &[SSE_IN_SESSIONS],
            Self::PythonSdk | Self::Fastmcp | Self::TypescriptSdk => {
                &[JSON_IN_SESSIONS, JSON_STATELESS, SSE_IN_SESSIONS, SSE_STATELESS]
            }
            Self::Rmcp => &[JSON_STATELESS, SSE_IN_SESSIONS, SSE_STATELESS],
            Self::ConformanceServer => &[JSON_IN_SESSIONS, JSON_STATELESS],
        }
    }

    /// Installs the pinned versions under `target/interop`, unless the last complete installation had the same pins.
    pub(crate) fn install(self, workspace: &Workspace) -> Result<(), Failure> {
        let (pins, place) = (self.pins(workspace), self.place(workspace));
        let install = match self {
            Self::Everything | Self::TypescriptSdk => install_node_modules,
            Self::PythonSdk | Self::Fastmcp => install_python,
            Self::Rmcp => return build_workspace(&pins, &place),
            Self::ConformanceServer => return build_conformance_server(),
        };
        let installation = Installation {
            name: self.name(),
            pins,
            place,
            lock: self.lock(),
        };
        installation.ensure(install)
    }

    /// The pinned version of the server.
    pub(super) fn version(self, workspace: &Workspace) -> Result<String, Failure> {
        let pins = fs::read_to_string(self.pins(workspace).join(self.lock()))?;
        let version = match self {
            Self::Everything => locked(&pins, "server-everything"),
            Self::TypescriptSdk => locked(&pins, "server"),
            Self::PythonSdk => after(&pins, "\nmcp==", "\n"),
            Self::Fastmcp => after(&pins, "\nfastmcp==", "\n"),
            Self::Rmcp => after(&pins, "name = \"rmcp\"\nversion = \"", "\""),
            Self::ConformanceServer => after(&pins, "name = \"mcp-server\"\nversion = \"", "\""),
        };
        version.ok_or_else(|| Failure::new(format!("{} has no pinned version", self.name())))
    }

    /// The command that starts the server. It inherits nothing but the search path: one of the servers shows its
    /// environment to callers.
    pub(super) fn server(self, workspace: &Workspace, port: u16, form: Form) -> Command {
        let place = self.place(workspace);
        let mut command = match self {
            Self::Everything | Self::TypescriptSdk => Command::new("node"),
            Self::PythonSdk | Self::Fastmcp => Command::new(place.join("bin/python")),
            Self::Rmcp => Command::new(place.join("debug/server")),
            Self::ConformanceServer => Command::new(&place),
        };
        command
            .env_clear()
            .envs(env::var_os("PATH").map(|path| ("PATH", path)));
        command.current_dir(self.pins(workspace));
        let port = port.to_string();
        let of_ours = [&port, form.framing.as_str(), form.state.as_str()];
        match self {
            Self::Everything => command
                .args(["--import", "./loopback.mjs"])
                .arg(place.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js"))
                .arg("streamableHttp")
                .env("PORT", port),
            Self::TypescriptSdk => command.arg("server.mjs").arg(place).args(of_ours),
            Self::PythonSdk | Self::Fastmcp => command.arg("server.py").args(of_ours),
            Self::Rmcp => command.args(of_ours),
            Self::ConformanceServer => command.arg(&port).args(match form.state {
                State::Sessions => None,
                State::Stateless => Some("--stateless"),
            }),
        };
        command
    }

    /// The command that runs the client, if there is one. What it talks to is appended.
    pub(super) fn client(self, workspace: &Workspace) -> Option<Command> {
        let (pins, place) = (self.pins(workspace), self.place(workspace));
        let command = |program: PathBuf, arguments: &[PathBuf]| {
            let mut command = Command::new(program);
            command.args(arguments);
            command
        };
        match self {
            Self::TypescriptSdk => Some(command("node".into(), &[pins.join("client.mjs"), place])),
            Self::PythonSdk => Some(command(
                place.join("bin/python"),
                &["-B".into(), pins.join("client.py")],
            )),
            Self::Rmcp => Some(command(place.join("debug/client"), &[])),
            Self::Everything | Self::Fastmcp | Self::ConformanceServer => None,
        }
    }

    /// The file that pins every package.
    const fn lock(self) -> &'static str {
        match self {
            Self::Everything | Self::TypescriptSdk => "package-lock.json",
            Self::PythonSdk | Self::Fastmcp => "requirements.txt",
            Self::Rmcp | Self::ConformanceServer => "Cargo.lock",
        }
    }

    fn pins(self, workspace: &Workspace) -> PathBuf {
        match self {
            Self::ConformanceServer => workspace.root.clone(),
            Self::Everything | Self::PythonSdk | Self::Fastmcp | Self::TypescriptSdk | Self::Rmcp => {
                workspace.root.join("xtask/peers").join(self.name())
            }
        }
    }

    /// Where it is installed; of our server, the program.
    pub(crate) fn place(self, workspace: &Workspace) -> PathBuf {
        match self {
            Self::ConformanceServer => workspace.target.join("debug/examples/conformance_server"),
            Self::Everything | Self::PythonSdk | Self::Fastmcp | Self::TypescriptSdk | Self::Rmcp => {
                workspace.target.join("interop").join(self.name())
            }
        }
    }
}

/// The version of a package of the protocol's own scope in a `package-lock.json`.
fn locked(lock: &str, package: &str) -> Option<String> {
    let lock: Value = serde_json::from_str(lock).ok()?;
    let installed = lock
        .get("packages")?
        .get(format!("node_modules/@modelcontextprotocol/{package}"))?;
    installed.get("version")?.as_str().map(String::from)
}

/// What stands between the first `start` and the next `end`.
fn after(text: &str, start: &str, end: &str) -> Option<String> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(found, _)| found.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_each_kind_of_lock() {
        let lock = r#"{"packages":{"node_modules/@modelcontextprotocol/server":{"version":"2.4.0"}}}"#;
        assert_eq!(locked(lock, "server").as_deref(), Some("2.4.0"));
        assert_eq!(locked(lock, "client"), None);
        let requirements = "anyio==1\nmcp==2.3.0\nmcp-types==9\n";
        assert_eq!(after(requirements, "\nmcp==", "\n").as_deref(), Some("2.3.0"));
        assert_eq!(after(requirements, "\nfastmcp==", "\n"), None);
    }
}
