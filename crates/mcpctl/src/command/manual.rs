//! What shells and `man` know of the commands, made from the same definitions as the help.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::{Shell, generate};
use clap_mangen::generate_to;
use serde::Serialize;

use crate::arguments::Arguments;
use crate::failed::{Failed, Local};
use crate::output::Shown;
use crate::report::Report;
use crate::timing::Ended;

#[derive(Serialize)]
struct CompletionsLine {
    outcome: &'static str,
    shell: String,
    script: String,
}

#[derive(Serialize)]
struct ManLine {
    outcome: &'static str,
    pages: Vec<String>,
}

pub(crate) fn completions(shell: Shell) -> Ended {
    let mut script = Vec::new();
    generate(shell, &mut Arguments::command(), "mcpctl", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    let line = CompletionsLine {
        outcome: "completions",
        shell: shell.to_string(),
        script: script.clone(),
    };
    Ended::new(Shown::Report(Report::new(&line, script)))
}

/// Writes `mcpctl.1` and a page for each command beneath it.
pub(crate) fn pages(place: &Path) -> Result<Ended, Failed> {
    generate_to(Arguments::command(), place)
        .map_err(|_error| Failed::local(Local::OutputUnwritable, "a manual page could not be written"))?;
    let mut pages = Vec::new();
    names(&Arguments::command(), "mcpctl", &mut pages);
    let text = pages.iter().map(|page| format!("{page}\n")).collect();
    let line = ManLine {
        outcome: "man",
        pages,
    };
    Ok(Ended::new(Shown::Report(Report::new(&line, text))))
}

/// The files that were written.
fn names(command: &clap::Command, name: &str, pages: &mut Vec<String>) {
    pages.push(format!("{name}.1"));
    for beneath in command.get_subcommands() {
        names(beneath, &format!("{name}-{}", beneath.get_name()), pages);
    }
}
