//! The commands on servers that are kept, and on their tools.

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum ServerCommand {
    /// Keep a server. `--bearer`, `--header` and `--budget` belong to it then.
    Add(NewServer),
    /// Show the servers.
    List,
    /// Show one server.
    Show { name: String },
    /// Forget a server, its tools and its last contact.
    Remove { name: String },
    /// Let a server be used.
    Enable { name: String },
    /// Let a server no longer be used.
    Disable { name: String },
    /// Say how sensitive the data is that a server's tools handle.
    Classify {
        name: String,
        /// publicContent, editorContent, sourceCode, internalConfiguration, systemDiagnostics or secretAdjacent.
        class: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct NewServer {
    /// The name: 1 to 32 of a-z, 0-9 and _.
    #[arg(required_unless_present = "from", conflicts_with = "from")]
    pub(crate) name: Option<String>,
    /// The URL of the MCP endpoint.
    #[arg(conflicts_with = "from")]
    pub(crate) url: Option<String>,
    /// The servers of an `mcp.json` instead, of the type http. What is not understood is reported.
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<std::path::PathBuf>,
    /// Let that file name variables of the environment.
    #[arg(long, requires = "from")]
    pub(crate) expand: bool,
    /// The data class.
    #[arg(long, conflicts_with = "from")]
    pub(crate) class: Option<String>,
    /// Calls need no approval.
    #[arg(long, conflicts_with = "from")]
    pub(crate) no_approval: bool,
    /// The group that its tools are switched by; by default `mcp_` and the name.
    #[arg(long, conflicts_with = "from")]
    pub(crate) group: Option<String>,
    /// The pages that a list may have.
    #[arg(long, value_name = "COUNT", conflicts_with = "from", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_pages: Option<u32>,
    /// The tools that a list may have.
    #[arg(long, value_name = "COUNT", conflicts_with = "from")]
    pub(crate) max_tools: Option<usize>,
    /// The bytes of all definitions together.
    #[arg(long, value_name = "BYTES", conflicts_with = "from")]
    pub(crate) max_list_bytes: Option<usize>,
    /// The bytes of one reply.
    #[arg(long, value_name = "BYTES", conflicts_with = "from")]
    pub(crate) max_body_bytes: Option<usize>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolCommand {
    /// Show the tools, of all servers or of one.
    List { server: Option<String> },
    /// Show one tool whole.
    Show { tool: String },
    /// Switch a tool on as it stands.
    Enable { tool: String },
    /// Switch a tool off.
    Disable { tool: String },
    /// Switch a tool on in the definition that `tool show` prints the fingerprint of.
    Confirm { tool: String, fingerprint: String },
}
