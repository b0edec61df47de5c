//! The command line as it was typed. Nothing is looked up or read here.

mod catalogue;
mod options;
mod servers;

use clap::{Args, Parser, Subcommand};

pub(crate) use self::catalogue::CatalogueCommand;
pub(crate) use self::options::{Level, Options, wants_json};
pub(crate) use self::servers::{NewServer, ServerCommand, ToolCommand};

/// Ask MCP servers over HTTP, and keep what they offer: servers, their tools, and what may be used of them.
#[derive(Debug, Parser)]
#[command(name = "mcpctl", version, about, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) options: Options,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Shake hands with a server and say who it is. Lists nothing, calls nothing.
    Ping {
        /// The URL of the MCP endpoint, or the name of a server in the store.
        #[arg(value_name = "URL|NAME")]
        target: String,
    },
    /// List a server's tools as it defines them.
    Tools {
        /// The URL of the MCP endpoint, or the name of a server in the store.
        #[arg(value_name = "URL|NAME")]
        target: String,
    },
    /// Call a tool, once. A call on a bare URL is outside catalogue and permission gate; either is recorded.
    Call {
        /// The URL of the MCP endpoint, or the name of a server in the store.
        #[arg(value_name = "URL|NAME")]
        target: String,
        /// The tool's name on the server; for a server in the store its local name will do as well.
        tool: String,
        /// The arguments: a JSON object, `-` for one from standard input, or `key=value` and `key:=JSON`. What a value means
        /// is said by the schema of a tool that was taken in; otherwise it is text.
        #[arg(value_name = "ARGS_JSON|-|KEY=VALUE")]
        arguments: Vec<String>,
        /// Approve this call. Without it a person is asked on a terminal, or the call waits for a word given by `approval grant`.
        #[arg(long)]
        approve: bool,
        #[command(flatten)]
        standing: Standing,
    },
    /// The servers that are kept. Contacts none of them.
    #[command(subcommand)]
    Server(ServerCommand),
    /// Take in what servers offer. New tools are off, changed ones are switched off until they are confirmed.
    Import {
        /// The names of servers in the store.
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        servers: Vec<String>,
        /// Every enabled server. One that is refused does not stop the others.
        #[arg(long)]
        all: bool,
        /// Say what would be done, and change nothing.
        #[arg(long)]
        dry_run: bool,
        /// How many servers are asked at once.
        #[arg(long, value_name = "COUNT", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=64))]
        parallel: u16,
    },
    /// The tools that were taken in, and the operator's word on them. Contacts no server.
    #[command(subcommand)]
    Tool(ToolCommand),
    /// The catalogue as a file for version control, and the comparison with one.
    #[command(subcommand)]
    Catalogue(CatalogueCommand),
    /// What was last seen of each server. Contacts none of them.
    Status {
        /// Write what is known as a page, too: servers, tools, approvals, denials and calls.
        #[arg(long, value_name = "FILE")]
        html: Option<std::path::PathBuf>,
    },
    /// What the permission gate says. Contacts no server.
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// What calls wait for, and a person's word on it. Contacts no server.
    #[command(subcommand)]
    Approval(ApprovalCommand),
    /// The calls that were made. Contacts no server.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// A file of servers.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Walk through ping, import, enable, call, status and audit, with a server and a store that are gone afterwards.
    Demo,
    /// Walk the way to a server step by step, and name the first step that fails with a hint.
    Doctor {
        /// The URL of the MCP endpoint, or the name of a server in the store.
        #[arg(value_name = "URL|NAME")]
        target: String,
        /// Call this tool at the end, if it says that it only reads.
        #[arg(long, value_name = "TOOL")]
        call: Option<String>,
        /// The arguments of that call.
        #[arg(long, value_name = "ARGS_JSON", default_value = "{}", requires = "call")]
        arguments: String,
    },
    /// Print what a shell needs to complete these commands.
    Completions { shell: clap_complete::Shell },
    /// Write a manual page for each command into a directory that is there.
    Man {
        #[arg(value_name = "DIRECTORY")]
        place: std::path::PathBuf,
    },
    /// Say what a kind of failure means and what to do about it; without one, list all kinds.
    Explain {
        /// The kind, as a failure prints it.
        kind: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Say what `server add --from FILE` would take over and what not. Keeps nothing; the exit status is 8 when something would be left out.
    Check {
        /// An `mcp.json`.
        file: std::path::PathBuf,
        /// Let the file name variables of the environment.
        #[arg(long)]
        expand: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Say whether a call would be permitted, and why. The exit status is 1 when it would be denied.
    Explain {
        /// The name of the server in the store.
        server: String,
        /// The tool's name on the server, or its local name.
        tool: String,
        #[command(flatten)]
        standing: Standing,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalCommand {
    /// Show what was asked for and is not used up.
    List,
    /// Let the call take place, once: the next time that it is made just so.
    Grant { id: u64 },
    /// Refuse the call until the word is withdrawn.
    Deny { id: u64 },
    /// Take a word back. The next such call asks anew.
    Withdraw { id: u64 },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Show the steps, the first one first.
    List {
        /// Only those that a person must look at: the server may have acted, and nobody knows the outcome.
        #[arg(long)]
        in_doubt: bool,
    },
    /// Show one step and its entries.
    Show { step: u64 },
    /// Show what the gate refused, the last ones last. A call that was made is never among them.
    Denials {
        /// At most so many.
        #[arg(long, value_name = "COUNT", default_value_t = 100)]
        last: usize,
    },
    /// Prove that the ledger is the one that was written.
    Verify,
}

/// Where the answers go, and who calls.
#[derive(Debug, Args)]
pub(crate) struct Standing {
    /// The trust zone that sees the answers: local, privateHosted, externalEu or externalGlobal.
    #[arg(long, value_name = "ZONE", default_value = "local")]
    pub(crate) zone: String,
    /// Whose call it is: admin, user or nobody. Who may read the store is its administrator.
    #[arg(long = "as", value_name = "ROLE", default_value = "admin")]
    pub(crate) role: String,
}

impl Default for Standing {
    fn default() -> Self {
        Self {
            zone: "local".to_owned(),
            role: "admin".to_owned(),
        }
    }
}
