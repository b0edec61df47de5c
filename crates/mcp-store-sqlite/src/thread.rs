//! The store's thread: it owns the connection and answers one question after the other.

use std::thread;

use mcp_policy::port::StoreError;
use mcp_wire::PortFuture;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use crate::fault::Fault;

type Question = Box<dyn FnOnce(&mut Connection) + Send>;

/// The way to the thread. When it and every answer that is waited for are gone, the thread does what lies before it and
/// ends.
pub(crate) struct StoreThread {
    questions: mpsc::Sender<Question>,
}

impl StoreThread {
    /// Starts the thread. At most `queue` questions lie before it, and at least one may.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unavailable`] when there is no thread to be had.
    pub(crate) fn start(mut connection: Connection, queue: usize) -> Result<Self, StoreError> {
        let places = queue.clamp(1, tokio::sync::Semaphore::MAX_PERMITS);
        let (questions, mut asked) = mpsc::channel::<Question>(places);
        let answer_all = move || {
            while let Some(question) = asked.blocking_recv() {
                question(&mut connection);
            }
        };
        thread::Builder::new()
            .name(String::from("mcp-store"))
            .spawn(answer_all)
            .map_err(|_| StoreError::Unavailable)?;
        Ok(Self { questions })
    }

    /// Reads, in one transaction, so that all of it is of one moment.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Transaction<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> PortFuture<Result<T, StoreError>> {
        self.ask(TransactionBehavior::Deferred, read)
    }

    /// Makes a change, all of it or nothing. It is durable when it is answered.
    pub(crate) fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> PortFuture<Result<T, StoreError>> {
        self.ask(TransactionBehavior::Immediate, change)
    }

    /// Puts a question before the thread when the answer is first polled. It is not begun when the answer was dropped by
    /// the time that the lock is there.
    fn ask<T: Send + 'static>(
        &self,
        behavior: TransactionBehavior,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> PortFuture<Result<T, StoreError>> {
        let questions = self.questions.clone();
        PortFuture::pending(async move {
            let (answer, told) = oneshot::channel();
            let question: Question = Box::new(move |connection| {
                if answer.is_closed() {
                    return;
                }
                let outcome = transact(connection, behavior, || answer.is_closed(), work);
                // Nobody may be waiting by now; what was done is done.
                let _ = answer.send(outcome.map_err(|Fault(error)| error));
            });
            if questions.send(question).await.is_err() {
                return Err(StoreError::Unavailable);
            }
            told.await.unwrap_or(Err(StoreError::Unavailable))
        })
    }
}

fn transact<T>(
    connection: &mut Connection,
    behavior: TransactionBehavior,
    has_gone: impl FnOnce() -> bool,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let transaction = connection.transaction_with_behavior(behavior)?;
    if has_gone() {
        return Err(Fault(StoreError::Unavailable));
    }
    let value = work(&transaction)?;
    transaction.commit()?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_who_left_while_the_lock_was_waited_for_changes_nothing() {
        let mut connection = Connection::open_in_memory().unwrap();
        for behavior in [TransactionBehavior::Immediate, TransactionBehavior::Deferred] {
            let mut begun = false;
            let outcome = transact(
                &mut connection,
                behavior,
                || true,
                |_| {
                    begun = true;
                    Ok(())
                },
            );
            assert_eq!((outcome, begun), (Err(Fault(StoreError::Unavailable)), false));
            assert!(connection.is_autocommit());
        }
    }
}
