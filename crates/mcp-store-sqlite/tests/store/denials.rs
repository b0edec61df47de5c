//! Denials in the file: what the gate refused, in order, and nothing else.

use mcp_policy::port::{
    CallAttempt, Denial, DenialLog, DenialReason, Denials, RunLedger, StepOutcome, StoreError,
};
use mcp_testkit::block_on;
use mcp_testkit::ledger_suite::{Call, HOLDER, at};

use crate::support::{Directory, open_as};

fn attempt(call: &Call) -> CallAttempt<'_> {
    CallAttempt {
        server: &call.server,
        tool: &call.tool,
        arguments: &call.arguments,
        run: &call.run,
        actor: &call.actor,
    }
}

#[test]
fn denials_come_back_as_they_were_and_in_order() {
    let directory = Directory::new();
    let calls = [
        Call::of("r").unwrap(),
        Call::catalogued("it's \0 \u{1f980}").unwrap(),
    ];
    let mut expected = Vec::new();
    for (second, reason) in (1..).zip(DenialReason::ALL) {
        for call in &calls {
            // A later one may be of an earlier time: the order is that of the store.
            let denial = Denial::of(&attempt(call), reason, at(100 - second));
            let store = directory.open();
            let kept = Denials::record(&store, &attempt(call), reason, at(100 - second));
            assert_eq!(block_on(kept), Ok(()));
            expected.push(denial);
            assert_eq!(block_on(directory.open().denials(usize::MAX)).unwrap(), expected);
        }
    }
    let store = directory.open();
    assert_eq!(
        block_on(store.denials(3)).unwrap(),
        expected[expected.len() - 3..]
    );
    assert_eq!(block_on(store.denials(0)).unwrap(), []);
    directory
        .raw()
        .execute_batch("UPDATE denials SET reason = 'future' WHERE id = 2")
        .unwrap();
    assert_eq!(block_on(store.denials(usize::MAX)), Err(StoreError::Corrupt));
}

#[test]
fn a_call_that_is_carried_out_is_no_denial() {
    let directory = Directory::new();
    let store = open_as(&directory.file(), HOLDER).unwrap();
    let call = Call::of("r").unwrap();
    block_on(store.open(&call.run, &call.actor, at(1))).unwrap();
    block_on(store.charge(&call.run)).unwrap();
    let step = block_on(store.stamp(&call.request(), at(1))).unwrap();
    block_on(store.settle(step, StepOutcome::never_sent(), at(2))).unwrap();
    assert_eq!(block_on(store.denials(9)).unwrap(), []);
}
