//! This project's client under load, with everything on: bounds, gate, ledger in memory, contacts, deadline.
//!
//! `variant=catalogue` asks the gate that reads record and row for every call; any other permits, as a host without a
//! catalogue of its own does.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use load::{Caller, Client, Settings};
use mcp_host::{Host, Server, Wiring};
use mcp_policy::catalogue::{Offer, Surroundings};
use mcp_policy::gate::{CatalogueGate, GateRules, ModelZones, TrustZone};
use mcp_policy::memory::{MemoryLedger, MemoryStore};
use mcp_policy::port::{Actor, Never, RunId, ServerStore};
use mcp_policy::{Act, ApprovalRule, DataClass, Registry, ServerName, ServerRecord, Session, WalkLimits};
use mcp_wire::{Arguments, Endpoint, ToolName};

struct Ours {
    host: Host,
    server: Server,
    /// Runs that were opened.
    runs: AtomicU64,
}

fn actor() -> Actor {
    Actor::User("bench".to_owned())
}

async fn wire(settings: &Settings) -> Ours {
    let store = Arc::new(MemoryStore::default());
    let mut wiring = Wiring::default();
    wiring.ledger = Arc::new(MemoryLedger::new(u32::MAX));
    wiring.health = store.clone();
    wiring.http.idle_connections = settings.flight.max(8);
    if settings.flight > 63 {
        // One place is kept for farewells.
        wiring.http.exchanges = settings.flight + 1;
    }
    let name = ServerName::parse("bench").expect("a name");
    let endpoint = Endpoint::parse(&settings.url).expect("a URL");
    let mut record = ServerRecord::new(name.clone(), Some(endpoint));
    record.class = Some(DataClass::PublicContent);
    record.approval = ApprovalRule::NotRequired;
    let server = record.server().expect("a whole record");
    if settings.variant == "catalogue" {
        let mut rules = GateRules::default();
        rules.administrators.insert("bench".to_owned());
        rules.zones = ModelZones::of(TrustZone::Local);
        wiring.gate = Arc::new(CatalogueGate::new(store.clone(), store.clone(), rules));
    }
    let host = Host::wire(wiring).expect("random bytes");
    if settings.variant == "catalogue" {
        assert!(store.add(record).await.expect("a store"), "a new record");
        let registry = Registry::new(host.client(), &*store, &*store, &[]);
        let plan = registry.import(&name).await.expect("an import");
        let row = plan.rows().find(|row| row.remote_name.as_str() == "echo");
        let local = row.expect("the tool").local_name.clone();
        registry
            .decide(local.as_str(), Act::Enable)
            .await
            .expect("a decision");
    }
    Ours {
        host,
        server,
        runs: AtomicU64::new(0),
    }
}

impl Ours {
    async fn run(&self) -> RunId {
        let run = RunId(format!("run-{}", self.runs.fetch_add(1, Ordering::Relaxed)));
        self.host.client().open_run(&run, &actor()).await.expect("a run");
        run
    }

    async fn line(&self) -> Line<'_> {
        let session = self.host.client().open_session(&self.server).await;
        Line {
            session: session.expect("a session"),
            run: self.run().await,
            actor: actor(),
            tool: ToolName::parse("echo").expect("a name"),
            arguments: Arguments::parse(r#"{"message":"hello"}"#).expect("arguments"),
        }
    }
}

impl Client for Ours {
    type Caller = Line<'static>;

    fn connect(settings: &Settings) -> impl Future<Output = Self> + Send {
        wire(settings)
    }

    fn caller(&'static self) -> impl Future<Output = Line<'static>> + Send {
        self.line()
    }

    async fn whole(settings: &Settings) -> usize {
        let ours = wire(settings).await;
        let mut line = ours.line().await;
        line.session
            .list_tools(WalkLimits::default())
            .await
            .expect("a list");
        let bytes = line.call().await;
        line.session.close().await;
        ours.host
            .client()
            .end_run(&line.run)
            .await
            .expect("the end of a run");
        bytes
    }
}

struct Line<'a> {
    session: Session<'a>,
    run: RunId,
    actor: Actor,
    tool: ToolName,
    arguments: Arguments,
}

impl Caller for Line<'static> {
    fn call(&mut self) -> impl Future<Output = usize> + Send {
        Line::call(self)
    }

    async fn list(&mut self) -> usize {
        let list = self.session.list_tools(WalkLimits::default()).await;
        list.expect("a list").tools.len()
    }

    async fn import(&mut self) -> Option<usize> {
        let list = self
            .session
            .list_tools(WalkLimits::default())
            .await
            .expect("a list");
        let name = ServerName::parse("bench").expect("a name");
        let surroundings = Surroundings::of(&name, [], []);
        let offer = Offer::read(&list.tools, list.quarantined, &surroundings);
        Some(offer.tools().count())
    }
}

impl Line<'_> {
    async fn call(&mut self) -> usize {
        let called = self
            .session
            .call_tool(&self.tool, &self.arguments, &self.run, &self.actor, &Never)
            .await;
        called.expect("a result").text.len()
    }
}

fn main() {
    load::main::<Ours>();
}
