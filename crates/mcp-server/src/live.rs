//! The requests of one session that are being handled: which ids are taken, and how one is cancelled.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_wire::server::ClientId;
use tokio::task::AbortHandle;

use crate::refusal::Refusal;

/// The live requests of a session, by id.
#[derive(Debug, Default)]
pub(crate) struct LiveRequests {
    /// A request whose task is not known yet has none.
    tasks: Mutex<HashMap<ClientId, Option<AbortHandle>>>,
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
        tasks.insert(id.clone(), None);
        drop(tasks);
        Ok(Live {
            requests: Arc::clone(self),
            id,
        })
    }

    /// Names the task that handles the request, unless it has ended already.
    pub(crate) fn attach(&self, id: &ClientId, task: AbortHandle) {
        if let Some(slot) = self.lock().get_mut(id) {
            *slot = Some(task);
        }
    }

    /// Ends the handling of this request, if it is live.
    pub(crate) fn cancel(&self, id: &ClientId) {
        let task = self.lock().get_mut(id).and_then(Option::take);
        if let Some(task) = task {
            task.abort();
        }
    }

    /// Ends the handling of all requests.
    pub(crate) fn cancel_all(&self) {
        let tasks: Vec<_> = self.lock().values_mut().filter_map(Option::take).collect();
        for task in tasks {
            task.abort();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ClientId, Option<AbortHandle>>> {
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
