//! What a tool gives back.

use mcp_wire::write_json_string;
use serde_json::{Map, Value};

/// The result of a tool: blocks of content, perhaps structured content, and whether it is an error that the model should
/// see.
///
/// [MCP 2025-11-25, Tools, Tool Result](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolReply {
    blocks: Vec<Block>,
    structured: Option<Map<String, Value>>,
    is_error: bool,
}

/// One block of content.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Block {
    /// Text.
    Text(String),
    /// An image, its bytes in base64.
    Image {
        /// The bytes, in base64.
        data: String,
        /// The media type.
        media_type: String,
    },
    /// A sound, its bytes in base64.
    Audio {
        /// The bytes, in base64.
        data: String,
        /// The media type.
        media_type: String,
    },
    /// A resource of text, whole.
    Resource {
        /// Its URI.
        uri: String,
        /// The media type.
        media_type: String,
        /// The text.
        text: String,
    },
    /// Where a resource can be read.
    Link {
        /// Its URI.
        uri: String,
        /// Its name.
        name: String,
    },
}

impl ToolReply {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().and(Block::Text(text.into()))
    }

    /// A text that says what went wrong.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            is_error: true,
            ..Self::text(text)
        }
    }

    /// Structured content, and the same as text for clients that read no other.
    #[must_use]
    pub fn structured(content: Map<String, Value>) -> Self {
        let text = Value::Object(content.clone()).to_string();
        Self {
            structured: Some(content),
            ..Self::text(text)
        }
    }

    /// With one more block.
    #[must_use]
    pub fn and(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    /// The raw text of the result.
    pub(super) fn encode(&self) -> String {
        let mut text = String::from("{\"content\":[");
        for (at, block) in self.blocks.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            block.write(&mut text);
        }
        text.push(']');
        if let Some(structured) = &self.structured {
            text.push_str(",\"structuredContent\":");
            text.push_str(&Value::Object(structured.clone()).to_string());
        }
        if self.is_error {
            text.push_str(",\"isError\":true");
        }
        text.push('}');
        text
    }
}

impl Block {
    fn write(&self, target: &mut String) {
        match self {
            Self::Text(text) => members(target, &[("type", "text"), ("text", text)]),
            Self::Image { data, media_type } => {
                members(
                    target,
                    &[("type", "image"), ("data", data), ("mimeType", media_type)],
                );
            }
            Self::Audio { data, media_type } => {
                members(
                    target,
                    &[("type", "audio"), ("data", data), ("mimeType", media_type)],
                );
            }
            Self::Resource {
                uri,
                media_type,
                text,
            } => {
                target.push_str("{\"type\":\"resource\",\"resource\":");
                members(target, &[("uri", uri), ("mimeType", media_type), ("text", text)]);
                target.push('}');
            }
            Self::Link { uri, name } => {
                members(target, &[("type", "resource_link"), ("uri", uri), ("name", name)]);
            }
        }
    }
}

/// An object of strings.
fn members(target: &mut String, members: &[(&str, &str)]) {
    for (at, (name, value)) in members.iter().enumerate() {
        target.push(if at == 0 { '{' } else { ',' });
        write_json_string(target, name);
        target.push(':');
        write_json_string(target, value);
    }
    target.push('}');
}
