//! The audit: what the entries of a ledger tell, and that a ledger which is not the one that was written is found out.

use std::future::Future;
use std::time::Duration;

use mcp_policy::Timing;
use mcp_policy::catalogue::Fingerprint;
use mcp_policy::ledger::{
    Broken, Chain, ChainHash, Digest, Entry, Event, LeaseHolder, Linked, ResultNote, Run, RunEnd, RunState,
    StepCall, VerifyError, verify,
};
use mcp_policy::memory::MemoryLedger;
use mcp_policy::port::{
    Actor, Audit, LedgerError, Never, RunId, RunLedger, Step, StepId, StepOutcome, StepState, StepStatus,
    StoreError, UnixTime,
};
use mcp_wire::{Delivery, MalformedKind, Method, PortFuture};

use crate::support::{now, silence, well, well_except};
use crate::world::{Answers, World};

/// A copy of a ledger, to be tampered with.
#[derive(Debug, Clone, PartialEq)]
struct Copy {
    runs: Vec<Run>,
    steps: Vec<Step>,
    entries: Vec<Linked>,
    head: (u64, ChainHash),
}

impl Copy {
    fn of(ledger: &dyn Audit) -> Self {
        Self {
            runs: now(ledger.runs()).unwrap(),
            steps: now(ledger.steps()).unwrap(),
            entries: now(ledger.entries(0, usize::MAX)).unwrap(),
            head: now(ledger.head()).unwrap(),
        }
    }
}

impl Audit for Copy {
    fn runs(&self) -> PortFuture<Result<Vec<Run>, StoreError>> {
        PortFuture::ready(Ok(self.runs.clone()))
    }

    fn steps(&self) -> PortFuture<Result<Vec<Step>, StoreError>> {
        PortFuture::ready(Ok(self.steps.clone()))
    }

    fn entries(&self, after: u64, limit: usize) -> PortFuture<Result<Vec<Linked>, StoreError>> {
        let later = self.entries.iter().filter(|linked| linked.entry.seq > after);
        // A page is small, so that there are several.
        PortFuture::ready(Ok(later.take(limit.min(3)).cloned().collect()))
    }

    fn head(&self) -> PortFuture<Result<(u64, ChainHash), StoreError>> {
        PortFuture::ready(Ok(self.head))
    }
}

/// A ledger with a call that went well, one that failed, one in doubt, and a run of each end.
fn ledger() -> Copy {
    let world = World::new(
        Answers::default(),
        well_except(Method::ToolsCall, {
            let count = std::sync::atomic::AtomicUsize::new(0);
            move |message| match count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
                0 => well(message),
                1 => mcp_testkit::MemoryAnswer::Failed(
                    mcp_wire::Malformed::from(MalformedKind::ForeignId).into(),
                ),
                _ => silence(message),
            }
        }),
    );
    world.call(&Never).end().unwrap();
    world.call(&Never).end().unwrap_err();
    let mut third = world.call(&Never);
    third.wait();
    drop(third);
    now(world.client.end_run(&RunId("run-2".to_owned()))).unwrap();
    let later = UnixTime(world.clock_at_zero().0 + Run::LEASE + world.server.budget.get());
    let just_before = UnixTime(later.0 - Duration::from_nanos(1));
    assert_eq!(now(world.ledger().reclaim(just_before)).unwrap(), []);
    let lost = now(world.ledger().reclaim(later)).unwrap();
    assert_eq!(lost.iter().map(|step| step.id).collect::<Vec<_>>(), [StepId(3)]);
    assert_eq!(now(world.ledger().reclaim(later)).unwrap(), []);
    Copy::of(world.ledger())
}

#[test]
fn a_ledger_tells_every_run_and_step_in_order() {
    let ledger = ledger();
    let told: Vec<(&str, &str, Option<u64>)> = ledger
        .entries
        .iter()
        .map(|linked| {
            let event = &linked.entry.event;
            (
                linked.entry.run.0.as_str(),
                event.name(),
                event.step().map(|step| step.0),
            )
        })
        .collect();
    let expected = [
        ("run-1", "opened", None),
        ("run-2", "opened", None),
        ("run-1", "stamped", Some(1)),
        ("run-1", "settled", Some(1)),
        ("run-1", "stamped", Some(2)),
        ("run-1", "settled", Some(2)),
        ("run-1", "stamped", Some(3)),
        ("run-2", "ended", None),
        ("run-1", "in-doubt", Some(3)),
        ("run-1", "ended", None),
    ];
    assert_eq!(told, expected);
    let ends: Vec<RunState> = ledger.runs.iter().map(|run| run.state).collect();
    assert_eq!(
        ends,
        [RunState::Ended(RunEnd::Failed), RunState::Ended(RunEnd::Done)]
    );
    let [well, failed, doubtful] = &ledger.steps[..] else {
        panic!()
    };
    let note = well.outcome().unwrap().result.unwrap();
    assert_eq!((note.is_error, note.bytes), (false, 43));
    assert_eq!(failed.outcome().unwrap().kind, "foreign-id");
    assert_eq!(doubtful.state, StepState::InDoubt);
    assert!(doubtful.is_stamped());
    let verified = now(verify(&ledger)).unwrap();
    assert_eq!(
        (verified.entries, verified.runs, verified.steps, verified.in_doubt),
        (10, 2, 3, 1)
    );
    assert_eq!(verified.head, ledger.entries[9].hash);
    let payloads = format!("{ledger:?}");
    assert!(
        !payloads.contains("done"),
        "the result is told by its digest only"
    );
}

#[test]
fn a_ledger_that_is_not_the_one_that_was_written_is_found_out() {
    type Tamper = fn(&mut Copy);
    let disagrees = |what| Broken::Disagrees { what };
    let cases: [(&str, Tamper, Broken); 14] = [
        (
            "a time",
            |copy| copy.entries[4].entry.at = UnixTime::default(),
            Broken::Altered { seq: 5 },
        ),
        (
            "a run's name",
            |copy| copy.entries[9].entry.run = RunId("run-3".to_owned()),
            Broken::Altered { seq: 10 },
        ),
        (
            "an outcome",
            |copy| {
                if let Event::Settled { outcome, .. } = &mut copy.entries[3].entry.event {
                    outcome.kind = "rpc-error".to_owned();
                }
            },
            Broken::Altered { seq: 4 },
        ),
        (
            "a tool",
            |copy| {
                if let Event::Stamped { call, .. } = &mut copy.entries[2].entry.event {
                    call.tool = "rm".to_owned();
                }
            },
            Broken::Altered { seq: 3 },
        ),
        (
            "a hash",
            |copy| copy.entries[5].hash = ChainHash(Digest::of("x", b"")),
            Broken::Altered { seq: 6 },
        ),
        (
            "an entry is gone",
            |copy| drop(copy.entries.remove(5)),
            Broken::Missing { seq: 6 },
        ),
        (
            "two entries change places",
            |copy| copy.entries.swap(4, 5),
            Broken::Missing { seq: 5 },
        ),
        (
            "the last stands beyond the head",
            |copy| copy.entries[9].entry.seq = 11,
            Broken::Missing { seq: 10 },
        ),
        (
            "the last is gone",
            |copy| copy.entries.truncate(9),
            Broken::Cut {
                found: 9,
                expected: 10,
            },
        ),
        (
            "the last is gone, and the head says so",
            |copy| {
                copy.entries.truncate(9);
                copy.head.0 = 9;
            },
            Broken::Altered { seq: 9 },
        ),
        (
            "a run goes on",
            |copy| copy.runs[1].state = RunState::Open,
            disagrees("a run"),
        ),
        ("a run is gone", |copy| drop(copy.runs.pop()), disagrees("a run")),
        (
            "a step is no longer in doubt",
            |copy| copy.steps[2].state = copy.steps[0].state.clone(),
            disagrees("a step"),
        ),
        (
            "a step is gone",
            |copy| drop(copy.steps.pop()),
            disagrees("a step"),
        ),
    ];
    let whole = ledger();
    for (name, tamper, broken) in cases {
        let mut copy = whole.clone();
        tamper(&mut copy);
        assert_ne!(copy, whole, "{name}");
        assert_eq!(now(verify(&copy)), Err(VerifyError::Broken(broken)), "{name}");
    }
}

#[test]
fn what_was_charged_is_not_told() {
    let mut copy = ledger();
    copy.runs[0].charged += 1;
    assert!(now(verify(&copy)).is_ok());
}

fn said<T>(answer: impl Future<Output = Result<T, LedgerError>>) -> Option<LedgerError> {
    now(answer).err()
}

#[test]
fn a_run_is_opened_once_and_goes_on_until_it_is_ended_or_reclaimed() {
    let ledger = MemoryLedger::default();
    let (run, actor, start) = (RunId("r".to_owned()), Actor::Unattended, UnixTime::default());
    assert_eq!(said(ledger.charge(&run)), Some(LedgerError::NoRun));
    assert_eq!(
        said(ledger.end(&run, RunEnd::Done, start)),
        Some(LedgerError::NoRun)
    );
    assert_eq!(said(ledger.open(&run, &actor, start)), None);
    assert_eq!(
        said(ledger.open(&run, &actor, start)),
        Some(LedgerError::RunExists)
    );
    assert_eq!(said(ledger.charge(&run)), None);
    assert_eq!(said(ledger.end(&run, RunEnd::Done, start)), None);
    assert_eq!(said(ledger.charge(&run)), Some(LedgerError::NoRun));
    // It stays as it ended, and its name is used up.
    assert_eq!(said(ledger.end(&run, RunEnd::Failed, start)), None);
    assert_eq!(
        said(ledger.open(&run, &actor, start)),
        Some(LedgerError::RunExists)
    );
    let [run] = &now(Audit::runs(&ledger)).unwrap()[..] else {
        panic!()
    };
    assert_eq!(run.state, RunState::Ended(RunEnd::Done));
}

#[test]
fn a_lease_is_held_by_one_and_renewed_by_its_calls() {
    let (holder, other) = (LeaseHolder(1), LeaseHolder(2));
    let at = |seconds| UnixTime(Duration::from_secs(seconds));
    let (mut run, _) = Run::open(RunId("r".to_owned()), Actor::Unattended, holder, at(0));
    assert_eq!(run.charge(other, 20), Err(LedgerError::NoRun));
    assert_eq!(run.end(other, RunEnd::Done), Err(LedgerError::NoRun));
    let lease = Run::LEASE.as_secs();
    assert!(!run.is_expired(at(lease - 1)));
    assert!(run.is_expired(at(lease)));
    let world = World::new(Answers::default(), well);
    world.call(&Never).end().unwrap();
    let call = world.step().call;
    let budget = world.server.budget;
    assert!(run.stamp(other, StepId(1), call.clone(), budget, at(0)).is_err());
    // A lease that ran out is renewed by its holder until another has reclaimed the run.
    assert!(
        run.stamp(holder, StepId(1), call.clone(), budget, at(lease + 5))
            .is_ok()
    );
    let until = at(lease + 5 + lease + budget.get().as_secs());
    assert_eq!(run.until, until);
    // A clock that went back shortens nothing.
    assert!(run.stamp(holder, StepId(2), call.clone(), budget, at(1)).is_ok());
    assert_eq!(run.until, until);
    assert_eq!(run.reclaim(at(until.0.as_secs() - 1)), None);
    assert!(run.reclaim(until).is_some());
    assert_eq!(
        run.stamp(holder, StepId(3), call, budget, until),
        Err(LedgerError::NoRun)
    );
}

/// A ledger in which others open a run each time that its runs are read, so many times.
struct Busy {
    ledger: MemoryLedger,
    left: std::sync::atomic::AtomicU32,
}

impl Audit for Busy {
    fn runs(&self) -> PortFuture<Result<Vec<Run>, StoreError>> {
        let runs = Audit::runs(&self.ledger);
        let order = std::sync::atomic::Ordering::Relaxed;
        if let Ok(left) = (self.left).fetch_update(order, order, |left| left.checked_sub(1)) {
            let run = RunId(format!("r{left}"));
            now(self.ledger.open(&run, &Actor::Unattended, UnixTime::default())).unwrap();
        }
        runs
    }

    fn steps(&self) -> PortFuture<Result<Vec<Step>, StoreError>> {
        Audit::steps(&self.ledger)
    }

    fn entries(&self, after: u64, limit: usize) -> PortFuture<Result<Vec<Linked>, StoreError>> {
        self.ledger.entries(after, limit)
    }

    fn head(&self) -> PortFuture<Result<(u64, ChainHash), StoreError>> {
        self.ledger.head()
    }
}

#[test]
fn a_ledger_that_others_write_to_is_verified_all_the_same() {
    for (writes, expected) in [
        (0, Ok(0)),
        (1, Ok(1)),
        (99, Ok(99)),
        (500, Err(VerifyError::Store(StoreError::Busy))),
    ] {
        let ledger = Busy {
            ledger: MemoryLedger::default(),
            left: writes.into(),
        };
        let verified = now(verify(&ledger));
        assert_eq!(verified.map(|verified| verified.runs), expected, "{writes}");
    }
}

/// The hashes were computed by hand from the form that the records describe, so that the form cannot change unseen.
#[test]
fn the_form_of_an_entry_and_of_the_chain_is_fixed() {
    let (_, event) = Run::open(
        RunId("r".to_owned()),
        Actor::User("ann".to_owned()),
        LeaseHolder(7),
        UnixTime(Duration::from_nanos(5)),
    );
    let entry = Entry {
        seq: 1,
        at: UnixTime(Duration::from_nanos(5)),
        run: RunId("r".to_owned()),
        event,
    };
    let text = r#"[1,5,"opened","r","ann","00000000000000000000000000000007",600000000005]"#;
    assert_eq!(entry.text(), text);
    let mut chain = Chain::new();
    assert_eq!(
        chain.head().to_string(),
        "7311883f2ddc7d0a35419dfff15e45cc6ab4a6b417ed10a5e9aaa396f8553af6"
    );
    assert_eq!(
        chain.link(&entry).to_string(),
        "ca71bbad6cdfaebf0172e2c9e0def2d5ef3aee42456d7ad17f2758e72aaf3555"
    );
}

#[test]
fn the_text_of_every_event_is_fixed() {
    let step = StepId(7);
    let [ones, twos] = ["11", "22"].map(|pair| pair.repeat(32));
    let call = |definition| StepCall {
        server: "demo".to_owned(),
        tool: "echo".to_owned(),
        definition,
        arguments: Digest::from_bytes([0x11; 32]),
        argument_bytes: 2,
    };
    let stamped = |definition| Event::Stamped {
        step,
        call: call(definition),
        until: UnixTime(Duration::from_nanos(9)),
    };
    let settled = |result| Event::Settled {
        step,
        outcome: StepOutcome {
            status: StepStatus::Ok,
            delivery: Delivery::Answered,
            kind: "ok".to_owned(),
            result,
            timing: Timing::from_parts([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        },
    };
    let note = |is_error| ResultNote {
        digest: Digest::from_bytes([0x22; 32]),
        bytes: 43,
        is_error,
    };
    let opened = Event::Opened {
        actor: Actor::Unattended,
        holder: LeaseHolder(7),
        until: UnixTime(Duration::from_nanos(9)),
    };
    let catalogued = Fingerprint::parse(&format!("mcp1:{twos}")).unwrap();
    for (event, told) in [
        (
            opened,
            r#""opened","r",null,"00000000000000000000000000000007",9"#.to_owned(),
        ),
        (
            stamped(None),
            format!(r#""stamped","r",7,"demo","echo",null,"{ones}",2,9"#),
        ),
        (
            stamped(Some(catalogued)),
            format!(r#""stamped","r",7,"demo","echo","mcp1:{twos}","{ones}",2,9"#),
        ),
        (
            settled(None),
            r#""settled","r",7,"ok","answered","ok",null,0,1,2,3,4,5,6,7,8,9"#.to_owned(),
        ),
        (
            settled(Some(note(true))),
            format!(r#""settled","r",7,"ok","answered","ok","{twos}",43,true,0,1,2,3,4,5,6,7,8,9"#),
        ),
        (
            settled(Some(note(false))),
            format!(r#""settled","r",7,"ok","answered","ok","{twos}",43,false,0,1,2,3,4,5,6,7,8,9"#),
        ),
        (Event::NeverSent { step }, r#""never-sent","r",7"#.to_owned()),
        (Event::InDoubt { step }, r#""in-doubt","r",7"#.to_owned()),
        (
            Event::Ended { end: RunEnd::Done },
            r#""ended","r","done""#.to_owned(),
        ),
        (
            Event::Ended { end: RunEnd::Failed },
            r#""ended","r","failed""#.to_owned(),
        ),
    ] {
        let entry = Entry {
            seq: 3,
            at: UnixTime(Duration::from_nanos(5)),
            run: RunId("r".to_owned()),
            event,
        };
        assert_eq!(entry.text(), format!("[3,5,{told}]"));
    }
}
