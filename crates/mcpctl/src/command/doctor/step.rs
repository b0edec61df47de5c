//! The steps of a diagnosis, and at which of them a failure belongs.

use mcp_host::{Failure, Found, Waypoint};
use mcp_policy::Cause;
use mcp_wire::{MalformedKind, Stage, TransportError};

/// The steps, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Url,
    LookUp,
    Addresses,
    Connect,
    Tls,
    Http,
    Authentication,
    Answer,
    Version,
    Session,
    Tools,
    Call,
}

impl Step {
    pub(super) const ALL: [Self; 12] = [
        Self::Url,
        Self::LookUp,
        Self::Addresses,
        Self::Connect,
        Self::Tls,
        Self::Http,
        Self::Authentication,
        Self::Answer,
        Self::Version,
        Self::Session,
        Self::Tools,
        Self::Call,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::LookUp => "look-up",
            Self::Addresses => "addresses",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Http => "http",
            Self::Authentication => "authentication",
            Self::Answer => "answer",
            Self::Version => "version",
            Self::Session => "session",
            Self::Tools => "tools",
            Self::Call => "call",
        }
    }

    pub(super) const fn of(waypoint: Waypoint) -> Self {
        match waypoint {
            Waypoint::Target => Self::Url,
            Waypoint::Lookup => Self::LookUp,
            Waypoint::Addresses => Self::Addresses,
            Waypoint::Connect => Self::Connect,
            Waypoint::Tls => Self::Tls,
        }
    }
}

/// The step at which a request failed like this.
pub(super) fn of_failure(failure: &Failure) -> Step {
    match failure.cause() {
        Cause::Transport(error) => of_transport(error),
        Cause::Malformed(fault) => of_rule(fault.kind()),
        Cause::DeadlineExceeded { stage, .. } | Cause::Cancelled { stage } => of_stage(*stage),
        // The credential could not be read, or the target was refused after all.
        Cause::Refused(_) => Step::Authentication,
        Cause::Walk(_) => Step::Tools,
        // The server's own no, and what may come.
        Cause::Rpc { .. } | Cause::Unrecorded | _ => Step::Answer,
    }
}

fn of_transport(error: &TransportError) -> Step {
    if let TransportError::Status(status) = error
        && matches!(status.status, 401 | 403)
    {
        Step::Authentication
    } else {
        of_stage(error.stage())
    }
}

fn of_rule(rule: MalformedKind) -> Step {
    let is_http = matches!(
        rule,
        MalformedKind::AmbiguousFraming
            | MalformedKind::HeadTooLarge
            | MalformedKind::InvalidHttp
            | MalformedKind::UnexpectedSuccess
            | MalformedKind::ContentCoded
    );
    let is_version = matches!(
        rule,
        MalformedKind::ProtocolVersionMissing | MalformedKind::ProtocolVersionUnsupported
    );
    match (is_http, is_version) {
        (true, _) => Step::Http,
        (false, true) => Step::Version,
        (false, false) if rule == MalformedKind::SessionIdInvalid => Step::Session,
        (false, false) => Step::Answer,
    }
}

const fn of_stage(stage: Stage) -> Step {
    match stage {
        Stage::Start | Stage::Queue | Stage::Credential => Step::Authentication,
        Stage::Resolve => Step::LookUp,
        Stage::Connect => Step::Connect,
        Stage::Tls => Step::Tls,
        Stage::Send | Stage::FirstByte => Step::Http,
        Stage::Body => Step::Answer,
    }
}

/// What was found on the way, in words.
pub(super) fn shown(found: &Found) -> String {
    match found {
        Found::Admitted => "may be asked".to_owned(),
        Found::Addresses(addresses) => {
            let addresses: Vec<String> = addresses.iter().map(|address| address.ip().to_string()).collect();
            addresses.join(", ")
        }
        Found::Judged(judged) => {
            let judged = judged.iter().map(|(address, judgement)| match judgement {
                Ok(()) => format!("{} may be dialled", address.ip()),
                Err(refusal) => format!("{} may not: {refusal}", address.ip()),
            });
            judged.collect::<Vec<_>>().join("; ")
        }
        Found::Connected(address) => address.to_string(),
        Found::Tunnelled => "through the proxy".to_owned(),
        Found::Secured { http2: true } => "chain, name and dates hold; HTTP/2".to_owned(),
        Found::Secured { http2: false } => "chain, name and dates hold; HTTP/1.1".to_owned(),
    }
}
