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
/// A pooled connection may have died unseen. When hyper hands the message back unwritten, the next one gets it, the last
/// of them being new. Once a byte may have left, or a new connection has failed, the message is not written again.
pub(crate) async fn open(
    shared: Arc<Shared>,
    target: Arc<Target>,
    message: Message,
    progress: Progress,
) -> Result<Opened, ExchangeError> {
    shared.outbound.admit_target(&target.endpoint)?;
    let key = PoolKey::of(&target);
    let mut draft = Draft::new(&target, message)?;

    let mut source = next_connection(&shared, &target, &key, &progress).await?;
    progress.enter(Stage::Credential);
    for credential in &target.credentials {
        let secret = shared.credentials.read(&credential.reference).await?;
        draft.add_credential(credential, &secret)?;
    }

    let mut request = draft.into_request(progress.clone());
    loop {
        progress.enter(Stage::Send);
        progress.delivered(Delivery::Unknown);
        let (mut connection, pooled) = source;
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
        match unsent.take_message() {
            None => return Err(head_error(unsent.error())),
            Some(message) => {
                progress.delivered(Delivery::NotSent);
                match pooled {
                    Pooled::Yes => request = message,
                    Pooled::No => return Err(TransportError::ConnectionLost.into()),
                }
            }
        }
        source = next_connection(&shared, &target, &key, &progress).await?;
    }
}

/// Whether a connection has carried another message before.
enum Pooled {
    Yes,
    No,
}

/// A pooled connection that is ready, else a new one.
async fn next_connection(
    shared: &Shared,
    target: &Arc<Target>,
    key: &PoolKey,
    progress: &Progress,
) -> Result<(Connection, Pooled), ExchangeError> {
    while let Some(mut pooled) = shared.pool.take(key) {
        if pooled.ready().await.is_ok() {
            return Ok((pooled, Pooled::Yes));
        }
    }
    Ok((connect(shared, target, progress).await?, Pooled::No))
}

fn head_error(error: &hyper::Error) -> ExchangeError {
    if error.is_parse() {
        Malformed::from(MalformedKind::InvalidHttp).into()
    } else {
        TransportError::ConnectionLost.into()
    }
}
