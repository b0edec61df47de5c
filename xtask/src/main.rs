//! The project's own tasks. This file only dispatches; each task has a file of its own.

mod arrows;
mod bench;
mod compare;
mod conformance;
mod console;
mod failure;
mod guides;
mod interop;
mod links;
mod official;
mod page;
mod sbom;
mod soak;
mod surface;
mod transcript;
mod variants;

use std::process::ExitCode;

use crate::failure::Failure;

const TASKS: &[(&str, Task, &str)] = &[
    (
        "conformance",
        conformance::run,
        "judge the client by the oracles under specs/",
    ),
    (
        "interop",
        interop::run,
        "run mcpctl against servers of other SDKs, and their clients against ours",
    ),
    (
        "official",
        official::run,
        "put the protocol's own conformance suite to the server",
    ),
    (
        "compare",
        compare::run,
        "put the oracles of a call to this client and to others",
    ),
    (
        "arrows",
        arrows::run,
        "hold the rules on which crate may use which",
    ),
    (
        "links",
        links::run,
        "build hosts that link single crates, each by itself, and count what they bring",
    ),
    (
        "surface",
        surface::run,
        "compare the public API with its pinned form",
    ),
    (
        "variants",
        variants::run,
        "show that a fifth variant of the context result does not compile",
    ),
    (
        "transcript",
        transcript::run,
        "run the commands of docs/server.md and compare what they print",
    ),
    (
        "page",
        page::run,
        "look at the status page of mcpctl in a real browser",
    ),
    (
        "guides",
        guides::run,
        "do what docs/guide tells a reader to do, and compare what it prints",
    ),
    (
        "sbom",
        sbom::run,
        "tell what goes into mcpctl, as a bill of materials in CycloneDX",
    ),
    (
        "soak",
        soak::run,
        "call servers of every kind for a while, and hold what must hold",
    ),
    ("bench", bench::run, "count what one warm call costs"),
];

type Task = fn(&[String]) -> Result<(), Failure>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        return usage();
    };
    let Some((_, task, _)) = TASKS.iter().find(|(known, _, _)| known == name) else {
        return usage();
    };
    match task(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{name}: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: cargo xtask TASK [OPTIONS]\n");
    for (name, _, purpose) in TASKS {
        eprintln!("  {name:<12} {purpose}");
    }
    ExitCode::from(2)
}
