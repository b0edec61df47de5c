//! Claims on steps: stamped in an open run, settled once.

use mcp_policy::ledger::{Run, RunEnd, StepCall};
use mcp_policy::port::{Actor, LedgerError, Step, StepId, StepState, StoreError, UnixTime};
use mcp_wire::Delivery;

use super::bench::Bench;
use super::samples::{Call, LEASE, TEXT, at, failed, outcomes, well};
use crate::store_suite::{Held, same};

/// What settling a step says that is not stamped.
const REFUSED: Result<(), LedgerError> = Err(LedgerError::Store(StoreError::Unavailable));

pub(super) fn a_stamp_comes_back_as_it_was(bench: &mut Bench<'_>) -> Held {
    bench.open("r")?;
    same(
        "opening",
        bench.opening(TEXT, &Actor::User(TEXT.to_owned()), 1),
        Ok(()),
    )?;
    let calls = [
        Call::of("r")?,
        Call::catalogued(TEXT)?,
        Call::catalogued("r")?,
        Call::of(TEXT)?,
    ];
    for (number, call) in (1..).zip(calls) {
        let id = bench.stamp(&call, number)?;
        same("the number", id, StepId(number))?;
        let expected = Step {
            id,
            run: call.run.clone(),
            call: StepCall::of(&call.request()),
            state: StepState::Stamped,
        };
        let kept = bench.kept()?;
        same("the step", kept.step(id)?, &expected)?;
        same("whether it is stamped", kept.step(id)?.is_stamped(), true)?;
    }
    Ok(())
}

pub(super) fn a_stamp_renews_the_lease_and_never_shortens_it(bench: &mut Bench<'_>) -> Held {
    bench.open("r")?;
    let call = Call::of("r")?;
    let after = |second| UnixTime(at(second).0 + Run::LEASE + call.server.budget.get());
    bench.stamp(&call, 100)?;
    same("the lease", bench.kept()?.run("r")?.until, after(100))?;
    bench.stamp(&call, 50)?;
    same(
        "the lease after a clock that went back",
        bench.kept()?.run("r")?.until,
        after(100),
    )?;
    // One that ran out is renewed as long as nobody has reclaimed the run.
    let late = 5 * LEASE;
    bench.stamp(&call, late)?;
    same(
        "the lease that ran out",
        bench.kept()?.run("r")?.until,
        after(late),
    )
}

pub(super) fn an_outcome_comes_back_as_it_was(bench: &mut Bench<'_>) -> Held {
    bench.open("r")?;
    for outcome in outcomes() {
        let id = bench.stamp(&Call::catalogued("r")?, 1)?;
        same("settling", bench.settle(id, outcome.clone(), 2), Ok(()))?;
        let kept = bench.kept()?;
        same("the outcome", kept.step(id)?.outcome(), Some(&outcome))?;
    }
    Ok(())
}

pub(super) fn a_step_is_settled_once(bench: &mut Bench<'_>) -> Held {
    bench.open("r")?;
    let (first, second) = (bench.stamp(&Call::of("r")?, 1)?, bench.stamp(&Call::of("r")?, 1)?);
    same("settling", bench.settle(second, well(), 2), Ok(()))?;
    let before = bench.kept()?;
    let again = bench.settle(second, failed(Delivery::Unknown), 3);
    same("settling again", again, REFUSED)?;
    for unknown in [0, 3, u64::MAX] {
        let settled = bench.settle(StepId(unknown), well(), 3);
        same("settling what is not", settled, REFUSED)?;
    }
    same("what is kept", &bench.kept()?, &before)?;
    same("the other step", &before.step(first)?.state, &StepState::Stamped)
}

pub(super) fn an_outcome_that_was_not_sent_clears_the_stamp(bench: &mut Bench<'_>) -> Held {
    bench.open("r")?;
    for delivery in [Delivery::NotSent, Delivery::Unknown, Delivery::Answered] {
        let id = bench.stamp(&Call::of("r")?, 1)?;
        same("settling", bench.settle(id, failed(delivery), 2), Ok(()))?;
        let is_stamped = bench.kept()?.step(id)?.is_stamped();
        same(delivery.name(), is_stamped, delivery != Delivery::NotSent)?;
    }
    Ok(())
}

pub(super) fn an_outcome_may_come_after_the_end_of_its_run(bench: &mut Bench<'_>) -> Held {
    bench.open("r")?;
    let id = bench.stamp(&Call::of("r")?, 1)?;
    same("ending", bench.end("r", RunEnd::Done, 2), Ok(()))?;
    same("settling", bench.settle(id, well(), 3), Ok(()))?;
    let kept = bench.kept()?;
    same("the outcome", kept.step(id)?.outcome(), Some(&well()))
}
