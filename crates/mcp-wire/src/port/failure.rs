//! What ends a leg without a reply: who is at fault, and whether the server may have acted.

use alloc::vec::Vec;
use core::fmt;

use super::{CredentialError, OutboundRefusal};
use crate::code::ErrorCode;
use crate::http::{Challenge, RetryAfter};
use crate::malformed::Malformed;

/// Whether the message can have reached the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// No byte of the message left this process: the server did not act.
    NotSent,
    /// Bytes may have left: the server may have acted.
    Unknown,
    /// A valid result or error for this request came back.
    Answered,
}

impl Delivery {
    /// The stable kebab-case name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotSent => "not-sent",
            Self::Unknown => "unknown",
            Self::Answered => "answered",
        }
    }
}

/// How far a leg has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Nothing has begun.
    Start,
    /// The leg waits for its turn among the exchanges with the server.
    Queue,
    /// The host's name is being looked up.
    Resolve,
    /// A connection is being made.
    Connect,
    /// The TLS handshake runs.
    Tls,
    /// The credential is being read.
    Credential,
    /// The message is being written.
    Send,
    /// The message is written; the head of the answer is awaited.
    FirstByte,
    /// The body of the answer is being read.
    Body,
}

impl Stage {
    /// The stage in words, for messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Queue => "queue",
            Self::Resolve => "resolve",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Credential => "credential",
            Self::Send => "send",
            Self::FirstByte => "first-byte",
            Self::Body => "body",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a leg ended without a reply.
///
/// Closed on purpose: whoever drives an exchange places each of the four, and a fifth would be a change of the port.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    /// The server's answer breaks a rule of the wire.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The network, TLS or HTTP came between.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The host's policy forbids the target or its address. Nothing was sent.
    #[error(transparent)]
    Outbound(#[from] OutboundRefusal),
    /// The credential could not be read. Nothing was sent.
    #[error(transparent)]
    Credential(#[from] CredentialError),
}

/// The network, TLS or HTTP came between. The text is our own; no byte of the peer is in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// The host's name has no address.
    #[error("the server's host name could not be resolved; check the name")]
    Resolve,
    /// The server refused the connection.
    #[error("the server refused the connection; check the port and that the server runs")]
    ConnectRefused,
    /// No connection could be made for another reason.
    #[error("no connection to the server could be made")]
    Connect,
    /// No connection was made within the time for one.
    #[error("no connection to the server was made within {limit_ms} ms (connect)")]
    ConnectTimeout {
        /// The time for one connection, in milliseconds.
        limit_ms: u64,
    },
    /// The proxy has no address, or no connection to it could be made.
    #[error("the proxy could not be reached; check its name and port and that it runs")]
    ProxyUnreachable,
    /// The proxy asks for a credential, or for another one.
    #[error("the proxy asks for a valid credential of its own")]
    ProxyAuthenticationRequired,
    /// The proxy does not let the connection through.
    #[error("the proxy did not open a way to the server; it answered with HTTP status {status}")]
    ProxyRefused {
        /// The status.
        status: u16,
    },
    /// The proxy gave no answer that could be read.
    #[error("the proxy gave no usable answer: {fault}")]
    ProxyFailed {
        /// What is wrong with it, in our words.
        fault: &'static str,
    },
    /// The server's certificate is for another name.
    #[error("the server's certificate is not valid for this host name; check the URL")]
    TlsNameMismatch,
    /// The server's certificate is not trusted.
    #[error("the server's certificate is not trusted; give its authority's certificate if it is private")]
    TlsUntrusted,
    /// The server's certificate is not valid yet, or no longer.
    #[error(
        "the server's certificate has expired, or is not valid yet; check its dates and this machine's clock"
    )]
    TlsExpired,
    /// There is no authority to trust: the platform has no store and the host gave none, or the host made its transport
    /// without trust, and then the server was not even looked up.
    #[error(
        "no certificate authority is trusted, this machine's or one of the host's own, and https needs one"
    )]
    TlsTrustMissing,
    /// The TLS handshake failed for another reason.
    #[error("the TLS handshake with the server failed")]
    Tls,
    /// The connection was lost before the head of an answer.
    #[error("the connection was lost before the server answered")]
    ConnectionLost,
    /// The status says that there is no answer.
    #[error(transparent)]
    Status(#[from] StatusFailure),
    /// The body is of a type that cannot hold an answer.
    #[error(
        "the server answered with {found}, not with JSON or an event stream; check that the URL is an MCP endpoint"
    )]
    MediaType {
        /// The type, by a name from our own list.
        found: &'static str,
    },
}

impl TransportError {
    /// How far a leg has come that fails like this.
    #[must_use]
    pub const fn stage(&self) -> Stage {
        match self {
            Self::Resolve => Stage::Resolve,
            Self::ConnectRefused
            | Self::Connect
            | Self::ConnectTimeout { .. }
            | Self::ProxyUnreachable
            | Self::ProxyAuthenticationRequired
            | Self::ProxyRefused { .. }
            | Self::ProxyFailed { .. } => Stage::Connect,
            Self::TlsNameMismatch
            | Self::TlsUntrusted
            | Self::TlsExpired
            | Self::TlsTrustMissing
            | Self::Tls => Stage::Tls,
            Self::ConnectionLost | Self::Status(_) | Self::MediaType { .. } => Stage::FirstByte,
        }
    }

    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Resolve => "resolve-failed",
            Self::ConnectRefused => "connect-refused",
            Self::Connect => "connect-failed",
            Self::ConnectTimeout { .. } => "connect-timeout",
            Self::ProxyUnreachable => "proxy-unreachable",
            Self::ProxyAuthenticationRequired => "proxy-authentication-required",
            Self::ProxyRefused { .. } => "proxy-refused",
            Self::ProxyFailed { .. } => "proxy-failed",
            Self::TlsNameMismatch => "tls-name-mismatch",
            Self::TlsUntrusted => "tls-untrusted",
            Self::TlsExpired => "tls-expired",
            Self::TlsTrustMissing => "tls-trust-missing",
            Self::Tls => "tls-failed",
            Self::ConnectionLost => "connection-lost",
            Self::Status(status) => status.kind(),
            Self::MediaType { .. } => "unreadable-media-type",
        }
    }

    /// Whether the server itself answered, in HTTP; otherwise the way to it failed.
    #[must_use]
    pub const fn is_from_server(&self) -> bool {
        match self {
            Self::Status(_) | Self::MediaType { .. } => true,
            Self::Resolve
            | Self::ConnectRefused
            | Self::Connect
            | Self::ConnectTimeout { .. }
            | Self::ProxyUnreachable
            | Self::ProxyAuthenticationRequired
            | Self::ProxyRefused { .. }
            | Self::ProxyFailed { .. }
            | Self::TlsNameMismatch
            | Self::TlsUntrusted
            | Self::TlsExpired
            | Self::TlsTrustMissing
            | Self::Tls
            | Self::ConnectionLost => false,
        }
    }
}

/// An HTTP status that carries no answer, by what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StatusFailure {
    /// The status.
    pub status: u16,
    /// Whether the request carried a session id.
    pub in_session: bool,
    /// The code of a valid JSON-RPC error in the body that names no request, or that stands under a status with a
    /// meaning of its own.
    pub code: Option<ErrorCode>,
    /// What the server asks for, with a 401 or 403.
    pub challenges: Vec<Challenge>,
    /// When the server wants to be asked again, with a 429 or 503.
    pub retry_after: Option<RetryAfter>,
}

impl StatusFailure {
    /// A status of which nothing else is known.
    #[must_use]
    pub const fn new(status: u16, in_session: bool) -> Self {
        Self {
            status,
            in_session,
            code: None,
            challenges: Vec::new(),
            retry_after: None,
        }
    }

    /// Whether the server no longer knows the session of the request.
    ///
    /// [MCP 2025-11-25, Transports, Session Management](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management).
    #[must_use]
    pub const fn is_session_lost(&self) -> bool {
        self.status == 404 && self.in_session
    }

    /// The stable kebab-case kind.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self.status {
            401 => "authentication-required",
            403 => "forbidden",
            404 if self.is_session_lost() => "session-lost",
            404 => "not-found",
            429 => "rate-limited",
            300..400 => "redirect",
            400..500 => "rejected",
            500..600 => "server-error",
            _ => "unknown-status",
        }
    }

    const fn hint(&self) -> &'static str {
        match self.status {
            401 => "give a valid credential",
            403 => "the credential does not permit this",
            404 if self.is_session_lost() => "the server no longer knows the session",
            404 => "check the path of the URL",
            429 => "the server asks to slow down",
            300..400 => "redirects are not followed, configure the final URL",
            400..500 => "the server rejected the request",
            500..600 => "the server failed",
            _ => "the status has no meaning here",
        }
    }
}

impl fmt::Display for StatusFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the server answered with HTTP status {}; {}",
            self.status,
            self.hint()
        )?;
        if let Some(challenge) = self.challenges.first() {
            write!(f, "; it asks for {challenge}")?;
        }
        if let Some(retry_after) = self.retry_after {
            write!(f, "; {retry_after}")?;
        }
        if let Some(code) = self.code {
            write!(f, " (error code {code})")?;
        }
        Ok(())
    }
}

impl core::error::Error for StatusFailure {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    #[test]
    fn a_stage_and_a_delivery_are_printed_by_their_names() {
        let stages = [
            (Stage::Start, "start"),
            (Stage::Queue, "queue"),
            (Stage::Resolve, "resolve"),
            (Stage::Connect, "connect"),
            (Stage::Tls, "tls"),
            (Stage::Credential, "credential"),
            (Stage::Send, "send"),
            (Stage::FirstByte, "first-byte"),
            (Stage::Body, "body"),
        ];
        assert!(stages.is_sorted());
        for (stage, name) in stages {
            assert_eq!((stage.name(), &*stage.to_string()), (name, name));
        }
        for (delivery, name) in [
            (Delivery::NotSent, "not-sent"),
            (Delivery::Unknown, "unknown"),
            (Delivery::Answered, "answered"),
        ] {
            assert_eq!(delivery.name(), name);
        }
    }

    #[test]
    fn a_status_says_what_it_means_and_what_to_do() {
        for (status, in_session, kind, hint) in [
            (401, true, "authentication-required", "give a valid credential"),
            (403, true, "forbidden", "the credential does not permit this"),
            (
                404,
                true,
                "session-lost",
                "the server no longer knows the session",
            ),
            (404, false, "not-found", "check the path of the URL"),
            (429, true, "rate-limited", "the server asks to slow down"),
            (
                300,
                true,
                "redirect",
                "redirects are not followed, configure the final URL",
            ),
            (
                399,
                true,
                "redirect",
                "redirects are not followed, configure the final URL",
            ),
            (400, true, "rejected", "the server rejected the request"),
            (499, true, "rejected", "the server rejected the request"),
            (500, true, "server-error", "the server failed"),
            (599, true, "server-error", "the server failed"),
            (600, true, "unknown-status", "the status has no meaning here"),
        ] {
            let failure = StatusFailure::new(status, in_session);
            let text = format!("the server answered with HTTP status {status}; {hint}");
            assert_eq!((failure.kind(), failure.to_string()), (kind, text));
            assert_eq!(failure.is_session_lost(), kind == "session-lost", "{status}");
        }
    }

    #[test]
    fn what_is_known_beside_a_status_stands_behind_it() {
        let failure = StatusFailure {
            code: Some(ErrorCode::new(-32_000)),
            challenges: Challenge::read_all([&b"Bearer error=invalid_token, Basic"[..]]),
            retry_after: Some(RetryAfter::Seconds(3)),
            ..StatusFailure::new(503, false)
        };
        assert_eq!(
            failure.to_string(),
            "the server answered with HTTP status 503; the server failed; it asks for a bearer token: invalid_token; \
             it asks to wait 3 s (error code -32000)"
        );
    }

    #[test]
    fn only_an_answer_in_http_is_from_the_server() {
        for (error, from_server, stage) in [
            (TransportError::Resolve, false, Stage::Resolve),
            (TransportError::ConnectRefused, false, Stage::Connect),
            (
                TransportError::ProxyRefused { status: 403 },
                false,
                Stage::Connect,
            ),
            (TransportError::TlsUntrusted, false, Stage::Tls),
            (TransportError::ConnectionLost, false, Stage::FirstByte),
            (StatusFailure::new(502, false).into(), true, Stage::FirstByte),
            (
                TransportError::MediaType { found: "HTML" },
                true,
                Stage::FirstByte,
            ),
        ] {
            assert_eq!(
                (error.is_from_server(), error.stage()),
                (from_server, stage),
                "{error}"
            );
        }
    }
}
