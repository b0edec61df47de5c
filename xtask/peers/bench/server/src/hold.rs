//! Calls that wait for one another.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tokio::sync::Notify;

/// Holds calls until as many are there as they want.
#[derive(Default)]
pub(crate) struct Hold {
    waiting: Cell<usize>,
    released: RefCell<Rc<Notify>>,
}

impl Hold {
    /// Waits until `count` calls are here at a time; the last one lets all of them go.
    pub(crate) async fn until(&self, count: usize) {
        let released = self.released.borrow().clone();
        self.waiting.set(self.waiting.get() + 1);
        if self.waiting.get() < count {
            released.notified().await;
        } else {
            self.waiting.set(0);
            self.released.replace(Rc::default()).notify_waiters();
        }
    }
}
