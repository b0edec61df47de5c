//! What differs between a lock file and a catalogue, each difference by its name.

use std::collections::BTreeSet;

use mcp_policy::ServerName;
use mcp_policy::catalogue::LocalName;

use super::lock::{Lock, LockedServer, LockedTool};

/// One difference, from the lock file to what is there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Difference {
    pub(super) server: ServerName,
    /// `None` when it is about the server as a whole.
    pub(super) tool: Option<LocalName>,
    pub(super) change: Change,
    /// What the lock file says, where it says something.
    pub(super) locked: Option<String>,
    /// What there is instead.
    pub(super) found: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    ServerAdded,
    ServerGone,
    ServerMoved,
    ServerSwitched,
    ServerReclassified,
    ToolAdded,
    ToolGone,
    ToolRenamed,
    ToolChanged,
    ToolSwitched,
}

impl Change {
    /// The stable name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::ServerAdded => "server-added",
            Self::ServerGone => "server-gone",
            Self::ServerMoved => "server-moved",
            Self::ServerSwitched => "server-switched",
            Self::ServerReclassified => "server-reclassified",
            Self::ToolAdded => "tool-added",
            Self::ToolGone => "tool-gone",
            Self::ToolRenamed => "tool-renamed",
            Self::ToolChanged => "tool-changed",
            Self::ToolSwitched => "tool-switched",
        }
    }
}

/// Every difference, in the order of servers and tools. With a server, its tools are added and gone as well.
pub(super) fn compare(locked: &Lock, found: &Lock) -> Vec<Difference> {
    let servers: BTreeSet<&ServerName> = locked.0.keys().chain(found.0.keys()).collect();
    let mut differences = Vec::new();
    for server in servers {
        let pair = (locked.0.get(server), found.0.get(server));
        let mut add = |tool: Option<&LocalName>, change, locked: Option<String>, found: Option<String>| {
            differences.push(Difference {
                server: server.clone(),
                tool: tool.cloned(),
                change,
                locked,
                found,
            });
        };
        match pair {
            (Some(locked), Some(found)) => compare_server(locked, found, |change, locked, found| {
                add(None, change, Some(locked), Some(found));
            }),
            (None, Some(found)) => add(None, Change::ServerAdded, None, Some(origin(found))),
            (Some(locked), None) => add(None, Change::ServerGone, Some(origin(locked)), None),
            (None, None) => {}
        }
        let tools = |server: Option<&LockedServer>| server.map(|server| server.tools.clone());
        let (locked, found) = (
            tools(pair.0).unwrap_or_default(),
            tools(pair.1).unwrap_or_default(),
        );
        let names: BTreeSet<&LocalName> = locked.keys().chain(found.keys()).collect();
        for name in names {
            match (locked.get(name), found.get(name)) {
                (Some(locked), Some(found)) => compare_tool(locked, found, |change, locked, found| {
                    add(Some(name), change, Some(locked), Some(found));
                }),
                (None, Some(found)) => add(Some(name), Change::ToolAdded, None, Some(definition(found))),
                (Some(locked), None) => add(Some(name), Change::ToolGone, Some(definition(locked)), None),
                (None, None) => {}
            }
        }
    }
    differences
}

fn compare_server(
    locked: &LockedServer,
    found: &LockedServer,
    mut differs: impl FnMut(Change, String, String),
) {
    let class = |server: &LockedServer| {
        server
            .class
            .map_or("unclassified", |class| class.name())
            .to_owned()
    };
    if locked.origin != found.origin {
        differs(Change::ServerMoved, origin(locked), origin(found));
    }
    if locked.enabled != found.enabled {
        differs(
            Change::ServerSwitched,
            switch(locked.enabled),
            switch(found.enabled),
        );
    }
    if locked.class != found.class {
        differs(Change::ServerReclassified, class(locked), class(found));
    }
}

fn compare_tool(locked: &LockedTool, found: &LockedTool, mut differs: impl FnMut(Change, String, String)) {
    if locked.remote_name != found.remote_name {
        let name = |tool: &LockedTool| tool.remote_name.as_str().to_owned();
        differs(Change::ToolRenamed, name(locked), name(found));
    }
    if locked.fingerprint != found.fingerprint {
        differs(Change::ToolChanged, definition(locked), definition(found));
    }
    if locked.enabled != found.enabled {
        differs(
            Change::ToolSwitched,
            switch(locked.enabled),
            switch(found.enabled),
        );
    }
}

fn origin(server: &LockedServer) -> String {
    server.origin.clone().unwrap_or_else(|| "no URL".to_owned())
}

fn definition(tool: &LockedTool) -> String {
    tool.fingerprint.to_string()
}

fn switch(enabled: bool) -> String {
    if enabled { "enabled" } else { "disabled" }.to_owned()
}
