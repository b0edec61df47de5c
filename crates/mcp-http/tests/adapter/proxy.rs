//! Through a proxy: who is looked up, who is judged, and who is shown which secret. On in-memory streams, with the clock
//! standing still.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_http::{HttpOptions, HttpTransport, Proxy, ProxyCredential, Tls};
use mcp_testkit::loopback::Authority;
use mcp_testkit::{PeerReply, RecordedRequest, ReplyEnd, ScriptedPeer};
use mcp_wire::{
    Credential, CredentialError, CredentialPlacement, CredentialRef, CredentialSource, Delivery, Endpoint,
    OutboundPolicy, OutboundRefusal, PortFuture, Secret, Target,
};

use crate::support::{PLAIN, Pings, fill, send, target, transport_over};

pub(crate) const PROXY: &str = "http://proxy.example:3128";
pub(crate) const URL: &str = "http://srv.example/mcp?q=1";
pub(crate) const OPEN: &str = "HTTP/1.1 200 Connection established\r\n\r\n";

pub(crate) fn proxy() -> Proxy {
    Proxy::parse(PROXY).unwrap()
}

/// A proxy that answers `CONNECT` with this, and the server behind it.
pub(crate) fn proxy_saying(answer: &str, end: ReplyEnd) -> ScriptedPeer {
    let answer = answer.as_bytes().to_vec();
    ScriptedPeer::new(move |request: &RecordedRequest| {
        if request.http_method == "CONNECT" {
            let pieces = vec![answer.clone()];
            return PeerReply { pieces, end };
        }
        PeerReply {
            pieces: vec![fill(PLAIN, request.member("id").unwrap_or_default()).into_bytes()],
            end: ReplyEnd::KeepOpen,
        }
    })
}

#[tokio::test(start_paused = true)]
async fn the_proxy_alone_is_looked_up_and_learns_host_and_port_alone() {
    for (proxy, look_ups) in [(PROXY, &["proxy.example"][..]), ("http://203.0.113.7:3128", &[])] {
        for (url, authority) in [
            (URL, "srv.example:80"),
            ("http://203.0.113.9:8080/", "203.0.113.9:8080"),
        ] {
            let peer = proxy_saying(OPEN, ReplyEnd::KeepOpen);
            let direct = transport_over(peer.clone(), Tls::platform());
            let transport = direct.through(Proxy::parse(proxy).unwrap());
            let outcome = send(&transport, &target(url), Pings::new().next()).await;
            assert_eq!(
                (outcome.verdict(), outcome.delivery),
                ("result", Delivery::Answered)
            );
            let log = peer.log();
            assert_eq!(log.look_ups, look_ups);
            assert_eq!((log.connections, log.requests.len()), (1, 2));
            let (asked, message) = (&log.requests[0], &log.requests[1]);
            let host = [("host".to_owned(), authority.to_owned())];
            assert_eq!((&*asked.target, &asked.fields[..]), (authority, &host[..]));
            assert_eq!(message.http_method, "POST");
            assert_eq!(message.field("host"), Some(authority.trim_end_matches(":80")));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn where_nobody_is_trusted_no_way_to_https_is_asked_for() {
    let peer = proxy_saying(OPEN, ReplyEnd::KeepOpen);
    let transport = transport_over(peer.clone(), Tls::none()).through(proxy());
    let outcome = send(&transport, &target("https://srv.example/"), Pings::new().next()).await;
    assert_eq!(
        (outcome.verdict(), outcome.delivery),
        ("tls-trust-missing", Delivery::NotSent)
    );
    let log = peer.log();
    assert_eq!((log.look_ups.len(), log.connections), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn each_secret_is_shown_to_its_own_side_only() {
    for (credential, value) in [
        (ProxyCredential::Bearer(reference("proxy")), "Bearer of-the:proxy"),
        (
            ProxyCredential::Basic(reference("proxy")),
            "Basic b2YtdGhlOnByb3h5",
        ),
    ] {
        let world = World::new(Vec::new(), proxy().with_credential(credential));
        let pings = Pings::new();
        for _ in 0..2 {
            let outcome = send(&world.transport, &bearer(URL), pings.next()).await;
            assert_eq!(outcome.verdict(), "result");
        }
        let requests = world.peer.log().requests;
        let [asked, messages @ ..] = &requests[..] else {
            panic!("nothing was asked");
        };
        assert_eq!(asked.field("proxy-authorization"), Some(value));
        assert_eq!(asked.fields.len(), 2);
        assert_eq!(messages.len(), 2);
        for message in messages {
            assert_eq!(message.field("authorization"), Some("Bearer of-the:server"));
            let whole = format!("{message:?}");
            assert!(!whole.contains("proxy") && !whole.contains("b2Ytd"), "{whole}");
        }
        // Once for the connection, and once for each leg.
        assert_eq!(world.read(), ["proxy", "server", "server"]);
    }
}

#[tokio::test(start_paused = true)]
async fn each_connection_asks_anew() {
    let credential = ProxyCredential::Bearer(reference("proxy"));
    let world = World::new(Vec::new(), proxy().with_credential(credential));
    let pings = Pings::new();
    for _ in 0..2 {
        send(&world.transport, &target(URL), pings.next()).await;
        tokio::time::advance(Duration::from_secs(4)).await;
    }
    let log = world.peer.log();
    let methods: Vec<_> = log.requests.iter().map(|request| &*request.http_method).collect();
    assert_eq!(methods, ["CONNECT", "POST", "CONNECT", "POST"]);
    assert_eq!(log.look_ups, ["proxy.example", "proxy.example"]);
    assert_eq!(world.read(), ["proxy", "proxy"]);
}

#[tokio::test(start_paused = true)]
async fn a_secret_of_the_proxy_that_cannot_be_sent_stops_all() {
    for (credential, verdict) in [
        (ProxyCredential::Bearer(reference("none")), "credential-missing"),
        (ProxyCredential::Bearer(reference("empty")), "credential-unusable"),
        (ProxyCredential::Basic(reference("empty")), "credential-unusable"),
    ] {
        let world = World::new(Vec::new(), proxy().with_credential(credential));
        let outcome = send(&world.transport, &bearer(URL), Pings::new().next()).await;
        assert_eq!(
            (outcome.verdict(), outcome.delivery),
            (verdict, Delivery::NotSent)
        );
        assert_eq!(world.peer.log().requests, []);
        assert_eq!(world.read().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn the_target_is_judged_and_no_address_is() {
    let (srv, proxy_too) = ("http://srv.example", "http://proxy.example:3128");
    let refused = "plain-http-refused";
    for (url, refusing, asked, verdict) in [
        (URL, vec![], vec![srv, proxy_too], "result"),
        (URL, vec![srv], vec![srv], refused),
        // The message would travel to the proxy as plain text.
        (URL, vec![proxy_too], vec![srv, proxy_too], refused),
        // Under TLS it does not; the peer here is silent then.
        (
            "https://srv.example/",
            vec![proxy_too],
            vec!["https://srv.example"],
            "connect-timeout",
        ),
    ] {
        let world = World::new(refusing, proxy());
        let outcome = send(&world.transport, &target(url), Pings::new().next()).await;
        assert_eq!(outcome.verdict(), verdict, "{url}");
        assert_eq!(*world.judge.asked.lock().unwrap(), asked, "{url}");
        let contacts = usize::from(verdict != refused);
        let log = world.peer.log();
        assert_eq!((log.look_ups.len(), log.connections), (contacts, contacts));
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_the_proxy_is_not_used_with_it() {
    let peer = proxy_saying(OPEN, ReplyEnd::KeepOpen);
    let direct = transport_over(peer.clone(), Tls::platform());
    let (through, pings) = (direct.through(proxy()), Pings::new());
    for transport in [&direct, &through, &direct, &through] {
        send(transport, &target(URL), pings.next()).await;
    }
    let log = peer.log();
    assert_eq!(log.look_ups, ["srv.example", "proxy.example"]);
    let asked = |request: &&RecordedRequest| request.http_method == "CONNECT";
    assert_eq!(
        (log.connections, log.requests.iter().filter(asked).count()),
        (2, 1)
    );
}

/// A transport through a proxy, and what it touches.
struct World {
    peer: ScriptedPeer,
    secrets: Arc<Secrets>,
    judge: Arc<Judge>,
    transport: HttpTransport,
}

impl World {
    fn new(refusing: Vec<&'static str>, proxy: Proxy) -> Self {
        let peer = proxy_saying(OPEN, ReplyEnd::KeepOpen);
        let (secrets, asked) = (Arc::<Secrets>::default(), Mutex::default());
        let judge = Arc::new(Judge { refusing, asked });
        let (outbound, credentials, dialler) = (judge.clone(), secrets.clone(), Arc::new(peer.clone()));
        let (tls, options) = (Authority::new().unwrap().tls().unwrap(), HttpOptions::default());
        let direct = HttpTransport::with_dialler(outbound, credentials, dialler, tls, options);
        Self {
            peer,
            secrets,
            judge,
            transport: direct.through(proxy),
        }
    }

    /// The references that were read, in order.
    fn read(&self) -> Vec<String> {
        self.secrets.0.lock().unwrap().clone()
    }
}

/// Holds one secret for each side, and an empty one.
#[derive(Default)]
struct Secrets(Mutex<Vec<String>>);

impl CredentialSource for Secrets {
    fn read(&self, reference: &CredentialRef) -> PortFuture<Result<Secret, CredentialError>> {
        self.0.lock().unwrap().push(reference.0.clone());
        let secret = match &*reference.0 {
            "none" => Err(CredentialError::Missing(reference.clone())),
            "empty" => Ok(String::new()),
            side => Ok(format!("of-the:{side}")),
        };
        PortFuture::ready(secret.map(Secret::new))
    }
}

/// Keeps what it is asked and refuses some targets. No address is to come here.
struct Judge {
    refusing: Vec<&'static str>,
    asked: Mutex<Vec<String>>,
}

impl OutboundPolicy for Judge {
    fn admit_target(&self, endpoint: &Endpoint) -> Result<(), OutboundRefusal> {
        let origin = endpoint.origin();
        self.asked.lock().unwrap().push(origin.to_owned());
        if self.refusing.contains(&origin) {
            Err(OutboundRefusal::PlainHttp)
        } else {
            Ok(())
        }
    }

    fn admit_address(&self, _endpoint: &Endpoint, address: SocketAddr) -> Result<(), OutboundRefusal> {
        self.asked.lock().unwrap().push(address.to_string());
        Err(OutboundRefusal::Address { class: "any" })
    }
}

fn reference(name: &str) -> CredentialRef {
    CredentialRef(name.to_owned())
}

fn bearer(url: &str) -> Target {
    let mut target = target(url);
    target.credentials.push(Credential {
        reference: reference("server"),
        placement: CredentialPlacement::Bearer,
    });
    target
}
