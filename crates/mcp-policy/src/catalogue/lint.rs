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
        // A text that a store has damaged is read as far as it goes.
        for piece in JsonReader::new(json.unwrap_or("null")).map_while(Result::ok) {
            match piece {
                JsonPiece::Name(text) => look_for_marks(&mut flags, place, &text),
                JsonPiece::String(text) => {
                    look_for_marks(&mut flags, place, &text);
                    if place == TextPlace::InputSchema {
                        look_for_others(&mut flags, place, &text, name, surroundings);
                    }
                }
                JsonPiece::ObjectStart
                | JsonPiece::ObjectEnd
                | JsonPiece::ArrayStart
                | JsonPiece::ArrayEnd
                | JsonPiece::Number(_)
                | JsonPiece::Boolean(_)
                | JsonPiece::Null => {}
            }
        }
    }
    flags
}

fn look_for_marks(flags: &mut BTreeSet<Flag>, place: TextPlace, text: &str) {
    flags.extend(marks(text).into_iter().map(|mark| Flag::Hidden { mark, place }));
}

/// A word that could be any word of a sentence counts only where it is quoted.
fn look_for_others(
    flags: &mut BTreeSet<Flag>,
    place: TextPlace,
    text: &str,
    own: &ToolName,
    surroundings: &Surroundings,
) {
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    let mut before = None;
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (gap, tail) = rest.split_at(start);
        before = gap.chars().next_back().or(before);
        let (word, after) = tail.split_at(tail.find(|character| !is_part(character)).unwrap_or(tail.len()));
        let quoted = matches!(
            (before, after.chars().next()),
            (Some('`' | '"' | '\''), Some('`' | '"' | '\''))
        );
        let telling = quoted || !word.bytes().all(|byte| byte.is_ascii_lowercase());
        if telling && word != own.as_str() {
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
        before = None;
        rest = after;
    }
}
