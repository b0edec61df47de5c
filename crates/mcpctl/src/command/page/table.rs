//! Tables that become cards where there is no room for columns.
//!
//! Where a style sheet makes blocks of rows and cells, browsers forget what they were; so each says its role.

use super::html::Html;

/// How what a word names is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Good,
    Quiet,
    Warn,
    Bad,
}

/// A table with these columns, the first of which names the row.
pub(super) fn table<T>(
    html: &mut Html,
    caption: &str,
    columns: &[&'static str],
    rows: impl IntoIterator<Item = T>,
    write: impl Fn(&mut Row<'_>, T),
) {
    html.element("table", &[("role", "table")], |html| {
        html.with_text("caption", &[], caption);
        html.element("thead", &[("role", "rowgroup")], |html| {
            html.element("tr", &[("role", "row")], |html| {
                for column in columns {
                    html.with_text("th", &[("role", "columnheader"), ("scope", "col")], column);
                }
            });
        });
        html.line_end();
        html.element("tbody", &[("role", "rowgroup")], |html| {
            for row in rows {
                html.element("tr", &[("role", "row")], |html| {
                    let mut cells = Row {
                        html,
                        columns: columns.iter(),
                        is_first: true,
                    };
                    write(&mut cells, row);
                });
                html.line_end();
            }
        });
    });
    html.line_end();
}

/// The cells of one row, in the order of the columns.
pub(super) struct Row<'a> {
    html: &'a mut Html,
    columns: std::slice::Iter<'a, &'static str>,
    is_first: bool,
}

impl Row<'_> {
    pub(super) fn cell(&mut self, inside: impl FnOnce(&mut Html)) {
        let label = self.columns.next().copied().unwrap_or_default();
        let (tag, role) = if self.is_first {
            ("th", "rowheader")
        } else {
            ("td", "cell")
        };
        let scope: &[(&'static str, &str)] = if self.is_first { &[("scope", "row")] } else { &[] };
        self.is_first = false;
        let attributes = [&[("role", role), ("data-label", label)], scope].concat();
        // On its own in a card, a cell is a line of a label and one value.
        self.html
            .element(tag, &attributes, |html| html.element("div", &[], inside));
    }

    pub(super) fn text(&mut self, text: &str) {
        self.cell(|html| html.text(text));
    }

    pub(super) fn foreign(&mut self, text: &str) {
        self.cell(|html| html.foreign(text));
    }

    /// A word of ours or a short name: it stays on its line where there is room for columns.
    pub(super) fn word(&mut self, word: &str) {
        self.cell(|html| html.element("span", &[("class", "word")], |html| html.foreign(word)));
    }

    /// The beginning of a digest, which stays on its line as well.
    pub(super) fn digest(&mut self, text: &str) {
        self.cell(|html| html.element("span", &[("class", "word")], |html| code(html, text)));
    }

    pub(super) fn code(&mut self, text: &str) {
        self.cell(|html| code(html, text));
    }
}

/// A word for how something stands. Its colour and its sign say nothing that the word does not.
pub(super) fn state(html: &mut Html, tone: Tone, word: &str) {
    let class = match tone {
        Tone::Good => "state good",
        Tone::Quiet => "state quiet",
        Tone::Warn => "state warn",
        Tone::Bad => "state bad",
    };
    html.with_text("span", &[("class", class)], word);
}

/// A name or a digest, letter by letter.
pub(super) fn code(html: &mut Html, text: &str) {
    html.element("code", &[], |html| html.foreign(text));
}

/// A line beneath the first one, in less weight.
pub(super) fn note(html: &mut Html, inside: impl FnOnce(&mut Html)) {
    html.element("div", &[("class", "note")], inside);
}
