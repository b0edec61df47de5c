//! Remote text on a terminal: shown, never obeyed.

use std::fmt::Write as _;

/// The text with every control, escape and direction character spelled out, line ends and tabs kept.
pub(crate) fn printable(text: &str) -> String {
    spell_out(text, |character| {
        !matches!(character, '\n' | '\t') && commands(character)
    })
}

/// The same with line ends and tabs spelled out as well: a text that stays on its line and in its column.
pub(crate) fn printable_line(text: &str) -> String {
    spell_out(text, commands)
}

fn spell_out(text: &str, spelled: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if spelled(character) {
            // Writing to a `String` does not fail.
            let _infallible = write!(shown, "\\u{{{:x}}}", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    shown
}

/// The same text of JSON with such characters written as JSON escapes. They can stand in strings only, so the value
/// stays the same.
pub(crate) fn printable_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        if commands(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                let _infallible = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Valid JSON text without the whitespace between its tokens; its numbers and strings stay as they are spelled.
pub(crate) fn compact(json: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    json.chars()
        .filter(|character| {
            let keep = in_string || !matches!(character, ' ' | '\n' | '\r' | '\t');
            in_string ^= *character == '"' && !escaped;
            escaped = in_string && *character == '\\' && !escaped;
            keep
        })
        .collect()
}

/// Whether a terminal takes the character as a command, or shows other text differently because of it: C0, DEL, C1, the
/// bidirectional controls and marks, invisible operators, and tag characters.
fn commands(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_spelled_out() {
        assert_eq!(printable("a\u{1b}[2Jb\tc\nd\r"), "a\\u{1b}[2Jb\tc\nd\\u{d}");
        assert_eq!(
            printable("\u{9b}x\u{202e}y\u{e0041}"),
            "\\u{9b}x\\u{202e}y\\u{e0041}"
        );
        assert_eq!(printable("grüß dich 😀"), "grüß dich 😀");
        assert_eq!(printable_line("a\tb\nc"), "a\\u{9}b\\u{a}c");
    }

    #[test]
    fn json_keeps_its_value() {
        let shown = printable_json("{\"a\":\"\u{9b}\u{7f}\u{e0041}ä\"}");
        assert_eq!(shown, "{\"a\":\"\\u009b\\u007f\\udb40\\udc41ä\"}");
        let value: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(value["a"], "\u{9b}\u{7f}\u{e0041}ä");
    }

    #[test]
    fn compacting_touches_no_string_and_no_number() {
        assert_eq!(
            compact("{ \"a b\" : [ 1.0e5 ,\n \"x \\\" y\\\\\" , 12345678901234567890123 ] }"),
            "{\"a b\":[1.0e5,\"x \\\" y\\\\\",12345678901234567890123]}"
        );
    }
}
