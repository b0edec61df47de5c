//! `call`: one call, recorded in the ledger of the store. By the name of a server it goes through catalogue, gate and
//! approval; on a bare URL it is outside of them, and the ledger says so.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Arc;

use mcp_host::{OsEntropy, Server, Wiring};
use mcp_policy::ApprovalSubject;
use mcp_policy::gate::CatalogueGate;
use mcp_policy::memory::FixedApprovals;
use mcp_policy::port::{Actor, ApprovalDecision, Approvals, CallAttempt, CallOrigin, RunId, StoreError};
use mcp_policy::{ApprovalRule, Refusal, ServerName};
use mcp_wire::{Arguments, Entropy, PortFuture, Target, ToolName};

use super::stores::Stores;
use super::{block_on, operation, pairs, policy, read};
use crate::arguments::{Options, Standing};
use crate::failed::{Failed, Local};
use crate::printable::printable_line;
use crate::timing::Ended;

/// The command as it was typed.
pub(crate) struct Typed<'a> {
    pub(crate) target: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) arguments: &'a [String],
    pub(crate) approve: bool,
    pub(crate) standing: &'a Standing,
}

/// What is called, with everything read that was typed.
struct Call {
    server: Server,
    tool: ToolName,
    arguments: Arguments,
    run: RunId,
    actor: Actor,
    /// What messages name.
    shown_as: String,
}

pub(crate) fn run(typed: &Typed<'_>, options: &Options) -> Result<Ended, Failed> {
    match ServerName::parse(typed.target) {
        Ok(name) => run_kept(&name, typed, options).map_err(|failed| failed.at(name.as_str())),
        // No URL has the form of a name.
        Err(_) => run_ad_hoc(typed, options),
    }
}

/// A call on a bare URL: whoever typed it has decided.
fn run_ad_hoc(typed: &Typed<'_>, options: &Options) -> Result<Ended, Failed> {
    let endpoint = read::endpoint(typed.target)?;
    let origin = endpoint.origin().to_owned();
    let done = (|| {
        let mut target = Target::new(endpoint);
        target.credentials = read::credentials(options.bearer.as_deref(), &options.header)?;
        let mut server = operation::ad_hoc(target)?;
        server.budget = read::budget(&options.budget)?;
        let wiring = operation::wiring(options)?;
        let (tool, arguments) = (tool_name(typed.tool)?, pairs::read(typed.arguments, None)?);
        let call = Call {
            server,
            tool,
            arguments,
            run: run_id()?,
            actor: Actor::Unattended,
            shown_as: origin.clone(),
        };
        carry_out(call, wiring, &Stores::open(options)?, options)
    })();
    done.map_err(|failed| failed.at(&origin))
}

/// A call of a tool that was taken in.
fn run_kept(name: &ServerName, typed: &Typed<'_>, options: &Options) -> Result<Ended, Failed> {
    let (rules, actor) = policy::rules(typed.standing)?;
    let mut wiring = operation::wiring(options)?;
    let stores = Stores::open(options)?;
    let (record, row) = block_on(async {
        let record = stores.record(name).await?;
        Ok((record, policy::row(&stores, name, typed.tool).await?))
    })?;
    let server = record.server().map_err(|gap| Failed::of_registry(&gap.into()))?;
    let Some(row) = row else {
        return block_on(async { Err(stores.no_tool(typed.tool, Some(name)).await) });
    };
    let call = Call {
        server,
        tool: row.remote_name,
        arguments: pairs::read(typed.arguments, Some(&row.definition.input_schema))?,
        run: run_id()?,
        actor,
        shown_as: name.to_string(),
    };
    let origin = CallOrigin::Catalogued {
        local_name: row.local_name,
        fingerprint: row.definition.fingerprint,
    };
    wiring.approvals = match call.server.approval {
        ApprovalRule::NotRequired => Arc::new(FixedApprovals(ApprovalDecision::Granted)),
        ApprovalRule::Required => match decided(&call, typed.approve) {
            Some(decision) => Arc::new(Said::of(&call, &origin, decision)),
            None => stores.approvals.clone(),
        },
    };
    wiring.gate = Arc::new(CatalogueGate::new(
        stores.servers.clone(),
        stores.catalogue.clone(),
        rules,
    ));
    wiring.health = stores.health.clone();
    carry_out(call, wiring, &stores, options)
}

fn carry_out(call: Call, mut wiring: Wiring, stores: &Stores, options: &Options) -> Result<Ended, Failed> {
    wiring.ledger = stores.ledger.clone();
    wiring.denials = stores.denials.clone();
    let host = operation::host(wiring)?;
    let Call {
        server,
        tool,
        arguments,
        run,
        actor,
        shown_as,
    } = call;
    let (shown, timing) = block_on(async {
        let client = host.client();
        client
            .open_run(&run, &actor)
            .await
            .map_err(|failure| Failed::of(&failure))?;
        let done = operation::call(client, &server, (&tool, &arguments), (&run, &actor), &shown_as).await;
        // A run that cannot be ended is over when its lease is.
        let _ended_later = client.end_run(&run).await;
        done
    })?;
    let ended = Ended::new(shown);
    Ok(if options.timing {
        ended.timed(timing)
    } else {
        ended
    })
}

fn tool_name(text: &str) -> Result<ToolName, Failed> {
    ToolName::parse(text).map_err(|error| {
        let message = format!("the tool cannot be called: {error}");
        Failed::local(Local::ToolNameInvalid, message)
    })
}

/// A name that no other run has.
fn run_id() -> Result<RunId, Failed> {
    let mut bytes = [0; 16];
    let drawn = OsEntropy.fill(&mut bytes);
    drawn.map_err(|_error| Failed::of(&Refusal::Id(mcp_wire::IdError::Entropy).into()))?;
    Ok(RunId(format!("mcpctl-{:032x}", u128::from_be_bytes(bytes))))
}

/// The word that is given with the call: by `--approve`, or by a person at a terminal. `None` leaves it to the approvals that
/// the store keeps.
fn decided(call: &Call, approve: bool) -> Option<ApprovalDecision> {
    if approve {
        return Some(ApprovalDecision::Granted);
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return None;
    }
    let (tool, server) = (printable_line(call.tool.as_str()), &call.server.name);
    let arguments = printable_line(call.arguments.as_str());
    let mut answer = String::new();
    let told = write!(io::stderr(), "call {tool} on {server} with {arguments}? [y/N] ");
    match told.and_then(|()| io::stdin().lock().read_line(&mut answer)) {
        Ok(read) if read > 0 && matches!(answer.trim(), "y" | "yes") => Some(ApprovalDecision::Granted),
        Ok(read) if read > 0 => Some(ApprovalDecision::Denied),
        Ok(_) | Err(_) => None,
    }
}

/// A word that was given before its call began. It counts for that call and no other.
struct Said {
    subject: ApprovalSubject,
    decision: ApprovalDecision,
}

impl Said {
    fn of(call: &Call, origin: &CallOrigin, decision: ApprovalDecision) -> Self {
        let attempt = CallAttempt {
            server: &call.server,
            tool: &call.tool,
            arguments: &call.arguments,
            run: &call.run,
            actor: &call.actor,
        };
        Self {
            subject: ApprovalSubject::of(&attempt.permitted(origin)),
            decision,
        }
    }
}

impl Approvals for Said {
    fn decide(&self, subject: &ApprovalSubject) -> PortFuture<Result<ApprovalDecision, StoreError>> {
        let decision = if *subject == self.subject {
            self.decision
        } else {
            ApprovalDecision::Denied
        };
        PortFuture::ready(Ok(decision))
    }
}
