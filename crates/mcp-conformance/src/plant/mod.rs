//! Plants: faults that the suite must catch.
//!
//! A plant stands between the client and what is judged. It alters the bytes that the client reads, so that the client is
//! led to do what a client with the fault would do, or it alters what the run left behind. The client holds no trace of
//! it.

mod answer;
mod catalogue;
mod connection;
mod left;
mod permission;
mod server;

use std::time::Duration;

use mcp_testkit::PeerLog;

use crate::catalogue::OfferedTool;
use crate::evidence::{Done, Evidence};
use crate::oracle::Oracle;
use crate::outcome::Outcome;
use crate::reply::{ScriptedReply, Values};
use crate::server::{Heard, Said};
use crate::told::Told;

/// One fault, and the requirement that it breaks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plant {
    pub(crate) name: &'static str,
    pub(crate) requirement: &'static str,
    pub(crate) fault: Fault,
}

/// Where a fault acts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fault {
    None,
    /// On each answer, before the client reads it.
    Reply(fn(&mut ScriptedReply, &Leg<'_>)),
    /// On each answer, with a trace in the text of a failure only.
    ReplyWording(fn(&mut ScriptedReply, &Leg<'_>)),
    /// On what each operation came to: another class or another value.
    Outcome(fn(&mut Outcome)),
    /// On the kind of a failure, or on its text.
    Wording(fn(&mut Outcome)),
    /// On what the server saw.
    Seen(fn(&mut PeerLog)),
    /// On what the client's own stores hold.
    Kept(fn(&mut Evidence)),
    /// On what a model is told of each call.
    Told(fn(&mut Told, &Outcome)),
    /// On each tool that gate and model see.
    Offered(fn(&mut OfferedTool)),
    /// On the text of each of the project's files.
    Text(fn(String) -> String),
    /// On the set that an oracle belongs to.
    Set(fn(&str) -> &str),
    /// On what a client says to the server.
    Said(fn(&mut Said)),
    /// On what a client hears from the server.
    Heard(fn(&mut Heard)),
    /// On the time that passes before each answer.
    Time(fn(Duration) -> Duration),
}

impl Fault {
    /// Why a client in another process cannot be given this fault; `None` when it can.
    pub(crate) const fn beyond_a_driver(&self) -> Option<&'static str> {
        match self {
            Self::None | Self::Reply(_) | Self::Outcome(_) => None,
            Self::Wording(_) | Self::ReplyWording(_) => {
                Some("kinds and texts of failures are each client's own")
            }
            Self::Told(_) => Some("what a model is told is not printed"),
            Self::Seen(_) => Some("what the server saw is not compared"),
            Self::Kept(_) | Self::Offered(_) => Some("the stores are in the client's process"),
            Self::Text(_) => Some("it is in a file of this project"),
            Self::Set(_) => Some("it is in the counting of the oracles"),
            Self::Said(_) | Self::Heard(_) => Some("it is in the server"),
            Self::Time(_) => Some("the clock is in the client's process"),
        }
    }
}

/// The leg that an answer is for.
pub(crate) struct Leg<'a> {
    values: &'a Values,
}

impl Leg<'_> {
    /// The id that was issued, as JSON.
    pub(crate) fn id(&self) -> &str {
        self.value("id")
    }

    /// The JSON-RPC method of the message.
    pub(crate) fn method(&self) -> &str {
        self.value("method")
    }

    fn value(&self, name: &str) -> &str {
        self.values.get(name).map(String::as_str).unwrap_or_default()
    }
}

/// Every plant: those on answers, on what is left, on imports, on permission, and on the list
/// for every connection.
pub(crate) fn all() -> impl Iterator<Item = Plant> {
    answer::PLANTS
        .iter()
        .chain(left::PLANTS)
        .chain(catalogue::PLANTS)
        .chain(permission::PLANTS)
        .chain(connection::PLANTS)
        .chain(server::PLANTS)
        .copied()
}

impl Plant {
    /// No fault at all.
    pub(crate) const NONE: Self = Self {
        name: "",
        requirement: "",
        fault: Fault::None,
    };

    pub(crate) fn alter_reply(&self, reply: &mut ScriptedReply, values: &Values) {
        if let Fault::Reply(alter) | Fault::ReplyWording(alter) = self.fault {
            alter(reply, &Leg { values });
        }
    }

    pub(crate) fn alter_evidence(&self, evidence: &mut Evidence) {
        match self.fault {
            Fault::Outcome(alter) | Fault::Wording(alter) => {
                let outcomes = evidence.done.iter_mut().map(|done| &mut done.outcome);
                outcomes.for_each(alter);
            }
            Fault::Seen(alter) => alter(&mut evidence.log),
            Fault::Kept(alter) => alter(evidence),
            Fault::Told(alter) => {
                for Done { told, outcome, .. } in &mut evidence.done {
                    if let Some(told) = told {
                        alter(told, outcome);
                    }
                }
            }
            Fault::Offered(alter) => {
                for done in &mut evidence.done {
                    if let Outcome::Offered { tools } = &mut done.outcome {
                        tools.iter_mut().for_each(alter);
                    }
                }
            }
            Fault::None
            | Fault::Reply(_)
            | Fault::ReplyWording(_)
            | Fault::Text(_)
            | Fault::Set(_)
            | Fault::Said(_)
            | Fault::Heard(_)
            | Fault::Time(_) => {}
        }
    }

    /// Alters the outcome of a client in another process, of which the class and the value are judged.
    pub(crate) fn alter_outcome(&self, outcome: &mut Outcome) {
        if let Fault::Outcome(alter) = self.fault {
            alter(outcome);
        }
    }

    pub(crate) fn alter_said(&self, said: &mut Said) {
        if let Fault::Said(alter) = self.fault {
            alter(said);
        }
    }

    pub(crate) fn alter_heard(&self, heard: &mut Heard) {
        if let Fault::Heard(alter) = self.fault {
            alter(heard);
        }
    }

    pub(crate) fn alter_text(&self, text: String) -> String {
        if let Fault::Text(alter) = self.fault {
            alter(text)
        } else {
            text
        }
    }

    pub(crate) fn set_of<'a>(&self, oracle: &'a Oracle) -> &'a str {
        if let Fault::Set(alter) = self.fault {
            alter(&oracle.set)
        } else {
            &oracle.set
        }
    }

    pub(crate) fn elapse(&self, length: Duration) -> Duration {
        if let Fault::Time(alter) = self.fault {
            alter(length)
        } else {
            length
        }
    }
}

impl PartialEq for Plant {
    /// Plants are told apart by name.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
