//! A connection to a target: looked up, judged, dialled, or through a proxy; under TLS where the scheme says so.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use mcp_wire::{Endpoint, ExchangeError, Host, Stage, Target, TransportError};

use crate::connection::Connection;
use crate::dial::BoxedStream;
use crate::progress::Progress;
use crate::proxy::tunnel;
use crate::transport::Shared;

/// Makes a new connection. The target must have been admitted. What needs a trust that is not there goes nowhere.
pub(crate) async fn connect(
    shared: &Shared,
    target: &Arc<Target>,
    progress: &Progress,
) -> Result<Connection, ExchangeError> {
    let (server, options) = (&target.endpoint, &shared.options);
    let trust = shared
        .tls
        .trust(server.scheme())
        .inspect_err(|_missing| progress.enter(Stage::Tls))?;
    let stream = match &shared.proxy {
        None => direct(shared, server, progress).await?,
        Some(proxy) => tunnel(shared, proxy, server, progress).await?,
    };
    let Some(trust) = trust else {
        return Ok(Connection::http1(stream, options).await?);
    };
    progress.enter(Stage::Tls);
    let secured = in_time(options.connect, trust.handshake(server.host(), stream)).await?;
    Ok(secured.start(options).await?)
}

/// Runs one step of connecting within the time for it.
pub(crate) async fn in_time<T>(
    limit: Duration,
    step: impl Future<Output = Result<T, TransportError>>,
) -> Result<T, TransportError> {
    let limit_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    tokio::time::timeout(limit, step)
        .await
        .unwrap_or(Err(TransportError::ConnectTimeout { limit_ms }))
}

/// The addresses of whom the endpoint names: the server, or the proxy.
pub(crate) async fn resolve(shared: &Shared, endpoint: &Endpoint) -> Result<Vec<SocketAddr>, TransportError> {
    let port = endpoint.port();
    match endpoint.host() {
        Host::Address(address) => Ok(vec![SocketAddr::new(*address, port)]),
        Host::Name(name) => match shared.dialler.resolve(name, port).await {
            Ok(addresses) if !addresses.is_empty() => Ok(addresses),
            Ok(_) | Err(_) => Err(TransportError::Resolve),
        },
    }
}

/// Dials the admitted addresses one after another until one answers. Each is judged on its own, right before it is
/// dialled, and nothing is looked up again in between.
async fn direct(
    shared: &Shared,
    server: &Endpoint,
    progress: &Progress,
) -> Result<BoxedStream, ExchangeError> {
    progress.enter(Stage::Resolve);
    let addresses = resolve(shared, server).await?;
    progress.enter(Stage::Connect);
    let mut refused = None;
    let mut failed = None;
    for address in addresses {
        match shared.outbound.admit_address(server, address) {
            Ok(()) => match dial(shared, address).await {
                Ok(stream) => return Ok(stream),
                Err(error) => failed = Some(error),
            },
            Err(refusal) => {
                refused.get_or_insert(refusal);
            }
        }
    }
    // A failed dial says more than a refusal of another address.
    Err(match (failed, refused) {
        (Some(error), _) => error.into(),
        (None, Some(refusal)) => refusal.into(),
        (None, None) => TransportError::Resolve.into(),
    })
}

/// One attempt, within the time for it.
pub(crate) async fn dial(shared: &Shared, address: SocketAddr) -> Result<BoxedStream, TransportError> {
    let dialling = shared.dialler.connect(address);
    let dialling = async { dialling.await.map_err(|error| connect_error(&error)) };
    in_time(shared.options.connect, dialling).await
}

fn connect_error(error: &std::io::Error) -> TransportError {
    if error.kind() == std::io::ErrorKind::ConnectionRefused {
        TransportError::ConnectRefused
    } else {
        TransportError::Connect
    }
}
