//! `steps PROGRAM ARGUMENTS`: counts the instructions that a program in the mode `window` carries out between its two
//! stops, on the real processor, one step of the kernel's tracing after another.
//!
//! A tool that emulates the processor counts the instructions of that one, and it may lack some: those for SHA-256 are
//! the case in point. Copies by `rep movsb`, which would count for each byte, are switched off in the C library.

use std::process::{Command, ExitCode};

use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

const TUNABLES: &str =
    "glibc.cpu.x86_rep_movsb_threshold=0x7fffffff:glibc.cpu.x86_rep_stosb_threshold=0x7fffffff";

#[expect(clippy::zombie_processes, reason = "`waitpid` waits for it")]
fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(program) = arguments.next() else {
        eprintln!("usage: steps PROGRAM ARGUMENTS");
        return ExitCode::FAILURE;
    };
    let child = Command::new(program)
        .args(arguments)
        .env("GLIBC_TUNABLES", TUNABLES)
        .spawn()
        .expect("a program");
    let child = Pid::from_raw(i32::try_from(child.id()).expect("a process id"));
    match count(child) {
        Ok(steps) => {
            println!("{steps}");
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn count(child: Pid) -> Result<u64, Box<dyn std::error::Error>> {
    // Whatever stops it before its first stop of its own is passed on.
    loop {
        match waitpid(child, None)? {
            WaitStatus::Stopped(_, Signal::SIGSTOP) => break,
            WaitStatus::Stopped(_, signal) => ptrace::cont(child, signal)?,
            other => return Err(format!("the program ended before its window: {other:?}").into()),
        }
    }
    let mut steps = 0;
    ptrace::step(child, None)?;
    loop {
        match waitpid(child, None)? {
            WaitStatus::Stopped(_, Signal::SIGTRAP) => steps += 1,
            WaitStatus::Stopped(_, Signal::SIGSTOP) => break,
            WaitStatus::Stopped(_, signal) => {
                ptrace::step(child, signal)?;
                continue;
            }
            other => return Err(format!("the program ended in its window: {other:?}").into()),
        }
        ptrace::step(child, None)?;
    }
    ptrace::cont(child, None)?;
    while !matches!(
        waitpid(child, None)?,
        WaitStatus::Exited(..) | WaitStatus::Signaled(..)
    ) {
        ptrace::cont(child, None)?;
    }
    Ok(steps)
}
