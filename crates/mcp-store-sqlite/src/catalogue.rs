//! The tables of the catalogue: tools, how imports went, and the generation that a change must name.

use std::collections::BTreeMap;

use mcp_policy::ServerName;
use mcp_policy::catalogue::{CatalogueRow, Definition, Fingerprint, LocalName, Standing};
use mcp_policy::port::{
    CatalogueChange, Committed, Generation, ImportFailure, ImportSuccess, Imports, ServerCatalogue, SetAside,
    Snapshot,
};
use mcp_wire::ToolName;
use rusqlite::{Row, Transaction, params};

use crate::column;
use crate::fault::Fault;
use crate::servers;

pub(crate) fn snapshot(transaction: &Transaction<'_>) -> Result<Snapshot, Fault> {
    let mut servers: BTreeMap<ServerName, ServerCatalogue> = BTreeMap::new();
    let mut names = transaction.prepare("SELECT name FROM servers")?;
    for name in names.query_and_then([], |row| name_of(row, 0))? {
        servers.insert(name?, ServerCatalogue::default());
    }
    let mut tools = transaction.prepare("SELECT * FROM tools")?;
    for row in tools.query_and_then([], read_tool)? {
        let row = row?;
        let server = servers.get_mut(&row.server).ok_or(Fault::CORRUPT)?;
        server.rows.insert(row.remote_name.clone(), row);
    }
    let mut imports =
        transaction.prepare("SELECT server, succeeded_at, failed_at, failure_reason FROM imports")?;
    for read in imports.query_and_then([], |row| Ok::<_, Fault>((name_of(row, 0)?, read_imports(row)?)))? {
        let (name, imports) = read?;
        servers.get_mut(&name).ok_or(Fault::CORRUPT)?.imports = imports;
    }
    let mut set_aside =
        transaction.prepare("SELECT server, name, reason FROM set_aside ORDER BY server, position")?;
    for read in
        set_aside.query_and_then([], |row| Ok::<_, Fault>((name_of(row, 0)?, read_set_aside(row)?)))?
    {
        let (name, set_aside) = read?;
        let server = servers.get_mut(&name).ok_or(Fault::CORRUPT)?;
        let success = server.imports.success.as_mut().ok_or(Fault::CORRUPT)?;
        success.set_aside.push(set_aside);
    }
    Ok(Snapshot {
        generation: generation(transaction)?,
        servers,
    })
}

pub(crate) fn row(
    transaction: &Transaction<'_>,
    server: &ServerName,
    tool: &ToolName,
) -> Result<Option<CatalogueRow>, Fault> {
    let mut tools = transaction.prepare("SELECT * FROM tools WHERE server = ?1 AND remote_name = ?2")?;
    let mut rows = tools.query_and_then([server.as_str(), tool.as_str()], read_tool)?;
    rows.next().transpose()
}

/// Makes a change if the catalogue is still of the generation `base`.
pub(crate) fn commit(
    transaction: &Transaction<'_>,
    base: Generation,
    change: &CatalogueChange,
) -> Result<Committed, Fault> {
    if generation(transaction)? != base || !servers::is_there(transaction, &change.server)? {
        return Ok(Committed::Stale);
    }
    if change.rows.iter().any(|row| row.server != change.server) {
        return Err(Fault::REFUSED);
    }
    write_tools(transaction, &change.rows)?;
    if let Some(success) = &change.import {
        write_success(transaction, &change.server, success)?;
    }
    next_generation(transaction)?;
    Ok(Committed::Done)
}

pub(crate) fn note_failure(
    transaction: &Transaction<'_>,
    server: &ServerName,
    failure: &ImportFailure,
) -> Result<(), Fault> {
    transaction.execute(
        "INSERT INTO imports (server, failed_at, failure_reason) SELECT name, ?2, ?3 FROM servers WHERE name = ?1
         ON CONFLICT (server) DO UPDATE SET failed_at = excluded.failed_at, failure_reason = excluded.failure_reason",
        params![server.as_str(), column::of_time(failure.at), failure.reason],
    )?;
    Ok(())
}

/// Says that the rows have changed.
pub(crate) fn next_generation(transaction: &Transaction<'_>) -> Result<(), Fault> {
    match transaction.execute("UPDATE meta SET generation = generation + 1", [])? {
        1 => Ok(()),
        _ => Err(Fault::CORRUPT),
    }
}

fn generation(transaction: &Transaction<'_>) -> Result<Generation, Fault> {
    let stored = transaction.query_row("SELECT generation FROM meta", [], |row| row.get(0))?;
    column::number(stored).map(Generation)
}

fn write_tools(transaction: &Transaction<'_>, rows: &[CatalogueRow]) -> Result<(), Fault> {
    let mut statement = transaction.prepare(
        "INSERT INTO tools (server, remote_name, local_name, title, description, input_schema, output_schema,
            annotations, fingerprint, schema_fingerprint, standing, confirmed, orphaned_since, first_seen, last_seen)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
         ON CONFLICT (server, remote_name) DO UPDATE SET local_name = excluded.local_name, title = excluded.title,
            description = excluded.description, input_schema = excluded.input_schema,
            output_schema = excluded.output_schema, annotations = excluded.annotations,
            fingerprint = excluded.fingerprint, schema_fingerprint = excluded.schema_fingerprint,
            standing = excluded.standing, confirmed = excluded.confirmed, orphaned_since = excluded.orphaned_since,
            first_seen = excluded.first_seen, last_seen = excluded.last_seen",
    )?;
    for row in rows {
        let CatalogueRow {
            server,
            remote_name,
            local_name,
            definition,
            standing,
            orphaned_since,
            first_seen,
            last_seen,
        } = row;
        let (standing, confirmed) = standing.as_stored();
        statement.execute(params![
            server.as_str(),
            remote_name.as_str(),
            local_name.as_str(),
            definition.title,
            definition.description,
            definition.input_schema,
            definition.output_schema,
            definition.annotations,
            definition.fingerprint.to_string(),
            definition.schema_fingerprint.to_string(),
            standing,
            confirmed.map(|confirmed| confirmed.to_string()),
            orphaned_since.map(column::of_time),
            column::of_time(*first_seen),
            column::of_time(*last_seen),
        ])?;
    }
    Ok(())
}

fn write_success(
    transaction: &Transaction<'_>,
    server: &ServerName,
    success: &ImportSuccess,
) -> Result<(), Fault> {
    transaction.execute(
        "INSERT INTO imports (server, succeeded_at) VALUES (?1, ?2)
         ON CONFLICT (server) DO UPDATE SET succeeded_at = excluded.succeeded_at, failed_at = NULL,
            failure_reason = NULL",
        params![server.as_str(), column::of_time(success.at)],
    )?;
    transaction.execute("DELETE FROM set_aside WHERE server = ?1", [server.as_str()])?;
    let mut statement = transaction
        .prepare("INSERT INTO set_aside (server, position, name, reason) VALUES (?1, ?2, ?3, ?4)")?;
    for (position, set_aside) in success.set_aside.iter().enumerate() {
        statement.execute(params![
            server.as_str(),
            column::of_number(position),
            set_aside.name.as_ref().map(ToolName::as_str),
            set_aside.reason
        ])?;
    }
    Ok(())
}

fn read_tool(row: &Row<'_>) -> Result<CatalogueRow, Fault> {
    let text = |name: &str| row.get::<_, String>(name);
    let fingerprint = |name: &str| column::parsed(&text(name)?, Fingerprint::parse);
    let time = |name: &str| column::time(row.get(name)?);
    let confirmed = row.get::<_, Option<String>>("confirmed")?;
    let confirmed = confirmed.map(|text| column::parsed(&text, Fingerprint::parse));
    let orphaned_since = row.get::<_, Option<i64>>("orphaned_since")?;
    Ok(CatalogueRow {
        server: column::parsed(&text("server")?, ServerName::parse)?,
        remote_name: column::parsed(&text("remote_name")?, ToolName::parse)?,
        local_name: column::parsed(&text("local_name")?, LocalName::parse)?,
        definition: Definition {
            title: row.get("title")?,
            description: row.get("description")?,
            input_schema: opaque(row, "input_schema")?,
            output_schema: row.get("output_schema")?,
            annotations: row.get("annotations")?,
            fingerprint: fingerprint("fingerprint")?,
            schema_fingerprint: fingerprint("schema_fingerprint")?,
        },
        standing: Standing::from_stored(&text("standing")?, confirmed.transpose()?),
        orphaned_since: orphaned_since.map(column::time).transpose()?,
        first_seen: time("first_seen")?,
        last_seen: time("last_seen")?,
    })
}

/// A text that is judged elsewhere. Where it is not even text it comes out empty, which no judge accepts.
fn opaque(row: &Row<'_>, name: &str) -> Result<String, Fault> {
    let bytes = row.get_ref(name)?.as_bytes().map_err(|_| Fault::CORRUPT)?;
    Ok(str::from_utf8(bytes).map(String::from).unwrap_or_default())
}

fn read_imports(row: &Row<'_>) -> Result<Imports, Fault> {
    let succeeded_at: Option<i64> = row.get("succeeded_at")?;
    let failure: (Option<i64>, Option<String>) = (row.get("failed_at")?, row.get("failure_reason")?);
    let success = succeeded_at.map(column::time).transpose()?;
    let failure = match failure {
        (Some(at), Some(reason)) => Some(ImportFailure {
            at: column::time(at)?,
            reason,
        }),
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => return Err(Fault::CORRUPT),
    };
    Ok(Imports {
        success: success.map(|at| ImportSuccess {
            at,
            set_aside: Vec::new(),
        }),
        failure,
    })
}

fn read_set_aside(row: &Row<'_>) -> Result<SetAside, Fault> {
    let name: Option<String> = row.get("name")?;
    let name = name.map(|name| column::parsed(&name, ToolName::parse));
    Ok(SetAside {
        name: name.transpose()?,
        reason: row.get("reason")?,
    })
}

fn name_of(row: &Row<'_>, column: usize) -> Result<ServerName, Fault> {
    column::parsed(&row.get::<_, String>(column)?, ServerName::parse)
}
