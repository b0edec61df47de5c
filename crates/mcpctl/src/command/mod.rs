//! The commands: each is read whole, carried out, and given back as what is shown of it.

mod approval;
mod audit;
mod call;
mod catalogue;
mod config;
mod demo;
mod doctor;
mod explain;
mod file;
mod import;
mod manual;
mod operation;
mod page;
mod pairs;
mod policy;
mod read;
mod servers;
mod status;
mod stores;
mod tools;

use crate::arguments::{Arguments, Command, ConfigCommand};
use crate::failed::{Failed, Local};
use crate::timing::Ended;

/// Runs the command that was typed.
pub(crate) fn run(arguments: &Arguments) -> Result<Ended, Failed> {
    let options = &arguments.options;
    match &arguments.command {
        Command::Ping { target } => operation::run(operation::Asked::Ping, target, options),
        Command::Tools { target } => operation::run(operation::Asked::Tools, target, options),
        Command::Call {
            target,
            tool,
            arguments,
            approve,
            standing,
        } => {
            let typed = call::Typed {
                target,
                tool,
                arguments,
                approve: *approve,
                standing,
            };
            call::run(&typed, options)
        }
        Command::Server(command) => servers::run(command, options),
        Command::Import {
            servers,
            all: _,
            dry_run,
            parallel,
        } => {
            let typed = import::Typed {
                servers,
                dry_run: *dry_run,
                parallel: usize::from(*parallel),
            };
            import::run(&typed, options)
        }
        Command::Config(ConfigCommand::Check { file, expand }) => servers::check(file, *expand),
        Command::Tool(command) => tools::run(command, options),
        Command::Catalogue(command) => catalogue::run(command, options),
        Command::Status { html } => status::run(html.as_deref(), options),
        Command::Policy(command) => policy::run(command, options),
        Command::Approval(command) => approval::run(command, options),
        Command::Audit(command) => audit::run(command, options),
        Command::Demo => demo::run(options),
        Command::Doctor {
            target,
            call,
            arguments,
        } => {
            let typed = doctor::Typed {
                target,
                call: call.as_deref(),
                arguments: std::slice::from_ref(arguments),
            };
            doctor::run(&typed, options)
        }
        Command::Completions { shell } => Ok(manual::completions(*shell)),
        Command::Man { place } => manual::pages(place),
        Command::Explain { kind } => explain::run(kind.as_deref()),
    }
}

/// Waits for what a command does. A name look-up or a reading of a file may still block a thread afterwards; dropping the
/// runtime would wait for it.
fn block_on<T>(work: impl Future<Output = Result<T, Failed>>) -> Result<T, Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failed::local(Local::RuntimeUnavailable, error))?;
    let done = runtime.block_on(work);
    runtime.shutdown_background();
    done
}
