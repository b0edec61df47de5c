//! The registry: imports over a store, whole or not at all, and the operator's word on a tool.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_policy::catalogue::{ActRefused, Fingerprint, Flag, Standing};
use mcp_policy::memory::MemoryStore;
use mcp_policy::port::{CatalogueStore, ImportStatus, ServerCatalogue, ServerStore, Snapshot};
use mcp_policy::{Act, DataClass, RecordGap, Registry, RegistryError, ServerName, ServerRecord, Switch};
use mcp_testkit::FakeClock;
use mcp_wire::{Endpoint, Message, Method};

use crate::support::{now, result, well_except};
use crate::world::{Answers, World};

/// A server whose list of tools a test can change, and a host that keeps it.
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) store: MemoryStore,
    tools: Arc<Mutex<String>>,
}

impl Stage {
    pub(crate) fn new(tools: &str) -> Self {
        let tools = Arc::new(Mutex::new(tools.to_owned()));
        let offered = tools.clone();
        let answer =
            move |message: &Message| result(message, &format!("{{\"tools\":[{}]}}", offered.lock().unwrap()));
        let world = World::at(
            FakeClock::new(),
            Answers::default(),
            well_except(Method::ToolsList, answer),
        );
        let stage = Self {
            world,
            store: MemoryStore::default(),
            tools,
        };
        assert!(now(stage.store.add(record("demo"))).unwrap());
        stage
    }

    pub(crate) fn offer(&self, tools: &str) {
        tools.clone_into(&mut self.tools.lock().unwrap());
    }

    pub(crate) fn registry(&self) -> Registry<'_> {
        Registry::new(&self.world.client, &self.store, &self.store, &["builtin"])
    }

    fn import(&self) -> Result<mcp_policy::catalogue::Plan, RegistryError> {
        now(self.registry().import(&name("demo")))
    }

    fn decide(&self, tool: &str, act: Act) -> Result<Standing, RegistryError> {
        now(self.registry().decide(tool, act)).map(|row| row.standing)
    }

    fn snapshot(&self) -> Snapshot {
        now(self.store.catalogue()).unwrap()
    }

    fn kept(&self) -> ServerCatalogue {
        self.snapshot().servers[&name("demo")].clone()
    }

    /// Local name, whether it is on, and since when it is orphaned, in seconds after the start of the clock.
    fn rows(&self) -> Vec<(String, bool, Option<u64>)> {
        let start = self.world.clock_at_zero();
        let rows = self.kept().rows.into_values();
        rows.map(|row| {
            let orphaned = row.orphaned_since.map(|since| (since.0 - start.0).as_secs());
            (row.local_name.to_string(), row.is_on(), orphaned)
        })
        .collect()
    }
}

pub(crate) fn name(text: &str) -> ServerName {
    ServerName::parse(text).unwrap()
}

pub(crate) fn record(server: &str) -> ServerRecord {
    let endpoint = Endpoint::parse("https://srv.example/mcp").unwrap();
    let mut record = ServerRecord::new(name(server), Some(endpoint));
    record.class = Some(DataClass::InternalConfiguration);
    record
}

pub(crate) fn tool(name: &str, description: &str) -> String {
    format!(r#"{{"name":"{name}","description":"{description}","inputSchema":{{"type":"object"}}}}"#)
}

fn row(name: &str, is_on: bool, orphaned: Option<u64>) -> (String, bool, Option<u64>) {
    (name.to_owned(), is_on, orphaned)
}

#[test]
fn an_import_takes_in_tools_that_are_off_and_notes_one_contact() {
    let stage = Stage::new(&[tool("a", "A"), tool("b", "B")].join(","));
    let plan = stage.import().unwrap();
    assert_eq!((plan.added.len(), plan.changed.len()), (2, 0));
    assert_eq!(
        stage.rows(),
        [row("mcp_demo_a", false, None), row("mcp_demo_b", false, None)]
    );
    assert_eq!(stage.kept().imports.status(), ImportStatus::Ok);
    assert!(stage.world.last_contact().is_some());
    let again = stage.import().unwrap();
    assert!(again.is_quiet());
    let log = stage.world.log();
    assert_eq!(log.iter().filter(|entry| *entry == "contact").count(), 2);
    assert!(
        !log.iter().any(|entry| entry == "gate" || entry == "stamp"),
        "{log:?}"
    );
}

#[test]
fn a_plan_changes_nothing() {
    let stage = Stage::new(&tool("a", "A"));
    let before = stage.snapshot();
    let plan = now(stage.registry().plan(&name("demo"))).unwrap();
    assert_eq!(plan.added.len(), 1);
    assert_eq!(stage.snapshot(), before);
}

#[test]
fn what_cannot_be_used_is_set_aside_with_its_reason() {
    let tools = [
        tool("good", "x"),
        tool("b a d", "x"),
        r#"{"name":"plain","inputSchema":{"type":"string"}}"#.to_owned(),
        "7".to_owned(),
        tool("twin", "x"),
        tool("twin", "y"),
    ];
    let stage = Stage::new(&tools.join(","));
    stage.import().unwrap();
    assert_eq!(stage.rows(), [row("mcp_demo_good", false, None)]);
    let imports = stage.kept().imports;
    assert_eq!(imports.status(), ImportStatus::Partial);
    let set_aside = imports.success.unwrap().set_aside;
    let told: Vec<(Option<&str>, &str)> = set_aside
        .iter()
        .map(|one| (one.name.as_ref().map(|name| name.as_str()), &*one.reason))
        .collect();
    assert_eq!(told.len(), 5, "{told:?}");
    for expected in [
        (Some("b a d"), "local-name-character"),
        (Some("plain"), "schema-root-type"),
        (Some("twin"), "name-ambiguous"),
    ] {
        assert!(told.contains(&expected), "{expected:?} is not in {told:?}");
    }
}

#[test]
fn a_tool_is_on_in_the_definition_that_was_confirmed() {
    let stage = Stage::new(&tool("a", "A"));
    stage.import().unwrap();
    let shown =
        |stage: &Stage| -> Fingerprint { stage.kept().rows.values().next().unwrap().definition.fingerprint };
    let first = shown(&stage);
    assert!(
        matches!(stage.decide("mcp_demo_a", Act::Enable), Ok(Standing::On { confirmed }) if confirmed == first)
    );
    stage.offer(&tool("a", "another"));
    let plan = stage.import().unwrap();
    assert!(plan.changed.values().all(|change| change.drifted), "{plan:?}");
    assert_eq!(stage.rows(), [row("mcp_demo_a", false, None)]);
    let second = shown(&stage);
    assert_ne!(first, second);
    for (act, refused) in [
        (Act::Enable, ActRefused::MustBeConfirmed),
        (Act::Confirm(first), ActRefused::NotTheOneShown),
    ] {
        assert_eq!(stage.decide("mcp_demo_a", act), Err(RegistryError::Act(refused)));
    }
    assert!(stage.decide("mcp_demo_a", Act::Confirm(second)).is_ok());
    assert_eq!(stage.rows(), [row("mcp_demo_a", true, None)]);
    assert_eq!(stage.decide("mcp_demo_a", Act::Disable), Ok(Standing::Off));
    assert_eq!(
        stage.decide("mcp_demo_z", Act::Disable),
        Err(RegistryError::UnknownTool)
    );
}

#[test]
fn a_missing_tool_is_orphaned_once_and_comes_back_as_it_was() {
    let stage = Stage::new(&[tool("a", "A"), tool("b", "B")].join(","));
    stage.import().unwrap();
    stage.decide("mcp_demo_a", Act::Enable).unwrap();
    stage.offer(&tool("b", "B"));
    for seconds in [10, 20] {
        stage.world.clock.advance(Duration::from_secs(10));
        let plan = stage.import().unwrap();
        assert_eq!(plan.orphaned.len(), usize::from(seconds == 10));
        assert_eq!(stage.rows()[0], row("mcp_demo_a", true, Some(10)));
    }
    let enabled = stage.decide("mcp_demo_a", Act::Enable);
    assert!(enabled.is_ok(), "it is on already: {enabled:?}");
    stage.offer(&[tool("a", "A"), tool("b", "B")].join(","));
    let plan = stage.import().unwrap();
    assert_eq!(plan.returned.len(), 1);
    assert_eq!(stage.rows()[0], row("mcp_demo_a", true, None));
}

#[test]
fn what_a_record_lacks_is_refused_before_any_contact_and_noted() {
    let stage = Stage::new(&tool("a", "A"));
    stage.import().unwrap();
    let sent = stage.world.log().len();
    let before = stage.kept();
    type Spoil = fn(&mut ServerRecord);
    let cases: [(Spoil, RecordGap); 3] = [
        (|record| record.class = None, RecordGap::NoClass),
        (|record| record.endpoint = None, RecordGap::NoUrl),
        (|record| record.switch = Switch::Off, RecordGap::Disabled),
    ];
    for (spoil, gap) in cases {
        let mut spoilt = record("demo");
        spoil(&mut spoilt);
        assert!(now(stage.store.replace(spoilt)).unwrap());
        let error = stage.import().unwrap_err();
        assert_eq!(error, RegistryError::Gap(gap));
        let imports = stage.kept().imports;
        assert_eq!(imports.status(), ImportStatus::Error);
        assert_eq!(imports.failure.unwrap().reason, gap.kind());
        assert_eq!(
            (stage.kept().rows, imports.success),
            (before.rows.clone(), before.imports.success.clone())
        );
        assert_eq!(stage.world.log().len(), sent);
        assert_eq!(
            now(stage.registry().remote_tools()).unwrap().len(),
            usize::from(gap == RecordGap::NoUrl)
        );
    }
    now(stage.store.replace(record("demo"))).unwrap();
    stage.import().unwrap();
    assert_eq!(stage.kept().imports.status(), ImportStatus::Ok);
    assert_eq!(
        now(stage.registry().import(&name("other"))).unwrap_err(),
        RegistryError::UnknownServer
    );
}

#[test]
fn other_servers_stay_as_they_are_and_keep_their_names() {
    let stage = Stage::new(&[tool("a", "A"), tool("x_b", "B")].join(","));
    let mut neighbour = record("demo_x");
    neighbour.walk.tools = 7;
    now(stage.store.add(neighbour)).unwrap();
    now(stage.registry().import(&name("demo_x"))).unwrap();
    stage.offer(&[tool("x_a", "another"), tool("x_b", "B")].join(","));
    let before = stage.snapshot().servers[&name("demo_x")].clone();
    let plan = stage.import().unwrap();
    // `demo` with `x_a` would be `mcp_demo_x_a`, which the neighbour holds.
    let reasons: Vec<&str> = plan.quarantined.iter().map(|one| one.reason.kind()).collect();
    assert_eq!(reasons, ["name-of-other-server"]);
    assert_eq!(stage.snapshot().servers[&name("demo_x")], before);
    assert_eq!(now(stage.registry().remote_tools()).unwrap().len(), 3);
}

#[test]
fn a_tool_of_the_same_name_is_told_of_while_its_server_is_enabled() {
    let stage = Stage::new(&tool("a", ""));
    now(stage.store.add(record("other"))).unwrap();
    now(stage.registry().import(&name("other"))).unwrap();
    for (switch, told) in [(Switch::On, &["same-remote-name"][..]), (Switch::Off, &[])] {
        let mut other = record("other");
        other.switch = switch;
        assert!(now(stage.store.replace(other)).unwrap());
        let plan = now(stage.registry().plan(&name("demo"))).unwrap();
        let flags: Vec<&str> = plan.flags.values().flatten().map(Flag::kind).collect();
        assert_eq!(flags, told, "{switch:?}");
    }
}
