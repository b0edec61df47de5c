//! A tree as text again: as it stood, or in the canonical form of RFC 8785.

use std::borrow::Cow;
use std::cmp::Ordering;

use mcp_wire::write_json_string;

use super::form::{CanonicalFault, Form};
use super::number::write_number;
use super::tree::{Place, Tree, Value};

impl Tree<'_> {
    /// Appends the text of the whole tree, without whitespace.
    ///
    /// # Errors
    ///
    /// [`CanonicalFault::NumberBeyondDouble`], in the canonical form only; what is written by then stays.
    pub(super) fn write(&self, text: &mut String, form: Form) -> Result<(), CanonicalFault> {
        /// An array or object that is being written: what closes it, and where in the list of all items its own begin.
        struct Open {
            close: char,
            begin: usize,
            next: usize,
        }
        let mut open: Vec<Open> = Vec::new();
        let mut items: Vec<Place> = Vec::new();
        let mut place = Self::ROOT;
        loop {
            let value = self.value(place);
            match value {
                Value::Object | Value::Array => {
                    let (begin, is_object) = (items.len(), matches!(value, Value::Object));
                    items.extend(self.items(place));
                    if let (Form::Canonical, true, Some(own)) = (form, is_object, items.get_mut(begin..)) {
                        self.sort(own);
                    }
                    text.push(if is_object { '{' } else { '[' });
                    let close = if is_object { '}' } else { ']' };
                    open.push(Open {
                        close,
                        begin,
                        next: begin,
                    });
                }
                Value::String(value) => write_string(text, value),
                Value::Number(literal) => match form {
                    Form::AsWritten => text.push_str(literal),
                    Form::Canonical => write_number(text, literal)?,
                },
                Value::Boolean(value) => text.push_str(if *value { "true" } else { "false" }),
                Value::Null => text.push_str("null"),
            }
            // The next item of the innermost that has one; those that have none end here.
            place = loop {
                let Some(innermost) = open.last_mut() else {
                    return Ok(());
                };
                if let Some(next) = items.get(innermost.next) {
                    if innermost.next > innermost.begin {
                        text.push(',');
                    }
                    innermost.next += 1;
                    if innermost.close == '}' {
                        write_string(text, self.name(*next));
                        text.push(':');
                    }
                    break *next;
                }
                text.push(innermost.close);
                items.truncate(innermost.begin);
                open.pop();
            };
        }
    }

    /// Puts members into the order of the canonical form. No two have one name.
    fn sort(&self, members: &mut [Place]) {
        let order = |one: &Place, other: &Place| by_units(self.name(*one), self.name(*other));
        if !members.is_sorted_by(|one, other| order(one, other).is_lt()) {
            members.sort_unstable_by(order);
        }
    }
}

/// Appends a string that was read. One that is borrowed from its text had no escape there and needs none.
#[expect(clippy::ptr_arg, reason = "whether it is borrowed is what it is asked for")]
fn write_string(text: &mut String, value: &Cow<'_, str>) {
    match value {
        Cow::Borrowed(plain) => {
            text.push('"');
            text.push_str(plain);
            text.push('"');
        }
        Cow::Owned(value) => write_json_string(text, value),
    }
}

/// The order of two names by their UTF-16 units. It is that of their bytes unless one has a character beyond U+D7FF.
fn by_units(one: &str, other: &str) -> Ordering {
    if one.is_ascii() && other.is_ascii() {
        one.cmp(other)
    } else {
        one.encode_utf16().cmp(other.encode_utf16())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::FEW;
    use super::*;

    fn written(text: &str, form: Form) -> String {
        let mut written = String::new();
        Tree::read(text).unwrap().write(&mut written, form).unwrap();
        written
    }

    #[test]
    fn as_written_keeps_order_and_digits() {
        assert_eq!(
            written(
                r#" { "b" : [ 1.50 , 9007199254740993 ] , "a" : "\u0041\/" } "#,
                Form::AsWritten
            ),
            r#"{"b":[1.50,9007199254740993],"a":"A/"}"#
        );
    }

    #[test]
    fn the_last_member_of_a_name_is_kept_at_every_level() {
        let text = r#"{"a":{"x":1,"y":2,"\u0078":3},"b":0,"a":{"x":[],"x":{}}}"#;
        assert_eq!(written(text, Form::AsWritten), r#"{"b":0,"a":{"x":{}}}"#);
        assert_eq!(written(text, Form::Canonical), r#"{"a":{"x":{}},"b":0}"#);
    }

    #[test]
    fn the_last_member_of_a_name_is_kept_among_few_and_among_many() {
        for count in 1..=2 * FEW {
            let members = |value: usize| (0..count).map(move |name| format!(r#""n{name:02}":{value}"#));
            let once: Vec<String> = members(1).collect();
            let twice: Vec<String> = members(0).chain(members(1)).collect();
            let expected = format!("{{{}}}", once.join(","));
            for text in [&once, &twice] {
                assert_eq!(
                    written(&format!("{{{}}}", text.join(",")), Form::Canonical),
                    expected
                );
            }
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let text = "[".repeat(1_024) + &"]".repeat(1_024);
        assert_eq!(written(&text, Form::Canonical), text);
        assert_eq!(
            Tree::read(&text).unwrap().walk().map(|node| node.level).max(),
            Some(1_024)
        );
    }
}
