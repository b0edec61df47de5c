//! What comes before the first byte, in its order, and where a secret goes.

use std::net::SocketAddr;
use std::sync::Arc;

use mcp_http::{HttpOptions, HttpTransport, Tls};
use mcp_testkit::{AdmitAll, MemoryCredentials, PeerLog, RecordedRequest, ReplyEnd};
use mcp_wire::{
    Credential, CredentialHeader, CredentialPlacement, CredentialRef, Delivery, Endpoint, Message,
    OutboundPolicy, OutboundRefusal, Stage, Target,
};

use crate::support::{Outcome, PLAIN, Pings, kind, peer_saying, send, target};

const REFERENCE: &str = "vault:key";
const SECRET: &str = "s3cr3t";

#[tokio::test(start_paused = true)]
async fn a_refused_target_is_neither_looked_up_nor_dialled() {
    for url in ["http://srv.example/", "http://203.0.113.9/"] {
        let refusal = OutboundRefusal::PlainHttp;
        let ran = run(Refusing::Target(refusal), SECRET, &bearer(url)).await;
        ran.check_refused("plain-http-refused", 0, 0, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_address_is_not_dialled() {
    for (url, look_ups) in [("http://srv.example/", 1), ("http://203.0.113.9/", 0)] {
        let ran = run(Refusing::Address, SECRET, &bearer(url)).await;
        ran.check_refused("address-refused", look_ups, 0, 0);
    }
}

/// The other targets here are `http`, which needs no trust.
#[tokio::test(start_paused = true)]
async fn where_nobody_is_trusted_https_is_neither_looked_up_nor_dialled() {
    for url in ["https://srv.example/", "https://203.0.113.9/"] {
        let ran = run(Refusing::Nothing, SECRET, &bearer(url)).await;
        ran.check_refused("tls-trust-missing", 0, 0, 0);
        assert_eq!(ran.outcome.stage, Stage::Tls);
    }
}

#[tokio::test(start_paused = true)]
async fn a_credential_that_does_not_exist_stops_the_message() {
    let mut target = bearer("http://srv.example/");
    target.credentials[0].reference.0 = "vault:none".to_owned();
    let ran = run(Refusing::Nothing, SECRET, &target).await;
    ran.check_refused("credential-missing", 1, 1, 1);
}

#[tokio::test(start_paused = true)]
async fn one_missing_credential_of_two_stops_the_message() {
    let mut target = bearer("http://srv.example/");
    target.credentials.push(Credential {
        reference: CredentialRef("vault:none".to_owned()),
        placement: CredentialPlacement::Header(CredentialHeader::parse("x-api-key").unwrap()),
    });
    let ran = run(Refusing::Nothing, SECRET, &target).await;
    ran.check_refused("credential-missing", 1, 1, 2);
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_no_header_can_hold_stops_the_message_and_stays_secret() {
    let secrets = [
        "",
        "hush\n",
        "hush\r\nx-injected: 1",
        "hush\0hush",
        "hush\thush",
        "hush\u{7f}",
        "h\u{fc}sh-hush",
    ];
    let named = CredentialPlacement::Header(CredentialHeader::parse("x-api-key").unwrap());
    for secret in secrets {
        for placement in [CredentialPlacement::Bearer, named.clone()] {
            let mut target = bearer("http://srv.example/");
            target.credentials[0].placement = placement;
            let ran = run(Refusing::Nothing, secret, &target).await;
            ran.check_refused("credential-unusable", 1, 1, 1);
            let error = ran.outcome.result.unwrap_err();
            let text = format!("{error} {error:?}");
            assert!(text.contains(REFERENCE), "{text}");
            assert!(!text.contains("hush") && !text.contains("sh-"), "{text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_secret_stands_once_on_each_request_where_it_was_put() {
    let named = CredentialPlacement::Header(CredentialHeader::parse("X-Api-Key").unwrap());
    let cases = [
        (CredentialPlacement::Bearer, "authorization", "Bearer s3cr3t"),
        (named, "x-api-key", "s3cr3t"),
    ];
    for (placement, name, value) in cases {
        let mut target = bearer("http://srv.example/");
        target.credentials[0].placement = placement;
        let ran = run(Refusing::Nothing, SECRET, &target).await;
        assert_eq!(ran.outcome.verdict(), "accepted");
        assert_eq!(
            (ran.log.connections, ran.log.requests.len(), ran.reads),
            (1, 3, 3)
        );
        for request in &ran.log.requests {
            assert_eq!(fields(request, name), [value]);
            let whole = format!("{request:?}");
            assert_eq!(whole.matches(SECRET).count(), 1, "{whole}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_request_has_its_fields_once() {
    let ran = run(
        Refusing::Nothing,
        SECRET,
        &target("http://srv.example:8080/a/b?c=d"),
    )
    .await;
    assert_eq!(ran.reads, 0);
    for request in &ran.log.requests {
        assert_eq!((&*request.http_method, &*request.target), ("POST", "/a/b?c=d"));
        let length = request.body.len().to_string();
        for (name, values) in [
            ("host", vec!["srv.example:8080"]),
            ("accept", vec!["application/json, text/event-stream"]),
            ("accept-encoding", vec!["identity"]),
            ("content-type", vec!["application/json"]),
            ("content-length", vec![&length]),
            (
                "user-agent",
                vec![concat!("mcp-http/", env!("CARGO_PKG_VERSION"))],
            ),
            ("authorization", vec![]),
            ("transfer-encoding", vec![]),
            ("expect", vec![]),
        ] {
            assert_eq!(fields(request, name), values, "{name}");
        }
    }
}

/// What came of a few messages, and what they touched.
struct Ran {
    /// How the last one ended.
    outcome: Outcome,
    log: PeerLog,
    reads: usize,
}

impl Ran {
    /// All was refused before a byte was sent, after this many look-ups, connections and reads of a credential.
    fn check_refused(&self, verdict: &str, look_ups: usize, connections: usize, reads: usize) {
        let error = self.outcome.result.as_ref().unwrap_err();
        assert_eq!((kind(error), self.outcome.delivery), (verdict, Delivery::NotSent));
        assert_eq!(self.log.look_ups.len(), look_ups, "look-ups");
        assert_eq!(self.log.connections, connections, "connections");
        assert_eq!(self.reads, reads, "reads");
        assert_eq!(self.log.requests, [], "requests");
    }
}

/// Sends two requests and a notification, but nothing more after the first refusal.
async fn run(policy: Refusing, secret: &str, target: &Target) -> Ran {
    let peer = peer_saying(PLAIN, ReplyEnd::KeepOpen);
    let credentials = Arc::new(MemoryCredentials::holding(REFERENCE, secret));
    let transport = HttpTransport::with_dialler(
        Arc::new(policy),
        credentials.clone(),
        Arc::new(peer.clone()),
        Tls::none(),
        HttpOptions::default(),
    );
    let pings = Pings::new();
    let mut outcome = send(&transport, target, pings.next()).await;
    for message in [pings.next(), Message::initialized()] {
        if outcome.result.is_err() {
            break;
        }
        outcome = send(&transport, target, message).await;
    }
    Ran {
        outcome,
        log: peer.log(),
        reads: credentials.reads(),
    }
}

fn bearer(url: &str) -> Target {
    let mut target = target(url);
    target.credentials.push(Credential {
        reference: CredentialRef(REFERENCE.to_owned()),
        placement: CredentialPlacement::Bearer,
    });
    target
}

fn fields<'a>(request: &'a RecordedRequest, name: &str) -> Vec<&'a str> {
    let fields = request.fields.iter();
    fields
        .filter(|(known, _)| known == name)
        .map(|(_, value)| value.as_str())
        .collect()
}

/// An outbound policy that says no at one point.
#[derive(Clone, Copy)]
enum Refusing {
    Target(OutboundRefusal),
    Address,
    Nothing,
}

impl OutboundPolicy for Refusing {
    fn admit_target(&self, endpoint: &Endpoint) -> Result<(), OutboundRefusal> {
        match self {
            Self::Target(refusal) => Err(*refusal),
            Self::Address | Self::Nothing => AdmitAll.admit_target(endpoint),
        }
    }

    fn admit_address(&self, endpoint: &Endpoint, address: SocketAddr) -> Result<(), OutboundRefusal> {
        match self {
            Self::Address => Err(OutboundRefusal::Address { class: "private" }),
            Self::Target(_) | Self::Nothing => AdmitAll.admit_address(endpoint, address),
        }
    }
}
