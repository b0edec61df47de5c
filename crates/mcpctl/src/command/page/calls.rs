//! What calls wait for, which were refused, and which were made.

use super::body::{nothing, time};
use super::html::Html;
use super::known::{Known, LAST};
use super::table::{Tone, code, note, state, table};

pub(super) fn approvals(html: &mut Html, known: &Known) {
    if known.approvals.is_empty() {
        return nothing(html, "No call waits for a word.");
    }
    let columns = ["Number", "Word", "Server", "Tool", "Definition", "Arguments"];
    table(
        html,
        "What calls asked for and have not used up",
        &columns,
        &known.approvals,
        |row, approval| {
            row.text(&approval.approval.to_string());
            row.cell(|html| match approval.word {
                "pending" => state(html, Tone::Warn, "pending"),
                "denied" => state(html, Tone::Bad, "denied"),
                word => state(html, Tone::Good, word),
            });
            row.word(&approval.server);
            row.code(&approval.tool);
            match &approval.definition {
                Some(definition) => row.digest(&short(definition)),
                None => row.text("outside the catalogue"),
            }
            row.digest(&short(&approval.arguments_digest));
        },
    );
}

pub(super) fn denials(html: &mut Html, known: &Known) {
    if known.denials.is_empty() {
        return nothing(html, "The gate refused nothing.");
    }
    if known.denials.len() == LAST {
        html.with_text(
            "p",
            &[("class", "note")],
            &format!("The last {LAST}; mcpctl audit denials has more."),
        );
    }
    let columns = ["When", "Server", "Tool", "For", "Reason"];
    table(
        html,
        "Calls that the gate refused, the last one first",
        &columns,
        &known.denials,
        |row, denial| {
            row.cell(|html| time(html, denial.at_unix_s));
            row.word(&denial.server);
            row.code(&denial.tool);
            row.foreign(denial.user.as_deref().unwrap_or("nobody"));
            row.cell(|html| state(html, Tone::Warn, denial.reason));
        },
    );
}

pub(super) fn steps(html: &mut Html, known: &Known) {
    if known.steps.is_empty() {
        return nothing(html, "No call was made.");
    }
    if known.all_steps > known.steps.len() {
        let text = format!(
            "The last {} of {}; mcpctl audit list has all.",
            known.steps.len(),
            known.all_steps
        );
        html.with_text("p", &[("class", "note")], &text);
    }
    let columns = ["Step", "State", "Server", "Tool", "How it ended", "Duration"];
    table(
        html,
        "Calls that were made, the last one first",
        &columns,
        &known.steps,
        |row, step| {
            row.text(&step.step.to_string());
            row.cell(|html| match step.state {
                "ok" => state(html, Tone::Good, "ok"),
                "open" => state(html, Tone::Quiet, "open"),
                "in doubt" => state(html, Tone::Bad, "in doubt"),
                other => state(html, Tone::Warn, other),
            });
            row.word(&step.server);
            row.cell(|html| {
                code(html, &step.tool);
                if step.definition.is_none() {
                    note(html, |html| html.text("outside the catalogue"));
                }
            });
            row.cell(|html| match (&step.kind, step.delivery) {
                (Some(kind), Some(delivery)) => {
                    html.foreign(kind);
                    html.text(", ");
                    html.text(delivery);
                    if step.is_error == Some(true) {
                        html.text(", the tool reports an error");
                    }
                }
                _ => html.text("the server may have acted"),
            });
            row.text(&step.duration_ms.map_or("–".to_owned(), |ms| format!("{ms} ms")));
        },
    );
}

/// So much of a digest that two are told apart at a glance.
fn short(digest: &str) -> String {
    digest.chars().take(17).collect()
}
