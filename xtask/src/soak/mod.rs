//! `cargo xtask soak`: calls to healthy, slow, hostile and dying servers over real sockets, for as long as is asked for.
//!
//! Rounds follow one another, each with servers, a client and a ledger of its own. After each, every invariant is
//! checked; the first that is broken ends the run with the seed that has it again.

mod behaviour;
mod chance;
mod round;
mod verdict;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::runtime::Builder;

use self::behaviour::Sort;
use self::chance::Chance;
use self::round::{Round, play};
use self::verdict::Broken;
use crate::failure::Failure;

/// Rounds of a run of 0 minutes.
const FEW: u64 = 6;

/// Rounds before memory is compared with what it was: the first ones fill caches, pools and the allocator.
const WARM_UP: u64 = 30;

/// How much more than at the end of the warm-up may be resident later.
const ALLOWANCE: u64 = 16 * 1_024 * 1_024;

struct Options {
    minutes: u64,
    seed: u64,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let options = Options::parse(arguments)?;
    let client = Builder::new_current_thread().enable_all().build()?;
    println!("soak: {} minutes, seed {}", options.minutes, options.seed);
    let tally = client.block_on(soak(&options))?;
    tally.print();
    Ok(())
}

async fn soak(options: &Options) -> Result<Tally, Failure> {
    let behaviours = behaviour::all();
    let started = Instant::now();
    let length = Duration::from_secs(options.minutes * 60);
    let (mut tally, mut namespaces) = (Tally::default(), BTreeSet::new());
    while tally.rounds < FEW || started.elapsed() < length {
        let seed = options.seed.wrapping_add(tally.rounds);
        // The servers end with their runtime.
        let servers = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let round = play(&mut Chance::new(seed), &behaviours, servers.handle()).await;
        servers.shutdown_background();
        let round = round.map_err(|fault| Failure::new(format!("seed {seed}: {fault}")))?;
        let held = check(&round, &mut namespaces).await;
        tally.add(&round);
        let held = held.and_then(|()| tally.memory());
        if let Err(Broken { invariant, told }) = held {
            return Err(Failure::new(format!(
                "broken: {invariant}: {told}\nagain with --seed {seed}"
            )));
        }
    }
    tally.took = started.elapsed();
    Ok(tally)
}

async fn check(round: &Round<'_>, namespaces: &mut BTreeSet<String>) -> Result<(), Broken> {
    verdict::nothing_left(&round.ended, round.left)?;
    for ended in &round.ended {
        verdict::in_time(ended, round.lateness)?;
        if let Some((behaviour, seen)) = round
            .behaviours
            .get(ended.server)
            .zip(round.seen.get(ended.server))
        {
            verdict::right_end(ended, behaviour, seen)?;
        }
    }
    verdict::own_answers(&round.ended)?;
    verdict::unique_ids(&round.seen, namespaces)?;
    verdict::no_repeats(&round.ended, &round.seen)?;
    verdict::ledger_agrees(&round.ledger, &round.ended).await
}

/// The account of all rounds.
#[derive(Default)]
struct Tally {
    rounds: u64,
    took: Duration,
    requests: usize,
    cancelled: usize,
    /// Calls by the sort of their server and by their end.
    ends: BTreeMap<(Sort, &'static str), usize>,
    /// By how much a call passed its budget, cancelled ones apart, and how late timers were.
    latest: Duration,
    lateness: Duration,
    resident: Option<Resident>,
}

struct Resident {
    first: u64,
    most: u64,
    last: u64,
}

impl Tally {
    fn add(&mut self, round: &Round<'_>) {
        self.rounds += 1;
        self.requests += round.seen.iter().map(|seen| seen.ids.len()).sum::<usize>();
        self.lateness = self.lateness.max(round.lateness);
        for ended in &round.ended {
            if let Some(behaviour) = round.behaviours.get(ended.server) {
                *self.ends.entry((behaviour.sort, ended.kind)).or_default() += 1;
            }
            if ended.cancelled.is_some() {
                self.cancelled += 1;
            } else {
                self.latest = self.latest.max(ended.took.saturating_sub(ended.budget));
            }
        }
        if self.rounds >= WARM_UP
            && let Some(now) = watch::resident()
        {
            let before = self.resident.take();
            self.resident = Some(Resident {
                first: before.as_ref().map_or(now, |before| before.first),
                most: before.map_or(now, |before| before.most.max(now)),
                last: now,
            });
        }
    }

    fn memory(&self) -> Result<(), Broken> {
        match &self.resident {
            Some(Resident { first, last, .. }) if *last > first + ALLOWANCE => Err(Broken {
                invariant: "memory is flat",
                told: format!(
                    "{first} bytes after {WARM_UP} rounds, {last} after {}",
                    self.rounds
                ),
            }),
            Some(_) | None => Ok(()),
        }
    }

    fn print(&self) {
        let calls: usize = self.ends.values().sum();
        println!("rounds       {} in {:.1} s", self.rounds, self.took.as_secs_f64());
        println!(
            "calls        {calls}, {} of them cancelled before their end",
            self.cancelled
        );
        println!(
            "requests     {} seen by the servers, every id once",
            self.requests
        );
        println!(
            "latest       {:?} after its budget; timers were late by up to {:?}",
            self.latest, self.lateness
        );
        match &self.resident {
            Some(Resident { first, most, last }) => {
                println!(
                    "resident     {first} bytes after {WARM_UP} rounds, {most} at most, {last} at the end"
                );
            }
            None => println!(
                "resident     not compared: fewer than {WARM_UP} rounds, or the system does not tell"
            ),
        }
        for ((sort, kind), count) in &self.ends {
            println!("{:<12} {kind:<24} {count}", sort.name());
        }
    }
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, Failure> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        let mut options = Self {
            minutes: 0,
            seed: now.as_secs(),
        };
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            let value = || Failure::new(format!("{name} takes a whole number"));
            let target = match name.as_str() {
                "--minutes" => &mut options.minutes,
                "--seed" => &mut options.seed,
                other => return Err(Failure::new(format!("unknown option {other}"))),
            };
            *target = rest.next().and_then(|text| text.parse().ok()).ok_or_else(value)?;
        }
        Ok(options)
    }
}
