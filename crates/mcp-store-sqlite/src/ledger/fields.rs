//! How the values of the ledger lie in columns, and that a row is read only when it is just what would be written.
//!
//! What a row says is written and hashed in one form. Reading another spelling of it would let a change of the file pass
//! unseen; so whatever was read is put into columns again and compared.

use mcp_policy::Timing;
use mcp_policy::catalogue::Fingerprint;
use mcp_policy::ledger::{Digest, LeaseHolder, ResultNote, StepCall};
use mcp_policy::port::{Actor, StepOutcome, StepStatus};
use mcp_wire::Delivery;
use rusqlite::types::{FromSql, Value};
use rusqlite::{Row, Transaction, params_from_iter};

use crate::column;
use crate::fault::Fault;

/// Columns by name, each with its value.
pub(super) type Fields = Vec<(&'static str, Value)>;

const TIMES: [&str; Timing::PARTS] = [
    "time_start",
    "time_queue",
    "time_resolve",
    "time_connect",
    "time_tls",
    "time_credential",
    "time_send",
    "time_first_byte",
    "time_body",
    "time_decode",
];

/// Adds a row.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    table: &'static str,
    fields: Fields,
) -> Result<(), Fault> {
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let places = vec!["?"; names.len()].join(", ");
    let names = names.join(", ");
    let statement = format!("INSERT INTO {table} ({names}) VALUES ({places})");
    let values = fields.into_iter().map(|(_, value)| value);
    transaction
        .prepare(&statement)?
        .execute(params_from_iter(values))?;
    Ok(())
}

/// Writes a row anew; its first column says which.
///
/// # Errors
///
/// [`Fault::CORRUPT`] when there is no such row.
pub(super) fn update(
    transaction: &Transaction<'_>,
    table: &'static str,
    fields: Fields,
) -> Result<(), Fault> {
    let sets: Vec<String> = fields.iter().map(|(name, _)| format!("{name} = ?")).collect();
    let (Some((key, name)), sets) = (fields.first().cloned(), sets.join(", ")) else {
        return Err(Fault::REFUSED);
    };
    let statement = format!("UPDATE {table} SET {sets} WHERE {key} = ?");
    let values = fields.into_iter().map(|(_, value)| value).chain([name]);
    let mut statement = transaction.prepare(&statement)?;
    match statement.execute(params_from_iter(values))? {
        1 => Ok(()),
        _ => Err(Fault::CORRUPT),
    }
}

/// Gives what was read of a row if it is just what would be written.
///
/// # Errors
///
/// [`Fault::CORRUPT`].
pub(super) fn exactly<T>(row: &Row<'_>, read: T, fields: impl FnOnce(&T) -> Fields) -> Result<T, Fault> {
    for (name, value) in fields(&read) {
        if row.get::<_, Value>(name)? != value {
            return Err(Fault::CORRUPT);
        }
    }
    Ok(read)
}

/// The outcome with each number one that a column can hold, since it is hashed as it is kept.
pub(super) fn fitted(mut outcome: StepOutcome) -> StepOutcome {
    let largest = i64::MAX.unsigned_abs();
    outcome.timing = Timing::from_parts(outcome.timing.parts().map(|part| part.min(largest)));
    if let Some(note) = &mut outcome.result {
        note.bytes = note.bytes.min(largest);
    }
    outcome
}

pub(super) fn number(number: u64) -> Value {
    Value::Integer(column::of_number(number))
}

pub(super) fn text(text: impl ToString) -> Value {
    Value::Text(text.to_string())
}

pub(super) fn maybe(text: Option<impl ToString>) -> Value {
    text.map_or(Value::Null, |text| Value::Text(text.to_string()))
}

pub(super) fn user(actor: &Actor) -> Value {
    match actor {
        Actor::User(user) => text(user),
        Actor::Unattended => Value::Null,
    }
}

pub(super) fn read_actor(row: &Row<'_>) -> Result<Actor, Fault> {
    let user: Option<String> = row.get("user")?;
    Ok(user.map_or(Actor::Unattended, Actor::User))
}

pub(super) fn read_holder(row: &Row<'_>) -> Result<LeaseHolder, Fault> {
    let digits: String = row.get("holder")?;
    column::parsed(&digits, |digits| u128::from_str_radix(digits, 16)).map(LeaseHolder)
}

pub(super) fn read_digest(row: &Row<'_>, name: &str) -> Result<Digest, Fault> {
    column::parsed(&row.get::<_, String>(name)?, Digest::parse)
}

/// The columns of what a step calls; all NULL where there is none.
pub(super) fn of_call(call: Option<&StepCall>) -> Fields {
    let definition = call.and_then(|call| call.definition);
    vec![
        ("server", maybe(call.map(|call| &call.server))),
        ("tool", maybe(call.map(|call| &call.tool))),
        ("definition", maybe(definition)),
        ("arguments", maybe(call.map(|call| call.arguments))),
        (
            "argument_bytes",
            call.map_or(Value::Null, |call| number(call.argument_bytes)),
        ),
    ]
}

pub(super) fn read_call(row: &Row<'_>) -> Result<StepCall, Fault> {
    let definition: Option<String> = row.get("definition")?;
    let definition = definition.map(|text| column::parsed(&text, Fingerprint::parse));
    Ok(StepCall {
        server: row.get("server")?,
        tool: row.get("tool")?,
        definition: definition.transpose()?,
        arguments: read_digest(row, "arguments")?,
        argument_bytes: read_number(row, "argument_bytes")?,
    })
}

/// The columns of an outcome; all NULL where there is none.
pub(super) fn of_outcome(outcome: Option<&StepOutcome>) -> Fields {
    let note = outcome.and_then(|outcome| outcome.result);
    let mut fields = vec![
        ("status", maybe(outcome.map(|outcome| outcome.status.name()))),
        ("delivery", maybe(outcome.map(|outcome| outcome.delivery.name()))),
        ("kind", maybe(outcome.map(|outcome| &outcome.kind))),
        ("result", maybe(note.map(|note| note.digest))),
        (
            "result_bytes",
            note.map_or(Value::Null, |note| number(note.bytes)),
        ),
        (
            "is_error",
            note.map_or(Value::Null, |note| number(u64::from(note.is_error))),
        ),
    ];
    let parts = outcome.map(|outcome| outcome.timing.parts());
    for (at, name) in TIMES.into_iter().enumerate() {
        let part = parts.and_then(|parts| parts.get(at).copied());
        fields.push((name, part.map_or(Value::Null, number)));
    }
    fields
}

pub(super) fn read_outcome(row: &Row<'_>) -> Result<StepOutcome, Fault> {
    let mut parts = [0; Timing::PARTS];
    for (part, name) in parts.iter_mut().zip(TIMES) {
        *part = read_number(row, name)?;
    }
    let status: String = row.get("status")?;
    let statuses = [StepStatus::Ok, StepStatus::Failed, StepStatus::Cancelled];
    let delivery: String = row.get("delivery")?;
    let deliveries = [Delivery::NotSent, Delivery::Unknown, Delivery::Answered];
    Ok(StepOutcome {
        status: named(&status, statuses, StepStatus::name)?,
        delivery: named(&delivery, deliveries, Delivery::name)?,
        kind: row.get("kind")?,
        result: read_note(row)?,
        timing: Timing::from_parts(parts),
    })
}

fn read_note(row: &Row<'_>) -> Result<Option<ResultNote>, Fault> {
    if row.get::<_, Option<String>>("result")?.is_none() {
        return Ok(None);
    }
    Ok(Some(ResultNote {
        digest: read_digest(row, "result")?,
        bytes: read_number(row, "result_bytes")?,
        is_error: get(row, "is_error")?,
    }))
}

pub(super) fn read_number(row: &Row<'_>, name: &str) -> Result<u64, Fault> {
    column::number(get(row, name)?)
}

/// The one of `all` that has this name.
pub(super) fn named<T: Copy>(
    name: &str,
    all: impl IntoIterator<Item = T>,
    name_of: impl Fn(T) -> &'static str,
) -> Result<T, Fault> {
    let mut all = all.into_iter();
    all.find(|one| name_of(*one) == name).ok_or(Fault::CORRUPT)
}

fn get<T: FromSql>(row: &Row<'_>, name: &str) -> Result<T, Fault> {
    Ok(row.get(name)?)
}
