//! The result of `tools/call`: its text, its flag, and what is left out.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt::{self, Write as _};

use crate::json::{JsonType, JsonValue, Position, Scanner, StringToken};
use crate::malformed::{Malformed, MalformedKind};
use crate::reply::ResultText;

/// What a tool answered. Text is read; blocks of other types are counted.
///
/// [MCP 2025-11-25, Tools, Tool Result](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result).
#[derive(Debug)]
pub struct CallResult {
    /// The text blocks, joined with LF; remote text.
    pub text: String,
    /// Whether the server set `isError` to true: the tool ran and reports a failure.
    pub is_error: bool,
    /// The raw JSON text of `structuredContent`, an object; a null counts as absent.
    pub structured: Option<Box<str>>,
    /// Blocks that were not read.
    pub omitted: OmittedBlocks,
    /// The whole result as the server wrote it.
    pub raw: ResultText,
}

impl CallResult {
    /// Reads the result object. An absent `content` is an empty one; `isError` counts only as the boolean true.
    ///
    /// # Errors
    ///
    /// [`Malformed`] when `content` is no array or `structuredContent` no object.
    pub fn parse(raw: ResultText) -> Result<Self, Malformed> {
        let mut read = Read::default();
        let mut scanner = raw.scanner();
        let mut position = scanner.enter()?;
        while let Some(name) = scanner.member(position)? {
            position = Position::Later;
            if name.is("content") {
                read.content(&mut scanner)?;
            } else if name.is("structuredContent") {
                read.structured = read_structured(&scanner.skip()?)?;
            } else {
                let value = scanner.skip()?;
                read.is_error = if name.is("isError") {
                    value.text == "true"
                } else {
                    read.is_error
                };
            }
        }
        let Read {
            text,
            omitted,
            structured,
            is_error,
        } = read;
        Ok(Self {
            text,
            is_error,
            structured,
            omitted,
            raw,
        })
    }
}

/// What was read so far. Of a repeated member the last one counts.
#[derive(Default)]
struct Read {
    text: String,
    omitted: OmittedBlocks,
    structured: Option<Box<str>>,
    is_error: bool,
}

impl Read {
    fn content(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Malformed> {
        self.text.clear();
        self.omitted = OmittedBlocks::default();
        if scanner.peek_type() != Some(JsonType::Array) {
            return Err(Malformed::found(
                MalformedKind::ContentNotArray,
                scanner.skip()?.kind,
            ));
        }
        let mut position = scanner.enter()?;
        while scanner.element(position)? {
            position = Position::Later;
            match Block::parse(scanner)? {
                Block::Text(block) => {
                    if !self.text.is_empty() && !block.is_empty() {
                        self.text.push('\n');
                    }
                    block.decode_into(&mut self.text);
                }
                Block::Omitted(kind) => *self.omitted.count_mut(kind) += 1,
            }
        }
        Ok(())
    }
}

fn read_structured(value: &JsonValue<'_>) -> Result<Option<Box<str>>, Malformed> {
    if value.kind == JsonType::Null {
        return Ok(None);
    }
    value
        .require(JsonType::Object, MalformedKind::StructuredNotObject)
        .map(|object| Some(object.text.into()))
}

/// One content block: a text, or one of our own names for what is not read.
enum Block<'a> {
    Text(StringToken<'a>),
    Omitted(BlockKind),
}

impl<'a> Block<'a> {
    /// Reads the next element of `content`. Whatever is not recognised, or is no object, is `other`.
    fn parse(scanner: &mut Scanner<'a>) -> Result<Self, Malformed> {
        if scanner.peek_type() != Some(JsonType::Object) {
            return scanner.skip().map(|_other| Self::Omitted(BlockKind::Other));
        }
        let (mut kind, mut text) = (None, None);
        let mut position = scanner.enter()?;
        while let Some(name) = scanner.member(position)? {
            position = Position::Later;
            if name.is("type") {
                kind = scanner.string_or_skip()?;
            } else if name.is("text") {
                text = scanner.string_or_skip()?;
            } else {
                scanner.skip()?;
            }
        }
        let Some(kind) = kind else {
            return Ok(Self::Omitted(BlockKind::Other));
        };
        if kind.is("text") {
            return Ok(text.map_or(Self::Omitted(BlockKind::Other), Self::Text));
        }
        let named = BlockKind::ALL.into_iter().find(|named| kind.is(named.name()));
        Ok(Self::Omitted(named.unwrap_or(BlockKind::Other)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Image,
    Audio,
    Resource,
    ResourceLink,
    Other,
}

impl BlockKind {
    const ALL: [Self; 4] = [Self::Image, Self::Audio, Self::Resource, Self::ResourceLink];

    const fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Resource => "resource",
            Self::ResourceLink => "resource_link",
            Self::Other => "other",
        }
    }
}

/// How many blocks of a result were not read, by type.
///
/// The names are the specification's own; a type that is none of them counts as `other`, so no byte of the server
/// enters the note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OmittedBlocks {
    /// Blocks of type `image`.
    pub image: usize,
    /// Blocks of type `audio`.
    pub audio: usize,
    /// Blocks of type `resource`.
    pub resource: usize,
    /// Blocks of type `resource_link`.
    pub resource_link: usize,
    /// Blocks of any other type, and blocks that could not be read.
    pub other: usize,
}

impl OmittedBlocks {
    /// Blocks of all types together.
    #[must_use]
    pub fn total(&self) -> usize {
        self.counts().map(|(_, count)| count).sum()
    }

    /// The types that occurred, with their counts, in a fixed order.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, usize)> {
        [
            (BlockKind::Image.name(), self.image),
            (BlockKind::Audio.name(), self.audio),
            (BlockKind::Resource.name(), self.resource),
            (BlockKind::ResourceLink.name(), self.resource_link),
            (BlockKind::Other.name(), self.other),
        ]
        .into_iter()
        .filter(|(_, count)| *count > 0)
    }

    /// One line that names what was left out; `None` when nothing was.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        let blocks = if total == 1 { "block" } else { "blocks" };
        let mut note = String::new();
        // Writing to a `String` does not fail.
        let _infallible = write!(note, "[{total} content {blocks} omitted:");
        for (at, (name, count)) in self.counts().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            let _infallible = write!(note, "{comma} {count} {name}");
        }
        note.push(']');
        Some(note)
    }

    fn count_mut(&mut self, kind: BlockKind) -> &mut usize {
        match kind {
            BlockKind::Image => &mut self.image,
            BlockKind::Audio => &mut self.audio,
            BlockKind::Resource => &mut self.resource,
            BlockKind::ResourceLink => &mut self.resource_link,
            BlockKind::Other => &mut self.other,
        }
    }
}

impl fmt::Display for OmittedBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.note().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    fn parse(result: &str) -> Result<CallResult, Malformed> {
        CallResult::parse(ResultText::of_test(result))
    }

    #[test]
    fn texts_are_joined_and_other_blocks_counted() {
        let empty = parse("{}").unwrap();
        assert_eq!(
            (&*empty.text, empty.is_error, empty.structured),
            ("", false, None)
        );
        assert_eq!(empty.omitted.to_string(), "");
        let text = |text| format!(r#"{{"type":"text","text":"{text}"}}"#);
        let other = |kind| format!(r#"{{"text":"x","type":"{kind}"}}"#);
        let blocks = [
            text(""),
            text("a"),
            text(""),
            other("image"),
            text("b\\n"),
            other("image"),
            other("audio"),
            other("resource"),
            other("resource_link"),
            other("x"),
            r#"{"type":"text"}"#.to_string(),
            r#"{"text":"x"}"#.to_string(),
            "7".to_string(),
            text("c"),
            text("d"),
            text(""),
        ];
        let read = parse(&format!(r#"{{"content":[{}]}}"#, blocks.join(","))).unwrap();
        assert_eq!(read.text, "a\nb\n\nc\nd");
        assert_eq!(read.omitted.total(), 9);
        assert_eq!(
            read.omitted.note().unwrap(),
            "[9 content blocks omitted: 2 image, 1 audio, 1 resource, 1 resource_link, 4 other]"
        );
        let one = parse(r#"{"content":[1]}"#).unwrap().omitted;
        assert_eq!(one.to_string(), "[1 content block omitted: 1 other]");
    }

    #[test]
    fn only_true_is_an_error_and_only_an_object_structure() {
        for (value, is_error) in [
            ("true", true),
            ("false", false),
            ("1", false),
            (r#""true""#, false),
            ("null", false),
        ] {
            let read = parse(&format!(r#"{{"isError":{value},"o":true}}"#)).unwrap();
            assert_eq!(read.is_error, is_error, "{value}");
        }
        for (result, structured) in [
            (r#"{"structuredContent": { "a" : 1 } }"#, Some(r#"{ "a" : 1 }"#)),
            (r#"{"structuredContent":null}"#, None),
        ] {
            assert_eq!(parse(result).unwrap().structured.as_deref(), structured);
        }
        for (result, kind, found) in [
            (
                r#"{"content":{}}"#,
                MalformedKind::ContentNotArray,
                JsonType::Object,
            ),
            (
                r#"{"structuredContent":[]}"#,
                MalformedKind::StructuredNotObject,
                JsonType::Array,
            ),
        ] {
            let fault = parse(result).unwrap_err();
            assert_eq!((fault.kind(), fault.found_type()), (kind, Some(found)));
        }
    }
}
