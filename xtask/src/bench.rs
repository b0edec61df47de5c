//! `cargo xtask bench`: this client, hyper alone and rmcp under the same loads; `cargo xtask bench micro`: the reply reader
//! beside other ways.
//!
//! Counts come first: instructions and allocations of a call, which do not depend on what else the machine does. Then
//! times, in rounds in which each program has its turn, so that a ratio compares neighbours. Counting needs valgrind.

mod count;
mod growth;
mod markdown;
mod micro;
mod plot;
mod programs;
mod rows;
mod timed;
mod weight;

use crate::failure::Failure;

use self::programs::Programs;
use self::rows::Row;

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Everything runs once and briefly: whether it runs is what is asked.
    Quick,
    /// Figures.
    Whole,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["micro"] => micro::run(),
        [] => measure(Extent::Whole).map(|_| ()),
        ["--quick"] => measure(Extent::Quick).map(|_| ()),
        ["--md"] => {
            let rows = measure(Extent::Whole)?;
            let programs = Programs::build()?;
            markdown::write(&rows, &growth::measure(&programs)?)
        }
        _ => Err(Failure::new(
            "usage: cargo xtask bench [--quick | --md | micro]: see docs/performance.md",
        )),
    }
}

fn measure(extent: Extent) -> Result<Vec<Row>, Failure> {
    let programs = Programs::build()?;
    let mut rows = Vec::new();
    let mut tell = |row: Row| {
        println!("{row}");
        rows.push(row);
    };
    println!("{}", Row::HEAD);
    count::measure(&programs, extent, &mut tell)?;
    timed::measure(&programs, extent, &mut tell)?;
    if extent == Extent::Whole {
        weight::measure(&mut tell)?;
    }
    Ok(rows)
}
