//! A subscriber that writes down every span and event of a thread, at every level.
//!
//! One subscriber serves the whole process and hands what it hears to the record that listens on the thread. A subscriber
//! for each thread would race with the others: `tracing` keeps for each place in the code whether anybody wants it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Keeps what was traced. Clones share one record.
#[derive(Debug, Clone, Default)]
pub struct TraceRecord(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// By the number of the span, which rises.
    spans: BTreeMap<u64, Recorded>,
    events: Vec<Recorded>,
    entered: Vec<u64>,
}

thread_local! {
    static LISTENING: RefCell<Option<TraceRecord>> = const { RefCell::new(None) };
}

/// A span or an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorded {
    /// The target.
    pub target: String,
    /// The level.
    pub level: String,
    /// The fields that have a value, by name.
    pub fields: BTreeMap<String, String>,
    /// Whether it is over; an event is at once.
    pub closed: bool,
}

impl TraceRecord {
    /// Runs `work`, whose traces on this thread go to this record.
    ///
    /// # Panics
    ///
    /// When the process has another subscriber.
    pub fn listen<T>(&self, work: impl FnOnce() -> T) -> T {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(|| {
            let installed = tracing::subscriber::set_global_default(Listener(AtomicU64::new(1)));
            assert!(installed.is_ok(), "another subscriber listens");
        });
        LISTENING.with(|listening| listening.replace(Some(self.clone())));
        let done = work();
        LISTENING.with(|listening| listening.replace(None));
        done
    }

    /// The spans, in the order in which they were opened.
    #[must_use]
    pub fn spans(&self) -> Vec<Recorded> {
        self.state().spans.values().cloned().collect()
    }

    /// The events, in order.
    #[must_use]
    pub fn events(&self) -> Vec<Recorded> {
        self.state().events.clone()
    }

    /// The fields of the span that is entered now.
    #[must_use]
    pub fn current(&self) -> Option<Recorded> {
        let state = self.state();
        state
            .entered
            .last()
            .and_then(|number| state.spans.get(number))
            .cloned()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorded {
    fn of(metadata: &Metadata<'_>) -> Self {
        Self {
            target: metadata.target().to_owned(),
            level: metadata.level().to_string(),
            ..Self::default()
        }
    }
}

impl Visit for Recorded {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.fields.insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name().to_owned(), value.to_owned());
    }
}

/// The subscriber of the process; it holds the number of the next span.
struct Listener(AtomicU64);

/// Writes into the record that listens on this thread, if any.
fn write(entry: impl FnOnce(&mut State)) {
    LISTENING.with(|listening| {
        if let Some(record) = &*listening.borrow() {
            entry(&mut record.state());
        }
    });
}

impl Subscriber for Listener {
    fn enabled(&self, _metadata: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        let mut span = Recorded::of(attributes.metadata());
        attributes.record(&mut span);
        write(|state| {
            state.spans.insert(number, span);
        });
        Id::from_u64(number)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        write(|state| {
            if let Some(span) = state.spans.get_mut(&span.into_u64()) {
                values.record(span);
            }
        });
    }

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut recorded = Recorded::of(event.metadata());
        event.record(&mut recorded);
        recorded.closed = true;
        write(|state| state.events.push(recorded));
    }

    fn enter(&self, span: &Id) {
        write(|state| state.entered.push(span.into_u64()));
    }

    fn exit(&self, _span: &Id) {
        write(|state| {
            state.entered.pop();
        });
    }

    fn try_close(&self, id: Id) -> bool {
        write(|state| {
            if let Some(span) = state.spans.get_mut(&id.into_u64()) {
                span.closed = true;
            }
        });
        true
    }
}
