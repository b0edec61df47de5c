//! The store suite finds what is wrong with a store: for each fault, the claim that it breaks. Every claim has a fault.

#![cfg(test)]

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a fault bends one thing and leaves all others"
)]
mod faulty;

use std::collections::BTreeSet;
use std::sync::Arc;

use mcp_testkit::store_suite::{CLAIMS, Opened, broken_claims};

use crate::faulty::{Fault, Faulty};

const FAULTS: &[(Fault, &str)] = &[
    (Fault::CredentialsLost, "a_record_comes_back_as_it_was"),
    (Fault::SwitchedOffIsOn, "a_record_comes_back_as_it_was"),
    (Fault::QueryLost, "a_record_comes_back_as_it_was"),
    (Fault::BoundsNarrow, "a_record_comes_back_as_it_was"),
    (Fault::LatestFirst, "records_come_by_name"),
    (Fault::AddReplaces, "a_name_is_added_once"),
    (Fault::ReplaceAdds, "only_what_is_there_is_replaced"),
    (
        Fault::ReplaceEmptiesCatalogue,
        "a_replaced_record_keeps_its_catalogue",
    ),
    (
        Fault::RemovedContactStays,
        "removing_takes_catalogue_and_contact_along",
    ),
    (
        Fault::RemovingIsNoChange,
        "removing_takes_catalogue_and_contact_along",
    ),
    (
        Fault::RemovedRowsReturn,
        "removing_takes_catalogue_and_contact_along",
    ),
    (Fault::SecondsOnly, "a_row_comes_back_as_it_was"),
    (Fault::TitleLost, "a_row_comes_back_as_it_was"),
    (Fault::DriftedIsOff, "a_row_comes_back_as_it_was"),
    (Fault::NullEndsText, "a_row_comes_back_as_it_was"),
    (
        Fault::AnyGeneration,
        "a_change_of_another_generation_changes_nothing",
    ),
    (
        Fault::UnknownServerIsDone,
        "a_change_of_an_unknown_server_changes_nothing",
    ),
    (Fault::OthersEmptied, "a_change_touches_its_server_only"),
    (Fault::OrphansDeleted, "rows_are_put_and_never_deleted"),
    (
        Fault::EachRowCounts,
        "a_change_counts_once_and_nothing_else_counts",
    ),
    (
        Fault::ContactCounts,
        "a_change_counts_once_and_nothing_else_counts",
    ),
    (
        Fault::TermsUnheeded,
        "a_change_that_breaks_its_terms_changes_nothing",
    ),
    (
        Fault::HalfOnError,
        "a_change_that_breaks_its_terms_changes_nothing",
    ),
    (Fault::SetAsideSorted, "a_success_comes_back_as_it_was"),
    (Fault::SetAsideLost, "a_success_comes_back_as_it_was"),
    (
        Fault::ChangeEndsFailure,
        "a_change_without_an_import_leaves_imports_as_they_are",
    ),
    (Fault::FailureCounts, "a_failure_leaves_rows_and_generation"),
    (Fault::FailureEndsSuccess, "a_failure_leaves_rows_and_generation"),
    (Fault::FailureStays, "a_success_ends_a_failure"),
    (
        Fault::FailureOfAnyone,
        "a_failure_of_an_unknown_server_is_nothing",
    ),
    (Fault::FirstContactWins, "the_last_contact_wins"),
    (Fault::LatestContactWins, "the_last_contact_wins"),
    (Fault::NothingDurable, "the_last_contact_wins"),
    (Fault::ContactNeedsRecord, "a_contact_needs_no_record"),
    (Fault::LateChangeLost, "no_change_is_lost_among_threads"),
    (Fault::AlwaysAdded, "a_name_is_added_once_among_threads"),
];

#[test]
fn the_suite_finds_each_fault() {
    let mut missed = Vec::new();
    for (fault, claim) in FAULTS {
        let new_place = || {
            let store = Arc::new(Faulty::new(*fault));
            move || -> Opened {
                if *fault == Fault::NothingDurable {
                    return Ok(Arc::new(Faulty::new(*fault)));
                }
                Ok(Arc::clone(&store) as _)
            }
        };
        let broken: Vec<&str> = broken_claims(new_place)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        if !broken.contains(claim) {
            missed.push(format!("{fault:?} breaks {broken:?}"));
        }
    }
    assert_eq!(missed, Vec::<String>::new());
}

#[test]
fn every_claim_has_a_fault() {
    let with_fault: BTreeSet<&str> = FAULTS.iter().map(|(_, claim)| *claim).collect();
    let claims: BTreeSet<&str> = CLAIMS.iter().map(|claim| claim.name).collect();
    assert_eq!(claims, with_fault);
}
