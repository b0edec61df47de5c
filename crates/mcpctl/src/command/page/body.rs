//! The order of the page: what needs a person, the servers, their tools, and what was called.

use super::html::Html;
use super::known::{Known, Tool};
use super::{calls, servers};
use crate::command::status::{ServerLine, date};

pub(super) fn write(html: &mut Html, known: &Known, lines: &[ServerLine]) {
    html.element("header", &[], |html| {
        html.with_text("h1", &[], "MCP servers");
        html.element("p", &[("class", "note")], |html| {
            html.text("What the store of mcpctl knew at ");
            time(html, known.at_unix_s);
            html.text(". No server was asked.");
        });
        summary(html, known, lines);
        html.element("nav", &[("aria-label", "Sections")], |html| {
            for (id, title) in SECTIONS {
                html.with_text("a", &[("href", id)], title);
            }
        });
    });
    html.line_end();
    html.element("main", &[], |html| {
        section(html, "servers", "Servers", |html| {
            servers::servers(html, known, lines);
        });
        section(html, "drift", "Drift", |html| servers::drift(html, known));
        section(html, "approvals", "Pending approvals", |html| {
            calls::approvals(html, known);
        });
        section(html, "tools", "Tools", |html| servers::tools(html, known));
        section(html, "denials", "Refused calls", |html| {
            calls::denials(html, known);
        });
        section(html, "calls", "Calls", |html| calls::steps(html, known));
    });
}

const SECTIONS: [(&str, &str); 6] = [
    ("#servers", "Servers"),
    ("#drift", "Drift"),
    ("#approvals", "Approvals"),
    ("#tools", "Tools"),
    ("#denials", "Refused"),
    ("#calls", "Calls"),
];

/// What needs a person, in numbers.
fn summary(html: &mut Html, known: &Known, lines: &[ServerLine]) {
    let count = |wanted: fn(&Tool) -> bool| known.tools.iter().filter(|tool| wanted(tool)).count();
    let figures = [
        ("servers", lines.len(), false),
        (
            "tools on",
            count(|tool| tool.state == "on" && !tool.orphaned),
            false,
        ),
        ("tools changed", count(|tool| tool.state == "changed"), true),
        (
            "imports failed",
            lines.iter().filter(|line| line.import == "error").count(),
            true,
        ),
        (
            "approvals pending",
            known
                .approvals
                .iter()
                .filter(|approval| approval.word == "pending")
                .count(),
            true,
        ),
        ("calls in doubt", known.in_doubt, true),
    ];
    html.element("dl", &[("class", "summary")], |html| {
        for (name, count, needs_a_person) in figures {
            let class = if needs_a_person && count > 0 {
                "figure attention"
            } else {
                "figure"
            };
            html.element("div", &[("class", class)], |html| {
                html.with_text("dt", &[], name);
                html.with_text("dd", &[], &count.to_string());
            });
        }
    });
}

fn section(html: &mut Html, id: &'static str, title: &str, inside: impl FnOnce(&mut Html)) {
    let heading = format!("{id}-title");
    html.element("section", &[("id", id), ("aria-labelledby", &heading)], |html| {
        html.with_text("h2", &[("id", &heading)], title);
        inside(html);
    });
    html.line_end();
}

/// That there is nothing to show.
pub(super) fn nothing(html: &mut Html, text: &str) {
    html.with_text("p", &[("class", "nothing")], text);
}

/// A moment, for eyes and for programs.
pub(super) fn time(html: &mut Html, unix_s: u64) {
    let date = date(unix_s);
    let words = date.replace('T', " ").replace('Z', " UTC");
    html.with_text("time", &[("datetime", &date)], &words);
}
