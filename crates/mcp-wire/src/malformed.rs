//! The class *malformed*: one kind for each rule of the wire, described in our own words only.

use core::fmt;

use crate::json::JsonType;

/// A reply that breaks a rule of the wire. The peer is at fault, and whether it acted is unknown.
///
/// The text is fixed and bounded: a rule, at most a byte offset inside the judged JSON text, and at most the JSON type
/// that stood there. No byte of the reply is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed {
    kind: MalformedKind,
    offset: Option<usize>,
    found: Option<JsonType>,
    limit: Option<Limit>,
}

/// A bound that an answer goes beyond: its value, and the setting that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The last value that is accepted.
    pub value: usize,
    /// The name of the setting, such as `body_bytes`.
    pub setting: &'static str,
}

impl Malformed {
    pub(crate) const fn new(kind: MalformedKind) -> Self {
        Self {
            kind,
            offset: None,
            found: None,
            limit: None,
        }
    }

    pub(crate) const fn at(kind: MalformedKind, offset: usize) -> Self {
        Self {
            offset: Some(offset),
            ..Self::new(kind)
        }
    }

    pub(crate) const fn found(kind: MalformedKind, found: JsonType) -> Self {
        Self {
            found: Some(found),
            ..Self::new(kind)
        }
    }

    /// An answer that goes beyond the bound of `setting`.
    #[must_use]
    pub const fn beyond(kind: MalformedKind, value: usize, setting: &'static str) -> Self {
        Self {
            limit: Some(Limit { value, setting }),
            ..Self::new(kind)
        }
    }

    /// The same fault, seen at this byte.
    pub(crate) fn seen_at(self, offset: usize) -> Self {
        Self {
            offset: Some(offset),
            ..self
        }
    }

    /// The same fault in a text that starts `bytes` later.
    pub(crate) fn shifted(self, bytes: usize) -> Self {
        Self {
            offset: self.offset.map(|offset| offset + bytes),
            ..self
        }
    }

    /// The rule that was broken.
    #[must_use]
    pub const fn kind(&self) -> MalformedKind {
        self.kind
    }

    /// Where the fault was seen, in bytes from the start of the JSON text that was judged.
    #[must_use]
    pub const fn offset(&self) -> Option<usize> {
        self.offset
    }

    /// The bound that the answer goes beyond, where the rule is one.
    #[must_use]
    pub const fn limit(&self) -> Option<Limit> {
        self.limit
    }

    /// The JSON type that stood where another was required.
    #[must_use]
    pub const fn found_type(&self) -> Option<JsonType> {
        self.found
    }
}

impl From<MalformedKind> for Malformed {
    fn from(kind: MalformedKind) -> Self {
        Self::new(kind)
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.rule())?;
        if let Some(found) = self.found {
            write!(f, ", found {found}")?;
        }
        if let Some(Limit { value, setting }) = self.limit {
            write!(f, " of {value} ({setting})")?;
        }
        if let Some(offset) = self.offset {
            write!(f, ", at byte {offset}")?;
        }
        Ok(())
    }
}

impl core::error::Error for Malformed {}

/// Declares the kinds once: variant, stable name, rule in words.
macro_rules! kinds {
    ($( $(#[$doc:meta])* $variant:ident = $name:literal, $rule:literal; )*) => {
        /// One kind for each rule of the wire; the stable name of each is part of the public contract.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum MalformedKind {
            $( $(#[$doc])* #[doc = concat!("`", $name, "`: ", $rule, ".")] $variant, )*
        }

        impl MalformedKind {
            /// Every kind, in the order of the table in `docs/kinds.md`.
            pub const ALL: &'static [Self] = &[$( Self::$variant, )*];

            /// The stable kebab-case name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )* }
            }

            /// The broken rule, in words.
            #[must_use]
            pub const fn rule(self) -> &'static str {
                match self { $( Self::$variant => $rule, )* }
            }
        }
    };
}

kinds! {
    EmptyBody = "empty-body", "the body holds no JSON text";
    InvalidUtf8 = "invalid-utf8", "the text is not valid UTF-8";
    InvalidJson = "invalid-json", "the text is not one JSON value";
    LoneSurrogate = "lone-surrogate", "a string escapes half of a surrogate pair";
    TooDeep = "too-deep", "the text is nested deeper than the limit";
    Batch = "batch", "a batch is not allowed, one JSON object is";
    RootNotObject = "root-not-object", "the message must be a JSON object";
    DuplicateMember = "duplicate-member", "a member of the envelope or of `error` occurs twice";
    MixedFrame = "mixed-frame", "`method` stands beside `result` or `error`";
    MethodNotString = "method-not-string", "`method` must be a string";
    VersionMissing = "version-missing", "`jsonrpc` is missing";
    VersionMismatch = "version-mismatch", "`jsonrpc` must be the string \"2.0\"";
    IdMissing = "id-missing", "`id` is missing";
    IdNotString = "id-not-string", "`id` must be the string that was sent";
    ForeignId = "foreign-id", "`id` is not the id of this request";
    BothBranches = "both-branches", "`result` and `error` are both present";
    NoBranch = "no-branch", "neither `result` nor `error` is present";
    ResultNotObject = "result-not-object", "`result` must be an object";
    ErrorNotObject = "error-not-object", "`error` must be an object";
    CodeMissing = "code-missing", "`error.code` is missing";
    CodeNotNumber = "code-not-number", "`error.code` must be a number";
    CodeFraction = "code-fraction", "`error.code` must be an integer";
    CodeOutOfRange = "code-out-of-range", "`error.code` is outside the signed 64-bit range";
    MessageMissing = "message-missing", "`error.message` is missing";
    MessageNotString = "message-not-string", "`error.message` must be a string";
    NoMessage = "no-message", "the event stream ended without a message";
    NoResponse = "no-response", "the answer holds server messages but no response to the request";
    SecondResponse = "second-response", "the answer holds more than one response";
    TooLarge = "too-large", "the body is larger than the limit";
    LineTooLong = "line-too-long", "a line of the event stream is longer than the limit";
    EventTooLarge = "event-too-large", "an event is larger than the limit";
    TooManyEvents = "too-many-events", "the event stream holds more events than the limit";
    Incomplete = "incomplete", "the body ended before it was complete";
    AmbiguousFraming = "ambiguous-framing", "the length of the body is declared in more than one way";
    HeadTooLarge = "head-too-large", "the head of the answer is larger than the limit";
    InvalidHttp = "invalid-http", "the answer is not valid HTTP";
    UnexpectedSuccess = "unexpected-success", "a success status other than 200 carries no answer to a request";
    SessionIdInvalid = "session-id-invalid", "the session id must be given once, as 1 to 1,024 visible ASCII characters";
    ContentCoded = "content-coded", "the body is coded, which was not offered";
    ProtocolVersionMissing = "protocol-version-missing", "`result.protocolVersion` must be a string";
    ProtocolVersionUnsupported = "protocol-version-unsupported", "the server chose a protocol revision that is not supported";
    CapabilitiesNotObject = "capabilities-not-object", "`result.capabilities` must be an object";
    ServerInfoInvalid = "server-info-invalid", "`result.serverInfo` must be an object with a string `name` and `version`";
    ToolsMissing = "tools-missing", "`result.tools` must be an array";
    CursorNotString = "cursor-not-string", "`result.nextCursor` must be a string";
    ContentNotArray = "content-not-array", "`result.content` must be an array";
    StructuredNotObject = "structured-not-object", "`result.structuredContent` must be an object";
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_fault_says_its_rule_and_what_is_known_beside_it() {
        let too_deep = Malformed::new(MalformedKind::TooDeep);
        for (fault, text) in [
            (too_deep, "the text is nested deeper than the limit"),
            (
                Malformed::at(MalformedKind::InvalidJson, 3).shifted(4),
                "the text is not one JSON value, at byte 7",
            ),
            (too_deep.shifted(4), "the text is nested deeper than the limit"),
            (
                Malformed::at(MalformedKind::InvalidJson, 3).seen_at(9),
                "the text is not one JSON value, at byte 9",
            ),
            (
                Malformed::found(MalformedKind::ResultNotObject, JsonType::Null),
                "`result` must be an object, found null",
            ),
            (
                Malformed::beyond(MalformedKind::TooLarge, 5, "body_bytes"),
                "the body is larger than the limit of 5 (body_bytes)",
            ),
        ] {
            assert_eq!(fault.to_string(), text);
        }
        let limit = Limit {
            value: 5,
            setting: "body_bytes",
        };
        let beyond = Malformed::beyond(MalformedKind::TooLarge, 5, "body_bytes");
        assert_eq!((beyond.limit(), too_deep.limit()), (Some(limit), None));
    }
}
