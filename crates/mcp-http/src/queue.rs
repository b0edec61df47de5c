//! The one queue of the adapter: how many exchanges with an origin run at a time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_wire::Method;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Lets a bounded number of exchanges with each origin pass. The others wait in the order in which they came; who waits is
/// bounded by its own deadline.
pub(crate) struct Queue {
    limit: usize,
    origins: Mutex<BTreeMap<String, Arc<Places>>>,
}

/// The places of one origin. One is kept for farewells, so that a cancelled notice does not wait behind the very calls
/// that fill the server.
struct Places {
    ordinary: Arc<Semaphore>,
    farewells: Arc<Semaphore>,
}

/// A place among the exchanges with an origin; given back when it is dropped.
pub(crate) struct Turn {
    _permit: Option<OwnedSemaphorePermit>,
    /// Keeps the origin from being forgotten.
    _places: Arc<Places>,
}

impl Queue {
    /// A queue for `limit` exchanges with each origin; 2 at least.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit: limit.clamp(2, Semaphore::MAX_PERMITS),
            origins: Mutex::default(),
        }
    }

    /// Waits for a place.
    pub(crate) async fn enter(&self, origin: &str, method: Method) -> Turn {
        let places = self.places(origin);
        let kind = match method {
            Method::Cancelled | Method::EndSession => &places.farewells,
            Method::Initialize
            | Method::Initialized
            | Method::Ping
            | Method::ToolsList
            | Method::ToolsCall => &places.ordinary,
        };
        // The semaphores are never closed.
        Turn {
            _permit: kind.clone().acquire_owned().await.ok(),
            _places: places,
        }
    }

    /// The places of an origin. Origins that nobody uses or waits for are forgotten on the way.
    fn places(&self, origin: &str) -> Arc<Places> {
        let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(places) = origins.get(origin) {
            return places.clone();
        }
        origins.retain(|_, places| Arc::strong_count(places) > 1);
        let ordinary = Arc::new(Semaphore::new(self.limit - 1));
        let places = Arc::new(Places {
            ordinary,
            farewells: Arc::new(Semaphore::new(1)),
        });
        origins.insert(origin.to_owned(), places.clone());
        places
    }
}
