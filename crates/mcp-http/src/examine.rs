//! The way to a server, one step after another and without a message: for whoever must find out where it ends.

use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use mcp_wire::{Endpoint, ExchangeError, OutboundRefusal, TransportError};
use tokio::time::Instant;

use crate::connection::Protocol;
use crate::dial::BoxedStream;
use crate::opening::admit;
use crate::progress::Progress;
use crate::proxy::tunnel;
use crate::shared::Shared;
use crate::steps::{dial, in_time, resolve};
use crate::transport::HttpTransport;

/// What was found at one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// The step.
    pub waypoint: Waypoint,
    /// How long it took.
    pub took: Duration,
    /// What is there, or why the way ends here.
    pub found: Result<Found, ExchangeError>,
}

/// The steps, in their order. A proxy takes the place of look-up and addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waypoint {
    /// Whether the URL may be asked at all: by the host's rules, and, if it is `https`, by this transport.
    Target,
    /// The look-up of the name.
    Lookup,
    /// Whether each address may be dialled.
    Addresses,
    /// The connection, or the tunnel through the proxy.
    Connect,
    /// The TLS handshake: chain, name and dates of the certificate.
    Tls,
}

/// What there is at a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The URL may be asked.
    Admitted,
    /// The addresses, in the order in which they are tried.
    Addresses(Vec<SocketAddr>),
    /// Each address with its judgement; one at least is admitted.
    Judged(Vec<(SocketAddr, Result<(), OutboundRefusal>)>),
    /// The address that answered.
    Connected(SocketAddr),
    /// The proxy opened a way.
    Tunnelled,
    /// The certificate holds, and this is what is spoken under TLS.
    Secured {
        /// Whether the server chose HTTP/2 over HTTP/1.1.
        http2: bool,
    },
}

impl HttpTransport {
    /// Goes the way of a message up to where it would be written, on a connection of its own, which is closed. Ends with
    /// the first step that fails. No byte of HTTP is sent to the server, and no credential is read but the proxy's. A step
    /// takes no longer than `limit`, and an attempt to connect no longer than [`HttpOptions::connect`](crate::HttpOptions::connect).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connection.
    pub async fn examine(&self, server: &Endpoint, limit: Duration) -> Vec<Examined> {
        let mut walk = Walk {
            steps: Vec::new(),
            limit,
        };
        // Why the way ended is the last step's to tell.
        let _ended = walk.go(self.shared(), server).await;
        walk.steps
    }
}

/// The steps so far, and the time for the next one.
struct Walk {
    steps: Vec<Examined>,
    limit: Duration,
}

/// The way ends at the last step.
struct Ended;

impl Walk {
    async fn go(&mut self, shared: &Shared, server: &Endpoint) -> Result<(), Ended> {
        let start = Instant::now();
        let admitted = admit(shared, server).map_err(ExchangeError::from);
        let trust = admitted.and_then(|()| Ok(shared.tls.trust(server.scheme())?));
        let trust = self.note(Waypoint::Target, start, trust, |_| Found::Admitted)?;
        let stream = match &shared.proxy {
            None => self.direct(shared, server).await?,
            Some(proxy) => {
                let start = Instant::now();
                let progress = Progress::default();
                let tunnel = tunnel(shared, proxy, server, &progress);
                let tunnel = self.in_time(tunnel, TransportError::ProxyUnreachable).await;
                self.note(Waypoint::Connect, start, tunnel, |_| Found::Tunnelled)?
            }
        };
        if let Some(trust) = trust {
            let start = Instant::now();
            let handshake = trust.handshake(server.host(), stream);
            let limit = self.limit.min(shared.options.connect);
            let secured = in_time(limit, handshake).await.map_err(ExchangeError::from);
            self.note(Waypoint::Tls, start, secured, |secured| Found::Secured {
                http2: match secured.protocol() {
                    Protocol::Http1 => false,
                    Protocol::Http2 => true,
                },
            })?;
        }
        Ok(())
    }

    async fn direct(&mut self, shared: &Shared, server: &Endpoint) -> Result<BoxedStream, Ended> {
        let start = Instant::now();
        let found = async { resolve(shared, server).await.map_err(ExchangeError::from) };
        let found = self.in_time(found, TransportError::Resolve).await;
        let addresses = self.note(Waypoint::Lookup, start, found, |addresses| {
            Found::Addresses(addresses.clone())
        })?;

        let start = Instant::now();
        let judged = addresses
            .into_iter()
            .map(|address| (address, shared.outbound.admit_address(server, address)));
        let judged: Vec<_> = judged.collect();
        let refusal = judged.iter().find_map(|(_, judgement)| judgement.err());
        let may_be_dialled = match refusal {
            Some(refusal) if judged.iter().all(|(_, judgement)| judgement.is_err()) => {
                Err(ExchangeError::from(refusal))
            }
            Some(_) | None => Ok(judged),
        };
        let judged = self.note(Waypoint::Addresses, start, may_be_dialled, |judged| {
            Found::Judged(judged.clone())
        })?;

        let start = Instant::now();
        let dialling = async {
            let mut connected = Err(TransportError::Resolve.into());
            for (address, judgement) in judged {
                if judgement.is_ok() && connected.is_err() {
                    let dialled = dial(shared, address).await;
                    connected = dialled
                        .map(|stream| (stream, address))
                        .map_err(ExchangeError::from);
                }
            }
            connected
        };
        let limit_ms = u64::try_from(self.limit.as_millis()).unwrap_or(u64::MAX);
        let late = TransportError::ConnectTimeout { limit_ms };
        let connected = self.in_time(dialling, late).await;
        let connected = self.note(Waypoint::Connect, start, connected, |(_, address)| {
            Found::Connected(*address)
        })?;
        Ok(connected.0)
    }

    /// One step within its time; `late` when that is over.
    async fn in_time<T>(
        &self,
        step: impl Future<Output = Result<T, ExchangeError>>,
        late: TransportError,
    ) -> Result<T, ExchangeError> {
        let done = tokio::time::timeout(self.limit, step).await;
        done.unwrap_or_else(|_elapsed| Err(late.into()))
    }

    /// Notes a step, and goes on with what it gave.
    fn note<T>(
        &mut self,
        waypoint: Waypoint,
        start: Instant,
        outcome: Result<T, ExchangeError>,
        found: impl FnOnce(&T) -> Found,
    ) -> Result<T, Ended> {
        let (found, outcome) = match outcome {
            Ok(value) => (Ok(found(&value)), Ok(value)),
            Err(error) => (Err(error), Err(Ended)),
        };
        self.steps.push(Examined {
            waypoint,
            took: start.elapsed(),
            found,
        });
        outcome
    }
}
