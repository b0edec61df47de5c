//! A conversation as it is played: each step said, heard and compared.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::HeaderValue;
use http::request::Parts;
use mcp_server::{
    AllowList, Caller, Callers, Clock, HttpOptions, HttpServer, Server, ServerOptions, SessionRules,
    Unidentified,
};
use mcp_testkit::SeededEntropy;
use mcp_wire::ProtocolVersion;
use serde_json::{Value, json};

use super::conversation::{Begin, Carrier, Conversation, Expect, ServerSetup, Step};
use super::handler::Scripted;
use super::http::HttpCarrier;
use super::stdio::StdioCarrier;
use crate::check::Miss;
use crate::plant::Plant;

/// What a client says in one step.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) fields: BTreeMap<String, String>,
    pub(crate) text: String,
}

/// What it hears.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Heard {
    pub(crate) status: Option<u16>,
    pub(crate) fields: BTreeMap<String, String>,
    pub(crate) answers: Vec<Value>,
}

/// Plays a conversation on one carrier and says what differs.
pub(crate) fn check_conversation(conversation: &Conversation, carrier: Carrier, plant: Plant) -> Vec<Miss> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    match runtime {
        Ok(runtime) => match runtime.block_on(play(conversation, carrier, plant)) {
            Ok(misses) => misses,
            Err(fault) => vec![Miss(fault)],
        },
        Err(fault) => vec![Miss(fault.to_string())],
    }
}

async fn play(conversation: &Conversation, carrier: Carrier, plant: Plant) -> Result<Vec<Miss>, String> {
    let clock = Arc::new(HandClock::default());
    let setup = &conversation.server;
    let server = Server::with(
        Scripted,
        server_options(setup)?,
        Arc::new(SeededEntropy::new(28)),
        Arc::clone(&clock) as Arc<dyn Clock>,
    );
    let mut player = Player {
        line: Line::open(carrier, server, setup),
        session: None,
        plant,
        misses: Vec::new(),
    };
    for (at, step) in conversation.steps.iter().enumerate() {
        for _ in 0..step.times.unwrap_or(1) {
            clock.advance(Duration::from_secs(step.elapse_s));
            let taken = player.step(step, at + 1).await;
            taken.map_err(|fault| format!("step {}: {fault}", at + 1))?;
        }
    }
    if let Line::Stdio(stdio) = player.line {
        let left = stdio.end().await?;
        if !left.answers.is_empty() {
            player
                .misses
                .push(Miss(format!("said unasked: {:?}", left.answers)));
        }
    }
    Ok(player.misses)
}

enum Line {
    Http(HttpCarrier),
    Stdio(Box<StdioCarrier>),
}

impl Line {
    fn open(carrier: Carrier, server: Server, setup: &ServerSetup) -> Self {
        match carrier {
            Carrier::Stdio => Self::Stdio(Box::new(StdioCarrier::new(server))),
            Carrier::Http => {
                let mut options = HttpOptions::default();
                if let Some(hosts) = &setup.hosts {
                    options.hosts = AllowList::Only(hosts.clone());
                    options.origins = AllowList::Only(hosts.clone());
                }
                Self::Http(HttpCarrier::new(if setup.callers.is_empty() {
                    HttpServer::new(server, options)
                } else {
                    HttpServer::with_callers(server, options, Named(setup.callers.clone()))
                }))
            }
        }
    }
}

struct Player {
    line: Line,
    /// The session that was begun last.
    session: Option<String>,
    plant: Plant,
    misses: Vec<Miss>,
}

impl Player {
    async fn step(&mut self, step: &Step, at: usize) -> Result<(), String> {
        if let Some(begin) = step.begin {
            return self.begin(begin, step, at).await;
        }
        let expected = step.expect.answers.len();
        let heard = match (&step.join, &mut self.line) {
            (Some(name), Line::Http(http)) => http.join(name).await?,
            (Some(_), Line::Stdio(_)) => return Err("nothing is held on stdio".into()),
            (None, _) => {
                let text = match (&step.say, &step.text) {
                    (Some(say), None) => say.to_string(),
                    (None, text) => text.clone().unwrap_or_default(),
                    (Some(_), Some(_)) => return Err("a step says one thing".into()),
                };
                self.say(step, text, expected).await?
            }
        };
        if step.hold.is_none() {
            self.compare(&heard, &step.expect, at);
        }
        Ok(())
    }

    async fn begin(&mut self, begin: Begin, step: &Step, at: usize) -> Result<(), String> {
        self.session = None;
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
        let ask = json!({"jsonrpc": "2.0", "id": "begin", "method": "initialize", "params": params});
        let heard = self.say(step, ask.to_string(), 1).await?;
        if !matches!(&heard.answers[..], [answer] if answer.get("result").is_some()) {
            self.misses
                .push(Miss(format!("step {at}: no session begins: {heard:?}")));
        }
        self.session = heard.fields.get("mcp-session-id").cloned();
        match begin {
            Begin::OnlyAnswered => {}
            Begin::Initialized => {
                let tell = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
                let heard = self.say(step, tell.to_string(), 0).await?;
                if !heard.answers.is_empty() {
                    self.misses
                        .push(Miss(format!("step {at}: a notification is answered")));
                }
            }
        }
        Ok(())
    }

    async fn say(&mut self, step: &Step, mut text: String, expected: usize) -> Result<Heard, String> {
        if let Some(bytes) = step.fill {
            text.push_str(&" ".repeat(bytes.saturating_sub(text.len())));
        }
        let mut said = Said {
            method: step.method.clone().unwrap_or_else(|| "POST".into()),
            path: step.path.clone().unwrap_or_else(|| "/mcp".into()),
            fields: self.fields(step),
            text,
        };
        self.plant.alter_said(&mut said);
        let mut heard = match &mut self.line {
            Line::Http(http) => http.say(&said, step.hold.as_deref()).await?,
            Line::Stdio(stdio) => stdio.say(&said, expected).await?,
        };
        self.plant.alter_heard(&mut heard);
        Ok(heard)
    }

    /// The usual fields of a client, as the step alters them.
    fn fields(&self, step: &Step) -> BTreeMap<String, String> {
        let mut fields: BTreeMap<String, String> = [
            ("host", "localhost:8080"),
            ("accept", "application/json, text/event-stream"),
            ("content-type", "application/json"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        if let Some(session) = &self.session {
            fields.insert("mcp-session-id".into(), session.clone());
            fields.insert("mcp-protocol-version".into(), "2025-11-25".into());
        }
        for (name, value) in &step.fields {
            match value {
                Some(value) => {
                    let session = self.session.as_deref().unwrap_or_default();
                    fields.insert(name.clone(), value.replace("{{session}}", session));
                }
                None => {
                    fields.remove(name);
                }
            }
        }
        fields
    }

    fn compare(&mut self, heard: &Heard, expect: &Expect, at: usize) {
        let mut miss = |what: String| self.misses.push(Miss(format!("step {at}: {what}")));
        if matches!(self.line, Line::Http(_)) {
            if heard.status != expect.status {
                miss(format!("status {:?}, not {:?}", heard.status, expect.status));
            }
            for (name, value) in &expect.fields {
                let found = heard.fields.get(name);
                if found != value.as_ref() {
                    miss(format!("{name}: {found:?}, not {value:?}"));
                }
            }
        }
        if heard.answers != expect.answers {
            let [found, wanted] =
                [&heard.answers, &expect.answers].map(|answers| Value::from(answers.clone()));
            miss(format!("heard {found}, not {wanted}"));
        }
    }
}

fn server_options(setup: &ServerSetup) -> Result<ServerOptions, String> {
    let mut options = ServerOptions::default();
    if setup.issues_no_sessions {
        options.sessions = SessionRules::None;
    } else if let (Some(wanted), SessionRules::Issued { count, .. }) = (setup.sessions, &mut options.sessions)
    {
        *count = wanted;
    }
    if let Some(versions) = &setup.versions {
        let versions: Result<_, _> = versions.iter().map(|text| ProtocolVersion::parse(text)).collect();
        options.versions = versions.map_err(|fault| fault.to_string())?;
    }
    options.live_requests = setup.live_requests.unwrap_or(options.live_requests);
    options.message.body_bytes = setup.body_bytes.unwrap_or(options.message.body_bytes);
    Ok(options)
}

/// Callers who say their name.
struct Named(Vec<String>);

impl Callers for Named {
    fn identify(&self, head: &Parts) -> Result<Caller, Unidentified> {
        let shown = head
            .headers
            .get("authorization")
            .and_then(|value| value.to_str().ok());
        let name = shown.and_then(|shown| shown.strip_prefix("Bearer "));
        let known = name.filter(|name| self.0.iter().any(|known| known == name));
        known.map(Caller::new).ok_or(Unidentified {
            challenge: HeaderValue::from_static("Bearer"),
        })
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug, Default)]
struct HandClock(Mutex<Duration>);

impl HandClock {
    fn advance(&self, length: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += length;
    }
}

impl Clock for HandClock {
    fn now(&self) -> Duration {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
