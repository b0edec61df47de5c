//! The form of an oracle.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::reply::ReplySpec;

/// A file of oracles that belong together as evidence.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OracleFile {
    /// The set's name; sets are counted apart.
    pub(crate) set: String,
    /// What the set is evidence of.
    #[expect(dead_code, reason = "for the reader of the file")]
    pub(crate) about: String,
    pub(crate) oracles: Vec<Oracle>,
}

/// One case: what the server says on each leg, and what the client must make of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Oracle {
    /// Its name, unique in the suite.
    pub id: String,
    /// The set it belongs to.
    #[serde(skip)]
    pub set: String,
    /// The requirements that it proves.
    pub requirements: Vec<String>,
    /// What it shows, in a few words.
    pub title: String,
    /// The operation; a call of the tool `echo` unless it says otherwise.
    #[serde(default)]
    pub operation: Operation,
    /// Operations in a row on the same client; 1 unless it says otherwise.
    #[serde(default = "once")]
    pub repeat: usize,
    /// What the server answers, by the JSON-RPC method of the message. A list is used in order, its last entry again
    /// and again. Methods that are not named get the healthy answer.
    #[serde(default)]
    pub(crate) legs: BTreeMap<String, Vec<ReplySpec>>,
    /// The expected verdict.
    pub expect: Expected,
    /// What the server must have seen, in order; unchecked when absent.
    #[serde(default)]
    pub requests: Option<Vec<ExpectedRequest>>,
}

const fn once() -> usize {
    1
}

/// The operation that an oracle drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// `Client::call_tool` with the tool `echo`.
    #[default]
    CallTool,
    /// `Client::list_tools`.
    ListTools,
    /// `Client::ping`.
    Ping,
    /// `Client::probe`.
    Probe,
}

/// The expected verdict. Whether a contact is noted and how the step is settled follow from it, and are checked too.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case", deny_unknown_fields)]
pub enum Expected {
    /// A tool's answer.
    Result {
        /// Its whole text, the leading note included.
        text: String,
    },
    /// A tool's own failure.
    ToolError {
        /// Its whole text.
        text: String,
    },
    /// The server's own no.
    RpcError {
        /// Its exact code.
        code: i64,
        /// Its message as it is shown.
        #[serde(default)]
        message: Option<String>,
        /// The HTTP status that carried it.
        #[serde(default)]
        http_status: Option<u16>,
    },
    /// A failure.
    Failed {
        /// Its kind.
        kind: String,
        /// Whether the server may have acted; unchecked when absent.
        #[serde(default)]
        delivery: Option<String>,
        /// A part of its text; unchecked when absent.
        #[serde(default)]
        says: Option<String>,
    },
    /// A handshake.
    Pong {
        /// The negotiated revision.
        version: String,
        /// The server's name as it is shown.
        name: String,
    },
    /// A list of tools.
    Tools {
        /// The names, in order.
        names: Vec<String>,
        /// How many definitions were set aside.
        #[serde(default)]
        quarantined: usize,
    },
}

/// One request that the server must have seen.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedRequest {
    /// The JSON-RPC method.
    pub method: String,
    /// Fields by name: the exact value, or null for a field that must be absent. `{{session}}` stands for the profile's
    /// session.
    #[serde(default)]
    pub fields: BTreeMap<String, Option<String>>,
    /// Texts that the body must hold.
    #[serde(default)]
    pub body_has: Vec<String>,
    /// Texts that the body must not hold.
    #[serde(default)]
    pub body_lacks: Vec<String>,
}
