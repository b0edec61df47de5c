//! `catalogue`: the catalogue as a file for version control, and the comparison with one.

mod compare;
mod junit;
mod lock;
mod shown;
mod verify;

use std::path::Path;

use serde::Serialize;
use serde_json::value::RawValue;

use self::lock::Lock;
use super::block_on;
use super::file::{self, Readers};
use super::stores::{Stores, failed};
use crate::arguments::{CatalogueCommand, Options};
use crate::failed::Failed;
use crate::output::{Shown, raw};
use crate::report::Report;
use crate::timing::Ended;

#[derive(Serialize)]
struct ExportedLine {
    outcome: &'static str,
    servers: usize,
    tools: usize,
    /// The lock file; null when it was written to a file.
    lock: Option<Box<RawValue>>,
}

pub(crate) fn run(command: &CatalogueCommand, options: &Options) -> Result<Ended, Failed> {
    let report = match command {
        CatalogueCommand::Export { out } => export(out.as_deref(), options)?,
        CatalogueCommand::Verify { file, online, junit } => verify(file, *online, junit.as_deref(), options)?,
    };
    Ok(Ended::new(Shown::Report(report)))
}

fn export(out: Option<&Path>, options: &Options) -> Result<Report, Failed> {
    let stores = Stores::open(options)?;
    let lock = block_on(read(&stores))?;
    let text = lock.write();
    let line = |lock_text| ExportedLine {
        outcome: "catalogue_exported",
        servers: lock.0.len(),
        tools: lock.tools(),
        lock: lock_text,
    };
    let Some(path) = out else {
        return Ok(Report::new(&line(raw(&text)), text));
    };
    file::write(path, "--out", &text, Readers::Default)?;
    let line = line(None);
    let said = format!("written: {} servers, {} tools\n", line.servers, line.tools);
    Ok(Report::new(&line, said))
}

fn verify(path: &Path, online: bool, junit: Option<&Path>, options: &Options) -> Result<Report, Failed> {
    let locked = Lock::read(path)?;
    let stores = Stores::open(options)?;
    let verified = block_on(async {
        if online {
            verify::verify_online(&stores, &locked, options).await
        } else {
            let (verified, _) = verify::verify_stored(&stores, &locked).await?;
            Ok(verified)
        }
    })?;
    if let Some(path) = junit {
        file::write(path, "--junit", &junit::write(&verified)?, Readers::Default)?;
    }
    Ok(shown::report(&verified, online))
}

/// The store's catalogue.
async fn read(stores: &Stores) -> Result<Lock, Failed> {
    let records = stores.servers.servers().await.map_err(failed)?;
    let snapshot = stores.catalogue.catalogue().await.map_err(failed)?;
    Ok(Lock::of(&records, &snapshot))
}
