//! `mcpctl`: what an operator asks of an MCP server from a command line.
//!
//! Data goes to stdout, everything else to stderr. The shapes and the exit statuses are a public contract:
//! `docs/mcpctl.md`.

mod alike;
mod arguments;
mod columns;
mod command;
mod exit;
mod failed;
mod kinds;
mod log;
mod ndjson;
mod output;
mod printable;
mod progress;
mod report;
mod timing;
mod usage;
mod waiting;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, wants_json};
use crate::exit::Exit;
use crate::failed::{Failed, Local};
use crate::output::{Format, Shown};
use crate::timing::Ended;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refuse_usage(error),
    };
    let format = arguments.options.format();
    if let Some(level) = arguments.options.log {
        log::start(level);
    }
    let ended = command::run(&arguments).unwrap_or_else(Ended::from);
    finish(&ended, format, arguments.options.verbose)
}

/// Prints what the command line got wrong; help and version are no mistakes.
fn refuse_usage(error: clap::Error) -> ExitCode {
    let error = usage::conceal(error);
    if error.use_stderr() && wants_json() {
        let failed = Failed::local(Local::Usage, usage::one_line(&error));
        return finish(&Ended::from(failed), Format::Json, false);
    }
    // There is nobody left to tell when the terminal is gone.
    let _unprinted = error.print();
    if error.use_stderr() {
        Exit::Usage.into()
    } else {
        ExitCode::SUCCESS
    }
}

/// Prints and ends the process at once: a name look-up that still runs on its thread does not hold it.
fn finish(ended: &Ended, format: Format, verbose: bool) -> ExitCode {
    let (mut data, mut remark) = ended.render(format);
    if ended.is_a_table() && format == Format::Text && io::stdout().is_terminal() {
        data = columns::aligned(&data);
    }
    if let (Shown::Failed(failed), Format::Text, true) = (&ended.shown, format, verbose) {
        remark += &failed.detailed();
    }
    // A closed pipe is the reader's choice, and the exit status still tells.
    let _unprinted = io::stdout()
        .write_all(data.as_bytes())
        .and_then(|()| io::stdout().flush());
    let _unprinted = io::stderr().write_all(remark.as_bytes());
    std::process::exit(i32::from(ended.shown.exit().code()))
}
