//! The registry when something fails: the list, the store, or another process that changes the catalogue at the same time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_policy::memory::MemoryStore;
use mcp_policy::port::{
    CatalogueChange, CatalogueStore, Committed, Generation, ImportFailure, ImportStatus, ServerStore,
    Snapshot, StoreError,
};
use mcp_policy::{Act, Registry, RegistryError, ServerName};
use mcp_testkit::{FakeClock, MemoryAnswer, TraceRecord};
use mcp_wire::{Message, Method, PortFuture};

use crate::registry::{Stage, name, record, tool};
use crate::support::{Task, error, now, result, well, well_except};
use crate::world::{Answers, World};

type Page = fn(usize) -> Option<String>;

/// A page of one tool with a cursor to the next.
fn endless(page: usize) -> Option<String> {
    Some(format!(
        "{{\"tools\":[{}],\"nextCursor\":\"{page}\"}}",
        tool(&format!("t{page}"), "")
    ))
}

fn looping(page: usize) -> Option<String> {
    Some(format!(
        "{{\"tools\":[{}],\"nextCursor\":\"same\"}}",
        tool(&format!("t{page}"), "")
    ))
}

fn too_many(_page: usize) -> Option<String> {
    let tools: Vec<String> = (0..501).map(|number| tool(&format!("t{number}"), "")).collect();
    Some(format!("{{\"tools\":[{}]}}", tools.join(",")))
}

fn malformed_second(page: usize) -> Option<String> {
    Some(match page {
        0 => format!("{{\"tools\":[{}],\"nextCursor\":\"two\"}}", tool("b", "")),
        _ => "{\"tools\":7}".to_owned(),
    })
}

fn refused_second(page: usize) -> Option<String> {
    (page == 0).then(|| format!("{{\"tools\":[{}],\"nextCursor\":\"two\"}}", tool("b", "")))
}

#[test]
fn a_walk_that_fails_changes_nothing_but_the_status_and_its_reason() {
    let cases: [(Page, &str, usize); 5] = [
        (endless, "too-many-pages", 50),
        (looping, "cursor-loop", 2),
        (too_many, "too-many-tools", 1),
        (malformed_second, "tools-missing", 2),
        (refused_second, "rpc-error", 2),
    ];
    for (page, kind, asked) in cases {
        let count = AtomicUsize::new(0);
        let answer = move |message: &Message| match count.fetch_add(1, Ordering::Relaxed) {
            0 => result(message, &format!("{{\"tools\":[{}]}}", tool("a", "A"))),
            later => page(later - 1).map_or_else(|| error(message, -1), |page| result(message, &page)),
        };
        let world = World::new(Answers::default(), well_except(Method::ToolsList, answer));
        let store = MemoryStore::default();
        now(store.add(record("demo"))).unwrap();
        let registry = Registry::new(&world.client, &store, &store, &[]);
        now(registry.import(&name("demo"))).unwrap();
        let before = now(store.catalogue()).unwrap();
        let contact = world.last_contact();
        world.clock.advance(Duration::from_secs(1));

        let failed = now(registry.import(&name("demo"))).unwrap_err();
        assert_eq!(failed.kind(), kind);
        let mut after = now(store.catalogue()).unwrap();
        let kept = after.servers.get_mut(&name("demo")).unwrap();
        assert_eq!(kept.imports.status(), ImportStatus::Error);
        assert_eq!(kept.imports.failure.take().unwrap().reason, kind);
        assert_eq!(after, before, "{kind}");
        assert_eq!(world.last_contact(), contact, "{kind}");
        let pages = world.log().iter().filter(|entry| *entry == "tools/list").count();
        assert_eq!(pages, 1 + asked, "{kind}");
    }
}

/// A store in memory that meets others: before each of the first `stale` commits another process changes the catalogue.
struct Contended {
    inner: MemoryStore,
    stale: AtomicUsize,
    fails: Option<(&'static str, Option<StoreError>)>,
}

impl Contended {
    fn new(stale: usize) -> Self {
        let inner = MemoryStore::default();
        now(inner.add(record("demo"))).unwrap();
        now(inner.add(record("other"))).unwrap();
        Self {
            inner,
            stale: AtomicUsize::new(stale),
            fails: None,
        }
    }

    /// A store in which one question fails, or is never answered.
    fn failing(at: &'static str, how: Option<StoreError>) -> Self {
        Self {
            fails: Some((at, how)),
            ..Self::new(0)
        }
    }

    fn or_fail<T: Send + 'static>(
        &self,
        at: &str,
        answer: impl FnOnce() -> PortFuture<Result<T, StoreError>>,
    ) -> PortFuture<Result<T, StoreError>> {
        match self.fails {
            Some((place, Some(error))) if place == at => PortFuture::ready(Err(error)),
            Some((place, None)) if place == at => PortFuture::pending(std::future::pending()),
            Some(_) | None => answer(),
        }
    }
}

impl CatalogueStore for Contended {
    fn catalogue(&self) -> PortFuture<Result<Snapshot, StoreError>> {
        self.or_fail("catalogue", || self.inner.catalogue())
    }

    fn row(
        &self,
        server: &ServerName,
        tool: &mcp_wire::ToolName,
    ) -> PortFuture<Result<Option<mcp_policy::catalogue::CatalogueRow>, StoreError>> {
        self.inner.row(server, tool)
    }

    fn commit(&self, base: Generation, change: CatalogueChange) -> PortFuture<Result<Committed, StoreError>> {
        let left = self.stale.load(Ordering::Relaxed);
        if left > 0 {
            self.stale.store(left - 1, Ordering::Relaxed);
            let theirs = CatalogueChange {
                server: name("other"),
                rows: vec![],
                import: None,
            };
            assert_eq!(now(self.inner.commit(base, theirs)), Ok(Committed::Done));
        }
        self.or_fail("commit", || self.inner.commit(base, change))
    }

    fn note_failure(
        &self,
        server: &ServerName,
        failure: ImportFailure,
    ) -> PortFuture<Result<(), StoreError>> {
        self.or_fail("note", || self.inner.note_failure(server, failure))
    }
}

impl ServerStore for Contended {
    fn servers(&self) -> PortFuture<Result<Vec<mcp_policy::ServerRecord>, StoreError>> {
        self.or_fail("servers", || self.inner.servers())
    }

    fn server(&self, name: &ServerName) -> PortFuture<Result<Option<mcp_policy::ServerRecord>, StoreError>> {
        self.or_fail("server", || self.inner.server(name))
    }

    fn add(&self, record: mcp_policy::ServerRecord) -> PortFuture<Result<bool, StoreError>> {
        self.inner.add(record)
    }

    fn replace(&self, record: mcp_policy::ServerRecord) -> PortFuture<Result<bool, StoreError>> {
        self.inner.replace(record)
    }

    fn remove(&self, name: &ServerName) -> PortFuture<Result<bool, StoreError>> {
        self.inner.remove(name)
    }
}

fn one_tool(message: &Message) -> MemoryAnswer {
    result(message, &format!("{{\"tools\":[{}]}}", tool("a", "A")))
}

#[test]
fn a_plan_is_drawn_anew_when_others_change_the_catalogue() {
    for (stale, lists) in [(0, 1), (1, 1), (15, 1)] {
        let world = World::new(Answers::default(), well_except(Method::ToolsList, one_tool));
        let store = Contended::new(stale);
        let registry = Registry::new(&world.client, &store, &store, &[]);
        now(registry.import(&name("demo"))).unwrap();
        let generation = now(store.catalogue()).unwrap().generation;
        assert_eq!(generation, Generation(stale as u64 + 1));
        let asked = world.log().iter().filter(|entry| *entry == "tools/list").count();
        assert_eq!(asked, lists, "the server is asked once");
    }
    let world = World::new(Answers::default(), well_except(Method::ToolsList, one_tool));
    let store = Contended::new(16);
    let registry = Registry::new(&world.client, &store, &store, &[]);
    assert_eq!(
        now(registry.import(&name("demo"))).unwrap_err(),
        RegistryError::Contended
    );
    let kept = now(store.catalogue()).unwrap();
    assert!(kept.servers[&name("demo")].rows.is_empty());
}

#[test]
fn a_store_that_fails_is_told_by_its_kind_and_leaves_the_catalogue() {
    for (at, sent) in [
        ("server", false),
        ("servers", true),
        ("catalogue", true),
        ("commit", true),
    ] {
        let world = World::new(Answers::default(), well_except(Method::ToolsList, one_tool));
        let store = Contended::failing(at, Some(StoreError::Full));
        let registry = Registry::new(&world.client, &store, &store, &[]);
        let failed = now(registry.import(&name("demo"))).unwrap_err();
        assert_eq!(failed, RegistryError::Store(StoreError::Full), "{at}");
        assert_eq!(failed.kind(), "store-full");
        assert_eq!(world.log().contains(&"tools/list".to_owned()), sent, "{at}");
        let kept = now(store.inner.catalogue()).unwrap();
        assert!(kept.servers[&name("demo")].rows.is_empty(), "{at}");
        assert_eq!(
            kept.servers[&name("demo")].imports.status(),
            ImportStatus::Error,
            "{at}"
        );
    }
}

#[test]
fn a_store_that_never_answers_is_busy_after_its_time() {
    let clock = FakeClock::new();
    let world = World::at(clock.clone(), Answers::default(), well);
    let store = Contended::failing("catalogue", None);
    let registry = Registry::new(&world.client, &store, &store, &[]);
    let mut act = Task::new(registry.decide("mcp_demo_a", Act::Enable));
    act.wait();
    clock.advance(mcp_policy::Budget::SETTLEMENT.get() - Duration::from_nanos(1));
    act.wait();
    clock.advance(Duration::from_nanos(1));
    assert_eq!(act.end().unwrap_err(), RegistryError::Store(StoreError::Busy));
}

#[test]
fn a_failure_that_cannot_be_noted_stands() {
    let world = World::new(
        Answers::default(),
        well_except(Method::ToolsList, |message| error(message, 1)),
    );
    let store = Contended::failing("note", Some(StoreError::Denied));
    let registry = Registry::new(&world.client, &store, &store, &[]);
    let record = TraceRecord::default();
    let failed = record.listen(|| now(registry.import(&name("demo"))).unwrap_err());
    assert_eq!(failed.kind(), "rpc-error");
    let warned = record
        .events()
        .iter()
        .filter(|event| event.level == "WARN")
        .count();
    assert_eq!(warned, 1, "somebody should look at it");
    let stage = Stage::new("");
    assert!(now(stage.registry().remote_tools()).unwrap().is_empty());
}
