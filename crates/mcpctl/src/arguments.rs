//! The command line as it was typed. Nothing is looked up or read here.

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::output::Format;

/// Ask an MCP server over HTTP: is it there, what tools has it, call one.
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
        /// The URL of the MCP endpoint.
        url: String,
    },
    /// List a server's tools as it defines them.
    Tools {
        /// The URL of the MCP endpoint.
        url: String,
    },
    /// Call a tool, once. A call on a bare URL is outside catalogue and permission gate.
    Call {
        /// The URL of the MCP endpoint.
        url: String,
        /// The tool's name on the server.
        tool: String,
        /// The arguments, a JSON object; `-` reads them from standard input.
        #[arg(default_value = "{}", value_name = "ARGS_JSON|-")]
        arguments: String,
    },
}

impl Command {
    pub(crate) fn url(&self) -> &str {
        match self {
            Self::Ping { url } | Self::Tools { url } | Self::Call { url, .. } => url,
        }
    }
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
    /// A header whose value is a secret, by reference: `env:NAME` or `file:PATH`. May be given more than once.
    #[arg(long, global = true, value_name = "NAME=REF")]
    pub(crate) header: Vec<String>,
    /// A bearer credential, by reference: `env:NAME` or `file:PATH`.
    #[arg(long, global = true, value_name = "REF")]
    pub(crate) bearer: Option<String>,
    /// A file with further certificate authorities to trust, in PEM form.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) ca: Option<std::path::PathBuf>,
    /// Allow plain http beyond this machine.
    #[arg(long, global = true)]
    pub(crate) allow_http: bool,
    /// Show where the time went: queue, connect, first byte, body, decode.
    #[arg(long, global = true)]
    pub(crate) timing: bool,
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
}

impl Options {
    pub(crate) fn format(&self) -> Format {
        if self.json || self.output == Output::Json {
            Format::Json
        } else {
            Format::Text
        }
    }
}

/// Whether a command line that could not be read asks for JSON.
pub(crate) fn wants_json() -> bool {
    let arguments: Vec<String> = std::env::args_os()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let pair = |pair: &[String]| matches!(pair, [option, value] if option == "--output" && value == "json");
    arguments
        .iter()
        .any(|argument| argument == "--json" || argument == "--output=json")
        || arguments.windows(2).any(pair)
}
