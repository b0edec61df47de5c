//! A client whose gate and approvals are real, over stores and a server in memory.

use std::sync::{Arc, Mutex};

use mcp_policy::gate::{CatalogueGate, GateRules, ModelZones, TrustZone};
use mcp_policy::memory::{MemoryApprovals, MemoryDenials, MemoryLedger, MemoryStore};
use mcp_policy::port::{Actor, Never, RunId, Untraced};
use mcp_policy::{CallOutcome, Client, Failure, Ports, Server};
use mcp_testkit::{FakeClock, FixedProcess, MemoryAnswer, MemoryTransport, SeededEntropy};
use mcp_wire::{Arguments, ClientInfo, Expectation, Message, Method};

use crate::stores::{echo, record, row, server, store};
use crate::support::now;

/// A client, what it is wired to, and what the server was called with.
pub(crate) struct World {
    pub(crate) client: Client,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) approvals: Arc<MemoryApprovals>,
    pub(crate) ledger: Arc<MemoryLedger>,
    called: Arc<Mutex<usize>>,
}

impl World {
    /// A world whose server answers every call with `reply`.
    pub(crate) fn new(reply: impl Fn(&Message) -> MemoryAnswer + Send + 'static) -> Self {
        let (store, called) = (store(record(), Some(row())), Arc::<Mutex<usize>>::default());
        let (approvals, ledger) = (Arc::<MemoryApprovals>::default(), Arc::<MemoryLedger>::default());
        let mut rules = GateRules::default();
        rules.administrators = ["root".to_owned()].into();
        rules.zones = ModelZones::of(TrustZone::Local);
        let count = called.clone();
        let script = move |message: &Message| match message.leg().method {
            Method::Initialize => respond(
                message,
                r#""result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#,
            ),
            Method::ToolsCall => {
                *count.lock().unwrap() += 1;
                reply(message)
            }
            Method::Initialized
            | Method::Cancelled
            | Method::EndSession
            | Method::Ping
            | Method::ToolsList => MemoryAnswer::Accepted,
        };
        let ports = Ports {
            transport: Arc::new(MemoryTransport::new(script)),
            clock: Arc::new(FakeClock::new()),
            entropy: Arc::new(SeededEntropy::new(2)),
            process: Arc::<FixedProcess>::default(),
            gate: Arc::new(CatalogueGate::new(store.clone(), store.clone(), rules)),
            denials: Arc::new(MemoryDenials::default()),
            approvals: approvals.clone(),
            ledger: ledger.clone(),
            health: store.clone(),
            trace: Arc::new(Untraced),
        };
        let info = ClientInfo {
            name: "host".to_owned(),
            version: "1".to_owned(),
        };
        let client = Client::new(info, ports).unwrap();
        now(client.open_run(&run(), &root())).unwrap();
        Self {
            client,
            store,
            approvals,
            ledger,
            called,
        }
    }

    /// A world whose server says `done`.
    pub(crate) fn well() -> Self {
        let done = r#""result":{"content":[{"type":"text","text":"done"}]}"#;
        Self::new(move |message| respond(message, done))
    }

    /// Calls `echo` as the administrator `root`.
    pub(crate) fn call(&self, arguments: &str) -> Result<CallOutcome, Failure> {
        self.call_at(&server(), arguments)
    }

    pub(crate) fn call_at(&self, server: &Server, arguments: &str) -> Result<CallOutcome, Failure> {
        let (run, actor) = (run(), root());
        let arguments = Arguments::parse(arguments).unwrap();
        now(self
            .client
            .call_tool(server, &echo(), &arguments, &run, &actor, &Never))
    }

    /// How often the server was called.
    pub(crate) fn called(&self) -> usize {
        *self.called.lock().unwrap()
    }
}

/// The one run of a world.
fn run() -> RunId {
    RunId("run-1".to_owned())
}

fn root() -> Actor {
    Actor::User("root".to_owned())
}

/// The response that goes on like this after its id.
pub(crate) fn respond(message: &Message, rest: &str) -> MemoryAnswer {
    let Expectation::Response(id) = message.leg().expectation else {
        panic!("no request");
    };
    MemoryAnswer::Json(format!(r#"{{"jsonrpc":"2.0","id":"{id}",{rest}}}"#).into_bytes())
}
