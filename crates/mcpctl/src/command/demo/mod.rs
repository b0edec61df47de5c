//! `demo`: the way of an operator with a new server, in real commands, on a server and a store that are gone afterwards.

mod place;
mod server;

use std::time::Instant;

use clap::Parser;
use serde::Serialize;

use self::place::Place;
use self::server::DemoServer;
use crate::arguments::{Arguments, Options};
use crate::exit::Exit;
use crate::failed::{Failed, Local};
use crate::output::{Format, Shown};
use crate::report::Report;
use crate::timing::Ended;

const CALL: &str = r#"{"message":"hello"}"#;

/// One command of the walk: why it is typed, what is typed, and how it must end.
struct Step {
    why: &'static str,
    /// The word `URL` stands for the server's.
    typed: &'static [&'static str],
    ends: Exit,
}

const fn step(why: &'static str, typed: &'static [&'static str], ends: Exit) -> Step {
    Step { why, typed, ends }
}

const FIRST: [Step; 6] = [
    step(
        "A server listens on this machine. Who is it?",
        &["ping", "URL"],
        Exit::Ok,
    ),
    step(
        "Keep it under a name, and say how sensitive its data is.",
        &["server", "add", "demo", "URL", "--class", "publicContent"],
        Exit::Ok,
    ),
    step(
        "Take in what it offers. That switches nothing on.",
        &["import", "demo"],
        Exit::Ok,
    ),
    step(
        "So a call is refused, approved or not, and nothing is sent.",
        &["call", "demo", "echo", CALL, "--approve"],
        Exit::Refused,
    ),
    step(
        "Whoever has read what the tool says of itself switches it on.",
        &["tool", "enable", "mcp_demo_echo"],
        Exit::Ok,
    ),
    step(
        "Now it can be called. --approve is the word that each call of this server needs.",
        &["call", "demo", "echo", CALL, "--approve"],
        Exit::Ok,
    ),
];

/// What comes when the server has described its tool anew.
const THEN: [Step; 6] = [
    step(
        "The server has described the tool anew. An import sees it, and switches the tool off.",
        &["import", "demo"],
        Exit::Ok,
    ),
    step(
        "Until somebody confirms what it says now, it is not called.",
        &["call", "demo", "echo", CALL, "--approve"],
        Exit::Refused,
    ),
    step("What was last seen of each server:", &["status"], Exit::Ok),
    step("The calls that were made:", &["audit", "list"], Exit::Ok),
    step("The calls that were refused:", &["audit", "denials"], Exit::Ok),
    step(
        "Is the record the one that was written?",
        &["audit", "verify"],
        Exit::Ok,
    ),
];

#[derive(Serialize)]
struct DemoLine {
    outcome: &'static str,
    steps: Vec<StepLine>,
    duration_ms: u128,
}

#[derive(Debug, Serialize)]
struct StepLine {
    why: &'static str,
    command: String,
    exit: u8,
    printed: String,
}

pub(crate) fn run(options: &Options) -> Result<Ended, Failed> {
    if options.store.is_some() {
        let message = "the demonstration has a store of its own; leave --store out";
        return Err(Failed::local(Local::Usage, message));
    }
    let start = Instant::now();
    let place = Place::make()?;
    let server = DemoServer::start()?;
    let mut steps = Vec::new();
    let mut whole = take(&FIRST, &server, &place, &mut steps)?;
    if whole {
        server.change();
        whole = take(&THEN, &server, &place, &mut steps)?;
    }
    let line = DemoLine {
        outcome: "demo",
        steps,
        duration_ms: start.elapsed().as_millis(),
    };
    let text = line.text(whole);
    let exit = if whole { Exit::Ok } else { Exit::CheckFailed };
    Ok(Ended::new(Shown::Report(Report::new(&line, text).ending(exit))))
}

/// Carries out commands as if they had been typed with the demonstration's store, up to one that does not end as it
/// should: what follows builds on it. Whether all did.
fn take(
    walk: &[Step],
    server: &DemoServer,
    place: &Place,
    lines: &mut Vec<StepLine>,
) -> Result<bool, Failed> {
    let store = place.store();
    for step in walk {
        let typed = step
            .typed
            .iter()
            .map(|word| if *word == "URL" { server.url() } else { word });
        let words = ["mcpctl", "--store", &store].into_iter().chain(typed.clone());
        let arguments =
            Arguments::try_parse_from(words).map_err(|error| Failed::local(Local::Usage, error))?;
        let ended = super::run(&arguments).unwrap_or_else(Ended::from);
        let (data, remark) = ended.render(Format::Text);
        let exit = ended.shown.exit();
        lines.push(StepLine {
            why: step.why,
            command: typed.fold(String::from("mcpctl"), |line, word| line + " " + &quoted(word)),
            exit: exit.code(),
            printed: data + &remark,
        });
        if exit != step.ends {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A word as it is typed into a shell.
fn quoted(word: &str) -> String {
    if word
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "-_./:".contains(c))
    {
        word.to_owned()
    } else {
        format!("'{word}'")
    }
}

impl DemoLine {
    fn text(&self, whole: bool) -> String {
        let mut text = String::from(
            "A server with three tools listens on 127.0.0.1. Each command is given --store with a temporary store.\n",
        );
        for step in &self.steps {
            text += &format!("\n# {}\n$ {}\n{}", step.why, step.command, step.printed);
            if step.exit != 0 {
                text += &format!("(exit status {})\n", step.exit);
            }
        }
        let seconds = std::time::Duration::from_millis(u64::try_from(self.duration_ms).unwrap_or(u64::MAX));
        text += &format!(
            "\n{} commands in {:.1} s{}. Server and store are gone; yours was not touched.\n",
            self.steps.len(),
            seconds.as_secs_f64(),
            if whole {
                ""
            } else {
                ", and the last one did not end as it should"
            },
        );
        text
    }
}
