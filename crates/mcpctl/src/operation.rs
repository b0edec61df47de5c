//! From the command line to the operation and its outcome.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use mcp_host::{Budget, CancelToken, Host, OutboundRules, Server, Tls, Vault, Wiring};
use mcp_policy::port::{Actor, RunId};
use mcp_policy::{Cause, Refusal, ServerName, Timing, WalkLimits};
use mcp_wire::{
    Arguments as ToolArguments, ClientInfo, Credential, CredentialHeader, CredentialHeaderError,
    CredentialPlacement, CredentialRef, Endpoint, Target, ToolName, TraceContext,
};

use crate::arguments::{Arguments, Command, Options};
use crate::failed::{Failed, Local};
use crate::output::Shown;
use crate::timing::Ended;
use crate::waiting::{Interrupt, wait};

/// The most that is read from standard input, in bytes.
const STDIN_BYTES: u64 = 8 * 1_024 * 1_024;

/// The command with everything read that it names.
enum Task {
    Ping,
    Tools,
    Call(ToolName, ToolArguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Ended, Failed> {
    let url = arguments.command.url();
    let endpoint = Endpoint::parse(url).map_err(|error| Failed::typed(error.kind(), error))?;
    let origin = endpoint.origin();
    run_at(endpoint, arguments, &origin).map_err(|failed| failed.at(&origin))
}

/// Standard input comes last: nobody waits for it when something else is wrong.
fn run_at(endpoint: Endpoint, arguments: &Arguments, origin: &str) -> Result<Ended, Failed> {
    let server = read_server(endpoint, &arguments.options)?;
    let host = wire(&arguments.options)?;
    let task = read_task(&arguments.command)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failed::local(Local::RuntimeUnavailable, error))?;
    let ended = runtime.block_on(carry_out(&host, &server, task, origin));
    // A name look-up or a reading of a file may still block a thread; dropping the runtime would wait for it.
    runtime.shutdown_background();
    let (shown, timing) = ended?;
    let ended = Ended::new(shown);
    Ok(if arguments.options.timing {
        ended.timed(timing)
    } else {
        ended
    })
}

/// Carries out the task; what is shown of it, and where its time went.
async fn carry_out(
    host: &Host,
    server: &Server,
    task: Task,
    origin: &str,
) -> Result<(Shown, Timing), Failed> {
    let client = host.client();
    let outcome = match task {
        Task::Ping => {
            let pong = wait(client.ping(server), origin, Interrupt::Drop).await;
            pong.map(|pong| pong.map(|pong| (pong.timing, Shown::pong(pong, origin))))
        }
        Task::Tools => {
            let list = client.list_tools(server, WalkLimits::default());
            let list = wait(list, origin, Interrupt::Drop).await;
            list.map(|list| list.map(|list| (list.timing, Shown::tools(&list))))
        }
        Task::Call(tool, arguments) => {
            let token = CancelToken::new();
            let (run, actor) = (RunId("mcpctl".to_owned()), Actor::Unattended);
            let opened = client.open_run(&run, &actor).await;
            opened.map_err(|failure| Failed::of(&failure))?;
            let call = client.call_tool(server, &tool, &arguments, &run, &actor, &token);
            let call = wait(call, origin, Interrupt::Cancel(&token)).await;
            call.map(|call| call.map(|outcome| (outcome.timing, Shown::call(outcome, origin))))
        }
    };
    match outcome {
        None => Err(Failed::interrupted()),
        Some(Ok((timing, shown))) => Ok((shown, timing)),
        Some(Err(failure)) => {
            let shown = if let Cause::Rpc { error, http_status } = failure.cause() {
                Shown::rpc_error(error, *http_status, origin)
            } else {
                Shown::Failed(Failed::of(&failure).at(origin))
            };
            Ok((shown, failure.timing()))
        }
    }
}

fn read_task(command: &Command) -> Result<Task, Failed> {
    Ok(match command {
        Command::Ping { .. } => Task::Ping,
        Command::Tools { .. } => Task::Tools,
        Command::Call { tool, arguments, .. } => {
            let tool = ToolName::parse(tool).map_err(|error| {
                let message = format!("the tool cannot be called: {error}");
                Failed::local(Local::ToolNameInvalid, message)
            })?;
            Task::Call(tool, read_arguments(arguments)?)
        }
    })
}

fn read_arguments(text: &str) -> Result<ToolArguments, Failed> {
    let mut piped = String::new();
    let text = if text == "-" {
        let read = std::io::stdin()
            .lock()
            .take(STDIN_BYTES + 1)
            .read_to_string(&mut piped);
        let read = read.map_err(|_error| {
            Failed::local(
                Local::ArgumentsUnreadable,
                "standard input could not be read as UTF-8 text",
            )
        })?;
        if read as u64 > STDIN_BYTES {
            return Err(Failed::local(
                Local::ArgumentsTooLarge,
                "the arguments are larger than 8 MiB",
            ));
        }
        &piped
    } else {
        text
    };
    ToolArguments::parse(text).map_err(|error| Failed::typed(error.kind(), error))
}

fn read_server(endpoint: Endpoint, options: &Options) -> Result<Server, Failed> {
    let mut target = Target::new(endpoint);
    target.credentials = read_credentials(options)?;
    let name = ServerName::parse("adhoc").map_err(|error| Failed::local(Local::Usage, error))?;
    let mut server = Server::new(name, target);
    server.budget = read_budget(&options.budget)?;
    Ok(server)
}

fn read_budget(text: &str) -> Result<Budget, Failed> {
    let seconds: Option<f64> = text.parse().ok();
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .and_then(|length| Budget::new(length).ok())
        .ok_or_else(|| {
            Failed::local(
                Local::BudgetInvalid,
                "--budget takes seconds, from 0.001 to 86400",
            )
        })
}

/// References only. What is not one could be a secret, so no message repeats it.
fn read_credentials(options: &Options) -> Result<Vec<Credential>, Failed> {
    let mut credentials = Vec::new();
    if let Some(bearer) = &options.bearer {
        credentials.push(Credential {
            reference: read_reference(bearer)?,
            placement: CredentialPlacement::Bearer,
        });
    }
    for header in &options.header {
        let (name, text) = header.split_once('=').ok_or_else(|| {
            Failed::local(
                Local::HeaderInvalid,
                "--header takes NAME=REF, such as X-Api-Key=env:KEY",
            )
        })?;
        credentials.push(Credential {
            placement: CredentialPlacement::Header(read_header_name(name)?),
            reference: read_reference(text)?,
        });
    }
    Ok(credentials)
}

fn read_header_name(name: &str) -> Result<CredentialHeader, Failed> {
    CredentialHeader::parse(name).map_err(|error| {
        if error == CredentialHeaderError::Reserved {
            Failed::local(Local::HeaderReserved, error)
        } else {
            Failed::local(Local::HeaderInvalid, error)
        }
    })
}

fn read_reference(text: &str) -> Result<CredentialRef, Failed> {
    Vault::reference(text).map_err(|error| Failed::of(&Refusal::Credential(error).into()))
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
            .map_err(|_error| Failed::local(Local::CaUnreadable, "the file of --ca could not be read"))?;
        wiring.tls = Tls::with_authorities(&pem).map_err(|error| Failed::local(Local::CaInvalid, error))?;
    }
    if let Some(traceparent) = &options.traceparent {
        let trace = TraceContext::parse(traceparent, options.tracestate.as_deref());
        wiring.trace = Arc::new(trace.map_err(|error| Failed::typed(error.kind(), error))?);
    }
    Host::wire(wiring).map_err(|error| Failed::of(&Refusal::Id(error).into()))
}
