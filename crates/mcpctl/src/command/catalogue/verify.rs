//! The comparison of the store's catalogue, and of what servers offer now, with a lock file.

use std::collections::BTreeMap;

use mcp_policy::catalogue::{LocalName, Plan};
use mcp_policy::{Registry, ServerName, Switch};

use super::compare::{Difference, compare};
use super::lock::{Lock, LockedTool};
use crate::arguments::Options;
use crate::command::operation;
use crate::command::stores::{Stores, failed};
use crate::failed::Failed;

/// Where a difference was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Store,
    /// At the server, and not in the store: an import would bring it in.
    Server,
}

impl Place {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Server => "server",
        }
    }
}

/// What came of a comparison.
pub(super) struct Verified {
    /// The differences, in order, each once.
    pub(super) drift: Vec<(Difference, Place)>,
    /// The servers that were to be asked and gave no list. Nothing is known of what they offer.
    pub(super) unchecked: BTreeMap<ServerName, Failed>,
    /// The servers that are not asked because they are disabled.
    pub(super) not_asked: Vec<ServerName>,
    /// Everything that was compared, whether it differs or not.
    pub(super) compared: BTreeMap<ServerName, Vec<LocalName>>,
}

/// Compares the store's catalogue with a lock file.
pub(super) async fn verify_stored(stores: &Stores, locked: &Lock) -> Result<(Verified, Lock), Failed> {
    let found = super::read(stores).await?;
    let drift = compare(locked, &found).into_iter();
    let mut verified = Verified {
        drift: drift.map(|difference| (difference, Place::Store)).collect(),
        unchecked: BTreeMap::new(),
        not_asked: Vec::new(),
        compared: BTreeMap::new(),
    };
    verified.saw(locked);
    verified.saw(&found);
    Ok((verified, found))
}

/// The same, and what the enabled servers offer now. Neither the catalogue nor the last contacts are changed.
pub(super) async fn verify_online(
    stores: &Stores,
    locked: &Lock,
    options: &Options,
) -> Result<Verified, Failed> {
    let (mut verified, stored) = verify_stored(stores, locked).await?;
    let host = operation::host(operation::wiring(options)?)?;
    let registry = Registry::new(host.client(), &*stores.servers, &*stores.catalogue, &[]);
    let mut offered = stored.clone();
    for record in stores.servers.servers().await.map_err(failed)? {
        if record.switch != Switch::On {
            verified.not_asked.push(record.name);
            continue;
        }
        match registry.plan(&record.name).await {
            Ok(plan) => offer(&mut offered, &record.name, &plan),
            Err(error) => {
                let failed = Failed::of_registry(&error).at(record.name.as_str());
                verified.unchecked.insert(record.name, failed);
            }
        }
    }
    for difference in compare(locked, &offered) {
        if !verified.drift.iter().any(|(known, _)| *known == difference) {
            verified.drift.push((difference, Place::Server));
        }
    }
    verified.drift.sort();
    verified.saw(&offered);
    Ok(verified)
}

/// Puts what a server offers into the place of what is stored of it. The operator's word is that of the store: an import
/// might switch a tool off, but has not done so.
fn offer(catalogue: &mut Lock, server: &ServerName, plan: &Plan) {
    let Some(kept) = catalogue.0.get_mut(server) else {
        return;
    };
    let stored = std::mem::take(&mut kept.tools);
    kept.tools = plan.rows().filter_map(LockedTool::of).collect();
    for (name, tool) in &mut kept.tools {
        tool.enabled = stored.get(name).is_some_and(|tool| tool.enabled);
    }
}

impl Verified {
    fn saw(&mut self, catalogue: &Lock) {
        for (name, server) in &catalogue.0 {
            let names = self.compared.entry(name.clone()).or_default();
            names.extend(server.tools.keys().cloned());
            names.sort();
            names.dedup();
        }
    }
}
