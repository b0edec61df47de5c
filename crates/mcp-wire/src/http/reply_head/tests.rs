//! What each part of a head decides, alone and beside the others.

use super::*;
use crate::id::{Entropy, EntropyUnavailable, ProcessId, ProcessIdentity, RequestIds};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;

struct Fixed;

impl Entropy for Fixed {
    fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
        target.fill(7);
        Ok(())
    }
}

impl ProcessIdentity for Fixed {
    fn current(&self) -> ProcessId {
        ProcessId(7)
    }
}

fn request(method: Method) -> Leg {
    let ids = RequestIds::new(Arc::new(Fixed), Arc::new(Fixed)).unwrap();
    Leg {
        method,
        expectation: Expectation::Response(ids.allocate().unwrap()),
        in_session: true,
    }
}

fn read(status: u16, fields: &[(&str, &str)]) -> ReplyHead {
    ReplyHead::read(
        status,
        fields.iter().map(|(name, value)| (*name, value.as_bytes())),
    )
}

/// What the head means for a `tools/call`.
fn call(status: u16, fields: &[(&str, &str)]) -> String {
    told(read(status, fields).judge(&request(Method::ToolsCall)))
}

fn told(verdict: HeadVerdict) -> String {
    match verdict {
        HeadVerdict::Answer { framing, session } => match session {
            Some(session) => format!("{framing:?} in {}", session.expose()),
            None => format!("{framing:?}"),
        },
        HeadVerdict::Accepted => "accepted".to_string(),
        HeadVerdict::Failure { failure, json } => {
            let body = if json { "JSON" } else { "no body" };
            let kind = failure.kind();
            let mut told = format!("{} {kind}, {body}", failure.status);
            for challenge in &failure.challenges {
                told += &format!(", {challenge}");
            }
            if let Some(retry_after) = failure.retry_after {
                told += &format!(", {retry_after}");
            }
            told
        }
        HeadVerdict::Refused(ExchangeError::Malformed(fault)) => fault.kind().name().to_string(),
        HeadVerdict::Refused(ExchangeError::Transport(TransportError::MediaType { found })) => {
            found.to_string()
        }
        HeadVerdict::Refused(other) => panic!("{other:?}"),
    }
}

#[test]
fn every_status_hears_the_end_of_a_session() {
    let leg = Leg {
        method: Method::EndSession,
        expectation: Expectation::Receipt,
        in_session: true,
    };
    let fields = [("content-type", "text/html"), ("content-encoding", "gzip")];
    for status in [200, 202, 204, 301, 400, 401, 404, 405, 429, 500, 999] {
        assert_eq!(told(read(status, &fields).judge(&leg)), "accepted", "{status}");
    }
}

#[test]
fn a_notification_is_accepted_by_any_success() {
    let leg = Leg {
        method: Method::Initialized,
        expectation: Expectation::Acceptance,
        in_session: false,
    };
    let fields = [("content-type", "text/html"), ("content-encoding", "gzip")];
    for (status, expected) in [
        (199, "199 unknown-status, no body"),
        (200, "accepted"),
        (202, "accepted"),
        (299, "accepted"),
        (300, "300 redirect, no body"),
        (404, "404 not-found, no body"),
    ] {
        assert_eq!(told(read(status, &fields).judge(&leg)), expected, "{status}");
    }
}

#[test]
fn the_status_decides_what_a_request_is_answered_with() {
    for (status, expected) in [
        (199, "199 unknown-status, no body"),
        (200, "Json"),
        (201, "unexpected-success"),
        (202, "unexpected-success"),
        (299, "unexpected-success"),
        (300, "300 redirect, no body"),
        (399, "399 redirect, no body"),
        (400, "400 rejected, JSON"),
        (404, "404 session-lost, JSON"),
        (599, "599 server-error, JSON"),
        (600, "600 unknown-status, no body"),
    ] {
        assert_eq!(call(status, &[("content-type", "application/json")]), expected);
    }
}

#[test]
fn an_answer_is_of_one_of_two_media_types() {
    for (media, expected) in [
        ("application/json", "Json"),
        (" Application/JSON ; charset=utf-8", "Json"),
        ("text/event-stream", "EventStream"),
        ("text/event-stream;x", "EventStream"),
        ("text/html", "an HTML page"),
        ("application/xhtml+xml", "an HTML page"),
        ("text/plain; charset=utf-8", "plain text"),
        ("application/xml", "XML"),
        ("text/xml", "XML"),
        ("application/octet-stream", "binary data"),
        ("application/problem+JSON", "another JSON media type"),
        ("application/json-seq", "an unknown media type"),
        ("", "an unknown media type"),
        ("; application/json", "an unknown media type"),
    ] {
        assert_eq!(call(200, &[("content-type", media)]), expected, "{media}");
    }
    assert_eq!(call(200, &[]), "no media type");
    let twice = [("content-type", "application/json"); 2];
    assert_eq!(call(200, &twice), "several media types");
    assert_eq!(call(500, &twice), "500 server-error, no body");
}

#[test]
fn an_answer_is_not_coded() {
    let with = |codings: &[&str], status| {
        let mut fields = alloc::vec![("content-type", "application/json")];
        fields.extend(codings.iter().map(|coding| ("content-encoding", *coding)));
        call(status, &fields)
    };
    assert_eq!(with(&[" Identity "], 200), "Json");
    assert_eq!(with(&[" Identity "], 400), "400 rejected, JSON");
    for codings in [&["gzip"][..], &["gzip", "identity"], &["identity", "gzip"], &[""]] {
        assert_eq!(with(codings, 200), "content-coded", "{codings:?}");
        assert_eq!(with(codings, 400), "400 rejected, no body", "{codings:?}");
    }
}

#[test]
fn a_length_is_declared_at_most_once() {
    const LENGTH: &str = "content-length";
    const CODING: &str = "transfer-encoding";
    for (lines, length, ambiguous) in [
        (&[][..], None, false),
        (&[(LENGTH, " 12 ")], Some(12), false),
        (&[(CODING, " Chunked ")], None, false),
        (&[(LENGTH, "12"), (LENGTH, "12")], None, true),
        (&[(CODING, "chunked"), (CODING, "chunked")], None, true),
        (&[(LENGTH, "12"), (CODING, "chunked")], None, true),
        (&[(LENGTH, "")], None, true),
        (&[(LENGTH, "-1")], None, true),
        (&[(LENGTH, "12, 12")], None, true),
        (&[(LENGTH, "18446744073709551616")], None, true),
        (&[(CODING, "gzip, chunked")], None, true),
        (&[(CODING, "")], None, true),
    ] {
        let head = read(200, lines);
        assert_eq!(head.content_length(), length, "{lines:?}");
        assert_eq!(head.is_ambiguous(), ambiguous, "{lines:?}");
        let fields = [&[("content-type", "application/json")], lines].concat();
        let (answer, failure) = if ambiguous {
            ("ambiguous-framing", "400 rejected, no body")
        } else {
            ("Json", "400 rejected, JSON")
        };
        assert_eq!(call(200, &fields), answer, "{lines:?}");
        assert_eq!(call(400, &fields), failure, "{lines:?}");
    }
}

#[test]
fn only_initialize_adopts_a_session() {
    let issued = |method, ids: &[&str]| {
        let mut fields = alloc::vec![("content-type", "text/event-stream")];
        fields.extend(ids.iter().map(|id| ("mcp-session-id", *id)));
        told(read(200, &fields).judge(&request(method)))
    };
    assert_eq!(issued(Method::Initialize, &[]), "EventStream");
    assert_eq!(issued(Method::Initialize, &["s-1"]), "EventStream in s-1");
    for ids in [&["s-1", "s-1"][..], &["s-1", "s-1", "s-1"], &["s 1"], &[""]] {
        assert_eq!(issued(Method::Initialize, ids), "session-id-invalid", "{ids:?}");
        assert_eq!(issued(Method::ToolsCall, ids), "EventStream", "{ids:?}");
    }
    assert_eq!(issued(Method::ToolsCall, &["s-1"]), "EventStream");
}

#[test]
fn a_head_is_judged_in_the_order_length_media_type_coding_session() {
    let mut fields = alloc::vec![
        ("mcp-session-id", "s 1"),
        ("content-encoding", "gzip"),
        ("content-type", "text/html"),
        ("content-length", "x"),
    ];
    let judge = |fields: &[_]| told(read(200, fields).judge(&request(Method::Initialize)));
    assert_eq!(judge(&fields), "ambiguous-framing");
    fields.pop();
    assert_eq!(judge(&fields), "an HTML page");
    fields.pop();
    fields.push(("content-type", "application/json"));
    assert_eq!(judge(&fields), "content-coded");
    fields.remove(1);
    assert_eq!(judge(&fields), "session-id-invalid");
}

#[test]
fn challenges_and_delays_count_with_their_statuses_alone() {
    let fields = [
        ("www-authenticate", "Basic realm=a"),
        ("www-authenticate", "Bearer error=invalid_token"),
        ("retry-after", "12"),
    ];
    for (status, expected) in [
        (400, "400 rejected, no body"),
        (
            401,
            "401 authentication-required, no body, a name and a password, a bearer token: invalid_token",
        ),
        (402, "402 rejected, no body"),
        (
            403,
            "403 forbidden, no body, a name and a password, a bearer token: invalid_token",
        ),
        (429, "429 rate-limited, no body, it asks to wait 12 s"),
        (500, "500 server-error, no body"),
        (503, "503 server-error, no body, it asks to wait 12 s"),
    ] {
        assert_eq!(call(status, &fields), expected);
    }
    let twice = [("retry-after", "12"); 2];
    assert_eq!(call(503, &twice), "503 server-error, no body");
}
