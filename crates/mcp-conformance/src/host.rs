//! The host around the client: a record, a catalogue and the registry over them, and what an operator does with them.

use mcp_policy::catalogue::CatalogueRow;
use mcp_policy::memory::{MemoryStore, Word as ApprovalWord};
use mcp_policy::port::{CatalogueChange, CatalogueStore as _, Committed, ServerStore as _, UnixTime};
use mcp_policy::{
    Act as Word, ApprovalRule, Client, DataClass, Registry, RegistryError, Server, ServerName, ServerRecord,
    Switch,
};
use mcp_wire::ToolName;

use crate::catalogue::{Catalogue, OfferedTool};
use crate::governance::AskedPerson;
use crate::oracle::Operation;
use crate::outcome::Outcome;
use crate::step::{Act, RecordPart, Rule};

/// A client, and the store in which its host keeps the server.
#[derive(Clone, Copy)]
pub(crate) struct Host<'a> {
    pub(crate) client: &'a Client,
    pub(crate) store: &'a MemoryStore,
    pub(crate) name: &'a ServerName,
    pub(crate) approvals: &'a AskedPerson,
}

/// An act that an oracle asks for did not take place.
#[derive(Debug, thiserror::Error)]
#[error("{act:?} did not take place: {reason}")]
pub(crate) struct ActFailed {
    act: Act,
    reason: String,
}

impl<'a> Host<'a> {
    /// The server as its record says, for this operation.
    pub(crate) async fn server(&self, operation: Operation) -> Result<Server, RegistryError> {
        let record = self.store.server(self.name).await.map_err(RegistryError::Store)?;
        let record = record.ok_or(RegistryError::UnknownServer)?;
        let server = match operation {
            Operation::Ping => record.reachable(),
            Operation::CallTool
            | Operation::ListTools
            | Operation::Probe
            | Operation::Import
            | Operation::RemoteTools => record.server(),
        };
        Ok(server?)
    }

    /// The name on the wire of a tool that gate and model know by its local name; `echo` when none is named.
    pub(crate) async fn remote_name(&self, tool: Option<&str>) -> Result<ToolName, RegistryError> {
        let Some(local) = tool else {
            return ToolName::parse("echo").map_err(|_| RegistryError::UnknownTool);
        };
        let tools = self.registry().remote_tools().await?;
        let known = tools.into_iter().find(|known| known.local_name.as_str() == local);
        known
            .map(|known| known.remote_name)
            .ok_or(RegistryError::UnknownTool)
    }

    pub(crate) async fn import(&self) -> Outcome {
        match self.registry().import(self.name).await {
            Ok(plan) => Outcome::imported(&plan),
            Err(error) => Outcome::of_registry(&error),
        }
    }

    pub(crate) async fn remote_tools(&self) -> Outcome {
        match self.registry().remote_tools().await {
            Ok(tools) => Outcome::Offered {
                tools: tools.iter().map(OfferedTool::of).collect(),
            },
            Err(error) => Outcome::of_registry(&error),
        }
    }

    /// What the store holds of the server.
    pub(crate) async fn catalogue(&self, start: UnixTime) -> Catalogue {
        let snapshot = self.store.catalogue().await.unwrap_or_default();
        let kept = snapshot.servers.get(self.name);
        kept.map(|kept| Catalogue::of(kept, start)).unwrap_or_default()
    }

    pub(crate) async fn act(&self, act: &Act) -> Result<(), ActFailed> {
        let done = match act {
            Act::Enable(tool) => self.registry().decide(tool, Word::Enable).await.map(drop),
            Act::Confirm(tool) => self.confirm(tool).await,
            Act::Withdraw(part) => self.withdraw(*part).await,
            Act::StoreSchema { tool, text } => self.store_schema(tool, text).await,
            Act::Approval(rule) => self.change(|record| record.approval = approval(*rule)).await,
            Act::Class(name) => {
                self.change(|record| record.class = Some(DataClass::from_stored(name)))
                    .await
            }
            Act::Grant(tool) => self.say(tool, ApprovalWord::Granted),
            Act::Deny(tool) => self.say(tool, ApprovalWord::Denied),
        };
        done.map_err(|error| ActFailed {
            act: act.clone(),
            reason: error.to_string(),
        })
    }

    async fn confirm(&self, tool: &str) -> Result<(), RegistryError> {
        let shown = self.row(tool).await?.definition.fingerprint;
        self.registry().decide(tool, Word::Confirm(shown)).await.map(drop)
    }

    fn say(&self, tool: &str, word: ApprovalWord) -> Result<(), RegistryError> {
        let is_said = self.approvals.say(tool, word);
        is_said.then_some(()).ok_or(RegistryError::UnknownTool)
    }

    async fn withdraw(&self, part: RecordPart) -> Result<(), RegistryError> {
        self.change(|record| match part {
            RecordPart::Class => record.class = None,
            RecordPart::Url => record.endpoint = None,
            RecordPart::Switch => record.switch = Switch::Off,
        })
        .await
    }

    async fn change(&self, alter: impl FnOnce(&mut ServerRecord)) -> Result<(), RegistryError> {
        let record = self.store.server(self.name).await.map_err(RegistryError::Store)?;
        let mut record = record.ok_or(RegistryError::UnknownServer)?;
        alter(&mut record);
        self.store
            .replace(record)
            .await
            .map(drop)
            .map_err(RegistryError::Store)
    }

    async fn store_schema(&self, tool: &str, text: &str) -> Result<(), RegistryError> {
        let mut row = self.row(tool).await?;
        text.clone_into(&mut row.definition.input_schema);
        let base = self
            .store
            .catalogue()
            .await
            .map_err(RegistryError::Store)?
            .generation;
        let change = CatalogueChange {
            server: self.name.clone(),
            rows: vec![row],
            import: None,
        };
        match self
            .store
            .commit(base, change)
            .await
            .map_err(RegistryError::Store)?
        {
            Committed::Done => Ok(()),
            Committed::Stale => Err(RegistryError::Contended),
        }
    }

    async fn row(&self, tool: &str) -> Result<CatalogueRow, RegistryError> {
        let snapshot = self.store.catalogue().await.map_err(RegistryError::Store)?;
        let mut rows = snapshot.servers.values().flat_map(|server| server.rows.values());
        let row = rows.find(|row| row.local_name.as_str() == tool);
        row.cloned().ok_or(RegistryError::UnknownTool)
    }

    fn registry(&self) -> Registry<'a> {
        Registry::new(self.client, self.store, self.store, &[])
    }
}

const fn approval(rule: Rule) -> ApprovalRule {
    match rule {
        Rule::On => ApprovalRule::Required,
        Rule::Off => ApprovalRule::NotRequired,
    }
}
