//! The command line as it was typed. Nothing is looked up or read here.

mod catalogue;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use self::catalogue::CatalogueCommand;
use crate::output::Format;

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

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Seconds for the whole operation.
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        default_value = "20",
        allow_negative_numbers = true
    )]
    pub(crate) budget: String,
    /// A header whose value is a secret, by reference: `env:NAME`, `file:PATH` or `exec:/PROGRAM ARGUMENTS`. May be given more than once.
    #[arg(long, global = true, value_name = "NAME=REF")]
    pub(crate) header: Vec<String>,
    /// A bearer credential, by reference: `env:NAME`, `file:PATH` or `exec:/PROGRAM ARGUMENTS`.
    #[arg(long, global = true, value_name = "REF")]
    pub(crate) bearer: Option<String>,
    /// A file with further certificate authorities to trust, in PEM form.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) ca: Option<std::path::PathBuf>,
    /// Allow plain http beyond this machine.
    #[arg(long, global = true)]
    pub(crate) allow_http: bool,
    /// A proxy for every connection: `http://host:port`. None is taken from the environment.
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// A bearer credential for the proxy, by reference.
    #[arg(long, global = true, value_name = "REF", requires = "proxy")]
    pub(crate) proxy_bearer: Option<String>,
    /// `user:password` for the proxy, by reference.
    #[arg(
        long,
        global = true,
        value_name = "REF",
        requires = "proxy",
        conflicts_with = "proxy_bearer"
    )]
    pub(crate) proxy_basic: Option<String>,
    /// The file of the store; by default `mcpctl/store.db` in the directory for the user's data.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) store: Option<std::path::PathBuf>,
    /// Show where the time went: queue, connect, first byte, body, decode.
    #[arg(long, global = true)]
    pub(crate) timing: bool,
    /// Say more of a failure: its class, who is at fault, where the time went, and what lies beneath.
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
    /// Log to standard error, down to this level.
    #[arg(long, global = true, value_enum, value_name = "LEVEL")]
    pub(crate) log: Option<Level>,
    /// The trace that the operation is part of, sent with each request: `00-<trace id>-<parent id>-<flags>`.
    #[arg(long, global = true, value_name = "CONTEXT")]
    pub(crate) traceparent: Option<String>,
    /// What further tracers say of the trace.
    #[arg(long, global = true, value_name = "LIST", requires = "traceparent")]
    pub(crate) tracestate: Option<String>,
    /// How to print.
    #[arg(long, global = true, value_enum, default_value_t = Output::Text)]
    output: Output,
    /// The same as `--output json`.
    #[arg(long, global = true)]
    json: bool,
}

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    Text,
    Json,
    Ndjson,
}

impl Options {
    pub(crate) fn format(&self) -> Format {
        match self.output {
            Output::Ndjson => Format::Ndjson,
            Output::Json => Format::Json,
            Output::Text if self.json => Format::Json,
            Output::Text => Format::Text,
        }
    }
}

/// Whether a command line that could not be read asks for JSON.
pub(crate) fn wants_json() -> bool {
    let arguments: Vec<String> = std::env::args_os()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let pair =
        |pair: &[String]| matches!(pair, [option, value] if option == "--output" && value.ends_with("json"));
    arguments
        .iter()
        .any(|argument| matches!(&**argument, "--json" | "--output=json" | "--output=ndjson"))
        || arguments.windows(2).any(pair)
}
