//! The form of an oracle.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::permission::ExpectedPermission;
use crate::reply::{Body, ReplySpec};
use crate::setup::ClientSetup;
use crate::step::{Act, ExpectedCatalogue, ExpectedTool, LegReplies, Step, Turn};
use crate::structure::StructureCase;
use crate::told::ExpectedTold;

/// A file of oracles that belong together as evidence.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OracleFile {
    /// The set's name; sets are counted apart.
    pub(crate) set: String,
    /// What the set is evidence of.
    #[expect(dead_code, reason = "for the reader of the file")]
    pub(crate) about: String,
    #[serde(default)]
    pub(crate) oracles: Vec<Oracle>,
    /// Cases of one frame; each becomes an oracle in every framing that it names.
    #[serde(default)]
    pub(crate) frames: Vec<FrameCase>,
    /// Cases that the project's own files decide.
    #[serde(default)]
    pub(crate) structure: Vec<StructureCase>,
}

/// One frame as the answer to `tools/call`, without a word on how it is framed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FrameCase {
    id: String,
    requirements: Vec<String>,
    title: String,
    /// The operation; a call of the tool `echo` unless it says otherwise.
    #[serde(default)]
    operation: Operation,
    /// The bytes of the frame.
    frame: Body,
    /// Where the case holds; in both unless it says otherwise.
    #[serde(default = "both")]
    framings: Vec<CaseFraming>,
    expect: Expected,
}

/// A framing of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CaseFraming {
    Json,
    Event,
}

fn both() -> Vec<CaseFraming> {
    vec![CaseFraming::Json, CaseFraming::Event]
}

impl FrameCase {
    /// The same case in each of its framings.
    pub(crate) fn into_oracles(self) -> Vec<Oracle> {
        let Self {
            id,
            requirements,
            title,
            operation,
            frame,
            framings,
            expect,
        } = self;
        let method = match operation {
            Operation::CallTool => "tools/call",
            Operation::ListTools | Operation::Import | Operation::RemoteTools => "tools/list",
            Operation::Ping => "initialize",
            Operation::Probe => "ping",
        };
        let oracle = |framing: CaseFraming| {
            let (suffix, reply) = match framing {
                CaseFraming::Json => ("json", ReplySpec::of_body(frame.clone())),
                CaseFraming::Event => ("event", ReplySpec::of_event(frame.clone())),
            };
            Oracle {
                id: format!("{id}/{suffix}"),
                set: String::new(),
                requirements: requirements.clone(),
                title: title.clone(),
                before: Vec::new(),
                acts: Vec::new(),
                operation,
                tool: None,
                repeat: once(),
                held: false,
                legs: BTreeMap::from([(method.to_owned(), vec![reply])]),
                expect: expect.clone(),
                catalogue: None,
                requests: None,
                namespaces: None,
                permission: None,
                told: None,
                client: ClientSetup::default(),
            }
        };
        framings.into_iter().map(oracle).collect()
    }
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
    /// What goes before: operations with expectations of their own, on the same client.
    #[serde(default)]
    pub(crate) before: Vec<Step>,
    /// What happens on this side before the operation.
    #[serde(default)]
    pub(crate) acts: Vec<Act>,
    /// The operation; a call of the tool `echo` unless it says otherwise.
    #[serde(default)]
    pub operation: Operation,
    /// The tool that is called, by the local name that gate and model know; `echo` on the wire when absent.
    #[serde(default)]
    pub(crate) tool: Option<String>,
    /// Operations in a row on the same client; 1 unless it says otherwise.
    #[serde(default = "once")]
    pub repeat: usize,
    /// Whether they share one session that the host holds, and closes after the last of them. An operation of a session
    /// that could not be opened ends as the opening did.
    #[serde(default)]
    pub held: bool,
    /// What the server answers, by the JSON-RPC method of the message, `DELETE` for the end of a session. A list is used in order, its last entry again
    /// and again. Methods that are not named get the healthy answer.
    #[serde(default)]
    pub(crate) legs: LegReplies,
    /// The expected verdict.
    pub expect: Expected,
    /// What the catalogue must hold afterwards; unchecked when absent.
    #[serde(default)]
    pub catalogue: Option<ExpectedCatalogue>,
    /// What the server must have seen, in order; unchecked when absent.
    #[serde(default)]
    pub requests: Option<Vec<ExpectedRequest>>,
    /// How many namespaces the ids come from; unchecked when absent.
    #[serde(default)]
    pub namespaces: Option<usize>,
    /// What gate, approvals, denials and ledger must have been asked and keep.
    #[serde(default)]
    pub(crate) permission: Option<ExpectedPermission>,
    /// What the model must be told of the oracle's own call; unchecked when absent.
    #[serde(default)]
    pub(crate) told: Option<ExpectedTold>,
    /// How the client is set up; a healthy one unless it says otherwise.
    #[serde(default)]
    pub(crate) client: ClientSetup,
}

impl Oracle {
    /// The operations of one client, in order.
    pub(crate) fn turns(&self) -> Vec<Turn<'_>> {
        let before = self.before.iter().enumerate();
        let own = Turn {
            stage: self.before.len(),
            acts: &self.acts,
            operation: self.operation,
            tool: self.tool.as_deref(),
            legs: &self.legs,
            expect: &self.expect,
            catalogue: self.catalogue.as_ref(),
        };
        before
            .map(|(stage, step)| step.turn(stage))
            .chain(std::iter::repeat_n(own, self.repeat))
            .collect()
    }

    /// Whether its server says something that can be said in HTTP only.
    pub(crate) fn needs_http(&self) -> bool {
        let mut legs = self.stages().flatten();
        legs.any(|(method, replies)| replies.iter().any(|reply| reply.needs_http(method)))
            || self.turns().iter().any(|turn| turn.expect.names_status())
    }

    /// Whether the server of this workspace can say all that its server says.
    pub(crate) fn is_sayable(&self) -> bool {
        let mut legs = self.stages().flatten();
        legs.all(|(method, replies)| replies.iter().all(|reply| reply.is_sayable(method)))
    }

    /// Whether it says which header fields the server sees.
    pub(crate) fn names_fields(&self) -> bool {
        let mut requests = self.requests.iter().flatten();
        requests.any(|request| !request.fields.is_empty())
    }

    /// Whether it calls tools by the names that gate and model know.
    pub(crate) fn is_by_local_name(&self) -> bool {
        self.turns().iter().any(|turn| turn.tool.is_some())
    }

    /// What the server answers in each stage.
    pub(crate) fn stages(&self) -> impl Iterator<Item = &LegReplies> {
        let before = self.before.iter().enumerate();
        before
            .map(|(stage, step)| step.turn(stage).legs)
            .chain(std::iter::once(&self.legs))
    }
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
    /// `Registry::import`.
    Import,
    /// `Registry::remote_tools`; the server is not asked.
    RemoteTools,
}

/// The expected verdict. Whether a contact is noted and how the step is settled follow from it, and are checked too.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case", deny_unknown_fields)]
pub enum Expected {
    /// A tool's answer.
    Result {
        /// Its whole text, the leading note included; in parts where it is long.
        #[serde(deserialize_with = "Body::deserialize_text")]
        text: String,
        /// The raw text of its structured content; unchecked when absent.
        #[serde(default)]
        structured: Option<String>,
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
    /// An import, by the local names of the tools that it touched.
    Imported {
        /// Never seen before.
        #[serde(default)]
        added: Vec<String>,
        /// Of another definition.
        #[serde(default)]
        changed: Vec<String>,
        /// Of another definition, and therefore off.
        #[serde(default)]
        drifted: Vec<String>,
        /// Offered again.
        #[serde(default)]
        returned: Vec<String>,
        /// Offered no longer.
        #[serde(default)]
        orphaned: Vec<String>,
    },
    /// The tools that gate and model see.
    Offered {
        /// All of them, by local name.
        tools: Vec<ExpectedTool>,
    },
}

impl Expected {
    /// Whether it says which HTTP status carried an answer.
    const fn names_status(&self) -> bool {
        match self {
            Self::RpcError { http_status, .. } => http_status.is_some(),
            Self::Result { .. }
            | Self::ToolError { .. }
            | Self::Failed { .. }
            | Self::Pong { .. }
            | Self::Tools { .. }
            | Self::Imported { .. }
            | Self::Offered { .. } => false,
        }
    }
}

/// One request that the server must have seen.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedRequest {
    /// The JSON-RPC method; the method of HTTP for a request without one, such as `DELETE`.
    pub method: String,
    /// Whether it is seen only under a profile that issues sessions. For a session that the oracle itself issues, the
    /// profile does not matter.
    #[serde(default)]
    pub only_in_session: bool,
    /// Fields by name: the exact value, or null for a field that must be absent. `{{session}}` stands for the profile's
    /// session.
    #[serde(default)]
    pub fields: BTreeMap<String, Option<String>>,
    /// Texts that the body must hold. `{{id:tools/call:0}}` stands for the id of an earlier request.
    #[serde(default)]
    pub body_has: Vec<String>,
    /// Texts that the body must not hold.
    #[serde(default)]
    pub body_lacks: Vec<String>,
}
