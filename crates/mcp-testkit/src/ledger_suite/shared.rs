//! Claims on a ledger that several processes share: a run is held by the one that opened it.

use std::thread;

use mcp_policy::ledger::{RunEnd, RunState};
use mcp_policy::port::{Actor, LedgerError, StepState, StoreError};

use super::bench::Bench;
use super::samples::{Call, LEASE, at, well};
use super::{HOLDER, Ledgers, OTHER};
use crate::block_on;
use crate::store_suite::{Broken, Held, same};

pub(super) fn a_run_is_held_by_one(bench: &mut Bench<'_>) -> Held {
    bench.open("r")?;
    let other = bench.beside(OTHER)?;
    let call = Call::of("r")?;
    let before = bench.kept()?;
    let charged = block_on(other.charge(&call.run));
    same("another's charge", charged, Err(LedgerError::NoRun))?;
    // A lease that ran out is still no lease of somebody else.
    for second in [1, 5 * LEASE] {
        let stamped = block_on(other.stamp(&call.request(), at(second)));
        same("another's stamp", stamped, Err(LedgerError::NoRun))?;
    }
    let ended = block_on(other.end(&call.run, RunEnd::Done, at(1)));
    same("another's end", ended, Err(LedgerError::NoRun))?;
    let opened = block_on(other.open(&call.run, &Actor::Unattended, at(1)));
    same("another's opening", opened, Err(LedgerError::RunExists))?;
    same("what is kept", bench.kept()?, before)?;
    bench.stamp(&call, 2)?;
    same("its own end", bench.end("r", RunEnd::Done, 3), Ok(()))
}

pub(super) fn a_run_of_another_is_reclaimed_only_after_its_lease(bench: &mut Bench<'_>) -> Held {
    bench.open("r")?;
    let id = bench.stamp(&Call::of("r")?, 1)?;
    let other = bench.beside(OTHER)?;
    let reclaimed = block_on(other.reclaim(at(LEASE)));
    same("reclaiming before", reclaimed, Ok(Vec::new()))?;
    let reclaimed = block_on(other.reclaim(at(2 * LEASE)));
    let reclaimed = reclaimed.map(|steps| steps.iter().map(|step| step.id).collect());
    same("reclaiming after", reclaimed, Ok(vec![id]))?;
    let kept = bench.kept()?;
    let state = kept.run("r")?.state;
    same("the run", state, RunState::Ended(RunEnd::Failed))?;
    same("whose it was", kept.run("r")?.holder, HOLDER)?;
    same("the step", &kept.step(id)?.state, &StepState::InDoubt)
}

pub(super) fn a_reclaimed_run_is_lost_to_its_holder(bench: &mut Bench<'_>) -> Held {
    bench.open("r")?;
    let call = Call::of("r")?;
    let id = bench.stamp(&call, 1)?;
    let other = bench.beside(OTHER)?;
    let reclaimed = block_on(other.reclaim(at(2 * LEASE)));
    same("the steps", reclaimed.map(|steps| steps.len()), Ok(1))?;
    let before = bench.kept()?;
    same("its charge", bench.charge("r"), Err(LedgerError::NoRun))?;
    let stamped = bench.stamping(&call, 2 * LEASE);
    same("its stamp", stamped, Err(LedgerError::NoRun))?;
    let settled = bench.settle(id, well(), 2 * LEASE);
    let refused = Err(LedgerError::Store(StoreError::Unavailable));
    same("its outcome", settled, refused)?;
    same("its end", bench.end("r", RunEnd::Done, 2 * LEASE), Ok(()))?;
    same("what is kept", bench.kept()?, before)
}

const THREADS: usize = 4;
const CALLS: usize = 10;

pub(super) fn nothing_is_lost_among_threads_and_holders(bench: &mut Bench<'_>) -> Held {
    let ledgers = [bench.ledger(), bench.beside(OTHER)?];
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .zip(ledgers.iter().cycle())
            .map(|(number, ledger)| scope.spawn(move || make_calls(&**ledger, number)))
            .collect();
        for thread in threads {
            let panicked = |_| Broken(String::from("a thread panicked"));
            thread.join().map_err(panicked)??;
        }
        Ok::<_, Broken>(())
    })?;
    let kept = bench.kept()?;
    same("the steps", kept.steps.len(), THREADS * CALLS)?;
    same("the entries", kept.entries.len(), THREADS * (2 * CALLS + 2))?;
    let unsettled = kept.steps.iter().filter(|step| step.outcome().is_none());
    same("the unsettled", unsettled.count(), 0)
}

/// One run with its calls.
fn make_calls(ledger: &dyn Ledgers, number: usize) -> Held {
    let call = Call::of(&format!("r{number}"))?;
    let refused = |error: LedgerError| Broken(format!("the ledger refused: {error}"));
    block_on(ledger.open(&call.run, &call.actor, at(1))).map_err(refused)?;
    for _ in 0..CALLS {
        block_on(ledger.charge(&call.run)).map_err(refused)?;
        let step = block_on(ledger.stamp(&call.request(), at(2))).map_err(refused)?;
        block_on(ledger.settle(step, well(), at(3))).map_err(refused)?;
    }
    block_on(ledger.end(&call.run, RunEnd::Done, at(4))).map_err(refused)
}
