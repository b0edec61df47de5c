//! `initialize` as a server reads and answers it.

use alloc::string::String;
use core::fmt;

use super::message::member;
use crate::code::ErrorCode;
use crate::initialize::{PeerInfo, read_peer_info};
use crate::json::{JsonType, write_json_string};
use crate::version::ProtocolVersion;

/// What a client says of itself when it begins.
///
/// [MCP 2025-11-25, Lifecycle, Initialization](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitializeRequest {
    /// The revision that the client asks for, where this is one that we know.
    pub version: Option<ProtocolVersion>,
    /// The client's name and version, clipped. Remote text, for display only.
    pub client: PeerInfo,
}

impl InitializeRequest {
    /// Reads the parameters of an `initialize` request.
    ///
    /// # Errors
    ///
    /// [`InitializeFault`] when `protocolVersion`, `capabilities` or `clientInfo` is missing or of another type. The client
    /// is at fault. A revision that nobody knows is no fault: the server then answers with its own.
    pub fn parse(params: Option<&str>) -> Result<Self, InitializeFault> {
        let params = params.ok_or(InitializeFault::Version)?;
        let version = member(params, "protocolVersion").and_then(|value| value.as_string());
        let version = version.ok_or(InitializeFault::Version)?;
        let capabilities = member(params, "capabilities");
        if !capabilities.is_some_and(|value| value.kind == JsonType::Object) {
            return Err(InitializeFault::Capabilities);
        }
        let client = member(params, "clientInfo").and_then(|value| read_peer_info(&value).ok());
        Ok(Self {
            version: ProtocolVersion::parse(&version.decode()).ok(),
            client: client.ok_or(InitializeFault::ClientInfo)?,
        })
    }

    /// The revision of the session: the one that was asked for if `spoken` has it, else the latest of `spoken`. `None` when
    /// that is empty.
    #[must_use]
    pub fn negotiate(&self, spoken: &[ProtocolVersion]) -> Option<ProtocolVersion> {
        self.version
            .filter(|wanted| spoken.contains(wanted))
            .or_else(|| spoken.iter().copied().max())
    }
}

/// What is wrong with the parameters of `initialize`: each variant names the member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InitializeFault {
    /// `protocolVersion` is no string.
    Version,
    /// `capabilities` is no object.
    Capabilities,
    /// `clientInfo` is no object with a string `name` and `version`.
    ClientInfo,
}

impl InitializeFault {
    /// The code of the JSON-RPC error: `-32602`.
    #[must_use]
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::Version | Self::Capabilities | Self::ClientInfo => ErrorCode::INVALID_PARAMS,
        }
    }

    /// The message of the JSON-RPC error.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Version => "`protocolVersion` must be a string",
            Self::Capabilities => "`capabilities` must be an object",
            Self::ClientInfo => "`clientInfo` must be an object with a string `name` and `version`",
        }
    }
}

impl fmt::Display for InitializeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl core::error::Error for InitializeFault {}

/// What a server says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduction {
    /// The server's name.
    pub name: String,
    /// The server's version.
    pub version: String,
    /// The raw JSON text of its capabilities, an object.
    pub capabilities: String,
    /// How its tools are meant to be used, for the client's model.
    pub instructions: Option<String>,
}

impl Introduction {
    /// The raw text of the result of `initialize`.
    #[must_use]
    pub fn result(&self, version: ProtocolVersion) -> String {
        let mut text = String::from("{\"protocolVersion\":\"");
        text.push_str(version.as_str());
        text.push_str("\",\"capabilities\":");
        text.push_str(&self.capabilities);
        text.push_str(",\"serverInfo\":{\"name\":");
        write_json_string(&mut text, &self.name);
        text.push_str(",\"version\":");
        write_json_string(&mut text, &self.version);
        text.push('}');
        if let Some(instructions) = &self.instructions {
            text.push_str(",\"instructions\":");
            write_json_string(&mut text, instructions);
        }
        text.push('}');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn each_part_of_an_introduction_is_required() {
        const INFO: &str = r#""clientInfo":{"name":"n","version":"1"}"#;
        let parse = |params: &str| InitializeRequest::parse(Some(&params.replace("INFO", INFO)));
        let read = parse(r#"{"protocolVersion":"2025-06-18","capabilities":{},INFO}"#).unwrap();
        assert_eq!(read.version, Some(ProtocolVersion::V2025_06_18));
        assert_eq!(read.client.name, "n");
        let unknown = parse(r#"{"protocolVersion":"1999-01-01","capabilities":{},INFO}"#).unwrap();
        assert_eq!(unknown.version, None);
        assert_eq!(
            InitializeRequest::parse(None).err(),
            Some(InitializeFault::Version)
        );
        for (params, fault) in [
            (r#"{"capabilities":{},INFO}"#, InitializeFault::Version),
            (
                r#"{"protocolVersion":1,"capabilities":{},INFO}"#,
                InitializeFault::Version,
            ),
            (
                r#"{"protocolVersion":"2025-06-18",INFO}"#,
                InitializeFault::Capabilities,
            ),
            (
                r#"{"protocolVersion":"2025-06-18","capabilities":[],INFO}"#,
                InitializeFault::Capabilities,
            ),
            (
                r#"{"protocolVersion":"2025-06-18","capabilities":{}}"#,
                InitializeFault::ClientInfo,
            ),
            (
                r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"n"}}"#,
                InitializeFault::ClientInfo,
            ),
        ] {
            assert_eq!(parse(params).err(), Some(fault), "{params}");
            assert_eq!(fault.code(), ErrorCode::INVALID_PARAMS);
            assert_eq!(fault.to_string(), fault.text());
            assert!(fault.text().contains("must be"), "{fault}");
        }
    }

    #[test]
    fn a_revision_that_both_speak_is_kept_and_the_latest_offered_otherwise() {
        let asked = |version| InitializeRequest {
            version,
            client: PeerInfo {
                name: "n".to_string(),
                version: "1".to_string(),
            },
        };
        let (old, new) = (ProtocolVersion::V2025_03_26, ProtocolVersion::V2025_11_25);
        assert_eq!(asked(Some(old)).negotiate(&[new, old]), Some(old));
        assert_eq!(asked(Some(old)).negotiate(&[new]), Some(new));
        assert_eq!(asked(None).negotiate(&[old, new, old]), Some(new));
        assert_eq!(asked(Some(old)).negotiate(&[]), None);
    }

    #[test]
    fn an_introduction_says_what_the_server_is() {
        let mut introduction = Introduction {
            name: "a\"b".to_string(),
            version: "1".to_string(),
            capabilities: r#"{"tools":{}}"#.to_string(),
            instructions: None,
        };
        let result = introduction.result(ProtocolVersion::V2025_06_18);
        let start = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"a\"b","version":"1"}"#;
        assert_eq!(result, start.to_string() + "}");
        introduction.instructions = Some("one\ntwo".to_string());
        let result = introduction.result(ProtocolVersion::V2025_06_18);
        assert_eq!(result, start.to_string() + r#","instructions":"one\ntwo"}"#);
    }
}
