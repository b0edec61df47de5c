//! The table of approvals: what calls wait for, and a person's word on it.

use mcp_policy::catalogue::{Fingerprint, LocalName};
use mcp_policy::memory::MemoryApprovals;
use mcp_policy::port::{
    Approval, ApprovalDecision, ApprovalDesk, ApprovalId, Approvals, CallOrigin, StoreError, Word,
};
use mcp_policy::{ApprovalSubject, ArgumentsDigest, ServerName};
use mcp_wire::{Endpoint, PortFuture, ToolName};
use rusqlite::{Row, Transaction, params};

use crate::column;
use crate::fault::Fault;
use crate::store::SqliteStore;

/// As [`MemoryApprovals`]: a grant is used up by the call that gets it, a denial stays, and at most
/// [`MemoryApprovals::KEPT`] are kept. Processes that share the file share the words.
impl Approvals for SqliteStore {
    fn decide(&self, subject: &ApprovalSubject) -> PortFuture<Result<ApprovalDecision, StoreError>> {
        let subject = subject.clone();
        self.thread
            .change(move |transaction| decide(transaction, &subject))
    }
}

impl ApprovalDesk for SqliteStore {
    fn approvals(&self) -> PortFuture<Result<Vec<Approval>, StoreError>> {
        self.thread.read(all)
    }

    fn say(&self, id: ApprovalId, word: Word) -> PortFuture<Result<bool, StoreError>> {
        self.thread.change(move |transaction| {
            let said = params![column::of_number(id.0), name(word)];
            Ok(transaction.execute("UPDATE approvals SET word = ?2 WHERE id = ?1", said)? > 0)
        })
    }

    fn withdraw(&self, id: ApprovalId) -> PortFuture<Result<bool, StoreError>> {
        self.thread.change(move |transaction| forget(transaction, id))
    }
}

fn name(word: Word) -> &'static str {
    match word {
        Word::Granted => "granted",
        Word::Denied => "denied",
    }
}

/// Reads a word to the strict side: one that nobody knows is a denial.
fn read_word(stored: &str) -> Word {
    if stored == name(Word::Granted) {
        Word::Granted
    } else {
        Word::Denied
    }
}

fn decide(transaction: &Transaction<'_>, subject: &ApprovalSubject) -> Result<ApprovalDecision, Fault> {
    let (local_name, definition) = of_origin(&subject.origin);
    let fields = params![
        subject.server.as_str(),
        subject.endpoint.to_url(),
        subject.tool.as_str(),
        local_name,
        definition,
        subject.arguments.to_string(),
    ];
    let mut statement = transaction.prepare(
        "SELECT * FROM approvals WHERE server = ?1 AND url = ?2 AND tool = ?3 AND local_name IS ?4
            AND definition IS ?5 AND arguments = ?6",
    )?;
    let known = statement.query_and_then(fields, read)?.next().transpose()?;
    match known.map(|approval| (approval.id, approval.word)) {
        Some((id, Some(Word::Granted))) => {
            forget(transaction, id)?;
            Ok(ApprovalDecision::Granted)
        }
        Some((_, Some(Word::Denied))) => Ok(ApprovalDecision::Denied),
        Some((id, None)) => Ok(ApprovalDecision::Pending(id)),
        None => {
            let kept: i64 = transaction.query_row("SELECT count(*) FROM approvals", [], |row| row.get(0))?;
            if column::size(kept)? >= MemoryApprovals::KEPT {
                return Err(Fault(StoreError::Full));
            }
            transaction.execute(
                "INSERT INTO approvals (server, url, tool, local_name, definition, arguments)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                fields,
            )?;
            let id = column::number(transaction.last_insert_rowid())?;
            Ok(ApprovalDecision::Pending(ApprovalId(id)))
        }
    }
}

fn forget(transaction: &Transaction<'_>, id: ApprovalId) -> Result<bool, Fault> {
    let id = column::of_number(id.0);
    Ok(transaction.execute("DELETE FROM approvals WHERE id = ?1", [id])? > 0)
}

fn all(transaction: &Transaction<'_>) -> Result<Vec<Approval>, Fault> {
    let mut statement = transaction.prepare("SELECT * FROM approvals ORDER BY id")?;
    statement.query_and_then([], read)?.collect()
}

fn of_origin(origin: &CallOrigin) -> (Option<&str>, Option<String>) {
    match origin {
        CallOrigin::Catalogued {
            local_name,
            fingerprint,
        } => (Some(local_name.as_str()), Some(fingerprint.to_string())),
        CallOrigin::AdHoc => (None, None),
    }
}

fn read(row: &Row<'_>) -> Result<Approval, Fault> {
    let text = |name: &str| row.get::<_, String>(name);
    let maybe = |name: &str| row.get::<_, Option<String>>(name);
    let origin = match (maybe("local_name")?, maybe("definition")?) {
        (Some(local_name), Some(definition)) => CallOrigin::Catalogued {
            local_name: column::parsed(&local_name, LocalName::parse)?,
            fingerprint: column::parsed(&definition, Fingerprint::parse)?,
        },
        (None, None) => CallOrigin::AdHoc,
        (Some(_), None) | (None, Some(_)) => return Err(Fault::CORRUPT),
    };
    Ok(Approval {
        id: ApprovalId(column::number(row.get("id")?)?),
        subject: ApprovalSubject {
            server: column::parsed(&text("server")?, ServerName::parse)?,
            endpoint: column::parsed(&text("url")?, Endpoint::parse)?,
            tool: column::parsed(&text("tool")?, ToolName::parse)?,
            origin,
            arguments: column::parsed(&text("arguments")?, ArgumentsDigest::parse)?,
        },
        word: maybe("word")?.as_deref().map(read_word),
    })
}
