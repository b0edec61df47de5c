//! How far an exchange says it has come, and whether its message may have arrived.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::Poll;

use mcp_http::{BoxedStream, Dialler, HttpOptions, HttpTransport, Tls};
use mcp_testkit::{AdmitAll, PeerReply, RecordedRequest, ReplyEnd, ScriptedPeer};
use mcp_wire::{
    Credential, CredentialError, CredentialPlacement, CredentialRef, CredentialSource, Delivery, Exchange,
    PortFuture, Secret, Stage, Target, Transport,
};

use crate::support::{
    PLAIN, Pings, drive_until, finish, peer_saying, send, silent_peer, target, transport_over,
};

const URL: &str = "http://srv.example/mcp";

#[tokio::test(start_paused = true)]
async fn nothing_has_begun_before_the_first_poll() {
    let peer = silent_peer();
    let transport = transport_over(peer.clone(), Tls::platform());
    let exchange = transport.open(&Arc::new(target(URL)), Pings::new().next());
    tokio::task::yield_now().await;
    assert_eq!(progress(&*exchange), (Stage::Start, Delivery::NotSent));
    let log = peer.log();
    assert_eq!((log.look_ups.len(), log.connections), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn each_wait_has_its_stage() {
    let cases = [
        (HoldAt::Resolve, Stage::Resolve, Delivery::NotSent),
        (HoldAt::Connect, Stage::Connect, Delivery::NotSent),
        (HoldAt::Credential, Stage::Credential, Delivery::NotSent),
        (HoldAt::Answer, Stage::FirstByte, Delivery::Unknown),
    ];
    for (hold, stage, delivery) in cases {
        let held = Held {
            hold,
            peer: silent_peer(),
        };
        let transport = HttpTransport::with_dialler(
            Arc::new(AdmitAll),
            Arc::new(held.clone()),
            Arc::new(held.clone()),
            Tls::platform(),
            HttpOptions::default(),
        );
        let mut exchange = transport.open(&Arc::new(with_credential()), Pings::new().next());
        look_often(&mut *exchange).await;
        assert_eq!(progress(&*exchange), (stage, delivery));
        let requests = usize::from(delivery == Delivery::Unknown);
        assert_eq!(held.peer.log().requests.len(), requests);
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_without_its_body_leaves_the_delivery_unknown() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 71\r\n\r\n{\"jsonrpc\"";
    let transport = transport_over(peer_saying(head, ReplyEnd::KeepOpen), Tls::platform());
    let mut exchange = transport.open(&Arc::new(target(URL)), Pings::new().next());
    drive_until(&mut *exchange, |exchange| exchange.stage() == Stage::Body).await;
    look_often(&mut *exchange).await;
    assert_eq!(progress(&*exchange), (Stage::Body, Delivery::Unknown));
}

#[tokio::test(start_paused = true)]
async fn only_the_answer_to_the_request_proves_the_delivery() {
    let refusal = "{\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"error\":{\"code\":-32601,\"message\":\"no\"}}";
    let other = "{\"jsonrpc\":\"2.0\",\"id\":\"other\",\"result\":{}}";
    let json = "content-type: application/json\r\ncontent-length: $LEN\r\n\r\n";
    let cases = [
        (PLAIN.to_owned(), "result", Delivery::Answered),
        (
            format!("HTTP/1.1 200 OK\r\n{json}{refusal}"),
            "error",
            Delivery::Answered,
        ),
        (
            format!("HTTP/1.1 400 No\r\n{json}{refusal}"),
            "error",
            Delivery::Answered,
        ),
        (
            format!("HTTP/1.1 200 OK\r\n{json}{other}"),
            "foreign-id",
            Delivery::Unknown,
        ),
        (
            format!("HTTP/1.1 401 No\r\n{json}{refusal}"),
            "authentication-required",
            Delivery::Unknown,
        ),
        (
            format!("HTTP/1.1 503 No\r\n{json}{{}}"),
            "server-error",
            Delivery::Unknown,
        ),
        (
            format!("HTTP/1.1 202 OK\r\n{json}"),
            "unexpected-success",
            Delivery::Unknown,
        ),
        ("SSH-2.0-server\r\n".to_owned(), "invalid-http", Delivery::Unknown),
    ];
    for (reply, verdict, delivery) in cases {
        let transport = transport_over(peer_saying(&*reply, ReplyEnd::KeepOpen), Tls::platform());
        let outcome = send(&transport, &target(URL), Pings::new().next()).await;
        assert_eq!(
            (outcome.verdict(), outcome.delivery),
            (verdict, delivery),
            "{reply}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_ends_before_the_head_leaves_the_delivery_unknown() {
    for end in [ReplyEnd::Close, ReplyEnd::Reset] {
        for begun in ["", "HTTP/1.1 200 OK\r\ncontent-"] {
            let transport = transport_over(peer_saying(begun, end), Tls::platform());
            let outcome = send(&transport, &target(URL), Pings::new().next()).await;
            assert_eq!(outcome.verdict(), "connection-lost", "{begun:?}, {end:?}");
            assert_eq!(
                (outcome.stage, outcome.delivery),
                (Stage::FirstByte, Delivery::Unknown)
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_message_is_handed_out_before_the_answer_is_there() {
    let notice = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n";
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let peer = ScriptedPeer::new(move |_request: &RecordedRequest| PeerReply {
        pieces: [head, notice, notice]
            .map(|piece| piece.as_bytes().to_vec())
            .to_vec(),
        end: ReplyEnd::Close,
    });
    let transport = transport_over(peer, Tls::platform());
    let mut exchange = transport.open(&Arc::new(target(URL)), Pings::new().next());
    let outcome = finish(&mut *exchange).await;
    assert_eq!(outcome.server_messages, ["notifications/message"; 2]);
    assert_eq!(
        (outcome.verdict(), outcome.delivery),
        ("no-response", Delivery::Unknown)
    );
}

fn progress(exchange: &dyn Exchange) -> (Stage, Delivery) {
    (exchange.stage(), exchange.delivery())
}

fn with_credential() -> Target {
    let mut target = target(URL);
    target.credentials.push(Credential {
        reference: CredentialRef("vault:key".to_owned()),
        placement: CredentialPlacement::Bearer,
    });
    target
}

/// Polls an exchange that stays pending, and lets its connection work in between.
async fn look_often(exchange: &mut dyn Exchange) {
    for _ in 0..10 {
        poll_fn(|cx| {
            assert!(exchange.poll_event(cx).is_pending());
            Poll::Ready(())
        })
        .await;
        tokio::task::yield_now().await;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HoldAt {
    Resolve,
    Connect,
    Credential,
    Answer,
}

/// Never answers one question, and passes on the others.
#[derive(Clone)]
struct Held {
    hold: HoldAt,
    peer: ScriptedPeer,
}

impl Held {
    fn pass<T: Send + 'static>(&self, at: HoldAt, answer: impl FnOnce() -> PortFuture<T>) -> PortFuture<T> {
        if self.hold == at {
            PortFuture::pending(std::future::pending())
        } else {
            answer()
        }
    }
}

impl Dialler for Held {
    fn resolve(&self, name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        self.pass(HoldAt::Resolve, || self.peer.resolve(name, port))
    }

    fn connect(&self, address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        self.pass(HoldAt::Connect, || self.peer.connect(address))
    }
}

impl CredentialSource for Held {
    fn read(&self, reference: &CredentialRef) -> PortFuture<Result<Secret, CredentialError>> {
        self.pass(HoldAt::Credential, || {
            PortFuture::ready(Ok(Secret::new(reference.0.clone())))
        })
    }
}
