//! The lock file of the catalogue: what stands in it, and how it is read.
//!
//! One tool is one line, and everything is in order, so that a difference of two files reads well. There is no time in it,
//! no machine, no path or query of a URL, and no credential, not even by reference.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use mcp_policy::catalogue::{CatalogueRow, Fingerprint, LocalName};
use mcp_policy::port::Snapshot;
use mcp_policy::{DataClass, ServerName, ServerRecord, Switch};
use mcp_wire::ToolName;
use serde::{Deserialize, Serialize};

use crate::failed::{Failed, Local};
use crate::printable::printable_json;

/// The name of the format.
const FORMAT: &str = "mcpctl-catalogue";

/// The version of the format that is written, and the only one that is read.
const VERSION: u64 = 1;

/// The most that is read of a file, in bytes.
const FILE_BYTES: u64 = 16 * 1_024 * 1_024;

/// Servers and their live tools, as a lock file holds them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Lock(pub(super) BTreeMap<ServerName, LockedServer>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LockedServer {
    /// Scheme, host and port; `None` when the record has no URL.
    pub(super) origin: Option<String>,
    pub(super) enabled: bool,
    pub(super) class: Option<DataClass>,
    pub(super) tools: BTreeMap<LocalName, LockedTool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LockedTool {
    pub(super) remote_name: ToolName,
    pub(super) enabled: bool,
    pub(super) fingerprint: Fingerprint,
}

/// What tells that a file is a lock file, before anything else of it is looked at.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LockForm {
    format: String,
    version: u64,
    servers: Vec<ServerForm>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerForm {
    server: String,
    // Absent is not null: a line that somebody took out is no record without a URL.
    #[serde(deserialize_with = "Option::deserialize")]
    origin: Option<String>,
    enabled: bool,
    #[serde(deserialize_with = "Option::deserialize")]
    data_class: Option<String>,
    tools: Vec<ToolForm>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolForm {
    tool: String,
    remote_name: String,
    enabled: bool,
    fingerprint: String,
}

impl Lock {
    /// The catalogue as it stands. Tools that their server no longer offers are none of it.
    pub(super) fn of(records: &[ServerRecord], snapshot: &Snapshot) -> Self {
        let server = |record: &ServerRecord| {
            let kept = snapshot.servers.get(&record.name).into_iter();
            let rows = kept.flat_map(|kept| kept.rows.values());
            let locked = LockedServer {
                origin: record
                    .endpoint
                    .as_ref()
                    .map(|endpoint| endpoint.origin().to_owned()),
                enabled: record.switch == Switch::On,
                class: record.class,
                tools: rows.filter_map(LockedTool::of).collect(),
            };
            (record.name.clone(), locked)
        };
        Self(records.iter().map(server).collect())
    }

    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self, Failed> {
        let unreadable = |_error| Failed::local(Local::LockUnreadable, "the lock file could not be read");
        let file = File::open(path).map_err(unreadable)?;
        let mut text = String::new();
        let read = file.take(FILE_BYTES + 1).read_to_string(&mut text);
        if read.map_err(unreadable)? as u64 > FILE_BYTES {
            return Err(Failed::local(
                Local::LockInvalid,
                "the lock file is larger than 16 MiB",
            ));
        }
        Self::parse(&text)
    }

    /// Reads the text of a file, whole or not at all.
    fn parse(text: &str) -> Result<Self, Failed> {
        let at = |error: serde_json::Error| {
            let line = error.line();
            Failed::local(
                Local::LockInvalid,
                format!("the file is no lock file of the catalogue (line {line})"),
            )
        };
        let head: Head = serde_json::from_str(text).map_err(at)?;
        if head.format != FORMAT {
            return Err(invalid("its format"));
        }
        if head.version != VERSION {
            let message = format!(
                "the lock file is of version {}, and only version {VERSION} is known; export it anew",
                head.version
            );
            return Err(Failed::local(Local::LockVersionUnknown, message));
        }
        let form: LockForm = serde_json::from_str(text).map_err(at)?;
        let (mut lock, mut names) = (Self::default(), BTreeSet::new());
        for server in form.servers {
            let (name, locked) = server.read(&mut names)?;
            if lock.0.insert(name.clone(), locked).is_some() {
                return Err(twice("server", &name));
            }
        }
        Ok(lock)
    }

    /// The text of a file.
    pub(super) fn write(&self) -> String {
        let mut text =
            format!("{{\n  \"format\": \"{FORMAT}\",\n  \"version\": {VERSION},\n  \"servers\": [");
        for (index, (name, server)) in self.0.iter().enumerate() {
            let form = ServerForm::of(name, server);
            // Writing to a `String` does not fail.
            let _infallible = write!(
                text,
                "{}\n    {{\n      \"server\": {},\n      \"origin\": {},\n      \"enabled\": {},\n      \
                 \"data_class\": {},\n      \"tools\": [",
                comma(index),
                json(&form.server),
                json(&form.origin),
                form.enabled,
                json(&form.data_class),
            );
            for (index, tool) in form.tools.iter().enumerate() {
                let _infallible = write!(text, "{}\n        {}", comma(index), json(tool));
            }
            text += if form.tools.is_empty() { "]" } else { "\n      ]" };
            text += "\n    }";
        }
        text += if self.0.is_empty() { "]" } else { "\n  ]" };
        text + "\n}\n"
    }

    /// How many tools there are.
    pub(super) fn tools(&self) -> usize {
        self.0.values().map(|server| server.tools.len()).sum()
    }
}

impl LockedTool {
    /// A row under its local name; `None` for one that its server no longer offers.
    pub(super) fn of(row: &CatalogueRow) -> Option<(LocalName, Self)> {
        let locked = Self {
            remote_name: row.remote_name.clone(),
            enabled: row.is_on(),
            fingerprint: row.definition.fingerprint,
        };
        (!row.is_orphaned()).then(|| (row.local_name.clone(), locked))
    }
}

impl ServerForm {
    fn of(name: &ServerName, server: &LockedServer) -> Self {
        let tools = server.tools.iter().map(|(name, tool)| ToolForm {
            tool: name.to_string(),
            remote_name: tool.remote_name.as_str().to_owned(),
            enabled: tool.enabled,
            fingerprint: tool.fingerprint.to_string(),
        });
        Self {
            server: name.to_string(),
            origin: server.origin.clone(),
            enabled: server.enabled,
            data_class: server.class.map(|class| class.name().to_owned()),
            tools: tools.collect(),
        }
    }

    /// The server's values. `names` are the local names that were read before: they are unique in the whole catalogue.
    fn read(self, names: &mut BTreeSet<LocalName>) -> Result<(ServerName, LockedServer), Failed> {
        let name = ServerName::parse(&self.server).map_err(|_error| invalid("a server's name"))?;
        let class = self.data_class.map(|class| DataClass::named(&class));
        let mut locked = LockedServer {
            origin: self.origin,
            enabled: self.enabled,
            class: class
                .map(|class| class.ok_or_else(|| invalid("a data class")))
                .transpose()?,
            tools: BTreeMap::new(),
        };
        for tool in self.tools {
            let local = LocalName::parse(&tool.tool).map_err(|_fault| invalid("a tool's name"))?;
            if !names.insert(local.clone()) {
                return Err(twice("tool", &local));
            }
            let tool = LockedTool {
                remote_name: ToolName::parse(&tool.remote_name)
                    .map_err(|_error| invalid("a tool's remote name"))?,
                enabled: tool.enabled,
                fingerprint: Fingerprint::parse(&tool.fingerprint)
                    .map_err(|_error| invalid("a fingerprint"))?,
            };
            locked.tools.insert(local, tool);
        }
        Ok((name, locked))
    }
}

fn comma(index: usize) -> &'static str {
    if index == 0 { "" } else { "," }
}

/// One value on one line, with characters that steer a terminal as escapes.
fn json(value: &impl Serialize) -> String {
    // Strings and switches: there is nothing that cannot be written.
    printable_json(&serde_json::to_string(value).unwrap_or_default())
}

fn invalid(what: &str) -> Failed {
    let message = format!("the file is no lock file of the catalogue: {what} cannot be read");
    Failed::local(Local::LockInvalid, message)
}

fn twice(what: &str, name: &impl std::fmt::Display) -> Failed {
    let message = format!("the lock file names the {what} {name} twice");
    Failed::local(Local::LockDuplicate, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn text() -> String {
        format!(
            r#"{{
  "format": "mcpctl-catalogue",
  "version": 1,
  "servers": [
    {{
      "server": "demo",
      "origin": "https://srv.example",
      "enabled": true,
      "data_class": "publicContent",
      "tools": [
        {{"tool":"mcp_demo_add","remote_name":"add","enabled":false,"fingerprint":"mcp1:{DIGITS}"}},
        {{"tool":"mcp_demo_echo","remote_name":"echo","enabled":true,"fingerprint":"mcp1:{DIGITS}"}}
      ]
    }},
    {{
      "server": "other",
      "origin": null,
      "enabled": false,
      "data_class": null,
      "tools": []
    }}
  ]
}}
"#
        )
    }

    #[test]
    fn what_was_written_is_read_and_written_the_same() {
        let lock = Lock::parse(&text()).unwrap();
        assert_eq!((lock.0.len(), lock.tools()), (2, 2));
        assert_eq!(lock.write(), text());
        let empty = Lock::default();
        assert_eq!(Lock::parse(&empty.write()).unwrap(), empty);
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let text = text();
        let echo = r#""tool":"mcp_demo_echo""#;
        for (from, to, kind) in [
            ("\"version\": 1", "\"version\": 2", "lock-version-unknown"),
            ("\"version\": 1", "\"version\": 1.5", "lock-invalid"),
            ("\"version\": 1,", "", "lock-invalid"),
            ("\"version\": 1", "\"version\": 1, \"version\": 1", "lock-invalid"),
            ("mcpctl-catalogue", "mcpctl-other", "lock-invalid"),
            ("\"other\"", "\"demo\"", "lock-duplicate"),
            (echo, r#""tool":"mcp_demo_add""#, "lock-duplicate"),
            ("\"server\": \"demo\"", "\"server\": \"De mo\"", "lock-invalid"),
            (echo, r#""tool":"<b>""#, "lock-invalid"),
            ("\"echo\"", "\"e\\u0000\"", "lock-invalid"),
            ("publicContent", "PublicContent", "lock-invalid"),
            ("mcp1:", "mcp2:", "lock-invalid"),
            (
                "\"data_class\": null",
                "\"data_class\": null, \"more\": 1",
                "lock-invalid",
            ),
            ("\"origin\": null,", "", "lock-invalid"),
            ("\"enabled\": false,", "", "lock-invalid"),
            ("\"enabled\":true", "\"enabled\":\"true\"", "lock-invalid"),
            ("]\n}\n", "]\n}\n{}", "lock-invalid"),
            ("]\n}\n", "<<<<<<<", "lock-invalid"),
        ] {
            let bent = text.replace(from, to);
            assert_ne!(bent, text, "{from}");
            assert_eq!(Lock::parse(&bent).unwrap_err().kind, kind, "{from} -> {to}");
        }
    }
}
