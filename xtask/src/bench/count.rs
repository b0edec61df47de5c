//! What a warm call costs, counted: instructions under callgrind and on the real processor, and allocations.

use std::fs;
use std::path::PathBuf;

use super::Extent;
use super::programs::{CLIENTS, Programs};
use super::rows::{Row, Wanted};
use crate::failure::Failure;

/// What is wanted of one size of answer.
struct Size {
    path: &'static str,
    name: &'static str,
    instructions: f64,
    /// Calls of the shorter and of the longer run: what starting up costs falls out of the difference.
    calls: (u64, u64),
    /// Calls that are counted one step after another; each step takes some 30 µs.
    steps: u64,
}

const SIZES: [Size; 5] = [
    Size {
        path: "json/200",
        name: "200 B, JSON",
        instructions: 60e3,
        calls: (20, 220),
        steps: 2,
    },
    Size {
        path: "json/10240",
        name: "10 KiB, JSON",
        instructions: 130e3,
        calls: (20, 220),
        steps: 2,
    },
    Size {
        path: "sse/10240",
        name: "10 KiB, SSE",
        instructions: 150e3,
        calls: (20, 220),
        steps: 2,
    },
    Size {
        path: "json/1048576",
        name: "1 MiB, JSON",
        instructions: 7e6,
        calls: (2, 8),
        steps: 0,
    },
    Size {
        path: "sse/1048576",
        name: "1 MiB, SSE",
        instructions: 8e6,
        calls: (2, 8),
        steps: 0,
    },
];

const ALLOCATIONS: f64 = 45.0;

pub(super) fn measure(
    programs: &Programs,
    extent: Extent,
    tell: &mut impl FnMut(Row),
) -> Result<(), Failure> {
    let sizes = match extent {
        Extent::Quick => SIZES.get(..1).unwrap_or_default(),
        Extent::Whole => &SIZES,
    };
    // What starting up costs falls out of the difference, whatever the lengths; longer runs only steady it.
    let lengths = |whole| match extent {
        Extent::Quick => (2, 4),
        Extent::Whole => whole,
    };
    for size in sizes {
        let mut counts = [None; 3];
        let mut digest = 0.0;
        for (count, client) in counts.iter_mut().zip(CLIENTS) {
            let counted = instructions(programs, client, "warm", size.path, lengths(size.calls), &[])?;
            *count = Some(counted.all);
            if client == "ours" {
                digest = counted.digest;
            }
        }
        let load = |what: &str| format!("{}{what}", size.name);
        let [ours, raw, rmcp] = counts;
        tell(Row::new(load(""), "instructions", &[counts], Wanted::Nothing));
        tell(Row::new(
            load(", its digests"),
            "instructions",
            &[[Some(digest), None, None]],
            Wanted::Nothing,
        ));
        let rest = [ours.map(|ours| ours - digest), raw, rmcp];
        let wanted = Wanted::AtMost(size.instructions);
        tell(Row::new(
            load(", without digests"),
            "instructions",
            &[rest],
            wanted,
        ));
        if size.steps > 0 && extent == Extent::Whole {
            let steps = steps(programs, size)?;
            tell(Row::new(
                load(", real processor"),
                "instructions",
                &[[Some(steps), None, None]],
                wanted,
            ));
        }
    }
    let mut counts = [None; 3];
    for (count, client) in counts.iter_mut().zip(CLIENTS) {
        *count = Some(allocations(programs, client, "json/200", lengths((20, 220)))?);
    }
    tell(Row::new(
        "200 B, JSON",
        "allocations",
        &[counts],
        Wanted::AtMost(ALLOCATIONS),
    ));
    Ok(())
}

/// Instructions, and those among them of SHA-256, for which callgrind's processor has no instructions of its own.
pub(super) struct Counted {
    pub(super) all: f64,
    pub(super) digest: f64,
}

/// The instructions of one call, from two runs of these lengths.
pub(super) fn instructions(
    programs: &Programs,
    client: &str,
    mode: &str,
    path: &str,
    (few, many): (u64, u64),
    more: &[String],
) -> Result<Counted, Failure> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/bench/callgrind.out");
    let option = format!("--callgrind-out-file={}", file.display());
    let count = |count: u64| -> Result<Counted, Failure> {
        let options = [&[calls(count)], more].concat();
        programs.under(
            &["valgrind", "--tool=callgrind", &option],
            client,
            mode,
            path,
            &options,
        )?;
        Counted::read(&fs::read_to_string(&file)?)
    };
    let (few_counted, many_counted) = (count(few)?, count(many)?);
    let more = (many - few) as f64;
    Ok(Counted {
        all: (many_counted.all - few_counted.all) / more,
        digest: (many_counted.digest - few_counted.digest) / more,
    })
}

fn calls(count: u64) -> String {
    format!("calls={count}")
}

impl Counted {
    /// Reads a file of callgrind: the sum, and what functions of the crate `sha2` cost by themselves.
    fn read(text: &str) -> Result<Self, Failure> {
        let (mut all, mut digest, mut in_digest, mut is_call) = (None, 0.0, false, false);
        let mut digests = Vec::new();
        for line in text.lines() {
            if let Some(sum) = line.strip_prefix("summary: ").or(line.strip_prefix("totals: ")) {
                all = Some(sum.trim().parse::<f64>()?);
            } else if let Some(function) = line.strip_prefix("fn=") {
                // The name stands where a function comes for the first time, later only its number.
                let (number, name) = function.split_once(' ').unwrap_or((function, ""));
                if name.contains("sha2::") {
                    digests.push(number);
                }
                in_digest = digests.contains(&number);
            } else if let Some(function) = line.strip_prefix("cfn=") {
                let (number, name) = function.split_once(' ').unwrap_or((function, ""));
                if name.contains("sha2::") {
                    digests.push(number);
                }
            } else if line.starts_with("calls=") {
                is_call = true;
            } else if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
                // The line after a call tells what the callee cost.
                if !std::mem::take(&mut is_call) && in_digest {
                    let cost = line.split(' ').nth(1).unwrap_or_default();
                    digest += cost.parse::<f64>()?;
                }
            }
        }
        let all = all.ok_or_else(|| Failure::new("callgrind's file has another form"))?;
        Ok(Self { all, digest })
    }
}

fn steps(programs: &Programs, size: &Size) -> Result<f64, Failure> {
    let (steps, _) = programs.under(&["steps"], "ours", "window", size.path, &[calls(size.steps)])?;
    Ok(steps.trim().parse::<f64>()? / size.steps as f64)
}

fn allocations(
    programs: &Programs,
    client: &str,
    path: &str,
    (few, many): (u64, u64),
) -> Result<f64, Failure> {
    let count = |count: u64| -> Result<f64, Failure> {
        let options = ["valgrind", "--tool=memcheck", "--leak-check=no"];
        let (_, text) = programs.under(&options, client, "warm", path, &[calls(count)])?;
        let heap = text
            .split_once("total heap usage: ")
            .map(|(_, rest)| rest.replace(',', ""));
        let number = heap
            .as_deref()
            .and_then(|heap| heap.split(' ').next()?.parse().ok());
        number.ok_or_else(|| Failure::new("valgrind's heap line has another form"))
    };
    Ok((count(many)? - count(few)?) / (many - few) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_counts_by_what_its_own_lines_cost() {
        let text = "events: Ir\nfn=(1) main\n3 10\ncfn=(2) sha2::compress\ncalls=2 7\n4 500\n5 1\nfn=(2)\n7 400\n+1 100\n\
                    cfn=(3) memcpy\ncalls=1 1\n* 50\nfn=(3)\n1 50\nsummary: 561\n";
        let counted = Counted::read(text).unwrap();
        assert_eq!((counted.all, counted.digest), (561.0, 500.0));
    }
}
