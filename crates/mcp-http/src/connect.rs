//! A connection to a target: looked up, judged, dialled, or through a proxy; under TLS where the scheme says so.

use std::sync::Arc;

use mcp_wire::{Endpoint, ExchangeError, Stage, Target, TransportError};

use crate::connection::Connection;
use crate::dial::BoxedStream;
use crate::progress::Progress;
use crate::proxy::tunnel;
use crate::shared::Shared;
use crate::steps::{dial, in_time, resolve};

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
