//! The way through a proxy: its own name looked up, dialled, asked for a tunnel to the server.
//!
//! Of the server only host and port come here, and they are not looked up: the proxy does that. So no address of the server
//! is known on this side, and none is judged. Where the proxy is, is the operator's word; it may be this machine or a
//! private network.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;

use hyper::rt::{Read, ReadBuf, Write};
use mcp_wire::{Endpoint, ExchangeError, Secret, Stage, TransportError};

use super::Proxy;
use super::answer::Answer;
use super::rewound::Rewound;
use crate::dial::BoxedStream;
use crate::progress::Progress;
use crate::shared::Shared;
use crate::steps::{dial, in_time, resolve};

/// A stream to the server, through `proxy`. The target must have been admitted.
pub(crate) async fn tunnel(
    shared: &Shared,
    proxy: &Proxy,
    server: &Endpoint,
    progress: &Progress,
) -> Result<BoxedStream, ExchangeError> {
    let stream = reach(shared, proxy, progress).await?;
    let secret = match &proxy.credential {
        None => None,
        Some(credential) => {
            progress.enter(Stage::Credential);
            Some(shared.credentials.read(credential.reference()).await?)
        }
    };
    let request = proxy.request(server, secret.as_ref())?;
    progress.enter(Stage::Connect);
    Ok(in_time(shared.options.connect, ask(stream, request)).await?)
}

/// A connection to the proxy itself.
async fn reach(shared: &Shared, proxy: &Proxy, progress: &Progress) -> Result<BoxedStream, TransportError> {
    progress.enter(Stage::Resolve);
    let addresses = resolve(shared, &proxy.endpoint).await.map_err(unreachable)?;
    progress.enter(Stage::Connect);
    let mut failed = TransportError::ProxyUnreachable;
    for address in addresses {
        match dial(shared, address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => failed = unreachable(error),
        }
    }
    Err(failed)
}

/// What a failed look-up or dial means when the proxy was meant and not the server.
fn unreachable(error: TransportError) -> TransportError {
    if matches!(error, TransportError::ConnectTimeout { .. }) {
        error
    } else {
        TransportError::ProxyUnreachable
    }
}

/// Asks once. Whoever gets another answer than a tunnel drops the connection, whatever else the proxy has to say.
async fn ask(mut stream: BoxedStream, request: Secret) -> Result<BoxedStream, TransportError> {
    write(&mut stream, request.expose().as_bytes())
        .await
        .map_err(|_lost| Answer::lost())?;
    drop(request);
    let mut answer = Answer::default();
    loop {
        let mut piece = [0; 1_024];
        let room = answer.room().min(piece.len());
        let piece = piece.get_mut(..room).unwrap_or_default();
        let read = read(&mut stream, piece).await;
        match read.map_err(|_lost| Answer::lost())? {
            [] => return Err(Answer::lost()),
            bytes => {
                if let Some(rest) = answer.push(bytes)? {
                    return Ok(Rewound::boxed(rest, stream));
                }
            }
        }
    }
}

async fn write(stream: &mut BoxedStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = poll_fn(|cx| Pin::new(&mut *stream).poll_write(cx, bytes)).await?;
        bytes = match bytes.get(written..) {
            Some(rest) if written > 0 => rest,
            Some(_) | None => return Err(io::ErrorKind::WriteZero.into()),
        };
    }
    poll_fn(|cx| Pin::new(&mut *stream).poll_flush(cx)).await
}

async fn read<'b>(stream: &mut BoxedStream, piece: &'b mut [u8]) -> io::Result<&'b [u8]> {
    let mut buffer = ReadBuf::new(piece);
    poll_fn(|cx| Pin::new(&mut *stream).poll_read(cx, buffer.unfilled())).await?;
    let count = buffer.filled().len();
    Ok(piece.get(..count).unwrap_or_default())
}
