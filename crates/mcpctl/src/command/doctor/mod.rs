//! `doctor`: the way to a server and into it, one step after another, up to the first that fails.
//!
//! The way itself is the transport's to examine; what comes after it are the client's own operations in one held session.

mod report;
mod step;

use mcp_host::{Examined, Failure, Host, Server};
use mcp_policy::{Cause, Pong, ServerName, Session, ToolList, WalkLimits};
use mcp_wire::{Delivery, Scheme, Target, ToolDefinition};

use self::report::DoctorLine;
use self::step::{Step, of_failure, shown};
use super::stores::Stores;
use super::{block_on, call, operation, read};
use crate::arguments::{Options, Standing};
use crate::failed::{Failed, Local};
use crate::output::Shown;
use crate::timing::Ended;
use crate::waiting::{Interrupt, wait};

/// The command as it was typed.
pub(crate) struct Typed<'a> {
    pub(crate) target: &'a str,
    /// A tool to call, and its arguments.
    pub(crate) call: Option<&'a str>,
    pub(crate) arguments: &'a [String],
}

pub(crate) fn run(typed: &Typed<'_>, options: &Options) -> Result<Ended, Failed> {
    let (server, shown_as) = server(typed.target, options)?;
    let host = operation::host(operation::wiring(options)?)?;
    let mut line = DoctorLine::new(&shown_as, without(&server, typed, options));
    let tools = block_on(async {
        let walk = walk(&host, &server, &mut line);
        let walked = wait(walk, &shown_as, Interrupt::Drop).await;
        walked.ok_or_else(Failed::interrupted)
    })?;
    if let (Some(tools), Some(tool)) = (tools, typed.call) {
        call(&mut line, &tools, tool, typed, options);
    }
    Ok(Ended::new(Shown::Report(line.report())))
}

/// The steps that this way does not have.
fn without(server: &Server, typed: &Typed<'_>, options: &Options) -> Vec<Step> {
    let in_the_clear = server.target.endpoint.scheme() == Scheme::Http;
    let missing = [
        (in_the_clear, Step::Tls),
        (options.proxy.is_some(), Step::LookUp),
        (options.proxy.is_some(), Step::Addresses),
        (typed.call.is_none(), Step::Call),
    ];
    let missing = missing.into_iter().filter(|(missing, _)| *missing);
    missing.map(|(_, step)| step).collect()
}

/// The server that was named: by its URL, or by its name in the store.
fn server(target: &str, options: &Options) -> Result<(Server, String), Failed> {
    if let Ok(name) = ServerName::parse(target) {
        let stores = Stores::open(options)?;
        let record = block_on(stores.record(&name))?;
        let server = record.reachable();
        let server = server.map_err(|gap| Failed::of_registry(&gap.into()).at(name.as_str()))?;
        return Ok((server, target.to_owned()));
    }
    let endpoint = read::endpoint(target)?;
    let origin = endpoint.origin().to_owned();
    let mut target = Target::new(endpoint);
    target.credentials = read::credentials(options.bearer.as_deref(), &options.header)?;
    let mut server = operation::ad_hoc(target)?;
    server.budget = read::budget(&options.budget)?;
    Ok((server, origin))
}

/// Walks up to the list of tools, which is given when the way leads there.
async fn walk(host: &Host, server: &Server, line: &mut DoctorLine) -> Option<ToolList> {
    for examined in host.examine(server).await {
        examine(line, &examined)?;
    }
    let client = host.client();
    let mut session = match client.open_session(server).await {
        Ok(session) => session,
        Err(failure) => {
            fail(line, server, &failure, Step::Answer);
            return None;
        }
    };
    greeted(line, session.pong(), server);
    let tools = in_session(&mut session, server, line).await;
    session.close().await;
    tools
}

/// What the session is good for.
async fn in_session(session: &mut Session<'_>, server: &Server, line: &mut DoctorLine) -> Option<ToolList> {
    match session.probe().await {
        Ok(probe) => line.passed(Step::Session, Some(probe.latency), "a ping in it is answered"),
        // A server that knows no ping says so in the session.
        Err(failure) if matches!(failure.cause(), Cause::Rpc { .. }) => {
            let took = failure.timing().total();
            line.passed(
                Step::Session,
                Some(took),
                "a ping in it is answered with an error",
            );
        }
        Err(failure) => {
            fail(line, server, &failure, Step::Session);
            return None;
        }
    }
    match session.list_tools(WalkLimits::default()).await {
        Ok(list) => {
            let found = format!("{} tools, {} set aside", list.tools.len(), list.quarantined.len());
            line.passed(Step::Tools, Some(list.timing.total()), &found);
            Some(list)
        }
        Err(failure) => {
            fail(line, server, &failure, Step::Tools);
            None
        }
    }
}

fn examine(line: &mut DoctorLine, examined: &Examined) -> Option<()> {
    let step = Step::of(examined.waypoint);
    match &examined.found {
        Ok(found) => line.passed(step, Some(examined.took), &shown(found)),
        Err(error) => {
            let failure = Failure::of_leg(error.clone(), Delivery::NotSent);
            line.failed(step, Some(examined.took), Failed::of(&failure));
            return None;
        }
    }
    Some(())
}

/// What a handshake that succeeded shows.
fn greeted(line: &mut DoctorLine, pong: &Pong, server: &Server) {
    let timing = pong.timing;
    line.passed(
        Step::Http,
        Some(timing.first_byte()),
        "a status and a type that carry an answer",
    );
    line.passed(Step::Authentication, None, credentials(server));
    line.passed(
        Step::Answer,
        Some(timing.body() + timing.decode()),
        "a valid answer to the request",
    );
    let found = format!(
        "{}: {} {}",
        pong.version.as_str(),
        pong.server.name,
        pong.server.version
    );
    line.passed(Step::Version, None, &found);
}

/// What an answer other than 401 and 403 says of the credentials.
fn credentials(server: &Server) -> &'static str {
    if server.target.credentials.is_empty() {
        "none is asked for"
    } else {
        "the credential is taken"
    }
}

/// Notes a failure at its own step, and what it shows of the steps before that.
fn fail(line: &mut DoctorLine, server: &Server, failure: &Failure, at: Step) {
    let step = of_failure(failure);
    // What comes before a request in the session was passed by the handshake.
    let step = if at == Step::Answer { step } else { step.max(at) };
    let timing = failure.timing();
    if at == Step::Answer {
        if step > Step::Http {
            line.passed(Step::Http, Some(timing.first_byte()), "an answer came");
        }
        if step > Step::Authentication {
            line.passed(Step::Authentication, None, credentials(server));
        }
        if step > Step::Answer {
            line.passed(
                Step::Answer,
                Some(timing.body() + timing.decode()),
                "a valid answer to the request",
            );
        }
    }
    line.failed(step, Some(timing.total()), Failed::of(failure));
}

/// One call of a tool that says that it only reads. It goes the way of `mcpctl call`.
fn call(line: &mut DoctorLine, tools: &ToolList, tool: &str, typed: &Typed<'_>, options: &Options) {
    let definition = tools
        .tools
        .iter()
        .find(|definition| definition.name().as_str() == tool);
    if !definition.is_some_and(only_reads) {
        let message = "the tool does not say that it only reads (readOnlyHint)";
        line.failed(Step::Call, None, Failed::local(Local::ToolNotReadOnly, message));
        return;
    }
    let standing = Standing::default();
    let typed = call::Typed {
        target: typed.target,
        tool,
        arguments: typed.arguments,
        approve: false,
        standing: &standing,
    };
    let start = std::time::Instant::now();
    match call::run(&typed, options).map(|ended| ended.shown) {
        Ok(Shown::Failed(failed)) | Err(failed) => line.failed(Step::Call, Some(start.elapsed()), failed),
        Ok(shown) => {
            let found = format!("{tool} answered with exit status {}", shown.exit().code());
            line.passed(Step::Call, Some(start.elapsed()), &found);
        }
    }
}

/// What a tool says of itself counts for nothing but this: a doctor does no harm that nobody asked for.
fn only_reads(tool: &ToolDefinition) -> bool {
    #[derive(serde::Deserialize)]
    struct Definition {
        annotations: Option<Annotations>,
    }
    #[derive(serde::Deserialize)]
    struct Annotations {
        #[serde(rename = "readOnlyHint")]
        read_only: Option<bool>,
    }
    let definition: Result<Definition, _> = serde_json::from_str(tool.text());
    let annotations = definition.ok().and_then(|definition| definition.annotations);
    annotations.and_then(|annotations| annotations.read_only) == Some(true)
}
