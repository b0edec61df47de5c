//! The form of a conversation with the server.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// A file of conversations.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConversationFile {
    pub(crate) set: String,
    #[serde(rename = "about")]
    _about: String,
    pub(crate) conversations: Vec<Conversation>,
}

/// One conversation: what a client says in order, and all that it must hear.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Conversation {
    /// Its name, unique in the suite.
    pub(crate) id: String,
    /// The set of its file.
    #[serde(skip)]
    pub(crate) set: String,
    /// The requirements that it proves.
    pub(crate) requirements: Vec<String>,
    /// What it shows, in a few words.
    pub(crate) title: String,
    /// What it is played on.
    pub(crate) on: Vec<Carrier>,
    #[serde(default)]
    pub(crate) server: ServerSetup,
    pub(crate) steps: Vec<Step>,
}

/// A transport of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Carrier {
    Http,
    Stdio,
}

impl Carrier {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Http => "server http",
            Self::Stdio => "server stdio",
        }
    }
}

/// What differs from a server with the default options.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ServerSetup {
    pub(crate) issues_no_sessions: bool,
    pub(crate) sessions: Option<usize>,
    pub(crate) live_requests: Option<usize>,
    /// The revisions that it speaks.
    pub(crate) versions: Option<Vec<String>>,
    /// The allowed hosts and origins.
    pub(crate) hosts: Option<Vec<String>>,
    /// The names of the callers who are known; each shows itself as `Bearer NAME`.
    pub(crate) callers: Vec<String>,
    pub(crate) body_bytes: Option<usize>,
}

/// One thing that the client does, and what follows.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Step {
    /// `initialize` and, unless `only_answered`, the notification; both must succeed.
    pub(crate) begin: Option<Begin>,
    /// How often the step is taken; 1 unless it is given.
    pub(crate) times: Option<usize>,
    /// Time that passes first, in seconds.
    pub(crate) elapse_s: u64,
    /// A message.
    pub(crate) say: Option<Value>,
    /// A message as text.
    pub(crate) text: Option<String>,
    /// Bytes that the message is filled up to, with spaces.
    pub(crate) fill: Option<usize>,
    /// The method of HTTP; `POST` unless it is given.
    pub(crate) method: Option<String>,
    pub(crate) path: Option<String>,
    /// Fields in place of the usual ones; null leaves one out. `{{session}}` is the session that was begun last.
    pub(crate) fields: BTreeMap<String, Option<String>>,
    /// The answer is not waited for; it is heard in a step that names it in `join`.
    pub(crate) hold: Option<String>,
    pub(crate) join: Option<String>,
    pub(crate) expect: Expect,
}

/// How a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Begin {
    /// Whole.
    Initialized,
    /// Without the notification.
    OnlyAnswered,
}

/// All that is heard in one step.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Expect {
    /// The status of HTTP.
    pub(crate) status: Option<u16>,
    /// Fields of the answer that must have this value; null is a field that must not be there.
    pub(crate) fields: BTreeMap<String, Option<String>>,
    /// The messages, in order.
    pub(crate) answers: Vec<Value>,
}
