//! A connection to a target: judged, looked up, judged again, dialled, under TLS where the scheme says so.

use std::net::SocketAddr;
use std::sync::Arc;

use hyper::client::conn::http1;
use mcp_wire::{ExchangeError, Host, OutboundRefusal, Scheme, Stage, Target, TransportError};

use crate::dial::BoxedStream;
use crate::pool::Connection;
use crate::progress::Progress;
use crate::transport::Shared;

/// hyper's read buffer, in bytes: the bound for the head of an answer.
const BUFFER_BYTES: usize = 64 * 1_024;

/// Fields of the head of an answer.
const HEADERS: usize = 128;

/// Makes a new connection. The target must have been admitted.
pub(crate) async fn connect(
    shared: &Shared,
    target: &Arc<Target>,
    progress: &Progress,
) -> Result<Connection, ExchangeError> {
    progress.enter(Stage::Resolve);
    let addresses = resolve(shared, target).await?;
    progress.enter(Stage::Connect);
    let mut stream = dial(shared, target, &addresses).await?;
    if target.endpoint.scheme() == Scheme::Https {
        progress.enter(Stage::Tls);
        stream = shared.tls.handshake(target.endpoint.host(), stream).await?;
    }
    let (connection, driver) = http1::Builder::new()
        .max_buf_size(BUFFER_BYTES)
        .max_headers(HEADERS)
        .handshake(stream)
        .await
        .map_err(|_error| TransportError::Connect)?;
    // Ends when the connection closes or its last handle is dropped; its error reaches the exchange that is on it.
    tokio::spawn(driver);
    Ok(connection)
}

async fn resolve(shared: &Shared, target: &Target) -> Result<Vec<SocketAddr>, TransportError> {
    let port = target.endpoint.port();
    match target.endpoint.host() {
        Host::Address(address) => Ok(vec![SocketAddr::new(*address, port)]),
        Host::Name(name) => match shared.dialler.resolve(name, port).await {
            Ok(addresses) if !addresses.is_empty() => Ok(addresses),
            Ok(_) | Err(_) => Err(TransportError::Resolve),
        },
    }
}

/// Dials the admitted addresses one after another until one answers.
async fn dial(
    shared: &Shared,
    target: &Target,
    addresses: &[SocketAddr],
) -> Result<BoxedStream, ExchangeError> {
    let mut failure = ExchangeError::Outbound(OutboundRefusal::Address);
    for address in addresses {
        match shared.outbound.admit_address(&target.endpoint, *address) {
            Ok(()) => match shared.dialler.connect(*address).await {
                Ok(stream) => return Ok(stream),
                Err(error) => failure = connect_error(&error).into(),
            },
            Err(refusal) => {
                // A failed dial says more than a refusal of another address.
                if let ExchangeError::Outbound(_) = failure {
                    failure = refusal.into();
                }
            }
        }
    }
    Err(failure)
}

fn connect_error(error: &std::io::Error) -> TransportError {
    if error.kind() == std::io::ErrorKind::ConnectionRefused {
        TransportError::ConnectRefused
    } else {
        TransportError::Connect
    }
}
