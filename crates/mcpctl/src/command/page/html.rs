//! HTML as it is written: elements that close themselves, and texts that are escaped. There is no other way in.

use crate::printable::printable_line;

/// A piece of a page. Whatever is not known when the program is built goes through [`Html::text`] or an attribute's
/// value, and both escape.
#[derive(Debug, Default)]
pub(super) struct Html(String);

/// Names and values. A value is escaped, a name is ours.
pub(super) type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Html {
    /// A document with this head and body.
    pub(super) fn document(head: impl FnOnce(&mut Self), body: impl FnOnce(&mut Self)) -> String {
        let mut html = Self(String::from("<!DOCTYPE html>\n"));
        html.element("html", &[("lang", "en")], |html| {
            html.element("head", &[], head);
            html.line_end();
            html.element("body", &[], body);
        });
        html.line_end();
        html.0
    }

    /// An element with what `inside` writes.
    pub(super) fn element(
        &mut self,
        tag: &'static str,
        attributes: Attributes<'_>,
        inside: impl FnOnce(&mut Self),
    ) {
        self.void(tag, attributes);
        inside(self);
        self.0 += "</";
        self.0 += tag;
        self.0.push('>');
    }

    /// An element that has no content and no end.
    pub(super) fn void(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.0.push('<');
        self.0 += tag;
        for (name, value) in attributes {
            self.0.push(' ');
            self.0 += name;
            self.0 += "=\"";
            self.text(value);
            self.0.push('"');
        }
        self.0.push('>');
    }

    /// An element around a text.
    pub(super) fn with_text(&mut self, tag: &'static str, attributes: Attributes<'_>, text: &str) {
        self.element(tag, attributes, |html| html.text(text));
    }

    /// A text of the far side, or of somebody who typed: whatever direction it is written in, what stands around it keeps
    /// its own.
    pub(super) fn foreign(&mut self, text: &str) {
        self.with_text("bdi", &[], text);
    }

    /// A text, in which no character means anything: those of HTML are escaped, and those that steer a terminal or the
    /// direction of a line are spelled out.
    pub(super) fn text(&mut self, text: &str) {
        for character in printable_line(text).chars() {
            match character {
                '&' => self.0 += "&amp;",
                '<' => self.0 += "&lt;",
                '>' => self.0 += "&gt;",
                '"' => self.0 += "&quot;",
                '\'' => self.0 += "&#39;",
                other => self.0.push(other),
            }
        }
    }

    /// The one style sheet. It is ours, and the text of such an element is not read as HTML.
    pub(super) fn style(&mut self, sheet: &'static str) {
        self.0 += "<style>";
        self.0 += sheet;
        self.0 += "</style>";
    }

    /// A line end between elements, for who reads the source.
    pub(super) fn line_end(&mut self) {
        self.0.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_means_anything() {
        for (text, written) in [
            (
                "<script>alert(1)</script>",
                "&lt;script&gt;alert(1)&lt;/script&gt;",
            ),
            (
                "\"><img src=x onerror=alert(1)>",
                "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;",
            ),
            ("' onfocus='x", "&#39; onfocus=&#39;x"),
            ("&lt;&#60;&amp", "&amp;lt;&amp;#60;&amp;amp"),
            ("a\u{202e}b\u{2066}\u{200f}", "a\\u{202e}b\\u{2066}\\u{200f}"),
            (
                "\0\u{1b}[2J\u{9b}\r\n\t\u{7f}",
                "\\u{0}\\u{1b}[2J\\u{9b}\\u{d}\\u{a}\\u{9}\\u{7f}",
            ),
            ("--><!--]]>", "--&gt;&lt;!--]]&gt;"),
            ("grüß 😀", "grüß 😀"),
        ] {
            let mut html = Html::default();
            html.text(text);
            assert_eq!(html.0, written);
            let mut html = Html::default();
            html.element("td", &[("data-label", text)], |html| html.foreign(text));
            assert_eq!(
                html.0,
                format!("<td data-label=\"{written}\"><bdi>{written}</bdi></td>")
            );
        }
    }
}
