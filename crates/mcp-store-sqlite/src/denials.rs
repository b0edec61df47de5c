//! The table of denials: what the gate refused, and nothing else.

use mcp_policy::port::{
    Actor, CallAttempt, Denial, DenialLog, DenialReason, Denials, RunId, StoreError, UnixTime,
};
use mcp_wire::PortFuture;
use rusqlite::{Row, Transaction, params};

use crate::column;
use crate::fault::Fault;
use crate::store::SqliteStore;

impl Denials for SqliteStore {
    fn record(
        &self,
        attempt: &CallAttempt<'_>,
        reason: DenialReason,
        now: UnixTime,
    ) -> PortFuture<Result<(), StoreError>> {
        let denial = Denial::of(attempt, reason, now);
        self.thread.change(move |transaction| add(transaction, &denial))
    }
}

impl DenialLog for SqliteStore {
    fn denials(&self, limit: usize) -> PortFuture<Result<Vec<Denial>, StoreError>> {
        self.thread.read(move |transaction| last(transaction, limit))
    }
}

fn add(transaction: &Transaction<'_>, denial: &Denial) -> Result<(), Fault> {
    let user = match &denial.actor {
        Actor::User(user) => Some(user),
        Actor::Unattended => None,
    };
    transaction.execute(
        "INSERT INTO denials (at, server, tool, run, user, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            column::of_time(denial.at),
            denial.server,
            denial.tool,
            denial.run.0,
            user,
            denial.reason.name(),
        ],
    )?;
    Ok(())
}

fn last(transaction: &Transaction<'_>, limit: usize) -> Result<Vec<Denial>, Fault> {
    let mut statement = transaction.prepare("SELECT * FROM denials ORDER BY id DESC LIMIT ?1")?;
    let denials = statement.query_and_then([column::of_number(limit)], read)?;
    let mut denials: Vec<Denial> = denials.collect::<Result<_, _>>()?;
    denials.reverse();
    Ok(denials)
}

fn read(row: &Row<'_>) -> Result<Denial, Fault> {
    let user: Option<String> = row.get("user")?;
    let reason: String = row.get("reason")?;
    Ok(Denial {
        at: column::time(row.get("at")?)?,
        server: row.get("server")?,
        tool: row.get("tool")?,
        run: RunId(row.get("run")?),
        actor: user.map_or(Actor::Unattended, Actor::User),
        reason: DenialReason::named(&reason).ok_or(Fault::CORRUPT)?,
    })
}
