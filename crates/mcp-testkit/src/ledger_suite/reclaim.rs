//! Claims on runs whose holders have gone.

use std::time::Duration;

use mcp_policy::ledger::{Run, RunEnd, RunState};
use mcp_policy::port::{LedgerError, Step, StepState, StoreError, UnixTime};
use mcp_wire::Delivery;

use super::bench::Bench;
use super::samples::{Call, LEASE, at, failed, well};
use crate::block_on;
use crate::store_suite::{Held, same};

pub(super) fn nothing_is_reclaimed_before_its_lease_ran_out(bench: &mut Bench<'_>) -> Held {
    bench.open("r")?;
    let call = Call::of("r")?;
    let id = bench.stamp(&call, 5)?;
    let before = bench.kept()?;
    let until = UnixTime(at(5).0 + Run::LEASE + call.server.budget.get());
    let just_before = UnixTime(until.0 - Duration::from_nanos(1));
    let reclaimed = block_on(bench.ledger().reclaim(just_before));
    same("reclaiming before", reclaimed, Ok(Vec::new()))?;
    same("what is kept", &bench.kept()?, &before)?;
    let reclaimed = block_on(bench.ledger().reclaim(until));
    let doubted = Step {
        state: StepState::InDoubt,
        ..before.step(id)?.clone()
    };
    same("reclaiming after", reclaimed, Ok(vec![doubted]))
}

pub(super) fn what_was_stamped_in_a_lost_run_is_in_doubt_once(bench: &mut Bench<'_>) -> Held {
    for run in ["b", "a", "ended", "c"] {
        bench.open(run)?;
    }
    let mut lost = Vec::new();
    for run in ["b", "a", "b"] {
        lost.push(bench.stamp(&Call::of(run)?, 1)?);
    }
    let settled = bench.stamp(&Call::of("b")?, 1)?;
    same("settling", bench.settle(settled, well(), 2), Ok(()))?;
    let unsent = bench.stamp(&Call::of("b")?, 1)?;
    let not_sent = failed(Delivery::NotSent);
    same("settling", bench.settle(unsent, not_sent, 2), Ok(()))?;
    let open_in_ended = bench.stamp(&Call::of("ended")?, 1)?;
    same("ending", bench.end("ended", RunEnd::Done, 3), Ok(()))?;
    // The lease of c is renewed.
    let held = bench.stamp(&Call::of("c")?, 10 * LEASE)?;
    let reclaimed = bench.reclaim(10 * LEASE);
    let reclaimed = reclaimed.map(|steps| steps.iter().map(|step| step.id.0).collect());
    same("the steps in doubt", reclaimed, Ok(vec![2, 1, 3]))?;
    let kept = bench.kept()?;
    for id in lost {
        same("a lost step", &kept.step(id)?.state, &StepState::InDoubt)?;
        same("whether it is stamped", kept.step(id)?.is_stamped(), true)?;
    }
    for run in ["a", "b"] {
        let state = kept.run(run)?.state;
        same("a lost run", state, RunState::Ended(RunEnd::Failed))?;
    }
    for id in [open_in_ended, held] {
        same("a step elsewhere", &kept.step(id)?.state, &StepState::Stamped)?;
    }
    same("the run that is held", kept.run("c")?.state, RunState::Open)?;
    let told = kept.events();
    let tail = told.get(told.len().saturating_sub(5)..).unwrap_or_default();
    let expected = [
        ("in-doubt", Some(2)),
        ("ended", None),
        ("in-doubt", Some(1)),
        ("in-doubt", Some(3)),
        ("ended", None),
    ];
    same("what is told", tail, &expected[..])?;
    same("reclaiming again", bench.reclaim(10 * LEASE), Ok(Vec::new()))?;
    same("what is kept", bench.kept()?, kept)
}

pub(super) fn a_step_in_doubt_has_no_outcome_any_more(bench: &mut Bench<'_>) -> Held {
    bench.open("r")?;
    let id = bench.stamp(&Call::of("r")?, 1)?;
    let reclaimed = bench.reclaim(5 * LEASE).map(|steps| steps.len());
    same("how many are in doubt", reclaimed, Ok(1))?;
    let before = bench.kept()?;
    same("the step", &before.step(id)?.state, &StepState::InDoubt)?;
    let settled = bench.settle(id, well(), 5 * LEASE);
    same(
        "settling",
        settled,
        Err(LedgerError::Store(StoreError::Unavailable)),
    )?;
    let stamped = bench.stamping(&Call::of("r")?, 5 * LEASE);
    same("stamping in its run", stamped, Err(LedgerError::NoRun))?;
    same("what is kept", bench.kept()?, before)
}
