//! Request ids: each request has its own, and without one nothing is sent.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcp_policy::memory::{FixedApprovals, MemoryDenials, MemoryLedger, MemoryStore, PermitAll};
use mcp_policy::port::{ApprovalDecision, Never, Untraced};
use mcp_policy::{Client, Culprit, Failure, Ports, Refusal};
use mcp_testkit::{FailingEntropy, FakeClock, FixedProcess, MemoryTransport, SeededEntropy};
use mcp_wire::{ClientInfo, Delivery, Entropy, EntropyUnavailable, IdError, RequestIds};

use crate::support::{id_of, now, well};
use crate::world::{Answers, World};

const BEFORE_THE_LEGS: [&str; 4] = ["gate", "approval", "charge", "stamp"];

/// Checks that no operation sends anything, and that each says why.
fn check_nothing_is_sent(ids: impl Fn() -> RequestIds, error: IdError) {
    let world = || World::with_ids(ids(), FakeClock::new(), Answers::default(), well);
    let refused = Failure::from(Refusal::Id(error));
    assert_eq!(
        (refused.kind(), refused.delivery()),
        (error.kind(), Delivery::NotSent)
    );
    assert_eq!(refused.culprit(), Culprit::Caller);

    let lonely = world();
    assert_eq!(now(lonely.client.ping(&lonely.server)).unwrap_err(), refused);
    assert_eq!(now(lonely.client.probe(&lonely.server)).unwrap_err(), refused);
    let listed = now(lonely.client.list_tools(&lonely.server, Default::default()));
    assert_eq!(listed.unwrap_err(), refused);
    assert_eq!(lonely.log(), [""; 0]);

    let lonely = world();
    assert_eq!(lonely.call(&Never).end().unwrap_err(), refused);
    let log = [&BEFORE_THE_LEGS[..], &["settle failed not-sent"]].concat();
    assert_eq!(lonely.log(), log);
    assert!(!lonely.step().is_stamped());
}

fn ids_from(first: u64) -> RequestIds {
    let process = Arc::<FixedProcess>::default();
    RequestIds::starting_at(Arc::new(SeededEntropy::new(1)), process, first).unwrap()
}

#[test]
fn spent_ids_are_refused_before_anything_is_sent() {
    check_nothing_is_sent(|| ids_from(u64::MAX), IdError::Exhausted);
}

#[test]
fn a_forked_process_without_random_bytes_sends_nothing() {
    let forked = || {
        let process = Arc::<FixedProcess>::default();
        let ids = RequestIds::new(Arc::new(LastsFor::draws(1)), process.clone()).unwrap();
        process.fork();
        ids
    };
    check_nothing_is_sent(forked, IdError::Entropy);
}

#[test]
fn ids_for_half_an_operation_send_nothing() {
    let world = World::with_ids(ids_from(u64::MAX - 1), FakeClock::new(), Answers::default(), well);
    let failure = world.call(&Never).end().unwrap_err();
    assert_eq!(failure, Failure::from(Refusal::Id(IdError::Exhausted)));
    assert_eq!(
        world.log(),
        [&BEFORE_THE_LEGS[..], &["settle failed not-sent"]].concat()
    );
    assert!(!world.step().is_stamped());

    let world = World::with_ids(ids_from(u64::MAX - 1), FakeClock::new(), Answers::default(), well);
    let failure = now(world.client.probe(&world.server)).unwrap_err();
    assert_eq!(failure.kind(), "ids-exhausted");
    assert_eq!(world.log(), [""; 0]);
}

#[test]
fn each_request_has_an_id_of_its_own_and_a_notification_has_none() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let world = World::with_ids(
        ids_from(1),
        FakeClock::new(),
        Answers::default(),
        move |message| {
            log.lock().unwrap().push(id_of(message));
            well(message)
        },
    );
    world.call(&Never).end().unwrap();
    now(world.client.probe(&world.server)).unwrap();
    let sequences: Vec<String> = seen
        .lock()
        .unwrap()
        .iter()
        .map(|id| id.split_once('-').map_or("", |(_, sequence)| sequence).to_owned())
        .collect();
    assert_eq!(sequences, ["1", "", "2", "3", "", "4"]);
}

#[test]
fn a_forked_process_draws_a_namespace_for_each_operation() {
    let process = Arc::<FixedProcess>::default();
    let ids = RequestIds::new(Arc::new(SeededEntropy::new(1)), process.clone()).unwrap();
    process.fork();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let world = World::with_ids(ids, FakeClock::new(), Answers::default(), move |message| {
        log.lock().unwrap().push(id_of(message));
        well(message)
    });
    now(world.client.probe(&world.server)).unwrap();
    now(world.client.probe(&world.server)).unwrap();
    let seen = seen.lock().unwrap();
    let namespaces: Vec<&str> = seen
        .iter()
        .filter_map(|id| id.rsplit_once('-'))
        .map(|(front, _)| front)
        .collect();
    let [initialize, ping, again, ping_again] = namespaces[..] else {
        panic!("{seen:?}")
    };
    assert_eq!((initialize, again), (ping, ping_again));
    assert_ne!(initialize, again);
}

#[test]
fn a_client_without_random_bytes_is_not_made() {
    let ports = |entropy: Arc<dyn Entropy>| Ports {
        transport: Arc::new(MemoryTransport::new(well)),
        clock: Arc::new(FakeClock::new()),
        entropy,
        process: Arc::<FixedProcess>::default(),
        gate: Arc::new(PermitAll),
        denials: Arc::<MemoryDenials>::default(),
        approvals: Arc::new(FixedApprovals(ApprovalDecision::Granted)),
        ledger: Arc::<MemoryLedger>::default(),
        health: Arc::<MemoryStore>::default(),
        trace: Arc::new(Untraced),
    };
    let info = ClientInfo {
        name: "host".to_owned(),
        version: "1".to_owned(),
    };
    let made = Client::new(info.clone(), ports(Arc::new(FailingEntropy)));
    assert_eq!(made.err(), Some(IdError::Entropy));
    assert!(Client::new(info, ports(Arc::new(SeededEntropy::new(1)))).is_ok());
}

/// A random source that fails after so many draws.
struct LastsFor {
    left: AtomicUsize,
    source: SeededEntropy,
}

impl LastsFor {
    fn draws(count: usize) -> Self {
        Self {
            left: AtomicUsize::new(count),
            source: SeededEntropy::new(1),
        }
    }
}

impl Entropy for LastsFor {
    fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
            .map_err(|_spent| EntropyUnavailable)?;
        self.source.fill(target)
    }
}
