//! `status`: what was last seen of each server, in lines or as a page. Nothing is contacted.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use mcp_policy::catalogue::Standing;
use mcp_policy::port::UnixTime;
use mcp_policy::{ServerRecord, Switch};
use serde::Serialize;

use super::stores::{Stores, failed};
use super::{block_on, page};
use crate::arguments::Options;
use crate::failed::Failed;
use crate::output::Shown;
use crate::report::Report;
use crate::timing::Ended;

#[derive(Serialize)]
struct StatusLine {
    outcome: &'static str,
    servers: Vec<ServerLine>,
}

#[derive(Debug, Serialize)]
pub(super) struct ServerLine {
    pub(super) server: String,
    pub(super) enabled: bool,
    pub(super) data_class: Option<&'static str>,
    pub(super) last_contact_unix_s: Option<u64>,
    pub(super) last_latency_ms: Option<u128>,
    pub(super) import: &'static str,
    pub(super) import_reason: Option<String>,
    pub(super) last_import_unix_s: Option<u64>,
    pub(super) tools: usize,
    pub(super) on: usize,
    pub(super) changed: usize,
    pub(super) orphaned: usize,
    pub(super) set_aside: usize,
}

/// Shows the servers, and writes the page where one is asked for.
pub(crate) fn run(html: Option<&Path>, options: &Options) -> Result<Ended, Failed> {
    let stores = Stores::open(options)?;
    let lines = block_on(async {
        let records = stores.servers.servers().await.map_err(failed)?;
        let mut lines = Vec::new();
        for record in &records {
            lines.push(line(&stores, record).await?);
        }
        if let Some(path) = html {
            page::write(path, &stores, &records, &lines).await?;
        }
        Ok(lines)
    })?;
    let mut text = String::new();
    for line in &lines {
        line.write(&mut text);
    }
    let line = StatusLine {
        outcome: "status",
        servers: lines,
    };
    Ok(Ended::new(Shown::Report(Report::new(&line, text))))
}

async fn line(stores: &Stores, record: &ServerRecord) -> Result<ServerLine, Failed> {
    let contact = stores.health.last(&record.name).await.map_err(failed)?;
    let mut snapshot = stores.catalogue.catalogue().await.map_err(failed)?;
    let kept = snapshot.servers.remove(&record.name).unwrap_or_default();
    let live = || kept.rows.values().filter(|row| !row.is_orphaned());
    let seconds = |time: UnixTime| time.0.as_secs();
    let success = kept.imports.success.as_ref();
    Ok(ServerLine {
        server: record.name.to_string(),
        enabled: record.switch == Switch::On,
        data_class: record.class.map(|class| class.name()),
        last_contact_unix_s: contact.map(|contact| seconds(contact.at)),
        last_latency_ms: contact.map(|contact| contact.latency.as_millis()),
        import: kept.imports.status().name(),
        import_reason: kept
            .imports
            .failure
            .as_ref()
            .map(|failure| failure.reason.clone()),
        last_import_unix_s: success.map(|success| seconds(success.at)),
        tools: live().count(),
        on: live().filter(|row| row.is_on()).count(),
        changed: live()
            .filter(|row| matches!(row.standing, Standing::Drifted { .. }))
            .count(),
        orphaned: kept.rows.values().filter(|row| row.is_orphaned()).count(),
        set_aside: success.map_or(0, |success| success.set_aside.len()),
    })
}

impl ServerLine {
    fn write(&self, text: &mut String) {
        let contact = match (self.last_contact_unix_s, self.last_latency_ms) {
            (Some(at), Some(latency)) => format!("last contact {} in {latency} ms", date(at)),
            _ => "no contact yet".to_owned(),
        };
        let reason = self.import_reason.as_ref().map(|reason| format!(" ({reason})"));
        // Writing to a `String` does not fail.
        let _infallible = writeln!(
            text,
            "{}\t{}\t{}\t{contact}\timport {}{}\t{} tools: {} on, {} changed, {} orphaned, {} set aside",
            self.server,
            if self.enabled { "enabled" } else { "disabled" },
            self.data_class.unwrap_or("unclassified"),
            self.import,
            reason.unwrap_or_default(),
            self.tools,
            self.on,
            self.changed,
            self.orphaned,
            self.set_aside,
        );
    }
}

/// A time in the form of RFC 3339, in UTC.
pub(crate) fn date(unix_seconds: u64) -> String {
    let (days, rest) = (unix_seconds / 86_400, unix_seconds % 86_400);
    // The civil calendar, counted in eras of 400 years from 0000-03-01.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let time = Duration::from_secs(rest).as_secs();
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        time / 3_600,
        time / 60 % 60,
        time % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_the_civil_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_796_040_000, "2026-11-30T12:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(date(seconds), expected);
        }
    }
}
