//! What every store must hold: one function for each claim, run against whatever store is given.
//!
//! A store passes when [`broken_claims`] gives none. The claims know the ports only; what is particular to a store (its
//! file, its locks, its damage) is tested beside it.

mod bench;
mod catalogue;
mod concurrency;
mod contacts;
mod imports;
mod samples;
mod servers;

use std::sync::Arc;

use mcp_policy::port::{CatalogueStore, HealthStore, ServerStore, StoreError};

pub(crate) use self::bench::same;
pub use self::bench::{Bench, Broken, Held};
pub use self::samples::{row, server_name, tool_name};

/// A store that keeps servers, their catalogue and their contacts.
pub trait Stores: ServerStore + CatalogueStore + HealthStore {}

impl<T: ServerStore + CatalogueStore + HealthStore> Stores for T {}

/// What came of opening a store.
pub type Opened = Result<Arc<dyn Stores>, StoreError>;

/// One thing that a store must hold.
pub struct Claim {
    /// What it is, as a sentence in snake case.
    pub name: &'static str,
    check: fn(&mut Bench<'_>) -> Held,
}

macro_rules! claims {
    ($($room:ident::$claim:ident,)*) => {
        &[$(Claim { name: stringify!($claim), check: $room::$claim }),*]
    };
}

/// Every claim.
pub const CLAIMS: &[Claim] = claims![
    servers::a_record_comes_back_as_it_was,
    servers::records_come_by_name,
    servers::a_name_is_added_once,
    servers::only_what_is_there_is_replaced,
    servers::a_replaced_record_keeps_its_catalogue,
    servers::removing_takes_catalogue_and_contact_along,
    catalogue::a_row_comes_back_as_it_was,
    catalogue::a_change_of_another_generation_changes_nothing,
    catalogue::a_change_of_an_unknown_server_changes_nothing,
    catalogue::a_change_touches_its_server_only,
    catalogue::rows_are_put_and_never_deleted,
    catalogue::a_change_counts_once_and_nothing_else_counts,
    catalogue::a_change_that_breaks_its_terms_changes_nothing,
    imports::a_success_comes_back_as_it_was,
    imports::a_change_without_an_import_leaves_imports_as_they_are,
    imports::a_failure_leaves_rows_and_generation,
    imports::a_success_ends_a_failure,
    imports::a_failure_of_an_unknown_server_is_nothing,
    contacts::the_last_contact_wins,
    contacts::a_contact_needs_no_record,
    concurrency::no_change_is_lost_among_threads,
    concurrency::a_name_is_added_once_among_threads,
];

/// Checks every claim, each in a place of its own, and gives those that do not hold.
///
/// `new_place` makes an empty place and gives what opens the store that is kept there; a claim opens it several times, one
/// after the other and at once.
pub fn broken_claims<P: FnMut() -> Opened>(mut new_place: impl FnMut() -> P) -> Vec<(&'static str, Broken)> {
    let broken = CLAIMS.iter().filter_map(|claim| {
        let mut open = new_place();
        let held = Bench::new(&mut open).and_then(|mut bench| (claim.check)(&mut bench));
        held.err().map(|broken| (claim.name, broken))
    });
    broken.collect()
}
