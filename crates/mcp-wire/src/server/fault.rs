//! What is wrong with a client's message.

use alloc::string::{String, ToString};
use core::fmt;

use super::{Answer, ClientId};
use crate::code::ErrorCode;
use crate::malformed::{Malformed, MalformedKind};

/// A message of a client that is none. The client is at fault, and nothing was done.
///
/// Its text is ours: a rule, and at most where it was broken. No byte of the message is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestFault {
    /// The rule that was broken.
    pub rule: RequestRule,
    /// The id of the request, wherever it could be read.
    pub id: Option<ClientId>,
}

/// The rules that a client's message keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestRule {
    /// The text is one JSON object, of which no member of the envelope occurs twice.
    Text(Malformed),
    /// `jsonrpc` is the string `2.0`.
    Version,
    /// `id` is a string or an integer within 64 bits, spelled in at most [`ClientId::MAX_BYTES`] bytes.
    Id,
    /// A message has a `method`, or an `id` beside one of `result` and `error`.
    Kind,
    /// `method` is a string.
    Method,
    /// `params` is an object.
    Params,
}

impl RequestFault {
    /// The text of the JSON-RPC error that answers such a message.
    #[must_use]
    pub fn answer(&self) -> String {
        Answer::error(self.rule.code(), &self.rule.to_string()).encode(self.id.as_ref())
    }
}

impl RequestRule {
    /// `-32700` when the text is no JSON, else `-32600`.
    #[must_use]
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::Text(fault) if is_no_json(fault.kind()) => ErrorCode::PARSE_ERROR,
            Self::Text(_) | Self::Version | Self::Id | Self::Kind | Self::Method | Self::Params => {
                ErrorCode::INVALID_REQUEST
            }
        }
    }
}

const fn is_no_json(kind: MalformedKind) -> bool {
    matches!(
        kind,
        MalformedKind::EmptyBody
            | MalformedKind::InvalidUtf8
            | MalformedKind::InvalidJson
            | MalformedKind::LoneSurrogate
    )
}

impl fmt::Display for RequestRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(fault) => fault.fmt(f),
            Self::Version => f.write_str("`jsonrpc` must be the string \"2.0\""),
            Self::Id => f.write_str("`id` must be a string or an integer"),
            Self::Kind => f.write_str("the message is neither a request, a notification nor a response"),
            Self::Method => f.write_str("`method` must be a string"),
            Self::Params => f.write_str("`params` must be an object"),
        }
    }
}

impl fmt::Display for RequestFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rule.fmt(f)
    }
}

impl core::error::Error for RequestFault {}
