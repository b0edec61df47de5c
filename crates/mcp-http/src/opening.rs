//! From a message to the head of its answer.

use std::sync::Arc;

use http::Response;
use hyper::body::Incoming;
use mcp_wire::{
    Delivery, Endpoint, ExchangeError, Malformed, MalformedKind, Message, OutboundRefusal, Scheme, Stage,
    Target, TransportError,
};

use crate::connect::connect;
use crate::connection::{Connection, Unanswered};
use crate::destination::Destination;
use crate::options::HttpOptions;
use crate::progress::Progress;
use crate::queue::Turn;
use crate::request::Draft;
use crate::shared::Shared;
use crate::tls::{broken_rule, is_refused_stream};

/// The head of an answer, and what is needed to read its body and keep its connection.
pub(crate) struct Opened {
    pub(crate) response: Response<Incoming>,
    pub(crate) connection: Connection,
    pub(crate) destination: Arc<Destination>,
    /// The exchange's place among those with the server; given back when it is dropped.
    pub(crate) turn: Turn,
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
    admit(&shared, &target.endpoint)?;
    let destination = shared.destinations.of(&target)?;
    progress.enter(Stage::Queue);
    let turn = shared
        .queue
        .enter(destination.key.origin(), message.leg().method)
        .await;
    let mut draft = Draft::new(message, &shared.fields)?;

    let mut source = next_connection(&shared, &destination, &progress).await?;
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
        destination.address(&mut request, connection.protocol());
        let Unanswered { unsent, error } = match connection.send(request).await {
            Ok(response) => {
                return Ok(Opened {
                    response,
                    connection,
                    destination,
                    turn,
                });
            }
            Err(unanswered) => unanswered,
        };
        match (unsent, pooled) {
            (Some(message), Pooled::Yes) => request = message,
            (Some(_), Pooled::No) => {
                progress.delivered(Delivery::NotSent);
                return Err(TransportError::ConnectionLost.into());
            }
            (None, _) => {
                if is_refused_stream(&error) {
                    progress.delivered(Delivery::NotSent);
                }
                return Err(head_error(&error, &shared.options));
            }
        }
        progress.delivered(Delivery::NotSent);
        source = next_connection(&shared, &destination, &progress).await?;
    }
}

/// Judges the target. Plain `http` through a proxy travels to the proxy as plain text, whatever host the URL names, so then
/// the proxy is judged as well: by scheme and host, its address being the operator's word.
pub(crate) fn admit(shared: &Shared, server: &Endpoint) -> Result<(), OutboundRefusal> {
    shared.outbound.admit_target(server)?;
    match &shared.proxy {
        Some(proxy) if server.scheme() == Scheme::Http => shared.outbound.admit_target(proxy.endpoint()),
        Some(_) | None => Ok(()),
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
    destination: &Destination,
    progress: &Progress,
) -> Result<(Connection, Pooled), ExchangeError> {
    while let Some(mut pooled) = shared.pool.take(&destination.key) {
        if pooled.ready().await.is_ok() {
            return Ok((pooled, Pooled::Yes));
        }
    }
    Ok((connect(shared, &destination.target, progress).await?, Pooled::No))
}

fn head_error(error: &hyper::Error, options: &HttpOptions) -> ExchangeError {
    let broken = if error.is_parse_too_large() {
        Some(MalformedKind::HeadTooLarge)
    } else if error.is_parse() {
        Some(MalformedKind::InvalidHttp)
    } else {
        broken_rule(error)
    };
    match broken {
        Some(kind @ MalformedKind::HeadTooLarge) => {
            Malformed::beyond(kind, options.head_bytes(), "head_bytes").into()
        }
        Some(kind) => Malformed::from(kind).into(),
        None => TransportError::ConnectionLost.into(),
    }
}
