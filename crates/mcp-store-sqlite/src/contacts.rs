//! The table of contacts: the last one with each server, whether it has a record or not.

use mcp_policy::ServerName;
use mcp_policy::port::Contact;
use rusqlite::{OptionalExtension, Transaction, params};

use crate::column;
use crate::fault::Fault;

pub(crate) fn record(
    transaction: &Transaction<'_>,
    server: &ServerName,
    contact: Contact,
) -> Result<(), Fault> {
    transaction.execute(
        "INSERT INTO contacts (server, at, latency) VALUES (?1, ?2, ?3)
         ON CONFLICT (server) DO UPDATE SET at = excluded.at, latency = excluded.latency",
        params![
            server.as_str(),
            column::of_time(contact.at),
            column::of_duration(contact.latency)
        ],
    )?;
    Ok(())
}

pub(crate) fn last(transaction: &Transaction<'_>, server: &ServerName) -> Result<Option<Contact>, Fault> {
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let stored: Option<(i64, i64)> = transaction
        .query_row(
            "SELECT at, latency FROM contacts WHERE server = ?1",
            [server.as_str()],
            read,
        )
        .optional()?;
    let contact = |(at, latency)| {
        Ok(Contact {
            at: column::time(at)?,
            latency: column::duration(latency)?,
        })
    };
    stored.map(contact).transpose()
}

pub(crate) fn forget(transaction: &Transaction<'_>, server: &ServerName) -> Result<(), Fault> {
    transaction.execute("DELETE FROM contacts WHERE server = ?1", [server.as_str()])?;
    Ok(())
}
