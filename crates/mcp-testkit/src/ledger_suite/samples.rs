//! What the claims call, and what comes of it: values at the edges of their types.

use std::time::Duration;

use mcp_policy::catalogue::{Fingerprint, LocalName};
use mcp_policy::ledger::{Digest, ResultNote, Run};
use mcp_policy::port::{Actor, CallOrigin, CallRequest, RunId, StepOutcome, StepStatus, UnixTime};
use mcp_policy::{Budget, Server, Timing};
use mcp_wire::{Arguments, Delivery, Endpoint, Target, ToolName};

use crate::store_suite::{Broken, server_name, tool_name};

/// A text that a careless store alters.
pub(super) const TEXT: &str = "it's \"quoted\"; -- \u{1f980}\u{202e}\0 line\r\n\tend ";

/// The seconds of a lease, without the budget of a call.
pub(super) const LEASE: u64 = Run::LEASE.as_secs();

/// A time of the wall clock whose fractions of a second count.
#[must_use]
pub fn at(second: u64) -> UnixTime {
    UnixTime(Duration::new(second, 123_456_789))
}

/// A call, with all that it refers to.
#[derive(Debug, Clone)]
pub struct Call {
    /// The server.
    pub server: Server,
    /// The tool.
    pub tool: ToolName,
    /// The arguments.
    pub arguments: Arguments,
    /// The run.
    pub run: RunId,
    /// On whose behalf.
    pub actor: Actor,
    /// What the gate found it to be.
    pub origin: CallOrigin,
}

impl Call {
    /// A call ad hoc in this run, without arguments.
    ///
    /// # Errors
    ///
    /// [`Broken`], never.
    pub fn of(run: &str) -> Result<Self, Broken> {
        let broken = |error: &dyn std::fmt::Display| Broken(error.to_string());
        let endpoint = Endpoint::parse("https://srv.example/mcp").map_err(|error| broken(&error))?;
        Ok(Self {
            server: Server::new(server_name("demo")?, Target::new(endpoint)),
            tool: tool_name("echo")?,
            arguments: Arguments::parse("{}").map_err(|error| broken(&error))?,
            run: RunId(run.to_owned()),
            actor: Actor::Unattended,
            origin: CallOrigin::AdHoc,
        })
    }

    /// A call of a tool of the catalogue with arguments, on a user's behalf.
    ///
    /// # Errors
    ///
    /// [`Broken`], never.
    pub fn catalogued(run: &str) -> Result<Self, Broken> {
        let broken = |error: &dyn std::fmt::Display| Broken(error.to_string());
        let mut call = Self::of(run)?;
        call.server.budget = Budget::MAX;
        call.tool = tool_name("Files-read_1")?;
        call.arguments = Arguments::parse(r#"{"path": "/a", "n": 1e3}"#).map_err(|error| broken(&error))?;
        call.actor = Actor::User(TEXT.to_owned());
        let digest = Digest::of("sample", b"definition");
        let fingerprint = Fingerprint::parse(&format!("{}{digest}", Fingerprint::PREFIX));
        call.origin = CallOrigin::Catalogued {
            local_name: LocalName::compose(&call.server.name, &call.tool).map_err(|error| broken(&error))?,
            fingerprint: fingerprint.map_err(|error| broken(&error))?,
        };
        Ok(call)
    }

    /// The call as a ledger is asked about it.
    #[must_use]
    pub fn request(&self) -> CallRequest<'_> {
        CallRequest {
            server: &self.server,
            tool: &self.tool,
            arguments: &self.arguments,
            run: &self.run,
            actor: &self.actor,
            origin: &self.origin,
        }
    }
}

/// An outcome that went well.
#[must_use]
pub fn well() -> StepOutcome {
    StepOutcome {
        status: StepStatus::Ok,
        delivery: Delivery::Answered,
        kind: "ok".to_owned(),
        result: Some(ResultNote::of("{\"content\":[]}", false)),
        timing: Timing::from_parts([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    }
}

/// An outcome without a result.
pub(super) fn failed(delivery: Delivery) -> StepOutcome {
    StepOutcome {
        status: StepStatus::Failed,
        delivery,
        kind: "connection-lost".to_owned(),
        result: None,
        timing: Timing::default(),
    }
}

/// Outcomes of every status and delivery, with a result, with one of a tool that failed, and without.
pub(super) fn outcomes() -> Vec<StepOutcome> {
    let mut outcomes = Vec::new();
    for status in [StepStatus::Ok, StepStatus::Failed, StepStatus::Cancelled] {
        for delivery in [Delivery::NotSent, Delivery::Unknown, Delivery::Answered] {
            outcomes.push(StepOutcome {
                status,
                ..failed(delivery)
            });
        }
    }
    outcomes.push(well());
    let mut large = well();
    large.kind = TEXT.to_owned();
    large.result = Some(ResultNote {
        digest: Digest::from_bytes([0xff; 32]),
        bytes: i64::MAX.unsigned_abs(),
        is_error: true,
    });
    let half = i64::MAX.unsigned_abs() / 10;
    large.timing = Timing::from_parts([half, 0, half - 1, 1, 0, half, 7, 0, 0, half]);
    outcomes.push(large);
    outcomes
}
