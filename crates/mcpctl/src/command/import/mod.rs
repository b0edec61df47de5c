//! `import`: what servers offer is taken in, or shown beforehand.

mod told;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use mcp_host::Host;
use mcp_policy::{Registry, ServerName, Switch};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use self::told::{PlanLine, Telling};
use super::stores::{Stores, failed};
use super::{block_on, operation, read};
use crate::arguments::Options;
use crate::failed::Failed;
use crate::output::Shown;
use crate::progress::Progress;
use crate::timing::Ended;

/// The command as it was typed.
pub(crate) struct Typed<'a> {
    /// None of them are all that are enabled.
    pub(crate) servers: &'a [String],
    pub(crate) dry_run: bool,
    /// How many servers are asked at once.
    pub(crate) parallel: usize,
}

/// Imports servers, some at once. One that is refused does not stop the others, and one that does not answer does not
/// delay what is said of the others: in text and in lines of JSON each is told as soon as it is known.
pub(crate) fn run(typed: &Typed<'_>, options: &Options) -> Result<Ended, Failed> {
    let named: Vec<ServerName> = typed
        .servers
        .iter()
        .map(|name| read::server_name(name))
        .collect::<Result<_, _>>()?;
    let stores = Stores::open(options)?;
    let mut wiring = operation::wiring(options)?;
    wiring.health = stores.health.clone();
    let host = Arc::new(operation::host(wiring)?);
    let report = block_on(async {
        let names = if named.is_empty() {
            enabled(&stores).await?
        } else {
            named
        };
        let telling = Telling {
            dry_run: typed.dry_run,
            format: options.format(),
            at_once: names.len() > 1,
        };
        let lines = import_all(&host, &stores, names, typed.parallel, &telling).await;
        Ok(telling.end(lines))
    })?;
    Ok(Ended::new(Shown::Report(report)))
}

/// Fetches from so many servers at once, and carries out what came, one after another. In the order of `names`.
async fn import_all(
    host: &Arc<Host>,
    stores: &Stores,
    names: Vec<ServerName>,
    parallel: usize,
    telling: &Telling,
) -> Vec<PlanLine> {
    let places = Arc::new(Semaphore::new(parallel));
    let mut fetching = JoinSet::new();
    for name in &names {
        let (host, name, places) = (host.clone(), name.clone(), places.clone());
        let (servers, catalogue) = (stores.servers.clone(), stores.catalogue.clone());
        fetching.spawn(async move {
            // The semaphore is never closed.
            let _place = places.acquire().await.ok();
            let start = Instant::now();
            let registry = Registry::new(host.client(), &*servers, &*catalogue, &[]);
            let fetched = registry.fetch(&name).await;
            (name, fetched, start)
        });
    }
    let registry = Registry::new(host.client(), &*stores.servers, &*stores.catalogue, &[]);
    let mut progress = Progress::of(&names);
    let mut done = BTreeMap::new();
    while let Some(joined) = progress.while_waiting(fetching.join_next()).await {
        let Ok((name, fetched, start)) = joined else {
            continue;
        };
        let plan = match fetched {
            Ok(list) if telling.dry_run => registry.plan_of(&name, &list).await,
            Err(error) if telling.dry_run => Err(error),
            fetched => registry.import_fetched(&name, fetched).await,
        };
        let line = match plan {
            Ok(plan) => PlanLine::of(&name, &plan),
            Err(error) => PlanLine::failed(&name, Failed::of_registry(&error)),
        };
        let line = line.after(start.elapsed());
        progress.done(&name);
        telling.tell(&line);
        done.insert(name, line);
    }
    names.iter().filter_map(|name| done.remove(name)).collect()
}

async fn enabled(stores: &Stores) -> Result<Vec<ServerName>, Failed> {
    let records = stores.servers.servers().await.map_err(failed)?;
    let enabled = records.into_iter().filter(|record| record.switch == Switch::On);
    Ok(enabled.map(|record| record.name).collect())
}
