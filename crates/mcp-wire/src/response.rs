//! The verdict on one frame: a response to this request, a server message, or malformed.
//!
//! Requirements R-227-2a to R-227-2j in `specs/025-mcp-response-correlation`.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::ops::Range;

use crate::code::{CodeFault, ErrorCode};
use crate::envelope::{Envelope, ErrorMembers};
use crate::id::RequestId;
use crate::json::{JsonType, JsonValue, LongStrings};
use crate::limits::ReplyLimits;
use crate::malformed::{Malformed, MalformedKind};
use crate::text::clip;

/// A response that has been judged to answer one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response<'a> {
    /// The raw text of the `result` object: valid JSON, not decoded.
    Result(&'a str),
    /// The server's own no.
    Error(RpcError),
}

impl<'a> Response<'a> {
    /// Judges a complete JSON text as the response to the request `expected`.
    ///
    /// Of several faults in one text the first of this order is named: UTF-8, syntax and nesting, root, duplicate
    /// members, `method` beside a branch, `jsonrpc`, `id`, the branches, the branch itself.
    ///
    /// # Errors
    ///
    /// [`Malformed`]; the peer is at fault.
    pub fn parse(text: &'a [u8], expected: &RequestId, limits: &ReplyLimits) -> Result<Self, Malformed> {
        let text = utf8(text)?;
        match Frame::parse(text, expected, limits)? {
            Frame::Result(part) => Ok(Self::Result(text.get(part.range).unwrap_or_default())),
            Frame::Error(error) => Ok(Self::Error(error)),
            Frame::Server(_) => Err(MalformedKind::NoResponse.into()),
        }
    }
}

/// What one frame is.
#[derive(Debug)]
pub(crate) enum Frame {
    /// A response with a result.
    Result(ResultPart),
    /// A response with an error.
    Error(RpcError),
    /// A server notification or server request, passed over by the verdict.
    Server(ServerFrame),
}

/// Where the result object stands in its frame, and the long strings of it.
#[derive(Debug)]
pub(crate) struct ResultPart {
    pub(crate) range: Range<usize>,
    pub(crate) long: LongStrings,
}

/// A server message: where its method's text stands in the frame, and whether it asks for an answer.
#[derive(Debug)]
pub(crate) struct ServerFrame {
    pub(crate) method: String,
    pub(crate) is_request: bool,
}

impl Frame {
    pub(crate) fn parse(text: &str, expected: &RequestId, limits: &ReplyLimits) -> Result<Self, Malformed> {
        let envelope = Envelope::parse(text, limits.depth)?;
        match (&envelope.method, &envelope.result, &envelope.error) {
            (Some(method), None, None) => return server_frame(method, &envelope),
            (Some(_), _, _) => return Err(MalformedKind::MixedFrame.into()),
            (None, _, _) => {}
        }
        require_version(envelope.jsonrpc)?;
        require_id(envelope.id, expected)?;
        match (envelope.result, envelope.error) {
            (Some(_), Some(_)) => Err(MalformedKind::BothBranches.into()),
            (None, None) => Err(MalformedKind::NoBranch.into()),
            (Some(result), None) => {
                let result = result.require(JsonType::Object, MalformedKind::ResultNotObject)?;
                let range = result.offset..result.offset + result.text.len();
                let long = envelope.long.within(&range);
                Ok(Self::Result(ResultPart { range, long }))
            }
            (None, Some(error)) => RpcError::parse(&error, limits).map(Self::Error),
        }
    }
}

fn server_frame(method: &JsonValue<'_>, envelope: &Envelope<'_>) -> Result<Frame, Malformed> {
    let method = method.require_string(MalformedKind::MethodNotString)?;
    Ok(Frame::Server(ServerFrame {
        method: method.decode().into_owned(),
        is_request: envelope.id.is_some(),
    }))
}

fn require_version(jsonrpc: Option<JsonValue<'_>>) -> Result<(), Malformed> {
    let jsonrpc = jsonrpc.ok_or(MalformedKind::VersionMissing)?;
    if jsonrpc.require_string(MalformedKind::VersionMismatch)?.is("2.0") {
        Ok(())
    } else {
        Err(MalformedKind::VersionMismatch.into())
    }
}

fn require_id(id: Option<JsonValue<'_>>, expected: &RequestId) -> Result<(), Malformed> {
    let id = id.ok_or(MalformedKind::IdMissing)?;
    if id
        .require_string(MalformedKind::IdNotString)?
        .is(expected.as_str())
    {
        Ok(())
    } else {
        Err(MalformedKind::ForeignId.into())
    }
}

/// A valid `error` answer: the server understood the request and refused it.
///
/// [JSON-RPC 2.0, section 5.1](https://www.jsonrpc.org/specification#error_object).
#[derive(Clone, PartialEq, Eq)]
pub struct RpcError {
    code: ErrorCode,
    message: String,
    data: Option<Box<str>>,
}

impl RpcError {
    /// Characters of the peer's message that are kept.
    pub const MESSAGE_CHARACTERS: usize = 200;

    fn parse(error: &JsonValue<'_>, limits: &ReplyLimits) -> Result<Self, Malformed> {
        let error = error.require(JsonType::Object, MalformedKind::ErrorNotObject)?;
        let members = ErrorMembers::parse(&error, limits.depth)?;
        let code = parse_code(members.code.ok_or(MalformedKind::CodeMissing)?)?;
        let message = members.message.ok_or(MalformedKind::MessageMissing)?;
        let message = message.require_string(MalformedKind::MessageNotString)?;
        Ok(Self {
            code,
            message: clip(&message.decode(), Self::MESSAGE_CHARACTERS),
            data: members.data.map(|data| data.text.into()),
        })
    }

    /// The code, exact.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// The peer's message, cut to [`RpcError::MESSAGE_CHARACTERS`] characters, control characters as spaces. It is
    /// remote text: show it as such.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The raw JSON text of `data`, if the peer sent any. It is remote text of any size within the body's limit.
    #[must_use]
    pub fn data(&self) -> Option<&str> {
        self.data.as_deref()
    }
}

impl fmt::Debug for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RpcError")
            .field("code", &self.code)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RPC error {}: {}", self.code, self.message)
    }
}

impl core::error::Error for RpcError {}

fn parse_code(code: JsonValue<'_>) -> Result<ErrorCode, Malformed> {
    let code = code.require(JsonType::Number, MalformedKind::CodeNotNumber)?;
    ErrorCode::from_literal(code.text).map_err(|fault| {
        Malformed::new(match fault {
            CodeFault::NotNumber => MalformedKind::CodeNotNumber,
            CodeFault::Fraction => MalformedKind::CodeFraction,
            CodeFault::OutOfRange => MalformedKind::CodeOutOfRange,
        })
    })
}

/// The code of an error that names no request: valid but for an `id` that is absent or null.
///
/// On an error status such a body cannot be tied to the request, so nothing but the number is read from it.
pub(crate) fn unattributed_code(text: &[u8], limits: &ReplyLimits) -> Option<ErrorCode> {
    let envelope = Envelope::parse(utf8(text).ok()?, limits.depth).ok()?;
    let unattributed = envelope.id.is_none_or(|id| id.kind == JsonType::Null);
    if !unattributed || envelope.method.is_some() || envelope.result.is_some() {
        return None;
    }
    require_version(envelope.jsonrpc).ok()?;
    RpcError::parse(&envelope.error?, limits)
        .ok()
        .map(|error| error.code())
}

/// The text of a frame, or where it stops being UTF-8.
pub(crate) fn utf8(text: &[u8]) -> Result<&str, Malformed> {
    core::str::from_utf8(text).map_err(|fault| Malformed::at(MalformedKind::InvalidUtf8, fault.valid_up_to()))
}
