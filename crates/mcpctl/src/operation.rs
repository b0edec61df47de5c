//! From the command line to the operation and its outcome.

use std::future::Future;
use std::io::Read;
use std::time::Duration;

use mcp_host::{Budget, CancelToken, Host, OutboundRules, Server, Tls, Vault, Wiring};
use mcp_policy::port::{Actor, RunId};
use mcp_policy::{Failure, ServerName, WalkLimits};
use mcp_wire::{
    Arguments as ToolArguments, ClientInfo, Credential, CredentialHeader, CredentialPlacement, Endpoint,
    Target, ToolName,
};

use crate::arguments::{Arguments, Command, Options};
use crate::failed::Failed;
use crate::output::Shown;
use crate::waiting::{Interrupt, wait};

/// The most that is read from standard input, in bytes.
const STDIN_BYTES: u64 = 8 * 1_024 * 1_024;

/// The command with everything read that it names.
enum Task {
    Ping,
    Tools,
    Call(ToolName, ToolArguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Shown, Failed> {
    let (url, task) = match &arguments.command {
        Command::Ping { url } => (url, Task::Ping),
        Command::Tools { url } => (url, Task::Tools),
        Command::Call { url, tool, arguments } => {
            let tool = ToolName::parse(tool).map_err(|error| Failed::usage("tool-name-invalid", error))?;
            (url, Task::Call(tool, read_arguments(arguments)?))
        }
    };
    let server = read_server(url, &arguments.options)?;
    let origin = server.target.endpoint.origin();
    let host = wire(&arguments.options).map_err(|failed| failed.at(&origin))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failed::configuration("runtime-unavailable", error))?;
    runtime
        .block_on(carry_out(&host, &server, task, &origin))
        .map_err(|failed| failed.at(&origin))
}

async fn carry_out(host: &Host, server: &Server, task: Task, origin: &str) -> Result<Shown, Failed> {
    let client = host.client();
    match task {
        Task::Ping => {
            let pong = or_interrupted(client.ping(server), origin).await?;
            Ok(Shown::pong(pong, origin))
        }
        Task::Tools => {
            let list = or_interrupted(client.list_tools(server, WalkLimits::default()), origin).await?;
            Ok(Shown::tools(&list))
        }
        Task::Call(tool, arguments) => {
            let token = CancelToken::new();
            let (run, actor) = (RunId("mcpctl".to_owned()), Actor::Unattended);
            let call = client.call_tool(server, &tool, &arguments, &run, &actor, &token);
            match wait(call, origin, Interrupt::Cancel(&token)).await {
                None => Err(Failed::interrupted()),
                Some(Ok(outcome)) => Ok(Shown::call(outcome, origin)),
                Some(Err(Failure::Rpc {
                    error, http_status, ..
                })) => Ok(Shown::rpc_error(&error, http_status, origin)),
                Some(Err(failure)) => Err(Failed::of(&failure)),
            }
        }
    }
}

/// An operation that takes no cancellation of its own: an interrupt drops it.
async fn or_interrupted<T>(
    operation: impl Future<Output = Result<T, Failure>>,
    origin: &str,
) -> Result<T, Failed> {
    match wait(operation, origin, Interrupt::Drop).await {
        None => Err(Failed::interrupted()),
        Some(Ok(value)) => Ok(value),
        Some(Err(failure)) => Err(Failed::of(&failure)),
    }
}

fn read_arguments(text: &str) -> Result<ToolArguments, Failed> {
    let mut piped = String::new();
    let text = if text == "-" {
        let read = std::io::stdin()
            .lock()
            .take(STDIN_BYTES + 1)
            .read_to_string(&mut piped);
        let read = read.map_err(|_error| {
            Failed::usage(
                "arguments-unreadable",
                "standard input could not be read as UTF-8 text",
            )
        })?;
        if read as u64 > STDIN_BYTES {
            return Err(Failed::usage(
                "arguments-too-large",
                "the arguments are larger than 8 MiB",
            ));
        }
        &piped
    } else {
        text
    };
    ToolArguments::parse(text).map_err(|error| Failed::usage(error.kind(), error))
}

fn read_server(url: &str, options: &Options) -> Result<Server, Failed> {
    let endpoint = Endpoint::parse(url).map_err(|error| Failed::usage(error.kind(), error))?;
    let mut target = Target::new(endpoint);
    target.credentials = read_credentials(options)?;
    let name = ServerName::parse("adhoc").map_err(|error| Failed::usage("usage", error))?;
    let mut server = Server::new(name, target);
    server.budget = read_budget(&options.budget)?;
    Ok(server)
}

fn read_budget(text: &str) -> Result<Budget, Failed> {
    let seconds: Option<f64> = text.parse().ok();
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .and_then(|length| Budget::new(length).ok())
        .ok_or_else(|| Failed::usage("budget-invalid", "--budget takes seconds, from 0.001 to 86400"))
}

/// References only. What is not one could be a secret, so no message repeats it.
fn read_credentials(options: &Options) -> Result<Vec<Credential>, Failed> {
    let reference =
        |text: &str| Vault::reference(text).map_err(|error| Failed::usage("credential-form-unknown", error));
    let mut credentials = Vec::new();
    if let Some(bearer) = &options.bearer {
        credentials.push(Credential {
            reference: reference(bearer)?,
            placement: CredentialPlacement::Bearer,
        });
    }
    for header in &options.header {
        let (name, text) = header.split_once('=').ok_or_else(|| {
            Failed::usage(
                "header-invalid",
                "--header takes NAME=REF, such as X-Api-Key=env:KEY",
            )
        })?;
        let name = CredentialHeader::parse(name).map_err(|error| Failed::usage("header-invalid", error))?;
        credentials.push(Credential {
            reference: reference(text)?,
            placement: CredentialPlacement::Header(name),
        });
    }
    Ok(credentials)
}

fn wire(options: &Options) -> Result<Host, Failed> {
    let mut wiring = Wiring::default();
    wiring.info = ClientInfo {
        name: "mcpctl".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    if options.allow_http {
        wiring.outbound = OutboundRules::allowing_plain_http();
    }
    if let Some(path) = &options.ca {
        let pem = std::fs::read(path)
            .map_err(|_error| Failed::configuration("ca-unreadable", "the file of --ca could not be read"))?;
        wiring.tls =
            Tls::with_authorities(&pem).map_err(|error| Failed::configuration("ca-invalid", error))?;
    }
    Host::wire(wiring).map_err(|error| Failed::configuration(error.kind(), error))
}
