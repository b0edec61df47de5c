//! What a person should look at in a definition: hidden characters, and words that point at other servers.
//!
//! Flags are shown and decide nothing. Texts stay as they are.

use std::collections::BTreeSet;

use mcp_wire::{JsonPiece, JsonReader, ToolName};

use super::characters::{Mark, marks};
use super::definition::Definition;
use super::name::LocalName;
use super::surroundings::{Meaning, Surroundings};
use crate::record::GroupName;
use crate::server::ServerName;

/// One thing to look at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flag {
    /// A character that a reader does not see, or that steers the terminal or the direction of the text.
    Hidden {
        /// Of which sort.
        mark: Mark,
        /// Where.
        place: TextPlace,
    },
    /// A text names another server's tool, by its local or its remote name.
    NamesTool {
        /// That tool.
        tool: LocalName,
        /// Where.
        place: TextPlace,
    },
    /// A text names the group of another server.
    NamesServer {
        /// That group.
        group: GroupName,
        /// Where.
        place: TextPlace,
    },
    /// Another enabled server has a tool of the same remote name.
    SameRemoteName {
        /// That server.
        server: ServerName,
    },
}

impl Flag {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Hidden { mark, .. } => mark.kind(),
            Self::NamesTool { .. } => "names-other-tool",
            Self::NamesServer { .. } => "names-other-server",
            Self::SameRemoteName { .. } => "same-remote-name",
        }
    }

    /// Where it was seen; `None` when the flag is about the tool as a whole.
    #[must_use]
    pub const fn place(&self) -> Option<TextPlace> {
        match self {
            Self::Hidden { place, .. } | Self::NamesTool { place, .. } | Self::NamesServer { place, .. } => {
                Some(*place)
            }
            Self::SameRemoteName { .. } => None,
        }
    }
}

/// Which text of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the members of a definition")]
pub enum TextPlace {
    Name,
    Title,
    Description,
    InputSchema,
    OutputSchema,
    Annotations,
}

impl TextPlace {
    /// The name of the member.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Title => "title",
            Self::Description => "description",
            Self::InputSchema => "inputSchema",
            Self::OutputSchema => "outputSchema",
            Self::Annotations => "annotations",
        }
    }
}

/// The flags of a definition, beside the servers that stand around it.
///
/// Of the schemas and annotations every string and every member's name is looked at for hidden characters. Words that
/// point at other servers are looked for in title, description and the strings of the input schema.
#[must_use]
pub fn inspect(name: &ToolName, definition: &Definition, surroundings: &Surroundings) -> BTreeSet<Flag> {
    let mut flags = BTreeSet::new();
    let same = surroundings.sharing(name).cloned();
    flags.extend(same.map(|server| Flag::SameRemoteName { server }));
    let texts = [
        (TextPlace::Name, Some(name.as_str())),
        (TextPlace::Title, definition.title.as_deref()),
        (TextPlace::Description, definition.description.as_deref()),
    ];
    for (place, text) in texts {
        let text = text.unwrap_or_default();
        look_for_marks(&mut flags, place, text);
        if place != TextPlace::Name {
            look_for_others(&mut flags, place, text, name, surroundings);
        }
    }
    let values = [
        (TextPlace::InputSchema, Some(definition.input_schema.as_str())),
        (TextPlace::OutputSchema, definition.output_schema.as_deref()),
        (TextPlace::Annotations, definition.annotations.as_deref()),
    ];
    for (place, json) in values {
        let Some(json) = json else { continue };
        let words = place == TextPlace::InputSchema && !surroundings.are_empty();
        // Where no escape hides a character, the text shows all that its strings hold, beside quotation marks at most, and
        // these change no mark.
        let shown = !may_hide(json);
        if shown {
            look_for_marks(&mut flags, place, json);
            if !words {
                continue;
            }
        }
        // A text that a store has damaged is read as far as it goes.
        for piece in JsonReader::new(json).map_while(Result::ok) {
            match piece {
                JsonPiece::Name(text) if !shown => look_for_marks(&mut flags, place, &text),
                JsonPiece::String(text) => {
                    if !shown {
                        look_for_marks(&mut flags, place, &text);
                    }
                    if words {
                        look_for_others(&mut flags, place, &text, name, surroundings);
                    }
                }
                JsonPiece::ObjectStart
                | JsonPiece::ObjectEnd
                | JsonPiece::ArrayStart
                | JsonPiece::ArrayEnd
                | JsonPiece::Name(_)
                | JsonPiece::Number(_)
                | JsonPiece::Boolean(_)
                | JsonPiece::Null => {}
            }
        }
    }
    flags
}

/// Whether a JSON text may spell a character that is no mark in the spelling and one in the value: `\u`, `\b` and `\f` do.
fn may_hide(json: &str) -> bool {
    let bytes = json.as_bytes();
    json.match_indices('\\')
        .any(|(at, _)| matches!(bytes.get(at + 1), Some(b'u' | b'b' | b'f')))
}

fn look_for_marks(flags: &mut BTreeSet<Flag>, place: TextPlace, text: &str) {
    flags.extend(marks(text).into_iter().map(|mark| Flag::Hidden { mark, place }));
}

fn look_for_others(
    flags: &mut BTreeSet<Flag>,
    place: TextPlace,
    text: &str,
    own: &ToolName,
    surroundings: &Surroundings,
) {
    if surroundings.are_empty() {
        return;
    }
    for word in telling_words(text).filter(|word| *word != own.as_str()) {
        flags.extend(surroundings.meanings(word).map(|meaning| match meaning {
            Meaning::Tool(tool) => Flag::NamesTool {
                tool: tool.clone(),
                place,
            },
            Meaning::Group(group) => Flag::NamesServer {
                group: group.clone(),
                place,
            },
        }));
    }
}

/// The words of a text that may be a name. One that could be any word of a sentence counts only where it is quoted.
fn telling_words(text: &str) -> impl Iterator<Item = &str> {
    // A word is of ASCII, so bytes tell where it begins and ends.
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_quote = |byte: Option<&u8>| matches!(byte, Some(b'`' | b'"' | b'\''));
    let bytes = text.as_bytes();
    let mut end = 0;
    let words = std::iter::from_fn(move || {
        let start = end + bytes.get(end..)?.iter().position(is_part)?;
        let rest = bytes.get(start..)?;
        end = start + rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        Some((start, end))
    });
    words.filter_map(move |(start, end)| {
        let word = text.get(start..end)?;
        let before = start.checked_sub(1).and_then(|before| bytes.get(before));
        let quoted = is_quote(before) && is_quote(bytes.get(end));
        (quoted || !word.bytes().all(|byte| byte.is_ascii_lowercase())).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Character by character.
    fn telling_words_plainly(text: &str) -> Vec<String> {
        let is_part = |character: &char| character.is_ascii_alphanumeric() || "_-".contains(*character);
        let is_quote =
            |character: Option<&char>| character.is_some_and(|character| "`\"'".contains(*character));
        let characters: Vec<char> = text.chars().collect();
        let (mut words, mut from) = (Vec::new(), 0);
        while from < characters.len() {
            let length = characters[from..].iter().take_while(|next| is_part(next)).count();
            let word: String = characters[from..from + length].iter().collect();
            let quoted =
                from > 0 && is_quote(characters.get(from - 1)) && is_quote(characters.get(from + length));
            if length > 0 && (quoted || word.contains(|character: char| !character.is_ascii_lowercase())) {
                words.push(word);
            }
            from += length + 1;
        }
        words
    }

    /// Every string and name of the text, read and looked at by itself.
    fn marks_of_each(json: &str) -> BTreeSet<Mark> {
        let mut found = BTreeSet::new();
        for piece in JsonReader::new(json) {
            if let JsonPiece::Name(text) | JsonPiece::String(text) = piece.unwrap() {
                found.extend(marks(&text));
            }
        }
        found
    }

    proptest! {
        #[test]
        fn words_are_found_as_character_by_character(text in "([a-z]{0,3}[A-Z0-9_`\"'\\- é–.]{0,3}){0,8}") {
            let words: Vec<&str> = telling_words(&text).collect();
            prop_assert_eq!(words, telling_words_plainly(&text));
        }

        #[test]
        fn a_json_text_shows_the_marks_of_its_strings(
            strings in prop::collection::vec("[a0#\"\\\\/\n\r\t\u{8}\u{c}\u{1b}\u{7f}\u{ad}–क\u{200d}❤\u{fe0f}\u{fe01}]{0,5}", 1..5),
        ) {
            let json = serde_json::to_string(&[(&strings, 0)]).unwrap();
            let mut flags = BTreeSet::new();
            if may_hide(&json) {
                return Ok(());
            }
            look_for_marks(&mut flags, TextPlace::Annotations, &json);
            let expected = marks_of_each(&json).into_iter().map(|mark| Flag::Hidden { mark, place: TextPlace::Annotations });
            prop_assert_eq!(flags, expected.collect());
        }
    }

    #[test]
    fn escapes_that_hide_a_character_are_seen() {
        for (json, hides) in [
            (r#"{"a":"\u001b"}"#, true),
            (r#"["\b"]"#, true),
            (r#"["\f"]"#, true),
            (r#"["\n\t\r\/\"\\"]"#, false),
        ] {
            assert_eq!(may_hide(json), hides, "{json}");
        }
    }
}
