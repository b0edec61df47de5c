//! The one queue of the adapter: how many exchanges with an origin run at a time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_wire::Endpoint;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Lets a bounded number of exchanges with each origin pass. The others wait in the order in which they came; who waits is
/// bounded by its own deadline.
pub(crate) struct Queue {
    limit: usize,
    origins: Mutex<BTreeMap<String, Arc<Semaphore>>>,
}

/// A place among the exchanges with an origin; given back when it is dropped.
pub(crate) struct Turn(Option<OwnedSemaphorePermit>);

impl Queue {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit: limit.clamp(1, Semaphore::MAX_PERMITS),
            origins: Mutex::default(),
        }
    }

    /// Waits for a place.
    pub(crate) async fn enter(&self, endpoint: &Endpoint) -> Turn {
        let places = self.places(endpoint.origin());
        // The semaphores are never closed.
        Turn(places.acquire_owned().await.ok())
    }

    /// The places of an origin. Origins that nobody uses or waits for are forgotten on the way.
    fn places(&self, origin: String) -> Arc<Semaphore> {
        let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        origins.retain(|known, places| *known == origin || Arc::strong_count(places) > 1);
        origins
            .entry(origin)
            .or_insert_with(|| Arc::new(Semaphore::new(self.limit)))
            .clone()
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        drop(self.0.take());
    }
}
