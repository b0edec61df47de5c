//! Whether a secret leaves by any failure path: each is driven with secrets in a bearer, in a header of its own and in
//! the URL's query, and everything that the program writes is searched.
//!
//! A path has to prove that the secrets were there to leak: the server saw them, or the program read one, or the kind of
//! the failure says that the URL was taken in. Every kind of `docs/kinds.md` has a path or a reason why it has none.

mod answers;
mod kinds;
mod malformed;
mod path;
mod peer;
mod run;
mod typed;
mod ways;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use self::path::{Path, Reach};
use self::run::{Tally, drive};
use crate::support::Form;

const FORMS: [Form; 2] = [
    &["--log", "trace", "--timing", "--json"],
    &["--log", "trace", "--timing"],
];

/// Deadlines are waited for, so several paths run side by side.
const WORKERS: usize = 8;

#[test]
fn no_failure_path_leaks_a_secret() {
    let paths: Vec<Path> = [
        answers::paths(),
        malformed::paths(),
        ways::paths(),
        typed::paths(),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut work = Vec::new();
    for path in &paths {
        work.extend(FORMS.map(|form| (path, form)));
    }
    let runs = work.len();
    // Taken from the end, where the paths stand that wait longest.
    let (work, tally) = (Mutex::new(work), Mutex::new(Tally::default()));
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let Some((path, form)) = work.lock().unwrap().pop() else {
                        break;
                    };
                    let found = drive(path, form);
                    tally.lock().unwrap().add(found);
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap();
    let mut reached: BTreeMap<&str, usize> = BTreeMap::new();
    for path in &paths {
        *reached.entry(path.reach.name()).or_default() += 1;
    }
    let count = |reach: Reach| reached.get(reach.name()).copied().unwrap_or_default();
    let (sent, read, taken_in) = (count(Reach::Sent), count(Reach::Read), count(Reach::TakenIn));
    println!(
        "canary: {} paths, {runs} runs, {sent} sent, {read} read, {taken_in} taken in, {} hits",
        paths.len(),
        tally.hits.len()
    );
    assert!(tally.hits.is_empty(), "{:#?}", tally.hits);
    assert!(tally.unproven.is_empty(), "{:#?}", tally.unproven);
    assert!(sent > 0 && read > 0 && taken_in > 0);
    kinds::check(&paths);
}
