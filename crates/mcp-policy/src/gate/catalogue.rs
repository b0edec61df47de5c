//! The gate over what the stores hold: from the call to its row, and from the row to the rule.

use std::sync::Arc;

use mcp_wire::{PortFuture, ToolName};

use super::decision::{Candidate, judge};
use super::rules::GateRules;
use crate::catalogue::RemoteTool;
use crate::port::{
    Actor, CallAttempt, CallOrigin, CatalogueStore, DenialReason, Gate, ServerStore, StoreError,
};
use crate::record::ServerRecord;
use crate::server::{Server, ServerName};

/// Permits the calls of tools that are in the catalogue, by [`judge`].
///
/// The stores are read for each call, so that an operator's word on servers and tools counts from the next call on; the
/// rules are those that the gate was made with. A tool is registered when its row gives a [`RemoteTool`]; a row that is
/// orphaned or spoiled, and any row of a server that is disabled or without a class, is not. A call that passes is denied
/// all the same when the [`Server`] value that it goes by is not what the record says now
/// ([`DenialReason::ServerChanged`]), and any call when a store fails ([`DenialReason::PolicyUnavailable`]).
///
/// Record and catalogue are read one after the other. Between the two an operator may change something; the call then
/// counts as one that came before the change.
pub struct CatalogueGate {
    servers: Arc<dyn ServerStore>,
    catalogue: Arc<dyn CatalogueStore>,
    rules: Arc<GateRules>,
}

impl CatalogueGate {
    /// A gate over these stores, under these rules.
    #[must_use]
    pub fn new(servers: Arc<dyn ServerStore>, catalogue: Arc<dyn CatalogueStore>, rules: GateRules) -> Self {
        Self {
            servers,
            catalogue,
            rules: Arc::new(rules),
        }
    }
}

impl Gate for CatalogueGate {
    fn judge(&self, attempt: &CallAttempt<'_>) -> PortFuture<Result<CallOrigin, DenialReason>> {
        let found = find(
            self.servers.clone(),
            self.catalogue.clone(),
            attempt.server.name.clone(),
            attempt.tool.clone(),
        );
        let (rules, server) = (self.rules.clone(), attempt.server.clone());
        let actor = attempt.actor.clone();
        PortFuture::pending(async move {
            let found = found.await.map_err(|_store| DenialReason::PolicyUnavailable)?;
            decide(found, &server, &actor, &rules)
        })
    }
}

/// The record and the tool that a call means, as far as they are there.
async fn find(
    servers: Arc<dyn ServerStore>,
    catalogue: Arc<dyn CatalogueStore>,
    server: ServerName,
    tool: ToolName,
) -> Result<Option<(ServerRecord, RemoteTool)>, StoreError> {
    let Some(record) = servers.server(&server).await? else {
        return Ok(None);
    };
    // A store that gives another row than it was asked for is not believed.
    let row = catalogue.row(&server, &tool).await?;
    let row = row.filter(|row| row.remote_name == tool);
    Ok(row
        .and_then(|row| RemoteTool::of_row(&row, record.terms()).ok())
        .map(|tool| (record, tool)))
}

/// The rule over what the stores say; then whether the call goes by the same.
fn decide(
    found: Option<(ServerRecord, RemoteTool)>,
    server: &Server,
    caller: &Actor,
    rules: &GateRules,
) -> Result<CallOrigin, DenialReason> {
    let candidate = found.as_ref().map(|(_, tool)| Candidate::from(tool));
    match (judge(candidate, caller, rules).reason(), found) {
        (Some(reason), _) => Err(reason),
        (None, None) => Err(DenialReason::NotRegistered),
        (None, Some((record, _))) if !agrees(&record, server) => Err(DenialReason::ServerChanged),
        (None, Some((_, tool))) => Ok(CallOrigin::Catalogued {
            local_name: tool.local_name,
            fingerprint: tool.fingerprint,
        }),
    }
}

/// Whether a server value is still what its record says, in everything that permission and approval rest on. Budget and
/// bounds are the caller's to narrow.
fn agrees(record: &ServerRecord, server: &Server) -> bool {
    record.server().is_ok_and(|recorded| {
        recorded.name == server.name
            && recorded.class == server.class
            && recorded.approval == server.approval
            && recorded.target.endpoint == server.target.endpoint
            && recorded.target.credentials == server.target.credentials
    })
}

impl std::fmt::Debug for CatalogueGate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CatalogueGate")
            .field("rules", &self.rules)
            .finish_non_exhaustive()
    }
}
