//! The result of `tools/list`: one page of raw definitions.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::json::{JsonType, JsonValue, Position, Scanner, for_each_member};
use crate::malformed::{Malformed, MalformedKind};
use crate::reply::ResultText;

/// One page of a server's tools.
///
/// Each definition is read on its own: a bad one is set aside with its reason and the rest stay.
///
/// [MCP 2025-11-25, Tools, Listing Tools](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#listing-tools).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolsPage {
    /// The definitions that could be read, in the server's order.
    pub tools: Vec<ToolDefinition>,
    /// Why each other definition could not be read, in the server's order.
    pub quarantined: Vec<ToolNameError>,
    /// Where the next page starts; `None` ends the list. An absent, null or empty cursor ends it in the legacy
    /// revisions.
    pub next: Option<Cursor>,
}

impl ToolsPage {
    /// Reads the result object.
    ///
    /// # Errors
    ///
    /// [`Malformed`] when `tools` is missing or no array, or `nextCursor` is neither a string nor null.
    pub fn parse(result: &ResultText) -> Result<Self, Malformed> {
        let (mut listed, mut next) = (None, None);
        let mut scanner = result.scanner();
        let mut position = scanner.enter()?;
        while let Some(name) = scanner.member(position)? {
            position = Position::Later;
            if name.is("tools") {
                listed = Some(Listed::read(&mut scanner)?);
            } else {
                let value = scanner.skip()?;
                next = if name.is("nextCursor") { Some(value) } else { next };
            }
        }
        match listed.ok_or(MalformedKind::ToolsMissing)? {
            Listed::Tools { tools, quarantined } => Ok(Self {
                tools,
                quarantined,
                next: read_cursor(next)?,
            }),
            Listed::Other(kind) => Err(Malformed::found(MalformedKind::ToolsMissing, kind)),
        }
    }
}

/// What stands under `tools`. Of a repeated member the last one counts, so another value is no fault yet.
enum Listed {
    Tools {
        tools: Vec<ToolDefinition>,
        quarantined: Vec<ToolNameError>,
    },
    Other(JsonType),
}

impl Listed {
    fn read(scanner: &mut Scanner<'_>) -> Result<Self, Malformed> {
        if scanner.peek_type() != Some(JsonType::Array) {
            return Ok(Self::Other(scanner.skip()?.kind));
        }
        let (mut tools, mut quarantined) = (Vec::new(), Vec::new());
        let mut position = scanner.enter()?;
        while scanner.element(position)? {
            position = Position::Later;
            match ToolDefinition::read(scanner)? {
                Ok(tool) => tools.push(tool),
                Err(reason) => quarantined.push(reason),
            }
        }
        Ok(Self::Tools { tools, quarantined })
    }
}

fn read_cursor(value: Option<JsonValue<'_>>) -> Result<Option<Cursor>, Malformed> {
    let Some(value) = value.filter(|value| value.kind != JsonType::Null) else {
        return Ok(None);
    };
    let text = value
        .require_string(MalformedKind::CursorNotString)?
        .decode()
        .into_owned();
    Ok(Some(text).filter(|text| !text.is_empty()).map(Cursor))
}

/// Where the next page of a list starts: the server's own text, sent back unchanged.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cursor(String);

impl Cursor {
    /// The server's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cursor({} bytes)", self.0.len())
    }
}

/// One tool as the server defined it.
#[derive(Clone, PartialEq, Eq)]
pub struct ToolDefinition {
    name: ToolName,
    text: Box<str>,
}

impl ToolDefinition {
    /// Reads the next element of the list.
    fn read(scanner: &mut Scanner<'_>) -> Result<Result<Self, ToolNameError>, Malformed> {
        if scanner.peek_type() != Some(JsonType::Object) {
            return scanner.skip().map(|_other| Err(ToolNameError::NotObject));
        }
        let (start, mut name) = (scanner.at(), None);
        let mut position = scanner.enter()?;
        while let Some(member) = scanner.member(position)? {
            position = Position::Later;
            if member.is("name") {
                name = Some(scanner.string_or_skip()?);
            } else {
                scanner.skip()?;
            }
        }
        let text = scanner.since(start);
        Ok(match name {
            Some(Some(name)) => ToolName::parse(&name.decode()).map(|name| Self {
                name,
                text: text.into(),
            }),
            Some(None) => Err(ToolNameError::NotString),
            None => Err(ToolNameError::Missing),
        })
    }

    /// The tool's name on the wire.
    #[must_use]
    pub const fn name(&self) -> &ToolName {
        &self.name
    }

    /// Members of the definition by name: of each its type, and its value as the server wrote it. Of several with one name
    /// the last one counts.
    #[must_use]
    pub fn members<const N: usize>(&self, names: [&str; N]) -> [Option<(JsonType, &str)>; N] {
        let mut found = [None; N];
        // The text was scanned before, so the walk meets no fault.
        let _scanned_before = for_each_member(&self.text, |member, value| {
            for (name, found) in names.iter().zip(&mut found) {
                if member == *name {
                    *found = Some((value.kind, value.text));
                }
            }
        });
        found
    }

    /// The whole definition as the server wrote it: a JSON object. Remote text; nothing in it decides policy.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for ToolDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolDefinition({} bytes)", self.text.len())
    }
}

/// A tool's name as the wire carries it: not empty, at most 1,024 bytes, without control characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolName(String);

impl ToolName {
    /// The longest accepted name, in bytes. The specification recommends at most 128 characters.
    pub const MAX_BYTES: usize = 1_024;

    /// Reads a name.
    ///
    /// # Errors
    ///
    /// [`ToolNameError`]; whoever wrote the name is at fault.
    pub fn parse(text: &str) -> Result<Self, ToolNameError> {
        if text.is_empty() {
            Err(ToolNameError::Empty)
        } else if text.len() > Self::MAX_BYTES {
            Err(ToolNameError::TooLong)
        } else if text.chars().any(char::is_control) {
            Err(ToolNameError::Control)
        } else {
            Ok(Self(String::from(text)))
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why a definition or a name cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ToolNameError {
    /// The definition is of another JSON type.
    #[error("the definition is not an object")]
    NotObject,
    /// The definition has no name.
    #[error("the definition has no name")]
    Missing,
    /// The name is of another JSON type.
    #[error("the name is not a string")]
    NotString,
    /// The name is empty.
    #[error("the name is empty")]
    Empty,
    /// The name is longer than [`ToolName::MAX_BYTES`].
    #[error("the name is longer than 1,024 bytes")]
    TooLong,
    /// The name holds a control character.
    #[error("the name holds a control character")]
    Control,
}

impl ToolNameError {
    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::NotObject => "definition-not-object",
            Self::Missing => "name-missing",
            Self::NotString => "name-not-string",
            Self::Empty => "name-empty",
            Self::TooLong => "name-too-long",
            Self::Control => "name-control-character",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    fn parse(result: &str) -> Result<ToolsPage, Malformed> {
        ToolsPage::parse(&ResultText::of_test(result))
    }

    #[test]
    fn good_definitions_stay_beside_bad_ones() {
        let first = r#"{"x":1,"name":"a" , "x":[2]}"#;
        let second = r#"{"name":"\u0062"}"#;
        let page = parse(&format!(
            r#"{{"o":1,"tools":[ {first} ,7,{{"n":1}},{{"name":1}},{{"name":""}}, {second}],"nextCursor":"c"}}"#
        ));
        let page = page.unwrap();
        let named: Vec<_> = page
            .tools
            .iter()
            .map(|tool| (tool.name().as_str(), tool.text()))
            .collect();
        assert_eq!(named, [("a", first), ("b", second)]);
        assert_eq!(
            page.tools[0].members(["x", "y", "name"]),
            [
                Some((JsonType::Array, "[2]")),
                None,
                Some((JsonType::String, r#""a""#))
            ]
        );
        let kinds: Vec<_> = page.quarantined.iter().map(|reason| reason.kind()).collect();
        assert_eq!(
            kinds,
            [
                "definition-not-object",
                "name-missing",
                "name-not-string",
                "name-empty"
            ]
        );
        assert_eq!(page.next.as_ref().map(Cursor::as_str), Some("c"));
    }

    #[test]
    fn the_last_page_has_no_cursor() {
        for end in ["", r#","nextCursor":null"#, r#","nextCursor":"""#] {
            let page = parse(&format!(r#"{{"tools":[]{end}}}"#)).unwrap();
            assert_eq!(page.next, None, "{end}");
        }
        for (result, kind, found) in [
            (
                r#"{"tools":[],"nextCursor":1}"#,
                MalformedKind::CursorNotString,
                Some(JsonType::Number),
            ),
            ("{}", MalformedKind::ToolsMissing, None),
            (
                r#"{"tools":{}}"#,
                MalformedKind::ToolsMissing,
                Some(JsonType::Object),
            ),
        ] {
            let fault = parse(result).unwrap_err();
            assert_eq!((fault.kind(), fault.found_type()), (kind, found), "{result}");
        }
    }

    #[test]
    fn the_edges_of_a_name() {
        let long = |bytes| "x".repeat(bytes);
        for (text, error) in [
            ("x", None),
            (&*long(1_024), None),
            (&*long(1_025), Some(ToolNameError::TooLong)),
            ("", Some(ToolNameError::Empty)),
            ("a\u{7f}", Some(ToolNameError::Control)),
        ] {
            assert_eq!(ToolName::parse(text).err(), error, "{} bytes", text.len());
        }
    }
}
