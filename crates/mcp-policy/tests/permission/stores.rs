//! Stores with one server and one tool in them, and stores that fail.

use std::sync::Arc;

use mcp_policy::catalogue::{CatalogueRow, Offer, Plan, Surroundings};
use mcp_policy::memory::MemoryStore;
use mcp_policy::port::{
    CatalogueChange, CatalogueStore, Committed, Generation, ImportFailure, ServerStore, Snapshot, StoreError,
    UnixTime,
};
use mcp_policy::{ApprovalRule, DataClass, Server, ServerName, ServerRecord};
use mcp_testkit::{FixedProcess, SeededEntropy};
use mcp_wire::{
    BodyEnd, Endpoint, Framing, PortFuture, Reply, ReplyDecoder, ReplyLimits, RequestIds, ToolName, ToolsPage,
};

use crate::support::now;

/// The record of the server `demo`: classified, enabled, approval required.
pub(crate) fn record() -> ServerRecord {
    let endpoint = Endpoint::parse("https://srv.example/mcp").unwrap();
    let mut record = ServerRecord::new(ServerName::parse("demo").unwrap(), Some(endpoint));
    record.class = Some(DataClass::SourceCode);
    record.approval = ApprovalRule::Required;
    record
}

pub(crate) fn server() -> Server {
    record().server().unwrap()
}

pub(crate) fn echo() -> ToolName {
    ToolName::parse("echo").unwrap()
}

/// What an import makes of the tool `echo` with this description; `None` when the server no longer offers it.
pub(crate) fn import(before: &[CatalogueRow], description: Option<&str>) -> CatalogueRow {
    let tools = description.map_or(String::new(), |text| {
        format!(r#"{{"name":"echo","description":"{text}","inputSchema":{{"type":"object"}}}}"#)
    });
    let ids = RequestIds::new(Arc::new(SeededEntropy::new(1)), Arc::new(FixedProcess::default())).unwrap();
    let id = ids.allocate().unwrap();
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":"{}","result":{{"tools":[{tools}]}}}}"#,
        id.as_str()
    );
    let mut decoder = ReplyDecoder::new(id, Framing::Json, ReplyLimits::default());
    decoder.push(&mut body.as_bytes()).unwrap();
    let Reply::Result(result) = decoder.finish(BodyEnd::Complete).unwrap() else {
        panic!("an error");
    };
    let page = ToolsPage::parse(&result).unwrap();
    let offer = Offer::read(&page.tools, vec![], &Surroundings::of(&record().name, [], []));
    let at = UnixTime(std::time::Duration::from_secs(1));
    Plan::draw(before, offer, at).into_rows().remove(0)
}

/// The row of `echo`, switched on.
pub(crate) fn row() -> CatalogueRow {
    let mut row = import(&[], Some("says it again"));
    row.enable().unwrap();
    row
}

/// A store with the record and the row in it.
pub(crate) fn store(record: ServerRecord, row: Option<CatalogueRow>) -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::default());
    let name = record.name.clone();
    assert_eq!(now(store.add(record)), Ok(true));
    if let Some(row) = row {
        put(&store, &name, row);
    }
    store
}

/// Puts a row into the place of the one of its name.
pub(crate) fn put(store: &MemoryStore, server: &ServerName, row: CatalogueRow) {
    let base = now(store.catalogue()).unwrap().generation;
    let change = CatalogueChange {
        server: server.clone(),
        rows: vec![row],
        import: None,
    };
    assert_eq!(now(store.commit(base, change)), Ok(Committed::Done));
}

/// A store that cannot be read.
pub(crate) struct Broken;

impl ServerStore for Broken {
    fn servers(&self) -> PortFuture<Result<Vec<ServerRecord>, StoreError>> {
        PortFuture::ready(Err(StoreError::Corrupt))
    }

    fn server(&self, _name: &ServerName) -> PortFuture<Result<Option<ServerRecord>, StoreError>> {
        PortFuture::ready(Err(StoreError::Busy))
    }

    fn add(&self, _record: ServerRecord) -> PortFuture<Result<bool, StoreError>> {
        PortFuture::ready(Err(StoreError::Full))
    }

    fn replace(&self, _record: ServerRecord) -> PortFuture<Result<bool, StoreError>> {
        PortFuture::ready(Err(StoreError::Full))
    }

    fn remove(&self, _name: &ServerName) -> PortFuture<Result<bool, StoreError>> {
        PortFuture::ready(Err(StoreError::Full))
    }
}

impl CatalogueStore for Broken {
    fn catalogue(&self) -> PortFuture<Result<Snapshot, StoreError>> {
        PortFuture::ready(Err(StoreError::Corrupt))
    }

    fn row(
        &self,
        _server: &ServerName,
        _tool: &ToolName,
    ) -> PortFuture<Result<Option<CatalogueRow>, StoreError>> {
        PortFuture::ready(Err(StoreError::Corrupt))
    }

    fn commit(
        &self,
        _base: Generation,
        _change: CatalogueChange,
    ) -> PortFuture<Result<Committed, StoreError>> {
        PortFuture::ready(Err(StoreError::Full))
    }

    fn note_failure(
        &self,
        _server: &ServerName,
        _failure: ImportFailure,
    ) -> PortFuture<Result<(), StoreError>> {
        PortFuture::ready(Err(StoreError::Full))
    }
}
