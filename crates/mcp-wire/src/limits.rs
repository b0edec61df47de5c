//! Bounds of one reply. Every decoder takes them; none has an unlimited setting.

/// How much one reply may hold. A bound names the last value that is accepted.
///
/// Set single fields on top of [`ReplyLimits::default`]:
///
/// ```
/// let mut limits = mcp_wire::ReplyLimits::default();
/// limits.body_bytes = 8 * 1024 * 1024;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplyLimits {
    /// Decoded bytes of the body. Default 2,097,152 (2 MiB); one more byte is refused as `too-large`.
    pub body_bytes: usize,
    /// Levels of nested arrays and objects in one JSON text, the root included. Default 512, at most
    /// [`ReplyLimits::MAX_DEPTH`]; larger settings count as that.
    pub depth: usize,
    /// Events of one event stream, with or without a message. Default 65,536.
    pub events: usize,
    /// Bytes of one line of an event stream, its end not counted. Default: as `body_bytes`.
    pub line_bytes: usize,
    /// Bytes of the joined data of one event. Default: as `body_bytes`.
    pub event_bytes: usize,
    /// Bytes of the body of an error status that are read for the server's own no. Default 16,384 (16 KiB). A larger body
    /// leaves the status as it is.
    pub error_body_bytes: usize,
}

impl ReplyLimits {
    /// The deepest nesting that can be asked for.
    pub const MAX_DEPTH: usize = 1_024;
}

impl Default for ReplyLimits {
    fn default() -> Self {
        const BODY_BYTES: usize = 2 * 1_024 * 1_024;
        Self {
            body_bytes: BODY_BYTES,
            depth: 512,
            events: 65_536,
            line_bytes: BODY_BYTES,
            event_bytes: BODY_BYTES,
            error_body_bytes: 16 * 1_024,
        }
    }
}
