//! What every ledger must hold: one function for each claim, run against whatever ledger is given.
//!
//! The claims know the ports only, and the ledger in memory, whose entries are the measure. After each claim the whole
//! ledger is verified. What is particular to a ledger (its file, its kills, its damage) is tested beside it.

mod bench;
mod chain;
mod reclaim;
mod runs;
mod samples;
mod shared;
mod steps;

use std::sync::Arc;

use mcp_policy::ledger::LeaseHolder;
use mcp_policy::memory::MemoryLedger;
use mcp_policy::port::{Audit, RunLedger, StoreError};

pub use self::bench::Bench;
pub use self::samples::{Call, at, well};
pub use crate::store_suite::{Broken, Held};

/// A ledger that can be read.
pub trait Ledgers: RunLedger + Audit {}

impl<T: RunLedger + Audit> Ledgers for T {}

/// What came of opening a ledger.
pub type Opened = Result<Arc<dyn Ledgers>, StoreError>;

/// One thing that a ledger must hold.
pub struct Claim {
    /// What it is, as a sentence in snake case.
    pub name: &'static str,
    check: fn(&mut Bench<'_>) -> Held,
}

/// The holder under which a ledger is opened first: that of a ledger in memory, so that entries can be compared.
pub const HOLDER: LeaseHolder = MemoryLedger::HOLDER;

/// Another one.
pub const OTHER: LeaseHolder = LeaseHolder(0xfedc_ba98_7654_3210_0123_4567_89ab_cdef);

macro_rules! claims {
    ($($room:ident::$claim:ident,)*) => {
        &[$(Claim { name: stringify!($claim), check: $room::$claim }),*]
    };
}

/// The claims on every ledger.
pub const CLAIMS: &[Claim] = claims![
    runs::a_run_is_opened_once,
    runs::a_run_comes_back_as_it_was,
    runs::runs_come_by_name,
    runs::calls_are_charged_up_to_the_limit,
    runs::what_is_not_open_is_neither_charged_nor_stamped,
    runs::a_run_stays_as_it_ended,
    steps::a_stamp_comes_back_as_it_was,
    steps::a_stamp_renews_the_lease_and_never_shortens_it,
    steps::an_outcome_comes_back_as_it_was,
    steps::a_step_is_settled_once,
    steps::an_outcome_that_was_not_sent_clears_the_stamp,
    steps::an_outcome_may_come_after_the_end_of_its_run,
    reclaim::nothing_is_reclaimed_before_its_lease_ran_out,
    reclaim::what_was_stamped_in_a_lost_run_is_in_doubt_once,
    reclaim::a_step_in_doubt_has_no_outcome_any_more,
    chain::each_change_leaves_its_entries_and_a_refused_one_none,
    chain::entries_come_in_pages,
    chain::entries_and_hashes_are_those_of_the_ledger_in_memory,
];

/// The claims on a ledger that several processes may share, each under a holder of its own.
pub const SHARED_CLAIMS: &[Claim] = claims![
    shared::a_run_is_held_by_one,
    shared::a_run_of_another_is_reclaimed_only_after_its_lease,
    shared::a_reclaimed_run_is_lost_to_its_holder,
    shared::nothing_is_lost_among_threads_and_holders,
];

/// Checks claims, each in a place of its own, and gives those that do not hold.
///
/// `new_place` makes an empty place and gives what opens the ledger that is kept there, under a holder. [`CLAIMS`] open it
/// under [`HOLDER`] only, again and again.
pub fn broken_claims<P: FnMut(LeaseHolder) -> Opened>(
    claims: &[Claim],
    mut new_place: impl FnMut() -> P,
) -> Vec<(&'static str, Broken)> {
    let broken = claims.iter().filter_map(|claim| {
        let mut open = new_place();
        let held = Bench::new(&mut open).and_then(|mut bench| {
            (claim.check)(&mut bench)?;
            bench.verify()
        });
        held.err().map(|broken| (claim.name, broken))
    });
    broken.collect()
}
