//! From a message to the head of its answer.

use std::sync::Arc;

use http::Response;
use hyper::body::Incoming;
use mcp_wire::{Delivery, ExchangeError, Malformed, MalformedKind, Message, Stage, Target, TransportError};

use crate::connect::connect;
use crate::pool::{Connection, PoolKey};
use crate::progress::Progress;
use crate::request::Draft;
use crate::transport::Shared;

/// The head of an answer, and what is needed to read its body and keep its connection.
pub(crate) struct Opened {
    pub(crate) response: Response<Incoming>,
    pub(crate) connection: Connection,
    pub(crate) key: PoolKey,
}

/// Judges the target, finds or makes a connection, reads the credentials and writes the message once.
///
/// A pooled connection may have died unseen. When hyper hands the message back unwritten, the next connection gets it;
/// once a byte may have left, it is never written again. A new connection that died before a byte ends the exchange: a
/// server that closes whatever it accepts is not dialled over and over.
pub(crate) async fn open(
    shared: Arc<Shared>,
    target: Arc<Target>,
    message: Message,
    progress: Progress,
) -> Result<Opened, ExchangeError> {
    shared.outbound.admit_target(&target.endpoint)?;
    let key = PoolKey::of(&target);
    let mut draft = Draft::new(&target, message)?;

    let (mut connection, mut origin) = next_connection(&shared, &target, &key, &progress).await?;
    progress.enter(Stage::Credential);
    for credential in &target.credentials {
        let secret = shared.credentials.read(&credential.reference).await?;
        draft.add_credential(credential, &secret)?;
    }

    let mut request = draft.into_request(progress.clone());
    loop {
        progress.enter(Stage::Send);
        progress.delivered(Delivery::Unknown);
        let mut unsent = match connection.try_send_request(request).await {
            Ok(response) => {
                return Ok(Opened {
                    response,
                    connection,
                    key,
                });
            }
            Err(unsent) => unsent,
        };
        let Some(message) = unsent.take_message() else {
            return Err(head_error(unsent.error()));
        };
        progress.delivered(Delivery::NotSent);
        match origin {
            Origin::New => return Err(TransportError::ConnectionLost.into()),
            Origin::Pool => request = message,
        }
        (connection, origin) = next_connection(&shared, &target, &key, &progress).await?;
    }
}

/// Where a connection comes from.
#[derive(Debug, Clone, Copy)]
enum Origin {
    Pool,
    New,
}

/// A pooled connection that is ready, else a new one.
async fn next_connection(
    shared: &Shared,
    target: &Arc<Target>,
    key: &PoolKey,
    progress: &Progress,
) -> Result<(Connection, Origin), ExchangeError> {
    while let Some(mut pooled) = shared.pool.take(key) {
        if pooled.ready().await.is_ok() {
            return Ok((pooled, Origin::Pool));
        }
    }
    Ok((connect(shared, target, progress).await?, Origin::New))
}

fn head_error(error: &hyper::Error) -> ExchangeError {
    if error.is_parse() {
        Malformed::from(MalformedKind::InvalidHttp).into()
    } else {
        TransportError::ConnectionLost.into()
    }
}
