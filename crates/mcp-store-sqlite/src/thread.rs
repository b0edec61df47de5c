//! The store's thread: it owns the connection and answers one question after the other.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use mcp_policy::port::StoreError;
use mcp_wire::PortFuture;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use crate::fault::Fault;

type Question = Box<dyn FnOnce(&mut Connection) + Send>;

/// Makes good a change whose answer nobody took.
type Remedy = Box<dyn Fn(&Transaction<'_>) -> Result<(), Fault> + Send>;

/// What is still to be made good.
type Remedies = Arc<Mutex<Vec<Remedy>>>;

/// The way to the thread. When it and every answer that is waited for are gone, the thread does what lies before it and
/// ends.
pub(crate) struct StoreThread {
    questions: mpsc::Sender<Question>,
    remedies: Remedies,
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
        let remedies = Remedies::default();
        let unmade = Arc::clone(&remedies);
        let answer_all = move || {
            while let Some(question) = asked.blocking_recv() {
                make_good(&mut connection, &unmade);
                question(&mut connection);
                make_good(&mut connection, &unmade);
            }
            make_good(&mut connection, &unmade);
        };
        thread::Builder::new()
            .name(String::from("mcp-store"))
            .spawn(answer_all)
            .map_err(|_| StoreError::Unavailable)?;
        Ok(Self { questions, remedies })
    }

    /// Reads, in one transaction, so that all of it is of one moment.
    pub(crate) fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Transaction<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> PortFuture<Result<T, StoreError>> {
        self.ask(TransactionBehavior::Deferred, read, |value| value)
    }

    /// Makes a change, all of it or nothing. It is durable when it is answered.
    pub(crate) fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> PortFuture<Result<T, StoreError>> {
        self.ask(TransactionBehavior::Immediate, change, |value| value)
    }

    /// Makes a change that somebody must take note of. One that was made when its caller had gone, or whose answer its
    /// caller did not take, is made good by `remedy`, before anything that is asked after that.
    pub(crate) fn change_for_somebody<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, Fault> + Send + 'static,
        remedy: impl Fn(&Transaction<'_>, &T) -> Result<(), Fault> + Send + 'static,
    ) -> PortFuture<Result<T, StoreError>> {
        let (questions, remedies) = (self.questions.clone(), Arc::clone(&self.remedies));
        let answer = self.ask(TransactionBehavior::Immediate, change, |value| Untaken {
            made: Some((value, remedy)),
            questions,
            remedies,
        });
        PortFuture::pending(async move { answer.await?.take() })
    }

    /// Puts a question before the thread when the answer is first polled. It is not begun when the answer was dropped by
    /// the time that the lock is there.
    fn ask<T: Send + 'static, A: Send + 'static>(
        &self,
        behavior: TransactionBehavior,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault> + Send + 'static,
        wrap: impl FnOnce(T) -> A + Send + 'static,
    ) -> PortFuture<Result<A, StoreError>> {
        let questions = self.questions.clone();
        PortFuture::pending(async move {
            let (answer, told) = oneshot::channel();
            let question: Question = Box::new(move |connection| {
                if answer.is_closed() {
                    return;
                }
                let outcome = transact(connection, behavior, || answer.is_closed(), work);
                // Nobody may be waiting by now; what was done is done, unless there is a remedy.
                let _ = answer.send(outcome.map(wrap).map_err(|Fault(error)| error));
            });
            if questions.send(question).await.is_err() {
                return Err(StoreError::Unavailable);
            }
            told.await.unwrap_or(Err(StoreError::Unavailable))
        })
    }
}

/// The answer to a change until somebody takes it. Dropped before that, it leaves the remedy to the thread.
struct Untaken<T: Send + 'static, R: Fn(&Transaction<'_>, &T) -> Result<(), Fault> + Send + 'static> {
    made: Option<(T, R)>,
    questions: mpsc::Sender<Question>,
    remedies: Remedies,
}

impl<T: Send + 'static, R: Fn(&Transaction<'_>, &T) -> Result<(), Fault> + Send + 'static> Untaken<T, R> {
    fn take(mut self) -> Result<T, StoreError> {
        let made = self.made.take().ok_or(StoreError::Unavailable)?;
        Ok(made.0)
    }
}

impl<T: Send + 'static, R: Fn(&Transaction<'_>, &T) -> Result<(), Fault> + Send + 'static> Drop
    for Untaken<T, R>
{
    fn drop(&mut self) {
        if let Some((value, remedy)) = self.made.take() {
            let remedy = move |transaction: &Transaction<'_>| remedy(transaction, &value);
            let mut remedies = self.remedies.lock().unwrap_or_else(PoisonError::into_inner);
            remedies.push(Box::new(remedy));
            drop(remedies);
            // Where the queue is full, the thread has other reasons to look.
            let _ = self.questions.try_send(Box::new(|_| {}));
        }
    }
}

/// Applies what remedies there are. One that meets a lock or finds no room is tried again after the next question.
fn make_good(connection: &mut Connection, remedies: &Remedies) {
    let due = std::mem::take(&mut *remedies.lock().unwrap_or_else(PoisonError::into_inner));
    for remedy in due {
        let made = transact(connection, TransactionBehavior::Immediate, || false, &remedy);
        if let Err(Fault(StoreError::Busy | StoreError::Full)) = made {
            remedies
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(remedy);
        }
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
    use std::future::Future;
    use std::pin::Pin;
    use std::task::{Context, Poll, Wake, Waker};

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

    /// A change that puts one row, and a remedy that takes it back.
    fn put(thread: &StoreThread, work: impl Fn() + Send + 'static) -> PortFuture<Result<(), StoreError>> {
        let change = move |transaction: &Transaction<'_>| {
            transaction.execute("INSERT INTO t VALUES (1)", [])?;
            work();
            Ok(())
        };
        let remedy = |transaction: &Transaction<'_>, (): &()| {
            transaction.execute("DELETE FROM t", [])?;
            Ok(())
        };
        thread.change_for_somebody(change, remedy)
    }

    fn rows(thread: &StoreThread) -> PortFuture<Result<i64, StoreError>> {
        let count = "SELECT count(*) FROM t";
        thread.read(move |transaction| Ok(transaction.query_row(count, [], |row| row.get(0))?))
    }

    fn with_a_table() -> StoreThread {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t (x)").unwrap();
        StoreThread::start(connection, 1).unwrap()
    }

    /// Polls an answer once.
    fn ask<T>(answer: &mut PortFuture<T>, waker: &Waker) -> Poll<T> {
        Pin::new(answer).poll(&mut Context::from_waker(waker))
    }

    /// Tells that an answer is there.
    struct Rung(mpsc::Sender<()>);

    impl Wake for Rung {
        fn wake(self: Arc<Self>) {
            let _ = self.0.try_send(());
        }
    }

    /// The answer, once its waker was woken.
    fn heard<T>(mut answer: PortFuture<T>) -> T {
        let (rung, mut heard) = mpsc::channel(1);
        let waker = Waker::from(Arc::new(Rung(rung)));
        loop {
            if let Poll::Ready(value) = ask(&mut answer, &waker) {
                return value;
            }
            heard.blocking_recv().unwrap();
        }
    }

    #[test]
    fn a_change_that_somebody_took_stays() {
        let thread = with_a_table();
        assert_eq!(heard(put(&thread, || {})), Ok(()));
        assert_eq!(heard(rows(&thread)), Ok(1));
    }

    #[test]
    fn a_change_whose_caller_left_while_it_was_made_is_made_good() {
        let thread = with_a_table();
        let (began, mut begun) = mpsc::channel(1);
        let (left, has_left) = std::sync::mpsc::channel::<()>();
        let mut answer = put(&thread, move || {
            began.try_send(()).unwrap();
            has_left.recv().unwrap();
        });
        assert!(ask(&mut answer, Waker::noop()).is_pending());
        begun.blocking_recv().unwrap();
        drop(answer);
        left.send(()).unwrap();
        assert_eq!(heard(rows(&thread)), Ok(0));
    }

    #[test]
    fn a_change_whose_answer_lay_there_and_was_not_taken_is_made_good() {
        let thread = with_a_table();
        let (rung, mut woken) = mpsc::channel(1);
        let waker = Waker::from(Arc::new(Rung(rung)));
        let (asked, is_asked) = std::sync::mpsc::channel::<()>();
        let mut answer = put(&thread, move || is_asked.recv().unwrap());
        assert!(ask(&mut answer, &waker).is_pending());
        asked.send(()).unwrap();
        woken.blocking_recv().unwrap();
        assert_eq!(heard(rows(&thread)), Ok(1));
        drop(answer);
        assert_eq!(heard(rows(&thread)), Ok(0));
    }
}
