//! The steps of connecting, to a server as to a proxy: each on its own, and within its time.

use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use mcp_wire::{Endpoint, Host, TransportError};

use crate::dial::BoxedStream;
use crate::shared::Shared;

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
