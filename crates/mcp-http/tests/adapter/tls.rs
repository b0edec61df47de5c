//! Under real TLS: whom the client trusts, what it says when it does not, and what the end of a connection proves.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use mcp_http::{BoxedStream, Dialler, TcpDialler, Tls};
use mcp_testkit::loopback::Step::{self, AwaitEnd, Read, Shutdown};
use mcp_testkit::loopback::{Authority, Server};
use mcp_wire::{Delivery, PortFuture, Stage};
use rcgen::KeyPair;
use rustls::ServerConfig;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio_rustls::TlsAcceptor;

use crate::support::{
    Outcome, PLAIN, Pings, ToLoopback, say, send, serve, serve_tls, target, transport_over,
};

const NAME: &str = "srv.example";

/// The body ends with the connection.
const UNDELIMITED: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n\
    {\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{}}";

const STREAMED: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n\
    data: {\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{}}\n\n";

#[tokio::test]
async fn a_server_under_a_given_authority_is_trusted() {
    let authority = Authority::new().unwrap();
    for host in [NAME, "127.0.0.1"] {
        let server = serve_tls(
            &[&[Read, say(PLAIN), Read, say(PLAIN), AwaitEnd]],
            authority.server(host, 2999).unwrap(),
        )
        .await;
        let (transport, pings) = (transport_over(ToLoopback, authority.tls().unwrap()), Pings::new());
        for _ in 0..2 {
            let outcome = send(&transport, &target(&server.https_url(host)), pings.next()).await;
            assert_eq!(
                (outcome.verdict(), outcome.delivery),
                ("result", Delivery::Answered)
            );
        }
        assert_eq!(
            server.seen(|seen| (seen.accepts, seen.requests.len())),
            (1, 2),
            "{host}"
        );
    }
}

/// [RFC 6066, section 3](https://www.rfc-editor.org/rfc/rfc6066#section-3): a name is indicated, a literal never.
#[tokio::test]
async fn the_name_is_indicated_and_kept_whichever_address_is_dialled() {
    let authority = Authority::new().unwrap();
    for (written, host, indicated) in [
        (NAME, NAME, Some(NAME)),
        ("SRV.Example", NAME, Some(NAME)),
        ("127.0.0.1", "127.0.0.1", None),
    ] {
        let (acceptor, names) = Indicated::record(&authority.server(host, 2999).unwrap());
        let server = serve_tls(&[&[Read, say(PLAIN), AwaitEnd]], acceptor).await;
        let url = server.https_url(written);
        let transport = transport_over(SecondAnswers, authority.tls().unwrap());
        let outcome = send(&transport, &target(&url), Pings::new().next()).await;
        assert_eq!(outcome.verdict(), "result", "{written}");
        assert_eq!(
            *names.lock().unwrap(),
            [indicated.map(str::to_owned)],
            "{written}"
        );
        let port = url.rsplit_once(':').unwrap().1.trim_end_matches("/mcp");
        let field = format!("\r\nhost: {host}:{port}\r\n");
        let request = server.seen(|seen| seen.requests.concat());
        assert_eq!(request.matches(&field).count(), 1, "{request}");
    }
}

#[tokio::test]
async fn a_certificate_that_does_not_hold_stops_the_message() {
    let (authority, stranger) = (Authority::new().unwrap(), Authority::new().unwrap());
    let cases = [
        (
            "another name",
            authority.server("else.example", 2999).unwrap(),
            "tls-name-mismatch",
        ),
        (
            "an address for a name",
            authority.server("127.0.0.1", 2999).unwrap(),
            "tls-name-mismatch",
        ),
        (
            "another authority",
            stranger.server(NAME, 2999).unwrap(),
            "tls-untrusted",
        ),
        (
            "out of date",
            authority.server(NAME, 2001).unwrap(),
            "tls-expired",
        ),
    ];
    for (name, acceptor, verdict) in cases {
        let server = serve_tls(&[&[Read, say(PLAIN)]], acceptor).await;
        let outcome = send_to(&server, authority.tls().unwrap()).await;
        assert_eq!(outcome.verdict(), verdict, "{name}");
        assert_eq!(
            (outcome.stage, outcome.delivery),
            (Stage::Tls, Delivery::NotSent),
            "{name}"
        );
        assert_eq!(
            server.seen(|seen| (seen.accepts, seen.requests.len())),
            (1, 0),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_gets_no_message() {
    let scripts: [&[Step]; 3] = [
        &[
            say("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"),
            AwaitEnd,
        ],
        &[say("\0\0\0\0\0\0\0\0"), AwaitEnd],
        &[Shutdown, AwaitEnd],
    ];
    for script in scripts {
        let server = serve(&[script]).await;
        let outcome = send_to(&server, Authority::new().unwrap().tls().unwrap()).await;
        assert_eq!(outcome.verdict(), "tls-failed", "{script:?}");
        assert_eq!(
            (outcome.stage, outcome.delivery),
            (Stage::Tls, Delivery::NotSent),
            "{script:?}"
        );
    }
}

#[tokio::test]
async fn an_end_of_the_connection_ends_a_body_only_when_tls_says_so() {
    let authority = Authority::new().unwrap();
    let cases: [(&str, &[Step], &str); 4] = [
        ("JSON, cut off", &[Read, say(UNDELIMITED)], "incomplete"),
        (
            "JSON, ended",
            &[Read, say(UNDELIMITED), Shutdown, AwaitEnd],
            "result",
        ),
        ("events, cut off", &[Read, say(STREAMED)], "incomplete"),
        (
            "events, ended",
            &[Read, say(STREAMED), Shutdown, AwaitEnd],
            "result",
        ),
    ];
    for (name, script, verdict) in cases {
        let server = serve_tls(&[script], authority.server(NAME, 2999).unwrap()).await;
        let outcome = send_to(&server, authority.tls().unwrap()).await;
        assert_eq!(outcome.verdict(), verdict, "{name}");
        let delivery = if verdict == "result" {
            Delivery::Answered
        } else {
            Delivery::Unknown
        };
        assert_eq!(
            (outcome.stage, outcome.delivery),
            (Stage::Body, delivery),
            "{name}"
        );
    }
}

#[test]
fn an_authority_must_be_a_certificate_in_pem_form() {
    let (pem, key) = (
        Authority::new().unwrap().pem(),
        KeyPair::generate().unwrap().serialize_pem(),
    );
    assert!(Tls::with_authorities(pem.as_bytes()).is_ok());
    assert!(Tls::with_authorities(format!("{pem}{pem}").as_bytes()).is_ok());
    for bad in [
        "",
        "no certificate",
        &key,
        "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n",
    ] {
        assert!(Tls::with_authorities(bad.as_bytes()).is_err(), "{bad:?}");
    }
}

async fn send_to(server: &Server, tls: Tls) -> Outcome {
    let target = target(&server.https_url(NAME));
    send(&transport_over(ToLoopback, tls), &target, Pings::new().next()).await
}

/// Records the names that clients indicate, and presents the certificate of another server.
#[derive(Debug)]
struct Indicated {
    certificate: Arc<dyn ResolvesServerCert>,
    names: IndicatedNames,
}

type IndicatedNames = Arc<Mutex<Vec<Option<String>>>>;

impl Indicated {
    fn record(acceptor: &TlsAcceptor) -> (TlsAcceptor, IndicatedNames) {
        let mut config = ServerConfig::clone(acceptor.config());
        let names = IndicatedNames::default();
        config.cert_resolver = Arc::new(Self {
            certificate: config.cert_resolver,
            names: names.clone(),
        });
        (TlsAcceptor::from(Arc::new(config)), names)
    }
}

impl ResolvesServerCert for Indicated {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let name = hello.server_name().map(str::to_owned);
        self.names.lock().unwrap().push(name);
        self.certificate.resolve(hello)
    }
}

/// Resolves every name to an address where nothing answers, and to this machine.
struct SecondAnswers;

impl Dialler for SecondAnswers {
    fn resolve(&self, _name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        let addresses = [[203, 0, 113, 9], [127, 0, 0, 1]];
        PortFuture::ready(Ok(addresses
            .map(|address| SocketAddr::from((address, port)))
            .into()))
    }

    fn connect(&self, address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        if address.ip().is_loopback() {
            TcpDialler.connect(address)
        } else {
            PortFuture::ready(Err(io::ErrorKind::ConnectionRefused.into()))
        }
    }
}
