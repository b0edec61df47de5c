//! Claims on the entries: each change leaves its own, and all ledgers leave the same.

use mcp_policy::ledger::RunEnd;
use mcp_policy::memory::MemoryLedger;
use mcp_policy::port::{Actor, LedgerError, StepId};
use mcp_wire::Delivery;

use super::Ledgers;
use super::bench::{Bench, Kept};
use super::samples::{Call, LEASE, TEXT, at, failed, outcomes, well};
use crate::block_on;
use crate::store_suite::{Broken, Held, same};

pub(super) fn each_change_leaves_its_entries_and_a_refused_one_none(bench: &mut Bench<'_>) -> Held {
    same("an empty ledger", bench.kept()?.head.0, 0)?;
    bench.open("r")?;
    same("a charge", bench.charge("r"), Ok(()))?;
    let id = bench.stamp(&Call::of("r")?, 1)?;
    same("settling", bench.settle(id, well(), 2), Ok(()))?;
    same("settling again", bench.settle(id, well(), 3).is_err(), true)?;
    let again = bench.opening("r", &Actor::Unattended, 3);
    same("opening it again", again.is_err(), true)?;
    same("ending", bench.end("r", RunEnd::Done, 4), Ok(()))?;
    same("ending again", bench.end("r", RunEnd::Done, 5), Ok(()))?;
    let kept = bench.kept()?;
    let expected = [
        ("opened", None),
        ("stamped", Some(1)),
        ("settled", Some(1)),
        ("ended", None),
    ];
    same("what is told", &kept.events()[..], &expected[..])?;
    let times: Vec<_> = kept.entries.iter().map(|linked| linked.entry.at).collect();
    same("when", times, [0, 1, 2, 4].map(at).to_vec())?;
    let numbers: Vec<u64> = kept.entries.iter().map(|linked| linked.entry.seq).collect();
    same("the numbers", numbers, vec![1, 2, 3, 4])?;
    let last = kept.entries.last().map(|linked| linked.hash);
    same("the head", (Some(kept.head.1), kept.head.0), (last, 4))
}

pub(super) fn entries_come_in_pages(bench: &mut Bench<'_>) -> Held {
    for run in ["a", "b", "c", "d", "e"] {
        bench.open(run)?;
    }
    let ledger = bench.ledger();
    for (after, limit, expected) in [
        (0, 2, vec![1, 2]),
        (2, 2, vec![3, 4]),
        (4, 2, vec![5]),
        (5, 2, vec![]),
        (u64::MAX, 2, vec![]),
        (0, 0, vec![]),
        (1, usize::MAX, vec![2, 3, 4, 5]),
    ] {
        let page = block_on(ledger.entries(after, limit))?;
        let numbers: Vec<u64> = page.iter().map(|linked| linked.entry.seq).collect();
        same("a page", numbers, expected)?;
    }
    Ok(())
}

/// One thing done to a ledger.
type Doing<'a> = &'a dyn Fn(&dyn Ledgers) -> Result<(), LedgerError>;

pub(super) fn entries_and_hashes_are_those_of_the_ledger_in_memory(bench: &mut Bench<'_>) -> Held {
    let measure = MemoryLedger::default();
    let mut both = |doing: Doing<'_>| -> Held {
        let said = doing(&measure);
        same("what it says", doing(&*bench.ledger()), said)?;
        same("what is kept", bench.kept()?, Kept::of(&measure)?)
    };
    let (plain, full) = (Call::of("r")?, Call::catalogued(TEXT)?);
    let user = Actor::User(TEXT.to_owned());
    both(&|ledger| block_on(ledger.open(&plain.run, &Actor::Unattended, at(0))))?;
    both(&|ledger| block_on(ledger.open(&full.run, &user, at(1))))?;
    let mut step = 0;
    for outcome in outcomes() {
        for call in [&plain, &full] {
            step += 1;
            both(&|ledger| block_on(ledger.charge(&call.run)))?;
            both(&|ledger| block_on(ledger.stamp(&call.request(), at(step))).map(drop))?;
            both(&|ledger| block_on(ledger.settle(StepId(step), outcome.clone(), at(step))))?;
        }
    }
    both(&|ledger| block_on(ledger.stamp(&full.request(), at(70))).map(drop))?;
    both(&|ledger| block_on(ledger.stamp(&plain.request(), at(71))).map(drop))?;
    both(&|ledger| block_on(ledger.open(&plain.run, &user, at(72))))?;
    let again = failed(Delivery::NotSent);
    both(&|ledger| block_on(ledger.settle(StepId(1), again.clone(), at(73))))?;
    both(&|ledger| block_on(ledger.reclaim(at(LEASE))).map(drop))?;
    both(&|ledger| block_on(ledger.reclaim(at(200 * LEASE))).map(drop))?;
    both(&|ledger| block_on(ledger.end(&plain.run, RunEnd::Done, at(200 * LEASE))))?;
    let entries = bench.kept()?.head.0;
    let enough = entries > 40;
    same("whether there was enough of it", enough, true)
        .map_err(|_| Broken(format!("the script left {entries} entries only")))
}
