//! The suite over a transport that is not its own: one that holds passes, and a fault in one is found.

#![cfg(test)]

use std::path::Path;
use std::sync::Arc;

use mcp_conformance::{PeerAnswer, Report, Suite, run_over};
use mcp_testkit::{MemoryAnswer, MemoryTransport};
use mcp_wire::{BodyEnd, TransportError};

/// Judges a transport in memory that alters how each answer ends.
fn judged(filter: &str, ends: fn(BodyEnd) -> BodyEnd) -> Report {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    let suite = Suite::load(&specs).unwrap();
    run_over(&suite, filter, move |peer| {
        Arc::new(MemoryTransport::new(move |message| {
            match peer.answer(message.body()) {
                PeerAnswer::Silence => MemoryAnswer::Silence,
                PeerAnswer::Closed => MemoryAnswer::Failed(TransportError::ConnectionLost.into()),
                PeerAnswer::Accepted => MemoryAnswer::Accepted,
                PeerAnswer::Pieces { pieces, end } => MemoryAnswer::Pieces(pieces, ends(end)),
            }
        }))
    })
}

#[test]
fn a_transport_that_holds_passes() {
    let report = judged("body", |end| end);
    assert!(report.is_green(), "{report}");
}

#[test]
fn a_transport_that_takes_every_end_for_a_complete_one_is_found() {
    let report = judged("body", |_end| BodyEnd::Complete);
    assert!(report.failed() > 0, "{report}");
}

#[test]
fn a_transport_that_never_proves_an_end_is_found() {
    let report = judged("reconstruction", |_end| BodyEnd::Incomplete);
    assert!(report.failed() > 0, "{report}");
}
