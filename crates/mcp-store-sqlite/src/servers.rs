//! The tables of servers and their credentials. What cannot be read is damage, but words of policy that nobody knows are
//! read to the strict side.

use mcp_policy::{ApprovalRule, Budget, DataClass, GroupName, ServerName, ServerRecord, Switch};
use mcp_wire::{Credential, CredentialHeader, CredentialPlacement, CredentialRef, Endpoint};
use rusqlite::{Row, Transaction, params};

use crate::column;
use crate::fault::Fault;

pub(crate) fn all(transaction: &Transaction<'_>) -> Result<Vec<ServerRecord>, Fault> {
    let mut statement = transaction.prepare("SELECT * FROM servers ORDER BY name")?;
    let records = statement.query_and_then([], |row| read(transaction, row))?;
    records.collect()
}

pub(crate) fn one(transaction: &Transaction<'_>, name: &ServerName) -> Result<Option<ServerRecord>, Fault> {
    let mut statement = transaction.prepare("SELECT * FROM servers WHERE name = ?1")?;
    let mut records = statement.query_and_then([name.as_str()], |row| read(transaction, row))?;
    records.next().transpose()
}

pub(crate) fn is_there(transaction: &Transaction<'_>, name: &ServerName) -> Result<bool, Fault> {
    Ok(transaction
        .prepare("SELECT 1 FROM servers WHERE name = ?1")?
        .exists([name.as_str()])?)
}

/// Adds a record; `false` when there is one of its name.
pub(crate) fn add(transaction: &Transaction<'_>, record: &ServerRecord) -> Result<bool, Fault> {
    if is_there(transaction, &record.name)? {
        return Ok(false);
    }
    write(transaction, record)?;
    Ok(true)
}

/// Puts a record in the place of the one of its name; `false` when there is none.
pub(crate) fn replace(transaction: &Transaction<'_>, record: &ServerRecord) -> Result<bool, Fault> {
    if !is_there(transaction, &record.name)? {
        return Ok(false);
    }
    write(transaction, record)?;
    Ok(true)
}

/// Removes a record and all that hangs on it; `false` when there is none.
pub(crate) fn remove(transaction: &Transaction<'_>, name: &ServerName) -> Result<bool, Fault> {
    Ok(transaction.execute("DELETE FROM servers WHERE name = ?1", [name.as_str()])? > 0)
}

/// Writes a record. The row that is there is updated and not put anew: its tools hang on it.
fn write(transaction: &Transaction<'_>, record: &ServerRecord) -> Result<(), Fault> {
    transaction.execute(
        "INSERT INTO servers (name, url, class, approval, switch, tool_group, budget,
            walk_pages, walk_tools, walk_bytes,
            reply_body_bytes, reply_depth, reply_events, reply_line_bytes, reply_event_bytes, reply_error_body_bytes)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
         ON CONFLICT (name) DO UPDATE SET url = excluded.url, class = excluded.class,
            approval = excluded.approval, switch = excluded.switch, tool_group = excluded.tool_group,
            budget = excluded.budget, walk_pages = excluded.walk_pages, walk_tools = excluded.walk_tools,
            walk_bytes = excluded.walk_bytes, reply_body_bytes = excluded.reply_body_bytes,
            reply_depth = excluded.reply_depth, reply_events = excluded.reply_events,
            reply_line_bytes = excluded.reply_line_bytes, reply_event_bytes = excluded.reply_event_bytes,
            reply_error_body_bytes = excluded.reply_error_body_bytes",
        params![
            record.name.as_str(),
            record.endpoint.as_ref().map(Endpoint::to_url),
            record.class.map(DataClass::name),
            record.approval.as_stored(),
            record.switch.as_stored(),
            record.group.as_str(),
            column::of_duration(record.budget.get()),
            column::of_number(record.walk.pages),
            column::of_number(record.walk.tools),
            column::of_number(record.walk.bytes),
            column::of_number(record.limits.body_bytes),
            column::of_number(record.limits.depth),
            column::of_number(record.limits.events),
            column::of_number(record.limits.line_bytes),
            column::of_number(record.limits.event_bytes),
            column::of_number(record.limits.error_body_bytes),
        ],
    )?;
    transaction.execute(
        "DELETE FROM credentials WHERE server = ?1",
        [record.name.as_str()],
    )?;
    let mut statement = transaction
        .prepare("INSERT INTO credentials (server, position, reference, header) VALUES (?1, ?2, ?3, ?4)")?;
    for (position, credential) in record.credentials.iter().enumerate() {
        let header = match &credential.placement {
            CredentialPlacement::Bearer => None,
            CredentialPlacement::Header(header) => Some(header.as_str()),
        };
        statement.execute(params![
            record.name.as_str(),
            column::of_number(position),
            credential.reference.0,
            header
        ])?;
    }
    Ok(())
}

fn read(transaction: &Transaction<'_>, row: &Row<'_>) -> Result<ServerRecord, Fault> {
    let text = |name: &str| row.get::<_, String>(name);
    let maybe = |name: &str| row.get::<_, Option<String>>(name);
    let size = |name: &str| column::size(row.get(name)?);
    let endpoint = maybe("url")?.map(|url| column::parsed(&url, Endpoint::parse));
    let name = column::parsed(&text("name")?, ServerName::parse)?;
    let mut record = ServerRecord::new(name, endpoint.transpose()?);
    record.credentials = credentials(transaction, &record.name)?;
    record.class = maybe("class")?.as_deref().map(DataClass::from_stored);
    record.approval = ApprovalRule::from_stored(&text("approval")?);
    record.switch = Switch::from_stored(&text("switch")?);
    record.group = column::parsed(&text("tool_group")?, GroupName::parse)?;
    let budget = column::duration(row.get("budget")?)?;
    record.budget = Budget::new(budget).map_err(|_| Fault::CORRUPT)?;
    record.walk.pages = u32::try_from(column::number(row.get("walk_pages")?)?).unwrap_or(u32::MAX);
    record.walk.tools = size("walk_tools")?;
    record.walk.bytes = size("walk_bytes")?;
    record.limits.body_bytes = size("reply_body_bytes")?;
    record.limits.depth = size("reply_depth")?;
    record.limits.events = size("reply_events")?;
    record.limits.line_bytes = size("reply_line_bytes")?;
    record.limits.event_bytes = size("reply_event_bytes")?;
    record.limits.error_body_bytes = size("reply_error_body_bytes")?;
    Ok(record)
}

fn credentials(transaction: &Transaction<'_>, server: &ServerName) -> Result<Vec<Credential>, Fault> {
    let mut statement = transaction
        .prepare("SELECT reference, header FROM credentials WHERE server = ?1 ORDER BY position")?;
    let credentials = statement.query_and_then([server.as_str()], |row| {
        let placement = match row.get::<_, Option<String>>(1)? {
            None => CredentialPlacement::Bearer,
            Some(header) => CredentialPlacement::Header(column::parsed(&header, CredentialHeader::parse)?),
        };
        Ok(Credential {
            reference: CredentialRef(row.get(0)?),
            placement,
        })
    })?;
    credentials.collect()
}
