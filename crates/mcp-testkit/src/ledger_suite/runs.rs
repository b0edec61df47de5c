//! Claims on runs: opened once, charged up to their limit, over when they are ended.

use mcp_policy::ledger::{Run, RunEnd, RunState};
use mcp_policy::memory::MemoryLedger;
use mcp_policy::port::{Actor, LedgerError, RunId, UnixTime};

use super::HOLDER;
use super::bench::Bench;
use super::samples::{Call, TEXT, at};
use crate::store_suite::{Held, same};

pub(super) fn a_run_is_opened_once(bench: &mut Bench<'_>) -> Held {
    bench.open("r")?;
    let before = bench.kept()?;
    let again = bench.opening("r", &Actor::User("u".to_owned()), 5);
    same("opening it again", again, Err(LedgerError::RunExists))?;
    same("what is kept", &bench.kept()?, &before)?;
    same("ending it", bench.end("r", RunEnd::Done, 6), Ok(()))?;
    let again = bench.opening("r", &Actor::Unattended, 7);
    same("opening it after its end", again, Err(LedgerError::RunExists))
}

pub(super) fn a_run_comes_back_as_it_was(bench: &mut Bench<'_>) -> Held {
    let actors = [
        ("a", Actor::Unattended),
        ("b", Actor::User(String::new())),
        (TEXT, Actor::User(TEXT.to_owned())),
        ("", Actor::User("null".to_owned())),
    ];
    for (second, (run, actor)) in (1..).zip(actors) {
        same("opening", bench.opening(run, &actor, second), Ok(()))?;
        let expected = Run {
            id: RunId(run.to_owned()),
            actor,
            holder: HOLDER,
            until: UnixTime(at(second).0 + Run::LEASE),
            charged: 0,
            state: RunState::Open,
        };
        same("the run", bench.kept()?.run(run)?, &expected)?;
    }
    Ok(())
}

pub(super) fn runs_come_by_name(bench: &mut Bench<'_>) -> Held {
    for run in ["b", "B", "a\u{0}", "a", "\u{fc}", "10", "9"] {
        bench.open(run)?;
    }
    let kept = bench.kept()?;
    let names: Vec<&str> = kept.runs.iter().map(|run| run.id.0.as_str()).collect();
    same(
        "the names",
        names,
        vec!["10", "9", "B", "a", "a\u{0}", "b", "\u{fc}"],
    )
}

pub(super) fn calls_are_charged_up_to_the_limit(bench: &mut Bench<'_>) -> Held {
    bench.open("r")?;
    bench.open("s")?;
    let limit = MemoryLedger::CALLS_PER_RUN;
    for call in 1..=limit {
        same("a charge", bench.charge("r"), Ok(()))?;
        if call % 7 == 0 {
            same("what was charged", bench.kept()?.run("r")?.charged, call)?;
        }
    }
    for _ in 0..2 {
        let beyond = bench.charge("r");
        same(
            "a charge beyond the limit",
            beyond,
            Err(LedgerError::RunLimit { limit }),
        )?;
        same("what was charged", bench.kept()?.run("r")?.charged, limit)?;
    }
    same("another run's charge", bench.charge("s"), Ok(()))?;
    same("what it was charged", bench.kept()?.run("s")?.charged, 1)
}

pub(super) fn what_is_not_open_is_neither_charged_nor_stamped(bench: &mut Bench<'_>) -> Held {
    bench.open("ended")?;
    bench.open("failed")?;
    same("ending", bench.end("ended", RunEnd::Done, 1), Ok(()))?;
    same("ending", bench.end("failed", RunEnd::Failed, 1), Ok(()))?;
    let before = bench.kept()?;
    for run in ["ended", "failed", "unknown", "Ended"] {
        same(run, bench.charge(run), Err(LedgerError::NoRun))?;
        let stamped = bench.stamping(&Call::of(run)?, 2);
        same(run, stamped, Err(LedgerError::NoRun))?;
    }
    let unknown = bench.end("unknown", RunEnd::Done, 3);
    same("ending what is not", unknown, Err(LedgerError::NoRun))?;
    same("what is kept", bench.kept()?, before)
}

pub(super) fn a_run_stays_as_it_ended(bench: &mut Bench<'_>) -> Held {
    for (run, end, other) in [
        ("r", RunEnd::Done, RunEnd::Failed),
        ("s", RunEnd::Failed, RunEnd::Done),
    ] {
        bench.open(run)?;
        same("ending", bench.end(run, end, 1), Ok(()))?;
        let before = bench.kept()?;
        same("the state", before.run(run)?.state, RunState::Ended(end))?;
        same("ending again", bench.end(run, other, 2), Ok(()))?;
        same("what is kept", bench.kept()?, before)?;
    }
    Ok(())
}
