//! The result of `initialize`: what was negotiated.

use alloc::boxed::Box;
use alloc::string::String;

use crate::json::{JsonType, JsonValue, for_each_member};
use crate::malformed::{Malformed, MalformedKind};
use crate::reply::ResultText;
use crate::text::clip;
use crate::version::ProtocolVersion;

/// What the server said about itself and the session.
///
/// [MCP 2025-11-25, Lifecycle, Initialization](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitializeResult {
    /// The negotiated revision.
    pub version: ProtocolVersion,
    /// The server's name and version, clipped. Remote text, for display only.
    pub server: PeerInfo,
    /// The raw JSON text of the declared capabilities, an object.
    pub capabilities: Box<str>,
}

/// A peer's name and version: at most 100 characters each, control characters as spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerInfo {
    /// The name.
    pub name: String,
    /// The version.
    pub version: String,
}

impl PeerInfo {
    /// Characters that are kept of each text.
    pub const CHARACTERS: usize = 100;
}

impl InitializeResult {
    /// Reads the result object. Unknown members are ignored; of a repeated one the last counts.
    ///
    /// # Errors
    ///
    /// [`Malformed`] when a required member is missing or of another type, or the revision is none of
    /// [`ProtocolVersion::ACCEPTED`].
    pub fn parse(result: &ResultText) -> Result<Self, Malformed> {
        let (mut version, mut capabilities, mut server) = (None, None, None);
        for_each_member(result.as_str(), |name, value| match name {
            "protocolVersion" => version = Some(value),
            "capabilities" => capabilities = Some(value),
            "serverInfo" => server = Some(value),
            _ => {}
        })?;
        Ok(Self {
            version: read_version(version)?,
            capabilities: read_capabilities(capabilities)?,
            server: read_server(server)?,
        })
    }
}

fn read_version(value: Option<JsonValue<'_>>) -> Result<ProtocolVersion, Malformed> {
    let value = value.ok_or(MalformedKind::ProtocolVersionMissing)?;
    let text = value.as_string().ok_or(Malformed::found(
        MalformedKind::ProtocolVersionMissing,
        value.kind,
    ))?;
    ProtocolVersion::parse(&text.decode())
        .map_err(|_unsupported| MalformedKind::ProtocolVersionUnsupported.into())
}

fn read_capabilities(value: Option<JsonValue<'_>>) -> Result<Box<str>, Malformed> {
    let value = value.ok_or(MalformedKind::CapabilitiesNotObject)?;
    value
        .require(JsonType::Object, MalformedKind::CapabilitiesNotObject)
        .map(|object| object.text.into())
}

fn read_server(value: Option<JsonValue<'_>>) -> Result<PeerInfo, Malformed> {
    read_peer_info(&value.ok_or(MalformedKind::ServerInfoInvalid)?)
}

/// Reads a `serverInfo` or `clientInfo`.
pub(crate) fn read_peer_info(value: &JsonValue<'_>) -> Result<PeerInfo, Malformed> {
    let value = value.require(JsonType::Object, MalformedKind::ServerInfoInvalid)?;
    let (mut name, mut version) = (None, None);
    for_each_member(value.text, |member, value| match member {
        "name" => name = value.as_string(),
        "version" => version = value.as_string(),
        _ => {}
    })?;
    let (Some(name), Some(version)) = (name, version) else {
        return Err(MalformedKind::ServerInfoInvalid.into());
    };
    Ok(PeerInfo {
        name: clip(&name.decode(), PeerInfo::CHARACTERS),
        version: clip(&version.decode(), PeerInfo::CHARACTERS),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    const INFO: &str = r#""serverInfo":{"name":"s","version":"1"}"#;

    #[test]
    fn what_is_negotiated_is_read_and_the_rest_passed_over() {
        let read = InitializeResult::parse(&ResultText::of_test(
            r#"{"protocolVersion":"2025-11-25","o":1,"capabilities": { "tools" : {} } ,"protocolVersion":"2025-06-18",
            "serverInfo":{"name":"a\nb","title":"t","version":"1.0"}}"#,
        ));
        let server = PeerInfo {
            name: String::from("a b"),
            version: String::from("1.0"),
        };
        let expected = InitializeResult {
            version: ProtocolVersion::V2025_06_18,
            server,
            capabilities: r#"{ "tools" : {} }"#.into(),
        };
        assert_eq!(read, Ok(expected));
    }

    #[test]
    fn names_are_cut_at_their_bound() {
        let long = "x".repeat(PeerInfo::CHARACTERS + 1);
        let read = InitializeResult::parse(&ResultText::of_test(&format!(
            r#"{{"protocolVersion":"2025-11-25","capabilities":{{}},"serverInfo":{{"name":"{long}","version":"{long}"}}}}"#
        )));
        let server = read.unwrap().server;
        assert_eq!((server.name.len(), server.version.len()), (100, 100));
    }

    #[test]
    fn each_member_that_is_missing_or_of_another_type_has_its_own_kind() {
        use MalformedKind::{
            CapabilitiesNotObject, ProtocolVersionMissing, ProtocolVersionUnsupported, ServerInfoInvalid,
        };
        let version = r#""protocolVersion":"2025-11-25""#;
        let with = |member: &str| format!(r#"{{{version},"capabilities":{{}},{member}}}"#);
        for (result, kind, found) in [
            (
                format!(r#"{{"capabilities":{{}},{INFO}}}"#),
                ProtocolVersionMissing,
                None,
            ),
            (
                format!(r#"{{"protocolVersion":1,"capabilities":{{}},{INFO}}}"#),
                ProtocolVersionMissing,
                Some(JsonType::Number),
            ),
            (
                format!(r#"{{"protocolVersion":"2025-11-2","capabilities":{{}},{INFO}}}"#),
                ProtocolVersionUnsupported,
                None,
            ),
            (format!("{{{version},{INFO}}}"), CapabilitiesNotObject, None),
            (
                format!(r#"{{{version},"capabilities":[],{INFO}}}"#),
                CapabilitiesNotObject,
                Some(JsonType::Array),
            ),
            (with(r#""o":1"#), ServerInfoInvalid, None),
            (
                with(r#""serverInfo":"s""#),
                ServerInfoInvalid,
                Some(JsonType::String),
            ),
            (with(r#""serverInfo":{"name":"s"}"#), ServerInfoInvalid, None),
            (with(r#""serverInfo":{"version":"1"}"#), ServerInfoInvalid, None),
            (
                with(r#""serverInfo":{"name":1,"version":"1"}"#),
                ServerInfoInvalid,
                None,
            ),
        ] {
            let fault = InitializeResult::parse(&ResultText::of_test(&result)).unwrap_err();
            assert_eq!((fault.kind(), fault.found_type()), (kind, found), "{result}");
        }
    }
}
