//! `explain`: what a kind of failure means, as `docs/kinds.md` has it.

use serde::Serialize;

use crate::alike::alike;
use crate::failed::{Failed, Local};
use crate::kinds::{self, Kind};
use crate::output::Shown;
use crate::report::Report;
use crate::timing::Ended;

#[derive(Serialize)]
struct ExplainLine {
    outcome: &'static str,
    kinds: Vec<KindLine>,
}

#[derive(Debug, Serialize)]
struct KindLine {
    kind: &'static str,
    class: &'static str,
    culprits: Vec<&'static str>,
    deliveries: Vec<&'static str>,
    exits: Vec<&'static str>,
    rule: String,
    hint: Option<String>,
}

pub(crate) fn run(kind: Option<&str>) -> Result<Ended, Failed> {
    let all = kinds::all();
    let (kinds, text) = match kind {
        None => {
            let text = all
                .iter()
                .map(|kind| format!("{}\t{}\t{}\n", kind.name, kind.class, plain(kind.rule)));
            let text = text.collect();
            (all, text)
        }
        Some(name) => {
            let kind = all.iter().find(|kind| kind.name == name).ok_or_else(|| {
                let names = all.iter().map(|kind| kind.name);
                Failed::local(Local::KindUnknown, "there is no such kind").like(alike(name, names))
            })?;
            (vec![*kind], page(kind))
        }
    };
    let line = ExplainLine {
        outcome: "explain",
        kinds: kinds.iter().map(KindLine::of).collect(),
    };
    Ok(Ended::new(Shown::Report(Report::new(&line, text))))
}

fn page(kind: &Kind) -> String {
    let mut page = format!(
        "{}\n\n  {}\n\nclass     {}\nculprit   {}\ndelivery  {}\nexit      {}\n",
        kind.name,
        plain(kind.rule),
        kind.class,
        kind.culprit,
        kind.delivery,
        kind.exit
    );
    for delivery in kind.delivery.split(", ") {
        page += &format!("\n{delivery}: {}\n", meaning(delivery));
    }
    if let Some(hint) = hint(kind) {
        page += &format!("\nWhat to do: {}\n", plain(hint));
    }
    page
}

fn hint(kind: &Kind) -> Option<&'static str> {
    kinds::hint(kind.name).or_else(|| kinds::hint(kind.class))
}

/// What a delivery says of the server.
fn meaning(delivery: &str) -> &'static str {
    match delivery {
        "not-sent" => "no byte of the request left this process; it may be sent again",
        "answered" => "a valid answer to the request came back",
        _ => "bytes may have left; only somebody who knows the tool can say whether it may be called again",
    }
}

/// The words of the document without their marks.
fn plain(text: &str) -> String {
    text.replace('`', "")
}

impl KindLine {
    fn of(kind: &Kind) -> Self {
        Self {
            kind: kind.name,
            class: kind.class,
            culprits: kind.culprit.split(", ").collect(),
            deliveries: kind.delivery.split(", ").collect(),
            exits: kind.exit.split(", ").collect(),
            rule: plain(kind.rule),
            hint: hint(kind).map(plain),
        }
    }
}
