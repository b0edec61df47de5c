//! Every kind has a path, or a reason why a run of the program cannot be led to it.

use std::collections::BTreeSet;

use super::path::Path;
use crate::table;

/// Kinds of the commands on the store. Their runs are driven and searched by `store.rs`, `walk_through.rs` and `catalogue.rs`, or by the
/// store's own tests; no secret of theirs goes anywhere but into the store, by reference.
const OF_THE_STORE: [&str; 40] = [
    "kind-unknown",
    "tool-not-read-only",
    "server-name-invalid",
    "server-exists",
    "class-unknown",
    "group-invalid",
    "fingerprint-invalid",
    "config-unreadable",
    "config-invalid",
    "config-duplicate",
    "lock-unreadable",
    "lock-invalid",
    "lock-version-unknown",
    "lock-duplicate",
    "output-unwritable",
    "store-path-unknown",
    "server-unknown",
    "tool-unknown",
    "server-disabled",
    "server-unclassified",
    "server-without-url",
    "tool-orphaned",
    "tool-must-be-confirmed",
    "tool-not-the-one-shown",
    "catalogue-contended",
    "store-unavailable",
    "store-busy",
    "store-corrupt",
    "store-newer",
    "store-full",
    "store-denied",
    "zone-unknown",
    "role-unknown",
    "step-unknown",
    "proxy-invalid",
    "approval-unknown",
    "ledger-entry-missing",
    "ledger-entry-altered",
    "ledger-cut",
    "ledger-disagrees",
];

/// Kinds without a path. One that gets a path fails here.
const WITHOUT: [(&str, &str); 25] = [
    ("line-too-long", "the program's bound for the body is met first"),
    ("event-too-large", "the program's bound for the body is met first"),
    ("connect-failed", "takes a network that answers unreachable"),
    (
        "proxy-unreachable",
        "driven with a scripted proxy by the adapter's own tests",
    ),
    (
        "proxy-authentication-required",
        "driven with a scripted proxy by the adapter's own tests",
    ),
    (
        "proxy-refused",
        "driven with a scripted proxy by the adapter's own tests",
    ),
    (
        "proxy-failed",
        "driven with a scripted proxy by the adapter's own tests",
    ),
    (
        "tool-not-registered",
        "a call on a URL is outside catalogue and gate",
    ),
    ("tool-disabled", "a call on a URL is outside catalogue and gate"),
    ("admin-required", "a call on a URL is outside catalogue and gate"),
    ("group-disabled", "a call on a URL is outside catalogue and gate"),
    (
        "above-trust-zone",
        "a call on a URL is outside catalogue and gate",
    ),
    (
        "policy-unavailable",
        "a call on a URL is outside catalogue and gate",
    ),
    ("server-changed", "a call on a URL is outside catalogue and gate"),
    ("approval-denied", "the program wires approvals that approve"),
    ("approval-pending", "the program wires approvals that approve"),
    ("run-limit", "the program makes one call in a run"),
    ("no-run", "the program makes one call in a run"),
    ("run-exists", "the program makes one call in a run"),
    ("session-gone", "the program holds no session"),
    ("outcome-not-recorded", "the program keeps everything in memory"),
    ("entropy-unavailable", "takes a system without a random source"),
    ("ids-exhausted", "takes more requests than a run makes"),
    ("runtime-unavailable", "takes a system without an event queue"),
    ("demo-unavailable", "takes a system without a port on loopback"),
];

pub(crate) fn check(paths: &[Path]) {
    let reached: BTreeSet<&str> = paths.iter().flat_map(|path| path.ends.iter().copied()).collect();
    for [kind, ..] in table::rows() {
        let without = WITHOUT.iter().any(|(name, _)| *name == kind) || OF_THE_STORE.contains(&kind);
        assert_ne!(reached.contains(kind), without, "{kind}");
    }
}
