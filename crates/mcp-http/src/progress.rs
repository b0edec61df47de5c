//! How far an exchange has come, readable at any time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use mcp_wire::{Delivery, Stage};

/// Stage and delivery of one exchange; clones watch the same one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress(Arc<State>);

#[derive(Debug, Default)]
struct State {
    stage: AtomicU8,
    delivery: AtomicU8,
}

const STAGES: [Stage; 9] = [
    Stage::Start,
    Stage::Queue,
    Stage::Resolve,
    Stage::Connect,
    Stage::Tls,
    Stage::Credential,
    Stage::Send,
    Stage::FirstByte,
    Stage::Body,
];

const DELIVERIES: [Delivery; 3] = [Delivery::NotSent, Delivery::Unknown, Delivery::Answered];

impl Progress {
    pub(crate) fn enter(&self, stage: Stage) {
        store(&self.0.stage, &STAGES, stage);
    }

    pub(crate) fn stage(&self) -> Stage {
        load(&self.0.stage, &STAGES, Stage::Start)
    }

    pub(crate) fn delivered(&self, delivery: Delivery) {
        store(&self.0.delivery, &DELIVERIES, delivery);
    }

    pub(crate) fn delivery(&self) -> Delivery {
        load(&self.0.delivery, &DELIVERIES, Delivery::Unknown)
    }
}

fn store<T: PartialEq>(slot: &AtomicU8, values: &[T], value: T) {
    let position = values
        .iter()
        .position(|known| *known == value)
        .unwrap_or_default();
    slot.store(u8::try_from(position).unwrap_or_default(), Ordering::Release);
}

fn load<T: Copy>(slot: &AtomicU8, values: &[T], otherwise: T) -> T {
    values
        .get(usize::from(slot.load(Ordering::Acquire)))
        .copied()
        .unwrap_or(otherwise)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_read() {
        let progress = Progress::default();
        assert_eq!(
            (progress.stage(), progress.delivery()),
            (Stage::Start, Delivery::NotSent)
        );
        for stage in STAGES {
            progress.enter(stage);
            assert_eq!(progress.stage(), stage);
        }
        for delivery in DELIVERIES {
            progress.delivered(delivery);
            assert_eq!(progress.delivery(), delivery);
        }
    }
}
