//! From the command line to the operation and its outcome.

use std::io::Read;
use std::sync::Arc;

use mcp_host::{CancelToken, Host, OutboundRules, Server, Tls, Wiring};
use mcp_policy::port::{Actor, HealthStore, RunId};
use mcp_policy::{Cause, Refusal, ServerName, Timing, WalkLimits};
use mcp_wire::{Arguments as ToolArguments, ClientInfo, Endpoint, Target, ToolName, TraceContext};

use super::stores::Stores;
use super::{block_on, read};
use crate::arguments::Options;
use crate::failed::{Failed, Local};
use crate::output::Shown;
use crate::timing::Ended;
use crate::waiting::{Interrupt, wait};

/// The most that is read from standard input, in bytes.
const STDIN_BYTES: u64 = 8 * 1_024 * 1_024;

/// What a server is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asked<'a> {
    Ping,
    Tools,
    Call { tool: &'a str, arguments: &'a str },
}

/// The same with everything read that it names.
enum Task {
    Ping,
    Tools,
    Call(ToolName, ToolArguments),
}

/// Asks the server that was named: by its URL, or by its name in the store.
pub(crate) fn run(asked: Asked<'_>, target: &str, options: &Options) -> Result<Ended, Failed> {
    if let Some(name) = name(asked, target) {
        return run_stored(asked, &name, options);
    }
    let endpoint = read::endpoint(target)?;
    let origin = endpoint.origin();
    let done =
        read_server(endpoint, options).and_then(|server| run_at(&server, None, asked, &origin, options));
    done.map_err(|failed| failed.at(&origin))
}

/// The name of a server in the store, if the target is one; no URL has the form of a name. A call on the store goes
/// through catalogue and gate, which this command does not do.
fn name(asked: Asked<'_>, target: &str) -> Option<ServerName> {
    match asked {
        Asked::Ping | Asked::Tools => ServerName::parse(target).ok(),
        Asked::Call { .. } => None,
    }
}

/// Asks a server of the store, under what its record says. Its contact is noted there.
fn run_stored(asked: Asked<'_>, name: &ServerName, options: &Options) -> Result<Ended, Failed> {
    let stores = Stores::open(options)?;
    let record = block_on(stores.record(name))?;
    let server = record.reachable();
    let server = server.map_err(|gap| Failed::of_registry(&gap.into()).at(name.as_str()))?;
    run_at(&server, Some(stores.health), asked, name.as_str(), options)
        .map_err(|failed| failed.at(name.as_str()))
}

/// Standard input comes last: nobody waits for it when something else is wrong.
fn run_at(
    server: &Server,
    health: Option<Arc<dyn HealthStore>>,
    asked: Asked<'_>,
    shown_as: &str,
    options: &Options,
) -> Result<Ended, Failed> {
    let host = wire(options, health)?;
    let task = read_task(asked)?;
    let (shown, timing) = block_on(carry_out(&host, server, task, shown_as))?;
    let ended = Ended::new(shown);
    Ok(if options.timing {
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

fn read_task(asked: Asked<'_>) -> Result<Task, Failed> {
    Ok(match asked {
        Asked::Ping => Task::Ping,
        Asked::Tools => Task::Tools,
        Asked::Call { tool, arguments } => {
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
    target.credentials = read::credentials(options.bearer.as_deref(), &options.header)?;
    let name = ServerName::parse("adhoc").map_err(|error| Failed::local(Local::Usage, error))?;
    let mut server = Server::new(name, target);
    server.budget = read::budget(&options.budget)?;
    Ok(server)
}

/// A host under the options; contacts go to `health`, if there is one.
pub(crate) fn wire(options: &Options, health: Option<Arc<dyn HealthStore>>) -> Result<Host, Failed> {
    let mut wiring = Wiring::default();
    if let Some(health) = health {
        wiring.health = health;
    }
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
