//! What stands before or after any command.

use clap::{Args, ValueEnum};

use crate::output::Format;

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
    let pair = |pair: &[String]| matches!(pair, [option, value] if option == "--output" && matches!(&**value, "json" | "ndjson"));
    arguments
        .iter()
        .any(|argument| matches!(&**argument, "--json" | "--output=json" | "--output=ndjson"))
        || arguments.windows(2).any(pair)
}
