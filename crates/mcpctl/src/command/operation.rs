//! What is asked of one server: over the wire, with a word for a person who waits.

use std::sync::Arc;

use mcp_host::{CancelToken, Client, Failure, Host, OutboundRules, Server, Tls, Wiring};
use mcp_policy::port::{Actor, HealthStore, RunId};
use mcp_policy::{Cause, Refusal, ServerName, Timing, WalkLimits};
use mcp_wire::{Arguments, ClientInfo, Endpoint, Target, ToolName, TraceContext};

use super::stores::Stores;
use super::{block_on, read};
use crate::arguments::Options;
use crate::failed::{Failed, Local};
use crate::output::Shown;
use crate::timing::Ended;
use crate::waiting::{Interrupt, wait};

/// What a server is asked without a call.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asked {
    Ping,
    Tools,
}

/// Asks the server that was named: by its URL, or by its name in the store. No URL has the form of a name.
pub(crate) fn run(asked: Asked, target: &str, options: &Options) -> Result<Ended, Failed> {
    if let Ok(name) = ServerName::parse(target) {
        return run_kept(asked, &name, options).map_err(|failed| failed.at(name.as_str()));
    }
    let endpoint = read::endpoint(target)?;
    let origin = endpoint.origin().to_owned();
    let done = at_url(endpoint, options).and_then(|server| ask(&server, None, asked, &origin, options));
    done.map_err(|failed| failed.at(&origin))
}

/// Asks a server of the store, under what its record says. Its contact is noted there.
fn run_kept(asked: Asked, name: &ServerName, options: &Options) -> Result<Ended, Failed> {
    let stores = Stores::open(options)?;
    let record = block_on(stores.record(name))?;
    let server = record.reachable();
    let server = server.map_err(|gap| Failed::of_registry(&gap.into()))?;
    ask(&server, Some(stores.health), asked, name.as_str(), options)
}

fn at_url(endpoint: Endpoint, options: &Options) -> Result<Server, Failed> {
    let mut target = Target::new(endpoint);
    target.credentials = read::credentials(options.bearer.as_deref(), &options.header)?;
    let mut server = ad_hoc(target)?;
    server.budget = read::budget(&options.budget)?;
    Ok(server)
}

fn ask(
    server: &Server,
    health: Option<Arc<dyn HealthStore>>,
    asked: Asked,
    shown_as: &str,
    options: &Options,
) -> Result<Ended, Failed> {
    let mut wiring = wiring(options)?;
    if let Some(health) = health {
        wiring.health = health;
    }
    let host = host(wiring)?;
    let client = host.client();
    let (shown, timing) = block_on(async {
        let outcome = match asked {
            Asked::Ping => {
                let pong = wait(client.ping(server), shown_as, Interrupt::Drop).await;
                pong.map(|pong| pong.map(|pong| (pong.timing, Shown::pong(pong, shown_as))))
            }
            Asked::Tools => {
                let list = client.list_tools(server, WalkLimits::default());
                let list = wait(list, shown_as, Interrupt::Drop).await;
                list.map(|list| list.map(|list| (list.timing, Shown::tools(&list))))
            }
        };
        ended(outcome, shown_as)
    })?;
    let ended = Ended::new(shown);
    Ok(if options.timing {
        ended.timed(timing)
    } else {
        ended
    })
}

/// One call, in a run that is open.
pub(crate) async fn call(
    client: &Client,
    server: &Server,
    (tool, arguments): (&ToolName, &Arguments),
    (run, actor): (&RunId, &Actor),
    shown_as: &str,
) -> Result<(Shown, Timing), Failed> {
    let token = CancelToken::new();
    let call = client.call_tool(server, tool, arguments, run, actor, &token);
    let call = wait(call, shown_as, Interrupt::Cancel(&token)).await;
    let outcome = call.map(|call| call.map(|outcome| (outcome.timing, Shown::call(outcome, shown_as))));
    ended(outcome, shown_as)
}

/// What is shown of an outcome; `None` stands for one that an interrupt dropped.
fn ended(
    outcome: Option<Result<(Timing, Shown), Failure>>,
    shown_as: &str,
) -> Result<(Shown, Timing), Failed> {
    match outcome {
        None => Err(Failed::interrupted()),
        Some(Ok((timing, shown))) => Ok((shown, timing)),
        Some(Err(failure)) => {
            let shown = if let Cause::Rpc { error, http_status } = failure.cause() {
                Shown::rpc_error(error, *http_status, shown_as)
            } else {
                Shown::Failed(Failed::of(&failure).at(shown_as))
            };
            Ok((shown, failure.timing()))
        }
    }
}

/// A server that is not kept, under the strict settings.
pub(crate) fn ad_hoc(target: Target) -> Result<Server, Failed> {
    let name = ServerName::parse("adhoc").map_err(|error| Failed::local(Local::Usage, error))?;
    Ok(Server::new(name, target))
}

/// The wiring under the options.
pub(crate) fn wiring(options: &Options) -> Result<Wiring, Failed> {
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
    wiring.proxy = read::proxy(options)?;
    if let Some(traceparent) = &options.traceparent {
        let trace = TraceContext::parse(traceparent, options.tracestate.as_deref());
        wiring.trace = Arc::new(trace.map_err(|error| Failed::typed(error.kind(), error))?);
    }
    Ok(wiring)
}

pub(crate) fn host(wiring: Wiring) -> Result<Host, Failed> {
    Host::wire(wiring).map_err(|error| Failed::of(&Refusal::Id(error).into()))
}
