//! What is printed of a comparison.

use serde::Serialize;

use super::compare::Difference;
use super::verify::{Place, Verified};
use crate::exit::Exit;
use crate::printable::printable_line;
use crate::report::Report;

#[derive(Serialize)]
struct VerifiedLine<'a> {
    outcome: &'static str,
    online: bool,
    servers: usize,
    tools: usize,
    drift: Vec<DifferenceLine<'a>>,
    unchecked: Vec<UncheckedLine<'a>>,
    not_asked: Vec<&'a str>,
}

#[derive(Serialize)]
struct DifferenceLine<'a> {
    change: &'static str,
    server: &'a str,
    tool: Option<&'a str>,
    locked: Option<&'a str>,
    found: Option<&'a str>,
    seen_in: &'static str,
}

#[derive(Serialize)]
struct UncheckedLine<'a> {
    server: &'a str,
    kind: &'static str,
    delivery: &'static str,
    message: &'a str,
}

/// The report, which ends as the first server that could not be checked, else by whether there is drift.
pub(super) fn report(verified: &Verified, online: bool) -> Report {
    let drift = verified.drift.iter().map(|(difference, place)| DifferenceLine {
        change: difference.change.name(),
        server: difference.server.as_str(),
        tool: difference.tool.as_ref().map(|tool| tool.as_str()),
        locked: difference.locked.as_deref(),
        found: difference.found.as_deref(),
        seen_in: place.name(),
    });
    let unchecked = verified.unchecked.iter().map(|(server, failed)| UncheckedLine {
        server: server.as_str(),
        kind: failed.kind,
        delivery: failed.delivery.name(),
        message: &failed.message,
    });
    let line = VerifiedLine {
        outcome: "catalogue_verified",
        online,
        servers: verified.compared.len(),
        tools: verified.compared.values().map(Vec::len).sum(),
        drift: drift.collect(),
        unchecked: unchecked.collect(),
        not_asked: verified.not_asked.iter().map(|name| name.as_str()).collect(),
    };
    let mut text: String = verified
        .drift
        .iter()
        .map(|(difference, place)| said(difference, *place) + "\n")
        .collect();
    text += &format!(
        "{}: {} servers, {} tools, {} differences\n",
        if !line.unchecked.is_empty() {
            "not checked whole"
        } else if line.drift.is_empty() {
            "as locked"
        } else {
            "drifted"
        },
        line.servers,
        line.tools,
        line.drift.len()
    );
    let exit = match verified.unchecked.values().next() {
        Some(failed) => failed.exit,
        None if verified.drift.is_empty() => Exit::Ok,
        None => Exit::CheckFailed,
    };
    Report::new(&line, text).with_remarks(remarks(&line)).ending(exit)
}

fn remarks(line: &VerifiedLine<'_>) -> Vec<String> {
    let unchecked = line.unchecked.iter().map(|one| {
        let message = printable_line(one.message);
        format!("{message} ({}, {}, {})", one.server, one.kind, one.delivery)
    });
    let not_asked = line
        .not_asked
        .iter()
        .map(|server| format!("{server} is disabled, and was not asked"));
    unchecked.chain(not_asked).collect()
}

/// One difference on one line.
pub(super) fn said(difference: &Difference, place: Place) -> String {
    let subject = difference
        .tool
        .as_ref()
        .map_or(difference.server.as_str(), |tool| tool.as_str());
    let values = match (&difference.locked, &difference.found) {
        (Some(locked), Some(found)) => format!("{locked} -> {found}"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => String::new(),
    };
    let place = match place {
        Place::Store => "",
        Place::Server => ", at the server",
    };
    format!(
        "{}\t{subject}\t{}{place}",
        difference.change.name(),
        printable_line(&values)
    )
}
