//! The scripted server of one oracle.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_testkit::{FakeClock, PeerReply, RecordedRequest, ReplyEnd, Script};

use crate::chunking::Chunking;
use crate::oracle::Oracle;
use crate::plant::Plant;
use crate::profile::Profile;
use crate::reply::{ReplySpec, ScriptedReply, Values, id_values};
use crate::saying::Saying;
use crate::step::LegReplies;
use crate::subject::Caller;

/// How often a source of cancellation that cannot wake is asked.
const ASKED_EVERY: Duration = Duration::from_secs(1);

/// Longer than any budget.
const FOR_EVER: Duration = Duration::from_secs(10 * 24 * 60 * 60);

/// Answers each message by its method: from the oracle where it says something, healthily elsewhere.
pub(crate) struct OracleScript {
    /// The answers of each stage.
    stages: Vec<LegReplies>,
    /// The stage that the run is in.
    stage: Arc<Stage>,
    session: Option<String>,
    clock: FakeClock,
    caller: Arc<Caller>,
    /// How often each method was answered, in the whole run and in each stage.
    answered: BTreeMap<String, usize>,
    answered_in: BTreeMap<(usize, String), usize>,
    values: Values,
    chunking: Chunking,
    plant: Plant,
}

impl OracleScript {
    pub(crate) fn new(
        oracle: &Oracle,
        profile: &Profile,
        clock: FakeClock,
        caller: Arc<Caller>,
        stage: Arc<Stage>,
        chunking: Chunking,
        plant: Plant,
    ) -> Self {
        Self {
            stages: oracle.stages().cloned().collect(),
            stage,
            session: profile.session.clone(),
            clock,
            caller,
            answered: BTreeMap::new(),
            answered_in: BTreeMap::new(),
            values: Values::new(),
            chunking,
            plant,
        }
    }
}

/// What an oracle's server answers to the `turn`th message of a method.
pub(crate) fn spec(legs: &LegReplies, session: Option<&str>, method: &str, turn: usize) -> ReplySpec {
    let listed = legs
        .get(method)
        .and_then(|replies| replies.get(turn).or(replies.last()));
    match (listed, method, session) {
        (Some(listed), _, _) => listed.clone(),
        (None, "initialize", Some(session)) => healthy("initialize").with_field("Mcp-Session-Id", session),
        (None, method, _) => healthy(method),
    }
}

/// The JSON-RPC method of a request; the method of HTTP when it has none.
pub(crate) fn method_of(request: &RecordedRequest) -> &str {
    request.member("method").unwrap_or(&request.http_method)
}

/// Counts one more, and says how many there were.
const fn next(count: &mut usize) -> usize {
    *count += 1;
    *count - 1
}

/// The stage that a run is in, as the script is told.
#[derive(Debug, Default)]
pub(crate) struct Stage(AtomicUsize);

impl Stage {
    pub(crate) fn enter(&self, stage: usize) {
        self.0.store(stage, Ordering::Relaxed);
    }

    fn at(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// What the server does about one message, before it becomes bytes.
pub(crate) enum Scripted {
    /// It says nothing, and time passes.
    Nothing,
    /// It answers.
    Reply(ScriptedReply),
    /// It sends bytes that need not be an answer.
    Raw(PeerReply),
}

impl OracleScript {
    /// What the server does about one message.
    pub(crate) fn scripted(&mut self, request: &RecordedRequest) -> Scripted {
        let Some(spec) = self.turn(request) else {
            return Scripted::Nothing;
        };
        match spec.script(&self.values) {
            Some(mut reply) => {
                self.plant.alter_reply(&mut reply, &self.values);
                Scripted::Reply(reply)
            }
            None => Scripted::Raw(spec.raw(&self.values)),
        }
    }

    /// What a handler says to one message; `None` when it says nothing. Plants on the bytes of an answer are left out:
    /// they are not the handler's to say.
    pub(crate) fn said(&mut self, request: &RecordedRequest) -> Option<Saying> {
        let spec = self.turn(request)?;
        let id = request.member("id").unwrap_or_default();
        let reply = spec.script(&self.values);
        // Only oracles that can be said are asked.
        let saying = reply.and_then(|reply| Saying::of(&reply, id));
        Some(saying.unwrap_or_else(Saying::none))
    }

    /// What the oracle has for one message; `None` when nothing is said, and time passes.
    fn turn(&mut self, request: &RecordedRequest) -> Option<ReplySpec> {
        let method = method_of(request).to_owned();
        let turn = next(self.answered.entry(method.clone()).or_default());
        let stage = self.stage.at();
        let turn_in_stage = next(self.answered_in.entry((stage, method.clone())).or_default());
        if let Some(id) = request.member("id") {
            self.values.extend(id_values(id));
            self.values
                .insert(format!("id:{method}:{turn}"), format!("\"{id}\""));
        }
        self.values.insert("method".to_owned(), method.clone());
        self.values
            .insert("session".to_owned(), self.session.clone().unwrap_or_default());
        let nothing = LegReplies::new();
        let legs = self.stages.get(stage).unwrap_or(&nothing);
        let spec = spec(legs, self.session.as_deref(), &method, turn_in_stage);
        if spec.cancel {
            self.caller.cancel();
            self.clock.advance(ASKED_EVERY);
            return None;
        }
        if spec.silent {
            self.clock.advance(FOR_EVER);
            return None;
        }
        self.clock
            .advance(self.plant.elapse(Duration::from_millis(spec.elapse_ms)));
        Some(spec)
    }

    /// The session that the server issues, if any.
    pub(crate) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    pub(crate) const fn chunking(&self) -> Chunking {
        self.chunking
    }

    /// The pieces in which bytes are read.
    pub(crate) fn cut(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        self.chunking.cut(bytes)
    }
}

impl Script for OracleScript {
    fn answer(&mut self, request: &RecordedRequest) -> PeerReply {
        let PeerReply { pieces, end } = match self.scripted(request) {
            Scripted::Nothing => PeerReply {
                pieces: Vec::new(),
                end: ReplyEnd::KeepOpen,
            },
            Scripted::Reply(reply) => reply.render(),
            Scripted::Raw(raw) => raw,
        };
        PeerReply {
            pieces: self.cut(&pieces.concat()),
            end,
        }
    }
}

/// What a server without faults answers; every id echoes the one that it received.
pub(crate) fn healthy(method: &str) -> ReplySpec {
    match method {
        "initialize" => ReplySpec::healthy(concat!(
            r#"{"jsonrpc":"2.0","id":{{id}},"result":{"protocolVersion":"2025-11-25","#,
            r#""capabilities":{"tools":{}},"serverInfo":{"name":"scripted","version":"1"}}}"#
        )),
        "ping" => ReplySpec::healthy(r#"{"jsonrpc":"2.0","id":{{id}},"result":{}}"#),
        "tools/list" => ReplySpec::healthy(
            r#"{"jsonrpc":"2.0","id":{{id}},"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}"#,
        ),
        "tools/call" => ReplySpec::healthy(
            r#"{"jsonrpc":"2.0","id":{{id}},"result":{"content":[{"type":"text","text":"hello"}]}}"#,
        ),
        _ => ReplySpec::accepted(),
    }
}
