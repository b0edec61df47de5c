//! Through a proxy on real sockets: TLS to the server inside the tunnel, and what the proxy sees of it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use mcp_http::{BoxedStream, Dialler, HttpOptions, HttpTransport, Proxy, TcpDialler, Tls};
use mcp_testkit::loopback::Step::{AwaitEnd, Read, Reset, Respond};
use mcp_testkit::loopback::{Authority, Relay};
use mcp_testkit::{AdmitAll, MemoryCredentials};
use mcp_wire::{Credential, CredentialPlacement, CredentialRef, Delivery, PortFuture, Stage, Target};
use tokio::net::TcpSocket;

use crate::support::{Outcome, Pings, say, send, serve, serve_tls, target};

const NAME: &str = "srv.example";
const OPEN: &str = "HTTP/1.1 200 OK\r\n\r\n";

#[tokio::test]
async fn under_tls_the_proxy_sees_the_server_and_nothing_of_the_message() {
    let authority = Authority::new().unwrap();
    for (acceptor, carrier) in [
        (authority.server(NAME, 2999).unwrap(), "HTTP/1.1"),
        (authority.http2_server(NAME).unwrap(), "HTTP/2"),
    ] {
        let server = serve_tls(&[&[Read, Respond, Read, Respond, AwaitEnd]], acceptor).await;
        let relay = Relay::start(server.port()).await.unwrap();
        let transport = through(relay.port(), authority.tls().unwrap());
        let pings = Pings::new();
        for _ in 0..2 {
            let outcome = send(&transport, &canary("https://srv.example/canary"), pings.next()).await;
            assert_eq!(
                (outcome.verdict(), outcome.delivery),
                ("result", Delivery::Answered),
                "{carrier}"
            );
        }
        assert_eq!(server.seen(|seen| seen.requests.len()), 2, "{carrier}");
        let seen = relay.seen();
        let head = "CONNECT srv.example:443 HTTP/1.1\r\nHost: srv.example:443\r\n\r\n";
        assert_eq!(seen.heads, [head], "{carrier}");
        let sent = String::from_utf8_lossy(&seen.sent);
        assert!(sent.len() > 100 && !sent.contains("canary"), "{carrier}");
    }
}

#[tokio::test]
async fn in_the_clear_the_message_follows_the_head() {
    let server = serve(&[&[Read, Respond, AwaitEnd]]).await;
    let relay = Relay::start(server.port()).await.unwrap();
    let transport = through(relay.port(), Tls::platform());
    let outcome = send(
        &transport,
        &canary("http://srv.example/canary"),
        Pings::new().next(),
    )
    .await;
    assert_eq!(outcome.verdict(), "result");
    let seen = relay.seen();
    let head = "CONNECT srv.example:80 HTTP/1.1\r\nHost: srv.example:80\r\n\r\n";
    assert_eq!(seen.heads, [head]);
    let request = server.seen(|seen| seen.requests.concat());
    assert_eq!(String::from_utf8_lossy(&seen.sent), request);
    assert!(request.starts_with("POST /canary HTTP/1.1\r\n"), "{request}");
    assert_eq!(
        request.matches("authorization: Bearer canary\r\n").count(),
        1,
        "{request}"
    );
}

#[tokio::test]
async fn the_certificate_is_judged_by_the_servers_name() {
    let (authority, stranger) = (Authority::new().unwrap(), Authority::new().unwrap());
    for (acceptor, verdict) in [
        (authority.server("proxy.example", 2999), "tls-name-mismatch"),
        (authority.server("127.0.0.1", 2999), "tls-name-mismatch"),
        (stranger.server(NAME, 2999), "tls-untrusted"),
    ] {
        let server = serve_tls(&[&[Read, Respond]], acceptor.unwrap()).await;
        let relay = Relay::start(server.port()).await.unwrap();
        let outcome = send_through(relay.port(), &authority).await;
        assert_eq!(outcome.verdict(), verdict);
        assert_eq!((outcome.stage, outcome.delivery), (Stage::Tls, Delivery::NotSent));
        assert_eq!(server.seen(|seen| seen.requests.len()), 0);
    }
}

#[tokio::test]
async fn what_comes_with_the_head_goes_to_the_handshake() {
    // An alert of TLS. Lost, it would leave the handshake waiting for a server that is silent from here on.
    let early = format!("{OPEN}\x15\x03\x03\0\x02\x02\x28");
    let server = serve(&[&[Read, say(&early), AwaitEnd]]).await;
    let outcome = send_through(server.port(), &Authority::new().unwrap()).await;
    assert_eq!((outcome.verdict(), outcome.stage), ("tls-failed", Stage::Tls));
}

#[tokio::test]
async fn a_proxy_that_resets_or_is_not_there_stops_the_message() {
    let authority = Authority::new().unwrap();
    let server = serve(&[&[Read, Reset]]).await;
    let outcome = send_through(server.port(), &authority).await;
    assert_eq!(
        (outcome.verdict(), outcome.stage, outcome.delivery),
        ("proxy-failed", Stage::Connect, Delivery::NotSent)
    );
    // Bound, so that nobody else takes the port, and not listening.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let outcome = send_through(socket.local_addr().unwrap().port(), &authority).await;
    assert_eq!(
        (outcome.verdict(), outcome.delivery),
        ("proxy-unreachable", Delivery::NotSent)
    );
}

async fn send_through(port: u16, authority: &Authority) -> Outcome {
    let transport = through(port, authority.tls().unwrap());
    let target = target("https://srv.example/mcp");
    send(&transport, &target, Pings::new().next()).await
}

/// A transport through the proxy at this port of this machine.
fn through(port: u16, tls: Tls) -> HttpTransport {
    let credentials = Arc::new(MemoryCredentials::holding("vault:canary", "canary"));
    let (dialler, options) = (Arc::new(KnowsTheProxy), HttpOptions::default());
    let direct = HttpTransport::with_dialler(Arc::new(AdmitAll), credentials, dialler, tls, options);
    direct.through(Proxy::parse(&format!("http://proxy.example:{port}")).unwrap())
}

fn canary(url: &str) -> Target {
    let mut target = target(url);
    target.credentials.push(Credential {
        reference: CredentialRef("vault:canary".to_owned()),
        placement: CredentialPlacement::Bearer,
    });
    target
}

/// Knows no name but that of the proxy, which has two addresses; nothing answers at the first.
struct KnowsTheProxy;

impl Dialler for KnowsTheProxy {
    fn resolve(&self, name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        PortFuture::ready(if name == "proxy.example" {
            Ok([[203, 0, 113, 9], [127, 0, 0, 1]]
                .map(|address| SocketAddr::from((address, port)))
                .into())
        } else {
            Err(io::ErrorKind::NotFound.into())
        })
    }

    fn connect(&self, address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        if address.ip().is_loopback() {
            TcpDialler.connect(address)
        } else {
            PortFuture::ready(Err(io::ErrorKind::ConnectionRefused.into()))
        }
    }
}
