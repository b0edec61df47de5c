//! What the server refuses by itself, before a handler is asked.

use mcp_wire::ErrorCode;
use mcp_wire::context::ContextRefusal;
use mcp_wire::server::{Answer, ClientId, InitializeFault, LifecycleRefusal};

/// A message that may be acted on by its context and is refused all the same. Nothing was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It comes at the wrong time of its session.
    Lifecycle(LifecycleRefusal),
    /// Its parameters are none for `initialize`.
    Initialize(InitializeFault),
    /// A request with its id is being handled in the same session.
    LiveId,
    /// As many requests are being handled as may be.
    Busy,
    /// As many sessions live as may live.
    SessionsFull,
    /// No session id could be drawn, or no revision is spoken.
    Unable,
}

impl Refusal {
    const fn code(self) -> ErrorCode {
        match self {
            Self::Lifecycle(refusal) => refusal.code(),
            Self::Initialize(fault) => fault.code(),
            Self::LiveId => ErrorCode::INVALID_REQUEST,
            Self::Busy | Self::SessionsFull | Self::Unable => ErrorCode::INTERNAL_ERROR,
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Lifecycle(refusal) => refusal.text(),
            Self::Initialize(fault) => fault.text(),
            Self::LiveId => "a request with this id is being handled",
            Self::Busy => "the server handles as many requests as it may",
            Self::SessionsFull => "the server has as many sessions as it may",
            Self::Unable => "the server cannot begin a session",
        }
    }

    /// The JSON-RPC error.
    pub(crate) const fn answer(self) -> Answer<'static> {
        Answer::error(self.code(), self.text())
    }
}

/// The JSON-RPC error of a context refusal: its own code and text.
pub(crate) fn context_error(refusal: ContextRefusal, id: Option<&ClientId>) -> String {
    Answer::error(refusal.code(), refusal.text()).encode(id)
}
