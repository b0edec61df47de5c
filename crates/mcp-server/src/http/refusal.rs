//! From a refusal to a status: the native errors of this transport.

use http::StatusCode;
use mcp_wire::ErrorCode;
use mcp_wire::server::{Answer, LifecycleRefusal};

use crate::refusal::Refusal;

/// What HTTP itself refuses, before there is a message. Nothing was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HttpRefusal {
    /// The host is not one of ours, or named more than once.
    Host,
    /// The origin is not one of ours.
    Origin,
    /// The body is larger than the bound.
    TooLarge,
    /// Nobody who is known sends it.
    Unidentified,
    /// Another path.
    Path,
    /// A method that the endpoint does not have.
    Method,
    /// The client does not take both forms of an answer.
    Accept,
    /// The body is of another type, or coded.
    MediaType,
    /// A field that may stand once stands more than once.
    Repeated,
    /// The body did not come in time.
    Slow,
    /// The body ended too early.
    Incomplete,
}

impl HttpRefusal {
    pub(super) const fn status(self) -> StatusCode {
        match self {
            Self::Host | Self::Origin => StatusCode::FORBIDDEN,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Unidentified => StatusCode::UNAUTHORIZED,
            Self::Path => StatusCode::NOT_FOUND,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Accept => StatusCode::NOT_ACCEPTABLE,
            Self::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Repeated | Self::Incomplete => StatusCode::BAD_REQUEST,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
        }
    }

    pub(super) const fn answer(self) -> Answer<'static> {
        Answer::error(
            ErrorCode::INVALID_REQUEST,
            match self {
                Self::Host => "the host is not allowed",
                Self::Origin => "the origin is not allowed",
                Self::TooLarge => "the body is larger than the limit",
                Self::Unidentified => "the caller is not known",
                Self::Path => "there is nothing at this path",
                Self::Method => "the endpoint takes POST and DELETE",
                Self::Accept => "the client must accept application/json and text/event-stream",
                Self::MediaType => "the body must be application/json, not coded",
                Self::Repeated => "a header field stands more than once",
                Self::Slow => "the body did not arrive in time",
                Self::Incomplete => "the body ended before it was complete",
            },
        )
    }
}

/// The status of a refusal that every transport knows, and the seconds after which it may be different.
pub(super) const fn status(refusal: Refusal) -> (StatusCode, Option<u16>) {
    match refusal {
        Refusal::Lifecycle(LifecycleRefusal::NotInitialized | LifecycleRefusal::AlreadyInitialized)
        | Refusal::Initialize(_)
        | Refusal::LiveId => (StatusCode::BAD_REQUEST, None),
        Refusal::Busy => (StatusCode::TOO_MANY_REQUESTS, Some(1)),
        Refusal::SessionsFull => (StatusCode::SERVICE_UNAVAILABLE, Some(30)),
        Refusal::Unable => (StatusCode::SERVICE_UNAVAILABLE, None),
    }
}
