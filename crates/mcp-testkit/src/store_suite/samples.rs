//! What the claims put into a store: values at the edges of their types.

use std::time::Duration;

use mcp_policy::catalogue::{CatalogueRow, Definition, Fingerprint, LocalName, Standing};
use mcp_policy::ledger::Digest;
use mcp_policy::port::{CatalogueChange, Contact, ImportSuccess, SetAside, UnixTime};
use mcp_policy::{ApprovalRule, Budget, DataClass, GroupName, ServerName, ServerRecord, Switch};
use mcp_wire::{Credential, CredentialHeader, CredentialPlacement, CredentialRef, Endpoint, ToolName};

use super::Broken;

/// The largest number that every store must give back.
const LARGEST: usize = if usize::BITS > 63 {
    usize::MAX >> 1
} else {
    usize::MAX
};

/// A server's name.
///
/// # Errors
///
/// [`Broken`] when the text is none.
pub fn server_name(text: &str) -> Result<ServerName, Broken> {
    ServerName::parse(text).map_err(|error| Broken(error.to_string()))
}

/// A tool's name.
///
/// # Errors
///
/// [`Broken`] when the text is none.
pub fn tool_name(text: &str) -> Result<ToolName, Broken> {
    ToolName::parse(text).map_err(|error| Broken(error.to_string()))
}

/// A row of a server's tool as a first import leaves it. The word `mark` tells it from others of its name.
///
/// # Errors
///
/// [`Broken`] when the name gives no local name.
pub fn row(server: &ServerName, tool: &str, mark: &str) -> Result<CatalogueRow, Broken> {
    let remote_name = tool_name(tool)?;
    let local_name = LocalName::compose(server, &remote_name).map_err(|error| Broken(error.to_string()))?;
    let schema = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
    Ok(CatalogueRow {
        server: server.clone(),
        remote_name,
        local_name,
        definition: Definition {
            title: None,
            description: Some(mark.to_owned()),
            input_schema: schema.to_owned(),
            output_schema: None,
            annotations: None,
            fingerprint: fingerprint(&format!("{{\"description\":{mark:?}}}"))?,
            schema_fingerprint: fingerprint(schema)?,
        },
        standing: Standing::Off,
        orphaned_since: None,
        first_seen: time(1),
        last_seen: time(1),
    })
}

/// Rows that hold every standing, every optional part with and without it, and texts that a careless store alters.
pub(super) fn rows(server: &ServerName) -> Result<Vec<CatalogueRow>, Broken> {
    let mut bare = row(server, "bare", "plain")?;
    bare.definition.description = None;

    let mut full = row(server, "Full-1", "all parts")?;
    full.definition.title = Some(String::new());
    full.definition.description = Some("it's \"quoted\"; -- \u{1f980}\u{202e}\0 line\r\n\tend ".to_owned());
    full.definition.output_schema = Some(r#"{ "type" : "object" }"#.to_owned());
    full.definition.annotations = Some(r#"{"readOnlyHint":true,"n":1.0e3}"#.to_owned());
    full.standing = Standing::On {
        confirmed: full.definition.fingerprint,
    };
    (full.first_seen, full.last_seen) = (time(0), UnixTime(Duration::from_nanos(i64::MAX.unsigned_abs())));

    let mut drifted = row(server, "drifted", "new words")?;
    drifted.standing = Standing::Drifted {
        confirmed: fingerprint(r#"{"description":"old words"}"#)?,
    };
    drifted.orphaned_since = Some(time(3));

    let mut damaged = row(server, "damaged", "its schema decodes to nothing")?;
    damaged.definition.input_schema = "{\"type\":".to_owned();

    let mut empty = row(server, "empty", "")?;
    empty.definition.input_schema = String::new();
    empty.definition.description = Some("long ".repeat(20_000));
    Ok(vec![bare, full, drifted, damaged, empty])
}

/// A change that puts these rows, from no import.
pub(super) fn change(server: &ServerName, rows: Vec<CatalogueRow>) -> CatalogueChange {
    CatalogueChange {
        server: server.clone(),
        rows,
        import: None,
    }
}

/// A success at this second.
pub(super) fn success(second: u64, set_aside: &[(Option<&str>, &str)]) -> Result<ImportSuccess, Broken> {
    let set_aside = set_aside.iter().map(|(name, reason)| {
        Ok(SetAside {
            name: name.map(tool_name).transpose()?,
            reason: (*reason).to_owned(),
        })
    });
    Ok(ImportSuccess {
        at: time(second),
        set_aside: set_aside.collect::<Result<_, Broken>>()?,
    })
}

/// A time of the wall clock whose fractions of a second count.
pub(super) fn time(second: u64) -> UnixTime {
    UnixTime(Duration::new(second, 123_456_789))
}

pub(super) fn contact(second: u64, latency: Duration) -> Contact {
    Contact {
        at: time(second),
        latency,
    }
}

/// A record as it is made, without a word of its operator.
pub(super) fn record(name: &ServerName) -> ServerRecord {
    ServerRecord::new(name.clone(), None)
}

/// Records that hold, together, every class, rule and switch, both placements and every bound beside its default.
pub(super) fn records() -> Result<Vec<ServerRecord>, Broken> {
    let url = "https://srv.example:8443/mcp/v1?key=%2Fa+b&c=%27;d";
    let header = CredentialHeader::parse("X-Api-Key").map_err(|error| Broken(error.to_string()))?;
    let mut records = Vec::new();
    for (at, class) in [None].into_iter().chain(DataClass::ALL.map(Some)).enumerate() {
        let mut record = record(&server_name(&format!("server_{at}"))?);
        record.class = class;
        if at % 2 == 1 {
            record.endpoint = Some(Endpoint::parse(url).map_err(|error| Broken(error.to_string()))?);
            record.approval = ApprovalRule::NotRequired;
            record.credentials = vec![
                credential("env:TOKEN", CredentialPlacement::Bearer),
                credential("file:/it's/ours", CredentialPlacement::Header(header.clone())),
                credential("", CredentialPlacement::Bearer),
            ];
        }
        if at % 3 == 1 {
            record.switch = Switch::Off;
            record.group = GroupName::parse("tools_9").map_err(|error| Broken(error.to_string()))?;
            record.budget = Budget::new(Duration::new(7, 1)).map_err(|error| Broken(error.to_string()))?;
            set_bounds(&mut record, at);
        }
        records.push(record);
    }
    Ok(records)
}

fn set_bounds(record: &mut ServerRecord, at: usize) {
    record.walk.pages = u32::MAX;
    record.walk.tools = LARGEST;
    record.walk.bytes = 0;
    record.limits.body_bytes = LARGEST - 1;
    record.limits.depth = at;
    record.limits.events = 1 + at;
    record.limits.line_bytes = 2 + at;
    record.limits.event_bytes = 3 + at;
    record.limits.error_body_bytes = 4 + at;
}

fn credential(reference: &str, placement: CredentialPlacement) -> Credential {
    Credential {
        reference: CredentialRef(reference.to_owned()),
        placement,
    }
}

fn fingerprint(text: &str) -> Result<Fingerprint, Broken> {
    let digest = Digest::of("sample", text.as_bytes());
    Fingerprint::parse(&format!("{}{digest}", Fingerprint::PREFIX)).map_err(|error| Broken(error.to_string()))
}
