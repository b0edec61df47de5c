//! The table of entries, and the head of their chain.

use mcp_policy::ledger::{Chain, ChainHash, Digest, Entry, Event, LeaseHolder, Linked, RunEnd};
use mcp_policy::port::{Actor, RunId, StepId, UnixTime};
use rusqlite::types::Value;
use rusqlite::{Row, Transaction, params};

use super::fields::{self, Fields, maybe, number, text};
use super::run::read_end;
use crate::column;
use crate::fault::Fault;

/// The chain up to the last entry.
pub(super) fn chain(transaction: &Transaction<'_>) -> Result<Chain, Fault> {
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let statement = "SELECT ledger_entries, ledger_head FROM meta";
    let (entries, head): (i64, Option<String>) = transaction.query_row(statement, [], read)?;
    match (column::number(entries)?, head) {
        (0, None) => Ok(Chain::new()),
        (entries @ 1.., Some(head)) => {
            let head = column::parsed(&head, Digest::parse)?;
            Ok(Chain::at(entries, ChainHash(head)))
        }
        (0, Some(_)) | (1.., None) => Err(Fault::CORRUPT),
    }
}

/// Adds the entry that tells of an event.
pub(super) fn add(
    transaction: &Transaction<'_>,
    chain: &mut Chain,
    run: &RunId,
    event: Event,
    at: UnixTime,
) -> Result<(), Fault> {
    let entry = Entry {
        seq: chain.next_seq(),
        at,
        run: run.clone(),
        event,
    };
    let hash = chain.link(&entry);
    fields::insert(transaction, "entries", of(&Linked { entry, hash }))?;
    let head = params![column::of_number(chain.entries()), hash.to_string()];
    match transaction.execute("UPDATE meta SET ledger_entries = ?1, ledger_head = ?2", head)? {
        1 => Ok(()),
        _ => Err(Fault::CORRUPT),
    }
}

/// At most `limit` entries after the one of this number, in order.
pub(super) fn after(transaction: &Transaction<'_>, after: u64, limit: usize) -> Result<Vec<Linked>, Fault> {
    let mut statement = transaction.prepare("SELECT * FROM entries WHERE seq > ?1 ORDER BY seq LIMIT ?2")?;
    let range = params![column::of_number(after), column::of_number(limit)];
    statement.query_and_then(range, read)?.collect()
}

/// What only an opening has.
type Opening<'a> = (&'a Actor, LeaseHolder);

fn of(linked: &Linked) -> Fields {
    let Entry { seq, at, run, event } = &linked.entry;
    let (mut opening, mut until, mut ended): (Option<Opening<'_>>, Option<UnixTime>, Option<RunEnd>) =
        (None, None, None);
    let (mut called, mut settled) = (None, None);
    match event {
        Event::Opened {
            actor,
            holder,
            until: first,
        } => (opening, until) = (Some((actor, *holder)), Some(*first)),
        Event::Stamped {
            step: _,
            call,
            until: renewed,
        } => (called, until) = (Some(call), Some(*renewed)),
        Event::Settled { step: _, outcome } => settled = Some(outcome),
        Event::NeverSent { step: _ } | Event::InDoubt { step: _ } => {}
        Event::Ended { end } => ended = Some(*end),
    }
    let mut fields = vec![
        ("seq", number(*seq)),
        ("at", column::of_time(*at).into()),
        ("run", text(&run.0)),
        ("event", text(event.name())),
        ("step", event.step().map_or(Value::Null, |step| number(step.0))),
        (
            "user",
            opening.map_or(Value::Null, |(actor, _)| fields::user(actor)),
        ),
        ("holder", maybe(opening.map(|(_, holder)| holder))),
        (
            "until",
            until.map_or(Value::Null, |until| column::of_time(until).into()),
        ),
        ("ended", maybe(ended.map(RunEnd::name))),
        ("hash", text(linked.hash)),
    ];
    fields.extend(fields::of_call(called));
    fields.extend(fields::of_outcome(settled));
    fields
}

fn read(row: &Row<'_>) -> Result<Linked, Fault> {
    let event: String = row.get("event")?;
    let entry = Entry {
        seq: fields::read_number(row, "seq")?,
        at: column::time(row.get("at")?)?,
        run: RunId(row.get("run")?),
        event: read_event(row, &event)?,
    };
    let hash = ChainHash(fields::read_digest(row, "hash")?);
    fields::exactly(row, Linked { entry, hash }, of)
}

fn read_event(row: &Row<'_>, name: &str) -> Result<Event, Fault> {
    let step = || fields::read_number(row, "step").map(StepId);
    let until = || column::time(row.get("until")?);
    Ok(match name {
        "opened" => Event::Opened {
            actor: fields::read_actor(row)?,
            holder: fields::read_holder(row)?,
            until: until()?,
        },
        "stamped" => Event::Stamped {
            step: step()?,
            call: fields::read_call(row)?,
            until: until()?,
        },
        "settled" => Event::Settled {
            step: step()?,
            outcome: fields::read_outcome(row)?,
        },
        "never-sent" => Event::NeverSent { step: step()? },
        "in-doubt" => Event::InDoubt { step: step()? },
        "ended" => Event::Ended {
            end: read_end(&row.get::<_, String>("ended")?)?,
        },
        _ => return Err(Fault::CORRUPT),
    })
}
