//! The table of steps.

use mcp_policy::port::{RunId, Step, StepId, StepState};
use rusqlite::{Row, Transaction, params};

use super::fields::{self, Fields, number, text};
use crate::column;
use crate::fault::Fault;

const STAMPED: &str = "stamped";
const SETTLED: &str = "settled";
const IN_DOUBT: &str = "in-doubt";

/// All steps, by number.
pub(super) fn all(transaction: &Transaction<'_>) -> Result<Vec<Step>, Fault> {
    let mut statement = transaction.prepare("SELECT * FROM steps ORDER BY id")?;
    statement.query_and_then([], read)?.collect()
}

/// The stamped steps of a run, by number.
pub(super) fn stamped(transaction: &Transaction<'_>, run: &RunId) -> Result<Vec<Step>, Fault> {
    let mut statement =
        transaction.prepare("SELECT * FROM steps WHERE run = ?1 AND state = 'stamped' ORDER BY id")?;
    statement.query_and_then([&run.0], read)?.collect()
}

pub(super) fn one(transaction: &Transaction<'_>, id: StepId) -> Result<Option<Step>, Fault> {
    let mut statement = transaction.prepare("SELECT * FROM steps WHERE id = ?1")?;
    let id = params![column::of_number(id.0)];
    statement.query_and_then(id, read)?.next().transpose()
}

/// The number of the next step.
pub(super) fn next(transaction: &Transaction<'_>) -> Result<StepId, Fault> {
    let last = transaction.query_row("SELECT coalesce(max(id), 0) FROM steps", [], |row| row.get(0))?;
    Ok(StepId(column::number(last)?.saturating_add(1)))
}

pub(super) fn insert(transaction: &Transaction<'_>, step: &Step) -> Result<(), Fault> {
    fields::insert(transaction, "steps", of(step))
}

pub(super) fn update(transaction: &Transaction<'_>, step: &Step) -> Result<(), Fault> {
    fields::update(transaction, "steps", of(step))
}

fn of(step: &Step) -> Fields {
    let state = match &step.state {
        StepState::Stamped => STAMPED,
        StepState::Settled(_) => SETTLED,
        StepState::InDoubt => IN_DOUBT,
    };
    let mut fields = vec![
        ("id", number(step.id.0)),
        ("run", text(&step.run.0)),
        ("state", text(state)),
    ];
    fields.extend(fields::of_call(Some(&step.call)));
    fields.extend(fields::of_outcome(step.outcome()));
    fields
}

fn read(row: &Row<'_>) -> Result<Step, Fault> {
    let state: String = row.get("state")?;
    let step = Step {
        id: StepId(fields::read_number(row, "id")?),
        run: RunId(row.get("run")?),
        call: fields::read_call(row)?,
        state: match state.as_str() {
            STAMPED => StepState::Stamped,
            SETTLED => StepState::Settled(fields::read_outcome(row)?),
            IN_DOUBT => StepState::InDoubt,
            _ => return Err(Fault::CORRUPT),
        },
    };
    fields::exactly(row, step, of)
}
