//! A client as a host wires it, and its one call to a peer that a row describes.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_host::{Budget, CancelToken, Failure, Host, Tls, Wiring};
use mcp_policy::Cause;
use mcp_policy::port::{Actor, RunId};
use mcp_testkit::loopback::{Authority, Server, Step};
use mcp_wire::{Arguments, Delivery, Stage, ToolName};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::table::{Carrier, Peer, Row};

const HOST: &str = "127.0.0.1";

/// A client, and the servers that it trusts.
#[derive(Clone)]
pub(crate) struct World(Arc<Parts>);

struct Parts {
    tls: Tls,
    http1: TlsAcceptor,
    http2: TlsAcceptor,
    misnamed: TlsAcceptor,
    untrusted: TlsAcceptor,
}

/// How a call ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) kind: &'static str,
    pub(crate) delivery: Delivery,
    pub(crate) stage: Option<Stage>,
    pub(crate) took: Duration,
}

/// Where a peer is, and what must live as long as the call.
struct Place {
    port: u16,
    server: Option<Server>,
    _held: Vec<Held>,
}

enum Held {
    Bound {
        _socket: TcpSocket,
    },
    Listening {
        _listener: tokio::net::TcpListener,
    },
    Connecting {
        _task: tokio::task::JoinHandle<io::Result<TcpStream>>,
    },
}

impl World {
    pub(crate) async fn new() -> Self {
        let (authority, stranger) = (Authority::new().unwrap(), Authority::new().unwrap());
        let world = Self(Arc::new(Parts {
            tls: authority.tls().unwrap(),
            http1: authority.server(HOST, 2999).unwrap(),
            http2: authority.http2_server(HOST).unwrap(),
            misnamed: authority.server("else.example", 2999).unwrap(),
            untrusted: stranger.server(HOST, 2999).unwrap(),
        }));
        // The platform's trust is read at the first handshake; no row is to pay for it.
        let healthy = Row::new(
            "none",
            crate::table::TLS,
            Peer::Called(vec![Step::Respond]),
            "answered",
            Delivery::Answered,
        );
        world.run(&healthy, Carrier::Tls).await;
        world
    }

    /// Calls a tool of the peer of `row` once. The client is new, so that no connection of another row is left.
    pub(crate) async fn run(&self, row: &Row, carrier: Carrier) -> Ended {
        let place = self.place(&row.peer, carrier).await.unwrap();
        let scheme = if carrier == Carrier::Plain {
            "http"
        } else {
            "https"
        };
        let url = format!("{scheme}://{HOST}:{}/mcp", place.port);
        let mut wiring = Wiring::default();
        wiring.tls = self.0.tls.clone();
        let host = Host::wire(wiring).unwrap();
        let mut server = host.server("peer", &url).unwrap();
        server.budget = Budget::new(row.budget()).unwrap();
        let token = CancelToken::new();
        let (tool, arguments) = (ToolName::parse("echo").unwrap(), Arguments::none());
        let (run, actor) = (RunId("faults".to_owned()), Actor::Unattended);
        host.client().open_run(&run, &actor).await.unwrap();
        let started = Instant::now();
        let call = host
            .client()
            .call_tool(&server, &tool, &arguments, &run, &actor, &token);
        let outcome = if let (Peer::Cancelled(_), Some(peer)) = (&row.peer, &place.server) {
            let cancel = async {
                while peer.seen(|seen| seen.requests.len() < 3) {
                    tokio::task::yield_now().await;
                }
                token.cancel();
            };
            let (outcome, ()) = tokio::join!(call, cancel);
            let heard = peer.seen(|seen| seen.requests.concat().contains("notifications/cancelled"));
            assert!(heard, "the server was not told");
            outcome
        } else {
            call.await
        };
        let took = started.elapsed();
        match outcome {
            Ok(_) => Ended {
                kind: "answered",
                delivery: Delivery::Answered,
                stage: None,
                took,
            },
            Err(failure) => Ended {
                kind: failure.kind(),
                delivery: failure.delivery(),
                stage: stage(&failure),
                took,
            },
        }
    }

    async fn place(&self, peer: &Peer, carrier: Carrier) -> io::Result<Place> {
        let acceptor = match carrier {
            Carrier::Plain => None,
            Carrier::Tls => Some(self.0.http1.clone()),
            Carrier::Http2 => Some(self.0.http2.clone()),
        };
        let healthy = &[Step::Read, Step::Respond, Step::Read, Step::Respond, Step::Read][..];
        let rest = [healthy, &[Step::Respond, Step::AwaitEnd]].concat();
        let end = &[Step::AwaitEnd][..];
        let server = match peer {
            Peer::Connected(steps) => Server::start(&[steps], acceptor).await?,
            Peer::Called(steps) => Server::start(&[&[healthy, steps, end].concat(), &rest], acceptor).await?,
            Peer::CalledInSession(steps) => {
                let script = [&in_session(), steps, end].concat();
                Server::start(&[&script, &rest], acceptor).await?
            }
            Peer::Notified(steps) => {
                let script = [&healthy[..3], steps, &rest[4..]].concat();
                Server::start(&[&script, &rest], acceptor).await?
            }
            // HTTP/2 carries the notice beside the call; HTTP/1.1 gives the connection of the call up.
            Peer::Cancelled(steps) if carrier == Carrier::Http2 => {
                let script = [healthy, steps, &[Step::Read, Step::Respond], end].concat();
                Server::start(&[&script], acceptor).await?
            }
            Peer::Cancelled(steps) => {
                Server::start(&[&[healthy, steps, end].concat(), &rest], acceptor).await?
            }
            Peer::WithoutTls(steps) => Server::start(&[steps], None).await?,
            Peer::Misnamed => Server::start(&[&rest], Some(self.0.misnamed.clone())).await?,
            Peer::Untrusted => Server::start(&[&rest], Some(self.0.untrusted.clone())).await?,
            Peer::Absent => return absent(),
            Peer::Full => return full().await,
        };
        Ok(Place {
            port: server.port(),
            server: Some(server),
            _held: Vec::new(),
        })
    }
}

/// A handshake that issues a session, and the reading of the call.
fn in_session() -> Vec<Step> {
    let fields = [
        ("content-type", "application/json"),
        ("content-length", "$LEN"),
        ("mcp-session-id", "s-1"),
    ];
    let result =
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"peer","version":"1"}}"#;
    vec![
        Step::Read,
        Step::head(200, &fields),
        Step::body(&format!(r#"{{"jsonrpc":"2.0","id":"$ID","result":{result}}}"#)),
        Step::Finish,
        Step::Read,
        Step::Respond,
        Step::Read,
    ]
}

/// A port that is taken, so that nobody else listens there, and that refuses.
fn absent() -> io::Result<Place> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(([127, 0, 0, 1], 0).into())?;
    Ok(Place {
        port: socket.local_addr()?.port(),
        server: None,
        _held: vec![Held::Bound { _socket: socket }],
    })
}

/// A listener whose queue is full, so that the system lets no further connection be made.
async fn full() -> io::Result<Place> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(([127, 0, 0, 1], 0).into())?;
    let listener = socket.listen(1)?;
    let address = listener.local_addr()?;
    let mut held = vec![Held::Listening { _listener: listener }];
    for _ in 0..8 {
        let task = tokio::spawn(TcpStream::connect(address));
        held.push(Held::Connecting { _task: task });
        tokio::task::yield_now().await;
    }
    Ok(Place {
        port: address.port(),
        server: None,
        _held: held,
    })
}

fn stage(failure: &Failure) -> Option<Stage> {
    if let Cause::DeadlineExceeded { stage, .. } | Cause::Cancelled { stage } = failure.cause() {
        Some(*stage)
    } else {
        None
    }
}
