//! One entry of the ledger: who did what, when, in a form that can be hashed.

use std::fmt;

use mcp_wire::Delivery;

use super::digest::Digest;
use super::items::Items;
use crate::catalogue::Fingerprint;
use crate::port::{Actor, CallOrigin, CallRequest, RunId, StepId, StepOutcome, StepStatus, UnixTime};

/// One entry. Entries are only ever added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number; the first is 1, and none is left out.
    pub seq: u64,
    /// When it was made.
    pub at: UnixTime,
    /// Whose it is.
    pub run: RunId,
    /// What it tells.
    pub event: Event,
}

/// What an entry tells of its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The run was opened and leased.
    Opened {
        /// On whose behalf.
        actor: Actor,
        /// Who holds it.
        holder: LeaseHolder,
        /// Until when.
        until: UnixTime,
    },
    /// A step was stamped: from here on bytes may leave. The lease was renewed.
    Stamped {
        /// The step.
        step: StepId,
        /// What it calls.
        call: StepCall,
        /// Until when the run is leased now.
        until: UnixTime,
    },
    /// The outcome of a step was stored.
    Settled {
        /// The step.
        step: StepId,
        /// Its outcome.
        outcome: StepOutcome,
    },
    /// A stamp had become durable when nobody waited for it any more. No byte left.
    NeverSent {
        /// The step.
        step: StepId,
    },
    /// A stamped step whose holder has gone. The server may have acted; it is never repeated.
    InDoubt {
        /// The step.
        step: StepId,
    },
    /// The run is over.
    Ended {
        /// How.
        end: RunEnd,
    },
}

/// What a step calls. Payloads are told by their digests and sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepCall {
    /// The server's name.
    pub server: String,
    /// The tool's name on the wire.
    pub tool: String,
    /// The definition that the gate judged; `None` for a call outside the catalogue.
    pub definition: Option<Fingerprint>,
    /// The arguments.
    pub arguments: Digest,
    /// Bytes of the arguments.
    pub argument_bytes: u64,
}

/// What is kept of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultNote {
    /// The result as the server wrote it.
    pub digest: Digest,
    /// Its bytes.
    pub bytes: u64,
    /// Whether the tool reported an error of its own.
    pub is_error: bool,
}

impl StepCall {
    /// What a permitted call is to the ledger.
    #[must_use]
    pub fn of(call: &CallRequest<'_>) -> Self {
        let arguments = call.arguments.as_str().as_bytes();
        Self {
            server: call.server.name.to_string(),
            tool: call.tool.as_str().to_owned(),
            definition: match call.origin {
                CallOrigin::Catalogued { fingerprint, .. } => Some(*fingerprint),
                CallOrigin::AdHoc => None,
            },
            arguments: Digest::of("mcp-arguments/1", arguments),
            argument_bytes: arguments.len() as u64,
        }
    }
}

impl ResultNote {
    /// What is kept of a result text.
    #[must_use]
    pub fn of(result: &str, is_error: bool) -> Self {
        Self {
            digest: Digest::of("mcp-result/1", result.as_bytes()),
            bytes: result.len() as u64,
            is_error,
        }
    }
}

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunEnd {
    /// Its host ended it.
    Done,
    /// A step could not be stored, or is in doubt.
    Failed,
}

impl RunEnd {
    /// The stable name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

/// The process that holds a lease: 128 random bits, drawn when it opened its ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseHolder(pub u128);

impl fmt::Display for LeaseHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl Event {
    /// The stable name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Opened { .. } => "opened",
            Self::Stamped { .. } => "stamped",
            Self::Settled { .. } => "settled",
            Self::NeverSent { .. } => "never-sent",
            Self::InDoubt { .. } => "in-doubt",
            Self::Ended { .. } => "ended",
        }
    }

    /// The step that it tells of.
    #[must_use]
    pub const fn step(&self) -> Option<StepId> {
        match self {
            Self::Stamped { step, .. }
            | Self::Settled { step, .. }
            | Self::NeverSent { step }
            | Self::InDoubt { step } => Some(*step),
            Self::Opened { .. } | Self::Ended { .. } => None,
        }
    }
}

impl Entry {
    /// The entry as a JSON array: number, time in nanoseconds since 1970, event, run, and what the event has, in the order
    /// of its fields. It is what is hashed and what is shown, and is never read back.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = Vec::with_capacity(512);
        self.write(&mut text);
        // It is made of strings, digits and ASCII marks.
        String::from_utf8(text).unwrap_or_default()
    }

    /// Appends the entry's text.
    pub(super) fn write(&self, text: &mut Vec<u8>) {
        let mut text = Items::begin(text, self.seq);
        text.time(self.at);
        text.string(self.event.name());
        text.string(&self.run.0);
        match &self.event {
            Event::Opened { actor, holder, until } => {
                match actor {
                    Actor::User(user) => text.string(user),
                    Actor::Unattended => text.word("null"),
                }
                text.string(&holder.to_string());
                text.time(*until);
            }
            Event::Stamped { step, call, until } => {
                text.number(step.0);
                text.string(&call.server);
                text.string(&call.tool);
                match &call.definition {
                    Some(definition) => text.digits(Fingerprint::PREFIX, definition.as_bytes()),
                    None => text.word("null"),
                }
                text.digits("", call.arguments.as_bytes());
                text.number(call.argument_bytes);
                text.time(*until);
            }
            Event::Settled { step, outcome } => {
                text.number(step.0);
                outcome.write(&mut text);
            }
            Event::NeverSent { step } | Event::InDoubt { step } => text.number(step.0),
            Event::Ended { end } => text.string(end.name()),
        }
        text.end();
    }
}

impl StepOutcome {
    fn write(&self, text: &mut Items<'_>) {
        text.string(self.status.name());
        text.string(self.delivery.name());
        text.string(&self.kind);
        match &self.result {
            Some(note) => {
                text.digits("", note.digest.as_bytes());
                text.number(note.bytes);
                text.word(if note.is_error { "true" } else { "false" });
            }
            None => text.word("null"),
        }
        self.timing.parts().iter().for_each(|part| text.number(*part));
    }
}

impl StepOutcome {
    /// The outcome of a step that was stamped for nobody: nothing was sent.
    #[must_use]
    pub fn never_sent() -> Self {
        Self {
            status: StepStatus::Failed,
            delivery: Delivery::NotSent,
            kind: "caller-gone".to_owned(),
            result: None,
            timing: Default::default(),
        }
    }
}
