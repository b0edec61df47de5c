//! The servers of other makers: what is installed, how each is started, and in which forms it answers.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::install::{Installation, Workspace, build_workspace, install_node_modules, install_python};
use super::running::{Form, Framing, State};
use crate::failure::Failure;

/// A server. Its pins are in the folder of the same name under `xtask/peers`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Package {
    Everything,
    PythonSdk,
    Fastmcp,
    TypescriptSdk,
    Rmcp,
}

const JSON_IN_SESSIONS: Form = Form::new(Framing::Json, State::Sessions);
const JSON_STATELESS: Form = Form::new(Framing::Json, State::Stateless);
const SSE_IN_SESSIONS: Form = Form::new(Framing::Sse, State::Sessions);
const SSE_STATELESS: Form = Form::new(Framing::Sse, State::Stateless);

impl Package {
    pub(super) const ALL: [Self; 5] = [
        Self::Everything,
        Self::PythonSdk,
        Self::Fastmcp,
        Self::TypescriptSdk,
        Self::Rmcp,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Everything => "everything",
            Self::PythonSdk => "python-sdk",
            Self::Fastmcp => "fastmcp",
            Self::TypescriptSdk => "typescript-sdk",
            Self::Rmcp => "rmcp",
        }
    }

    /// The forms that it has. The reference server has one, and rmcp none in sessions but event streams.
    pub(super) const fn forms(self) -> &'static [Form] {
        match self {
            Self::Everything => &[SSE_IN_SESSIONS],
            Self::PythonSdk | Self::Fastmcp | Self::TypescriptSdk => {
                &[JSON_IN_SESSIONS, JSON_STATELESS, SSE_IN_SESSIONS, SSE_STATELESS]
            }
            Self::Rmcp => &[JSON_STATELESS, SSE_IN_SESSIONS, SSE_STATELESS],
        }
    }

    /// Installs the pinned versions under `target/interop`, unless the last complete installation had the same pins.
    pub(super) fn install(self, workspace: &Workspace) -> Result<(), Failure> {
        let (pins, place) = (self.pins(workspace), self.place(workspace));
        let install = match self {
            Self::Everything | Self::TypescriptSdk => install_node_modules,
            Self::PythonSdk | Self::Fastmcp => install_python,
            Self::Rmcp => return build_workspace(&pins, &place),
        };
        let installation = Installation {
            name: self.name(),
            pins,
            place,
            lock: self.lock(),
        };
        installation.ensure(install)
    }

    /// The pinned version.
    pub(super) fn version(self, workspace: &Workspace) -> Result<String, Failure> {
        let pins = fs::read_to_string(self.pins(workspace).join(self.lock()))?;
        let version = match self {
            Self::Everything => locked(&pins, "server-everything"),
            Self::TypescriptSdk => locked(&pins, "server"),
            Self::PythonSdk => after(&pins, "\nmcp==", "\n"),
            Self::Fastmcp => after(&pins, "\nfastmcp==", "\n"),
            Self::Rmcp => after(&pins, "name = \"rmcp\"\nversion = \"", "\""),
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
        };
        command
    }

    /// The file that pins every package.
    const fn lock(self) -> &'static str {
        match self {
            Self::Everything | Self::TypescriptSdk => "package-lock.json",
            Self::PythonSdk | Self::Fastmcp => "requirements.txt",
            Self::Rmcp => "Cargo.lock",
        }
    }

    fn pins(self, workspace: &Workspace) -> PathBuf {
        workspace.root.join("xtask/peers").join(self.name())
    }

    fn place(self, workspace: &Workspace) -> PathBuf {
        workspace.target.join("interop").join(self.name())
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
