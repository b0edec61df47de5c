//! Plants: faults that the suite must catch.
//!
//! A plant stands between the client and what is judged. It alters the bytes that the client reads, so that the client is
//! led to do what a client with the fault would do, or it alters what the run left behind. The client holds no trace of
//! it.

mod answer;
mod left;

use std::time::Duration;

use crate::evidence::Evidence;
use crate::oracle::Oracle;
use crate::reply::{ScriptedReply, Values};

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
    /// On what the run left behind.
    Evidence(fn(&mut Evidence)),
    /// On the text of each of the project's files.
    Text(fn(String) -> String),
    /// On the set that an oracle belongs to.
    Set(fn(&str) -> &str),
    /// On the time that passes before each answer.
    Time(fn(Duration) -> Duration),
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

/// Every plant: those on answers, then those on what is left.
pub(crate) fn all() -> impl Iterator<Item = Plant> {
    answer::PLANTS.iter().chain(left::PLANTS).copied()
}

impl Plant {
    /// No fault at all.
    pub(crate) const NONE: Self = Self {
        name: "",
        requirement: "",
        fault: Fault::None,
    };

    pub(crate) fn alter_reply(&self, reply: &mut ScriptedReply, values: &Values) {
        if let Fault::Reply(alter) = self.fault {
            alter(reply, &Leg { values });
        }
    }

    pub(crate) fn alter_evidence(&self, evidence: &mut Evidence) {
        if let Fault::Evidence(alter) = self.fault {
            alter(evidence);
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
