//! The catalogue in use: imports, the operator's word, and the tools that come of both.

use mcp_wire::Delivery;

use crate::budget::Budget;
use crate::catalogue::{
    ActRefused, CatalogueRow, Fingerprint, Neighbour, Offer, Plan, RemoteTool, Surroundings,
};
use crate::client::Client;
use crate::deadline::Deadline;
use crate::failure::Failure;
use crate::list::ToolList;
use crate::port::{
    CatalogueChange, CatalogueStore, Committed, ImportFailure, ImportSuccess, ServerStore, SetAside,
    Snapshot, StoreError, UnixTime,
};
use crate::record::{RecordGap, ServerRecord, Switch};
use crate::server::ServerName;
use crate::telemetry;

/// How often a change is drawn anew because somebody else changed the catalogue in between.
const ATTEMPTS: usize = 16;

/// Servers and their tools, as a host keeps them. It changes only by what is called here.
///
/// Waiting for a store is bounded by [`Budget::SETTLEMENT`] each time.
pub struct Registry<'a> {
    client: &'a Client,
    servers: &'a dyn ServerStore,
    catalogue: &'a dyn CatalogueStore,
    /// The names of the host's own tools.
    builtin: &'a [&'a str],
}

/// What an operator says of one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Switch it on as it stands.
    Enable,
    /// Switch it off.
    Disable,
    /// Switch it on in the definition that was shown.
    Confirm(Fingerprint),
}

impl<'a> Registry<'a> {
    /// A registry over these stores; `builtin` names the tools that the host itself has.
    #[must_use]
    pub const fn new(
        client: &'a Client,
        servers: &'a dyn ServerStore,
        catalogue: &'a dyn CatalogueStore,
        builtin: &'a [&'a str],
    ) -> Self {
        Self {
            client,
            servers,
            catalogue,
            builtin,
        }
    }

    /// Asks a server for its tools and says what an import would do. The contact is noted; nothing else is changed.
    ///
    /// # Errors
    ///
    /// [`RegistryError`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the current exchange.
    pub async fn plan(&self, name: &ServerName) -> Result<Plan, RegistryError> {
        let list = self.fetch(name).await?;
        self.plan_of(name, &list).await
    }

    /// Says what an import of this list would do. The server is not asked.
    ///
    /// # Errors
    ///
    /// [`RegistryError`].
    ///
    /// # Cancel safety
    ///
    /// Reads only.
    pub async fn plan_of(&self, name: &ServerName, list: &ToolList) -> Result<Plan, RegistryError> {
        let (_, plan) = self.draw(name, list).await?;
        Ok(plan)
    }

    /// Imports a server's tools: all of the plan in one change of the store, or nothing.
    ///
    /// The plan that comes back is the one that was carried out. When another process changed the catalogue in between,
    /// the plan is drawn anew from the same list.
    ///
    /// # Errors
    ///
    /// [`RegistryError`]. The catalogue is as it was; that the import failed, and why, is noted when it can be.
    ///
    /// # Cancel safety
    ///
    /// A dropped future leaves the catalogue as it was or as it was to be, never between.
    pub async fn import(&self, name: &ServerName) -> Result<Plan, RegistryError> {
        let fetched = self.fetch(name).await;
        self.import_fetched(name, fetched).await
    }

    /// The second half of [`Registry::import`]: carries out what [`Registry::fetch`] gave. Whoever imports many servers
    /// fetches at once and carries out one after another, so that no change makes another plan stale.
    ///
    /// # Errors
    ///
    /// As [`Registry::import`], and the error of the first half, which is noted.
    ///
    /// # Cancel safety
    ///
    /// As [`Registry::import`].
    pub async fn import_fetched(
        &self,
        name: &ServerName,
        fetched: Result<ToolList, RegistryError>,
    ) -> Result<Plan, RegistryError> {
        let outcome = match fetched {
            Ok(list) => self.commit(name, &list).await,
            Err(error) => Err(error),
        };
        if let Err(error) = &outcome {
            self.note_failure(name, error).await;
        }
        outcome
    }

    async fn commit(&self, name: &ServerName, list: &ToolList) -> Result<Plan, RegistryError> {
        for _ in 0..ATTEMPTS {
            let (snapshot, plan) = self.draw(name, list).await?;
            let set_aside = plan.quarantined.iter().map(|quarantined| SetAside {
                name: quarantined.name.clone(),
                reason: quarantined.reason.kind().to_owned(),
            });
            let change = CatalogueChange {
                server: name.clone(),
                rows: plan.rows().cloned().collect(),
                import: Some(ImportSuccess {
                    at: self.now(),
                    set_aside: set_aside.collect(),
                }),
            };
            match self
                .ask(self.catalogue.commit(snapshot.generation, change))
                .await?
            {
                Committed::Done => return Ok(plan),
                Committed::Stale => {}
            }
        }
        Err(RegistryError::Contended)
    }

    /// Lets an operator's word on a tool stand; gives the row as it is then.
    ///
    /// # Errors
    ///
    /// [`RegistryError`]; the row is as it was.
    ///
    /// # Cancel safety
    ///
    /// As [`Registry::import`].
    pub async fn decide(&self, local_name: &str, act: Act) -> Result<CatalogueRow, RegistryError> {
        for _ in 0..ATTEMPTS {
            let snapshot = self.ask(self.catalogue.catalogue()).await?;
            let rows = snapshot.servers.values().flat_map(|server| server.rows.values());
            let mut named = rows.filter(|row| row.local_name.as_str() == local_name);
            let mut row = named.next().ok_or(RegistryError::UnknownTool)?.clone();
            match act {
                Act::Enable => row.enable()?,
                Act::Disable => row.disable(),
                Act::Confirm(shown) => row.confirm(shown)?,
            }
            let change = CatalogueChange {
                server: row.server.clone(),
                rows: vec![row.clone()],
                import: None,
            };
            match self
                .ask(self.catalogue.commit(snapshot.generation, change))
                .await?
            {
                Committed::Done => return Ok(row),
                Committed::Stale => {}
            }
        }
        Err(RegistryError::Contended)
    }

    /// The tools that gate and model see: the live rows of enabled and classified servers, by local name. A row whose
    /// stored schema cannot be used any more offers none, and stays.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Store`].
    ///
    /// # Cancel safety
    ///
    /// Reads only.
    pub async fn remote_tools(&self) -> Result<Vec<RemoteTool>, RegistryError> {
        let records = self.ask(self.servers.servers()).await?;
        let snapshot = self.ask(self.catalogue.catalogue()).await?;
        let mut tools: Vec<RemoteTool> = Vec::new();
        for record in &records {
            let rows = snapshot.servers.get(&record.name).into_iter();
            let rows = rows.flat_map(|server| server.rows.values());
            tools.extend(rows.filter_map(|row| RemoteTool::of_row(row, record.terms()).ok()));
        }
        tools.sort_by(|one, other| one.local_name.cmp(&other.local_name));
        Ok(tools)
    }

    /// Asks a server for its tools: the first half of [`Registry::import`], which changes nothing. The contact is noted.
    ///
    /// # Errors
    ///
    /// [`RegistryError`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the current exchange.
    pub async fn fetch(&self, name: &ServerName) -> Result<ToolList, RegistryError> {
        let record = self.ask(self.servers.server(name)).await?;
        let record = record.ok_or(RegistryError::UnknownServer)?;
        let server = record.server()?;
        Ok(self.client.list_tools(&server, record.walk).await?)
    }

    /// The plan for a list, against the catalogue as it is now.
    async fn draw(&self, name: &ServerName, list: &ToolList) -> Result<(Snapshot, Plan), RegistryError> {
        let records = self.ask(self.servers.servers()).await?;
        let snapshot = self.ask(self.catalogue.catalogue()).await?;
        let rows: Vec<(&ServerRecord, Vec<CatalogueRow>)> = records
            .iter()
            .map(|record| {
                let rows = snapshot.servers.get(&record.name).into_iter();
                (
                    record,
                    rows.flat_map(|server| server.rows.values().cloned()).collect(),
                )
            })
            .collect();
        let neighbours = rows.iter().map(|(record, rows)| Neighbour {
            server: &record.name,
            enabled: record.switch == Switch::On,
            rows,
        });
        let surroundings = Surroundings::of(name, self.builtin.iter().copied(), neighbours);
        let offer = Offer::read(&list.tools, list.quarantined.clone(), &surroundings);
        let before = rows.iter().find(|(record, _)| record.name == *name);
        let (_, before) = before.ok_or(RegistryError::UnknownServer)?;
        let plan = Plan::draw(before, offer, self.now());
        Ok((snapshot, plan))
    }

    /// Notes that an import failed. The failure stands, whether or not it could be noted.
    async fn note_failure(&self, name: &ServerName, error: &RegistryError) {
        let failure = ImportFailure {
            at: self.now(),
            reason: error.kind().to_owned(),
        };
        if self
            .ask(self.catalogue.note_failure(name, failure))
            .await
            .is_err()
        {
            telemetry::import_not_noted(name);
        }
    }

    fn now(&self) -> UnixTime {
        self.client.ports().clock.wall()
    }

    /// Waits for the answer of a store.
    async fn ask<T>(&self, answer: mcp_wire::PortFuture<Result<T, StoreError>>) -> Result<T, RegistryError> {
        Deadline::start(&*self.client.ports().clock, Budget::SETTLEMENT)
            .within(answer)
            .await
            .unwrap_or(Err(StoreError::Busy))
            .map_err(RegistryError::Store)
    }
}

impl std::fmt::Debug for Registry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry").finish_non_exhaustive()
    }
}

/// Why the catalogue was not changed or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// There is no record of this name.
    #[error("there is no server of this name")]
    UnknownServer,
    /// There is no tool of this local name.
    #[error("there is no tool of this name")]
    UnknownTool,
    /// The record lacks something. Nothing was contacted.
    #[error(transparent)]
    Gap(#[from] RecordGap),
    /// The list of tools could not be had.
    #[error(transparent)]
    List(#[from] Failure),
    /// The operator's word cannot stand.
    #[error(transparent)]
    Act(#[from] ActRefused),
    /// A store failed.
    #[error(transparent)]
    Store(StoreError),
    /// Others changed the catalogue again and again.
    #[error("the catalogue was changed by others again and again; try once more")]
    Contended,
}

impl RegistryError {
    /// The stable kebab-case kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::UnknownServer => "server-unknown",
            Self::UnknownTool => "tool-unknown",
            Self::Gap(gap) => gap.kind(),
            Self::List(failure) => failure.kind(),
            Self::Act(refused) => refused.kind(),
            Self::Store(error) => error.kind(),
            Self::Contended => "catalogue-contended",
        }
    }

    /// Whether the server may have been asked.
    #[must_use]
    pub fn delivery(&self) -> Delivery {
        match self {
            Self::List(failure) => failure.delivery(),
            Self::UnknownServer
            | Self::UnknownTool
            | Self::Gap(_)
            | Self::Act(_)
            | Self::Store(_)
            | Self::Contended => Delivery::NotSent,
        }
    }
}
