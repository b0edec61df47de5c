//! The requests of one session that are being handled: which ids are taken, and how one is cancelled.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_wire::server::ClientId;
use tokio::task::AbortHandle;

use crate::refusal::Refusal;

/// The live requests of a session, by id.
#[derive(Debug, Default)]
pub(crate) struct LiveRequests {
    tasks: Mutex<HashMap<ClientId, Task>>,
}

/// The task that handles a request.
#[derive(Debug)]
enum Task {
    /// It is not known yet.
    Starting,
    Running(AbortHandle),
    /// It ends, or is ended as soon as it is known.
    Cancelled,
}

impl Task {
    /// Gives the task to abort. That may drop it at once, and with it the [`Live`], which needs the lock: the caller
    /// aborts without it.
    fn cancel(&mut self) -> Option<AbortHandle> {
        match std::mem::replace(self, Self::Cancelled) {
            Self::Running(task) => Some(task),
            Self::Starting | Self::Cancelled => None,
        }
    }
}

impl LiveRequests {
    /// Takes the id for as long as the [`Live`] lives.
    pub(crate) fn begin(self: &Arc<Self>, id: ClientId, limit: usize) -> Result<Live, Refusal> {
        let mut tasks = self.lock();
        if tasks.contains_key(&id) {
            return Err(Refusal::LiveId);
        }
        if tasks.len() >= limit {
            return Err(Refusal::Busy);
        }
        tasks.insert(id.clone(), Task::Starting);
        drop(tasks);
        Ok(Live {
            requests: Arc::clone(self),
            id,
        })
    }

    /// Names the task that handles the request, unless it has ended already.
    pub(crate) fn attach(&self, id: &ClientId, task: AbortHandle) {
        let cancelled = match self.lock().get_mut(id) {
            Some(Task::Cancelled) => true,
            Some(known @ (Task::Starting | Task::Running(_))) => {
                *known = Task::Running(task.clone());
                false
            }
            None => false,
        };
        if cancelled {
            task.abort();
        }
    }

    /// Ends the handling of this request, if it is live.
    pub(crate) fn cancel(&self, id: &ClientId) {
        let task = self.lock().get_mut(id).and_then(Task::cancel);
        if let Some(task) = task {
            task.abort();
        }
    }

    /// Ends the handling of all requests.
    pub(crate) fn cancel_all(&self) {
        let tasks: Vec<_> = self.lock().values_mut().filter_map(Task::cancel).collect();
        for task in tasks {
            task.abort();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ClientId, Task>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One live request. Dropped with the task that handles it.
#[derive(Debug)]
pub(crate) struct Live {
    requests: Arc<LiveRequests>,
    id: ClientId,
}

impl Drop for Live {
    fn drop(&mut self) {
        self.requests.lock().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mcp_wire::server::{ClientMessage, RequestLimits};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_request_that_is_cancelled_before_its_task_is_known_is_cancelled() -> Result<(), Refusal> {
        let requests = Arc::new(LiveRequests::default());
        let message = ClientMessage::parse(
            br#"{"jsonrpc":"2.0","id":1,"method":"x"}"#,
            &RequestLimits::default(),
        );
        let id = message
            .ok()
            .and_then(|message| message.id().cloned())
            .ok_or(Refusal::Unable)?;
        let live = requests.begin(id.clone(), 1)?;
        requests.cancel(&id);
        let task = tokio::spawn(async move {
            std::future::pending::<()>().await;
            drop(live);
        });
        requests.attach(&id, task.abort_handle());
        let ended = tokio::time::timeout(Duration::from_secs(1), task).await;
        assert!(ended.is_ok_and(|ended| ended.is_err_and(|ended| ended.is_cancelled())));
        assert!(requests.begin(id, 1).is_ok(), "the id is free again");
        Ok(())
    }
}
