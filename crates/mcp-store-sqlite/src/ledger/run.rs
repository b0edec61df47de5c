//! The table of runs.

use mcp_policy::ledger::{Run, RunEnd, RunState};
use mcp_policy::port::RunId;
use rusqlite::{Row, Transaction};

use super::fields::{self, Fields, number, text};
use crate::column;
use crate::fault::Fault;

const OPEN: &str = "open";

/// All runs, by name.
pub(super) fn all(transaction: &Transaction<'_>) -> Result<Vec<Run>, Fault> {
    let mut statement = transaction.prepare("SELECT * FROM runs ORDER BY id")?;
    statement.query_and_then([], read)?.collect()
}

/// The runs that go on, by name.
pub(super) fn open(transaction: &Transaction<'_>) -> Result<Vec<Run>, Fault> {
    let mut statement = transaction.prepare("SELECT * FROM runs WHERE state = 'open' ORDER BY id")?;
    statement.query_and_then([], read)?.collect()
}

pub(super) fn one(transaction: &Transaction<'_>, id: &RunId) -> Result<Option<Run>, Fault> {
    let mut statement = transaction.prepare("SELECT * FROM runs WHERE id = ?1")?;
    statement.query_and_then([&id.0], read)?.next().transpose()
}

pub(super) fn insert(transaction: &Transaction<'_>, run: &Run) -> Result<(), Fault> {
    fields::insert(transaction, "runs", of(run))
}

pub(super) fn update(transaction: &Transaction<'_>, run: &Run) -> Result<(), Fault> {
    fields::update(transaction, "runs", of(run))
}

fn of(run: &Run) -> Fields {
    let state = match run.state {
        RunState::Open => OPEN,
        RunState::Ended(end) => end.name(),
    };
    vec![
        ("id", text(&run.id.0)),
        ("user", fields::user(&run.actor)),
        ("holder", text(run.holder)),
        ("until", column::of_time(run.until).into()),
        ("charged", number(run.charged.into())),
        ("state", text(state)),
    ]
}

fn read(row: &Row<'_>) -> Result<Run, Fault> {
    let state: String = row.get("state")?;
    let charged = fields::read_number(row, "charged")?;
    let run = Run {
        id: RunId(row.get("id")?),
        actor: fields::read_actor(row)?,
        holder: fields::read_holder(row)?,
        until: column::time(row.get("until")?)?,
        charged: u32::try_from(charged).map_err(|_| Fault::CORRUPT)?,
        state: match state.as_str() {
            OPEN => RunState::Open,
            ended => RunState::Ended(read_end(ended)?),
        },
    };
    fields::exactly(row, run, of)
}

/// Reads how a run ended.
pub(super) fn read_end(name: &str) -> Result<RunEnd, Fault> {
    fields::named(name, [RunEnd::Done, RunEnd::Failed], RunEnd::name)
}
