//! The way to a server without a message: every step with what is there, up to the first that fails.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use mcp_http::{
    BoxedStream, Dialler, Examined, Found, HttpOptions, HttpTransport, Proxy, TcpDialler, Tls, Waypoint,
};
use mcp_testkit::loopback::Step::{AwaitEnd, Read};
use mcp_testkit::loopback::{Authority, Relay};
use mcp_testkit::{AdmitAll, MemoryCredentials};
use mcp_wire::{Endpoint, OutboundPolicy, OutboundRefusal, PortFuture};

use crate::support::{kind, serve, serve_tls};

const LIMIT: Duration = Duration::from_secs(60);
const NAME: &str = "srv.example";

/// Every name has an address of a test net and that of this machine, or none.
struct Names {
    known: bool,
}

impl Dialler for Names {
    fn resolve(&self, _name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        let addresses = [[203, 0, 113, 9], [127, 0, 0, 1]].map(|address| SocketAddr::from((address, port)));
        PortFuture::ready(Ok(if self.known { addresses.into() } else { Vec::new() }))
    }

    fn connect(&self, address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        assert!(address.ip().is_loopback(), "{address} was not admitted");
        TcpDialler.connect(address)
    }
}

/// Admits every URL, and the addresses of this machine where it says so.
struct Rules {
    loopback: bool,
}

impl OutboundPolicy for Rules {
    fn admit_target(&self, _target: &Endpoint) -> Result<(), OutboundRefusal> {
        Ok(())
    }

    fn admit_address(&self, _target: &Endpoint, address: SocketAddr) -> Result<(), OutboundRefusal> {
        match address.ip() {
            IpAddr::V4(address) if address.is_loopback() && self.loopback => Ok(()),
            IpAddr::V4(_) | IpAddr::V6(_) => Err(OutboundRefusal::Address {
                class: "documentation",
            }),
        }
    }
}

fn transport(known: bool, loopback: bool, tls: Tls) -> HttpTransport {
    HttpTransport::with_dialler(
        Arc::new(Rules { loopback }),
        Arc::new(MemoryCredentials::default()),
        Arc::new(Names { known }),
        tls,
        HttpOptions::default(),
    )
}

async fn examine(transport: &HttpTransport, url: &str) -> Vec<(Waypoint, String)> {
    let steps = transport.examine(&Endpoint::parse(url).unwrap(), LIMIT).await;
    steps.iter().map(|step| (step.waypoint, shown(step))).collect()
}

fn shown(step: &Examined) -> String {
    match &step.found {
        Ok(Found::Admitted) => "admitted".into(),
        Ok(Found::Addresses(addresses)) => format!("{} addresses", addresses.len()),
        Ok(Found::Judged(judged)) => {
            let words = judged.iter().map(|(address, judgement)| {
                let judgement = if judgement.is_ok() { "admitted" } else { "refused" };
                format!("{} {judgement}", address.ip())
            });
            words.collect::<Vec<_>>().join(", ")
        }
        Ok(Found::Connected(address)) => address.ip().to_string(),
        Ok(Found::Tunnelled) => "tunnelled".into(),
        Ok(Found::Secured { http2 }) => if *http2 { "h2" } else { "http/1.1" }.into(),
        Err(error) => kind(error).into(),
    }
}

fn expected(steps: &[(Waypoint, &str)]) -> Vec<(Waypoint, String)> {
    steps
        .iter()
        .map(|(waypoint, shown)| (*waypoint, (*shown).to_owned()))
        .collect()
}

const FOUND: (Waypoint, &str) = (Waypoint::Lookup, "2 addresses");
const ADMITTED: (Waypoint, &str) = (Waypoint::Target, "admitted");
const JUDGED: (Waypoint, &str) = (Waypoint::Addresses, "203.0.113.9 refused, 127.0.0.1 admitted");
const CONNECTED: (Waypoint, &str) = (Waypoint::Connect, "127.0.0.1");

#[tokio::test]
async fn the_whole_way_is_gone_and_nothing_is_said() {
    let authority = Authority::new().unwrap();
    for (acceptor, secured) in [
        (authority.server(NAME, 2999).unwrap(), "http/1.1"),
        (authority.http2_server(NAME).unwrap(), "h2"),
    ] {
        let server = serve_tls(&[&[AwaitEnd]], acceptor).await;
        let transport = transport(true, true, authority.tls().unwrap());
        let found = examine(&transport, &server.https_url(NAME)).await;
        let steps = [ADMITTED, FOUND, JUDGED, CONNECTED, (Waypoint::Tls, secured)];
        assert_eq!(found, expected(&steps));
        assert_eq!(server.seen(|seen| seen.requests.len()), 0);
    }
}

#[tokio::test]
async fn the_way_ends_with_the_first_step_that_fails() {
    let (authority, stranger) = (Authority::new().unwrap(), Authority::new().unwrap());
    for (acceptor, verdict) in [
        (
            authority.server("else.example", 2999).unwrap(),
            "tls-name-mismatch",
        ),
        (stranger.server(NAME, 2999).unwrap(), "tls-untrusted"),
        (authority.server(NAME, 2001).unwrap(), "tls-expired"),
    ] {
        let server = serve_tls(&[&[Read]], acceptor).await;
        let transport = transport(true, true, authority.tls().unwrap());
        let found = examine(&transport, &server.https_url(NAME)).await;
        let steps = [ADMITTED, FOUND, JUDGED, CONNECTED, (Waypoint::Tls, verdict)];
        assert_eq!(found, expected(&steps));
    }
    let untrusting = transport(true, true, Tls::none());
    let found = examine(&untrusting, "https://srv.example/mcp").await;
    assert_eq!(found, expected(&[(Waypoint::Target, "tls-trust-missing")]));
    let none = transport(false, true, Tls::platform());
    let found = examine(&none, "http://srv.example/mcp").await;
    assert_eq!(found, expected(&[ADMITTED, (Waypoint::Lookup, "resolve-failed")]));
    let refusing = transport(true, false, Tls::platform());
    let found = examine(&refusing, "http://srv.example/mcp").await;
    let steps = [ADMITTED, FOUND, (Waypoint::Addresses, "address-refused")];
    assert_eq!(found, expected(&steps));
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let found = examine(
        &transport(true, true, Tls::platform()),
        &format!("http://srv.example:{}/", closed.port()),
    )
    .await;
    let steps = [ADMITTED, FOUND, JUDGED, (Waypoint::Connect, "connect-refused")];
    assert_eq!(found, expected(&steps));
}

#[tokio::test]
async fn a_proxy_takes_the_place_of_look_up_and_addresses() {
    let server = serve(&[&[AwaitEnd]]).await;
    let relay = Relay::start(server.port()).await.unwrap();
    let proxy = Proxy::parse(&format!("http://127.0.0.1:{}", relay.port())).unwrap();
    let transport = HttpTransport::new(
        Arc::new(AdmitAll),
        Arc::new(MemoryCredentials::default()),
        Tls::platform(),
        HttpOptions::default(),
    );
    let found = examine(&transport.through(proxy), "http://srv.example/mcp").await;
    assert_eq!(found, expected(&[ADMITTED, (Waypoint::Connect, "tunnelled")]));
}

/// A look-up that never comes back.
struct Silent;

impl Dialler for Silent {
    fn resolve(&self, _name: &str, _port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        PortFuture::pending(std::future::pending())
    }

    fn connect(&self, _address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        PortFuture::pending(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_step_that_does_not_end_has_a_time() {
    let transport = HttpTransport::with_dialler(
        Arc::new(AdmitAll),
        Arc::new(MemoryCredentials::default()),
        Arc::new(Silent),
        Tls::platform(),
        HttpOptions::default(),
    );
    for (url, steps) in [
        (
            "http://srv.example/",
            &[ADMITTED, (Waypoint::Lookup, "resolve-failed")][..],
        ),
        (
            "http://127.0.0.1/",
            &[
                ADMITTED,
                (Waypoint::Lookup, "1 addresses"),
                (Waypoint::Addresses, "127.0.0.1 admitted"),
                (Waypoint::Connect, "connect-timeout"),
            ],
        ),
    ] {
        let endpoint = Endpoint::parse(url).unwrap();
        let found = transport.examine(&endpoint, Duration::from_secs(3)).await;
        assert_eq!(found.last().unwrap().took.as_secs(), 3);
        let found: Vec<_> = found.iter().map(|step| (step.waypoint, shown(step))).collect();
        assert_eq!(found, expected(steps));
    }
}
