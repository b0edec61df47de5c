//! Servers, their tools, and what changed of them.

use super::body::{nothing, time};
use super::html::Html;
use super::known::{Known, Tool};
use super::table::{Row, Tone, code, note, state, table};
use crate::command::status::ServerLine;

/// The most characters of a description that are shown.
const DESCRIPTION: usize = 160;

pub(super) fn servers(html: &mut Html, known: &Known, lines: &[ServerLine]) {
    if lines.is_empty() {
        return nothing(html, "No server is kept.");
    }
    let columns = [
        "Server",
        "State",
        "Data class",
        "Last contact",
        "Latency",
        "Import",
        "Tools",
    ];
    table(
        html,
        "Health of each server, as it was last seen",
        &columns,
        lines,
        |row, line| {
            row.cell(|html| {
                html.foreign(&line.server);
                let origin = known.origins.iter().find(|(name, _)| *name == line.server);
                note(html, |html| {
                    html.foreign(origin.map_or("no URL", |(_, origin)| origin));
                });
            });
            row.cell(|html| match line.enabled {
                true => state(html, Tone::Good, "enabled"),
                false => state(html, Tone::Quiet, "disabled"),
            });
            class(row, line.data_class);
            row.cell(|html| match line.last_contact_unix_s {
                Some(at) => time(html, at),
                None => state(html, Tone::Quiet, "none yet"),
            });
            row.text(
                &line
                    .last_latency_ms
                    .map_or("–".to_owned(), |ms| format!("{ms} ms")),
            );
            row.cell(|html| import(html, line));
            row.cell(|html| {
                html.text(&format!("{} of {} on", line.on, line.tools));
                let others = [
                    ("changed", line.changed),
                    ("orphaned", line.orphaned),
                    ("set aside", line.set_aside),
                ];
                let others: Vec<String> = others
                    .iter()
                    .filter(|(_, count)| *count > 0)
                    .map(|(word, count)| format!("{count} {word}"))
                    .collect();
                if !others.is_empty() {
                    note(html, |html| html.text(&others.join(", ")));
                }
            });
        },
    );
}

fn import(html: &mut Html, line: &ServerLine) {
    let (tone, word) = match line.import {
        "ok" => (Tone::Good, "ok"),
        "partial" => (Tone::Warn, "partial"),
        "error" => (Tone::Bad, "failed"),
        _ => (Tone::Quiet, "never"),
    };
    state(html, tone, word);
    if let Some(reason) = &line.import_reason {
        note(html, |html| html.foreign(reason));
    }
    if let Some(at) = line.last_import_unix_s {
        note(html, |html| {
            if line.import == "error" {
                html.text("the last good one: ");
            }
            time(html, at);
        });
    }
}

/// The tools that wait for a person because their server changed them or took them away, and what was set aside.
pub(super) fn drift(html: &mut Html, known: &Known) {
    let drifted: Vec<&Tool> = known
        .tools
        .iter()
        .filter(|tool| tool.state == "changed" || tool.orphaned)
        .collect();
    if drifted.is_empty() && known.set_aside.is_empty() {
        return nothing(html, "Every tool is as it was confirmed.");
    }
    if !drifted.is_empty() {
        let columns = ["Tool", "What", "Confirmed", "Offered now"];
        table(
            html,
            "Tools that are not as they were confirmed",
            &columns,
            drifted,
            |row, tool| {
                row.cell(|html| {
                    let target = format!("#{}", anchor(tool));
                    html.element("a", &[("href", &target)], |html| code(html, &tool.name));
                });
                row.cell(|html| {
                    if tool.state == "changed" {
                        state(html, Tone::Warn, "changed");
                        html.text(" ");
                    }
                    if tool.orphaned {
                        state(html, Tone::Warn, "orphaned");
                    }
                });
                row.digest(tool.confirmed.as_deref().unwrap_or("–"));
                row.digest(if tool.orphaned {
                    "not offered"
                } else {
                    &tool.fingerprint
                });
            },
        );
    }
    if !known.set_aside.is_empty() {
        let columns = ["Definition", "Server", "Reason"];
        table(
            html,
            "Definitions that the last import set aside",
            &columns,
            &known.set_aside,
            |row, one| {
                row.cell(|html| match &one.name {
                    Some(name) => code(html, name),
                    None => html.text("without a usable name"),
                });
                row.word(&one.server);
                row.foreign(&one.reason);
            },
        );
    }
}

pub(super) fn tools(html: &mut Html, known: &Known) {
    if known.tools.is_empty() {
        return nothing(html, "No tool was taken in.");
    }
    let columns = ["Tool", "Server", "State", "Data class", "Fingerprint", "Look at"];
    table(
        html,
        "Tools as they were taken in",
        &columns,
        &known.tools,
        |row, tool| {
            row.cell(|html| {
                html.element("span", &[("id", &anchor(tool))], |html| code(html, &tool.name));
                note(html, |html| {
                    html.text("on the server ");
                    code(html, &tool.remote_name);
                });
                if let Some(description) = &tool.description {
                    note(html, |html| html.foreign(&first_line(description)));
                }
            });
            row.word(&tool.server);
            row.cell(|html| {
                let tone = match tool.state {
                    "on" => Tone::Good,
                    "changed" => Tone::Warn,
                    _ => Tone::Quiet,
                };
                state(html, tone, tool.state);
                if tool.orphaned {
                    html.text(" ");
                    state(html, Tone::Warn, "orphaned");
                }
            });
            class(row, tool.class);
            row.digest(&tool.fingerprint);
            row.cell(|html| {
                if tool.flags.is_empty() {
                    html.text("–");
                }
                for (kind, place) in &tool.flags {
                    html.element("div", &[], |html| {
                        state(html, Tone::Warn, kind);
                        html.text(" in ");
                        html.text(place);
                    });
                }
            });
        },
    );
}

fn class(row: &mut Row<'_>, class: Option<&'static str>) {
    match class {
        Some(class) => row.word(class),
        None => row.cell(|html| state(html, Tone::Quiet, "unclassified")),
    }
}

fn anchor(tool: &Tool) -> String {
    format!("tool-{}", tool.name)
}

/// The first line of a description, as far as it is of use.
fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let shown: String = line.chars().take(DESCRIPTION).collect();
    if shown.len() < text.len() {
        shown + " …"
    } else {
        shown
    }
}
