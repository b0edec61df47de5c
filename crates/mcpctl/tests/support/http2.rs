//! The scripted server over HTTP/2, under TLS: the same answers, and frames of its own.

use std::io;
use std::net::TcpListener;
use std::pin::Pin;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use h2::server::SendResponse;
use h2::{Reason, RecvStream};
use http::{Request, Response};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::server::TlsStream;

use super::server::{Choice, Reply, STOP};
use super::{Answer, Log, Script, Server};

/// How much a client may send of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    /// As much as HTTP/2 has by default.
    Usual,
    /// Nothing, from the answer to the first request on.
    Closed,
}

impl Server {
    pub(crate) fn start_http2(script: Script, tls: Arc<ServerConfig>, window: Window) -> Self {
        Self::start_thread("https", move |listener, seen| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_io()
                .build()
                .unwrap();
            let log = Arc::<Mutex<Log>>::default();
            let serve = accept(
                listener,
                TlsAcceptor::from(tls),
                script,
                window,
                log.clone(),
                seen,
            );
            runtime.block_on(serve);
            drop(runtime);
            std::mem::take(&mut log.lock().unwrap())
        })
    }
}

/// Serves until the sentinel comes. What is still under way then has no client any more.
async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    script: Script,
    window: Window,
    log: Arc<Mutex<Log>>,
    seen: Sender<String>,
) {
    listener.set_nonblocking(true).unwrap();
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    loop {
        let (socket, _) = listener.accept().await.unwrap();
        let mut first = [0];
        let read = socket.peek(&mut first).await.unwrap_or(0);
        if read == 1 && first[0] == STOP {
            return;
        }
        log.lock().unwrap().connections += 1;
        let (acceptor, log, seen) = (acceptor.clone(), log.clone(), seen.clone());
        tokio::spawn(async move {
            if let Ok(stream) = acceptor.accept(socket).await {
                serve(Shared(Arc::new(Mutex::new(stream))), script, window, log, seen).await;
            }
        });
    }
}

async fn serve(stream: Shared, script: Script, window: Window, log: Arc<Mutex<Log>>, seen: Sender<String>) {
    let Ok(mut connection) = h2::server::Builder::new().handshake(stream.clone()).await else {
        return;
    };
    while let Some(Ok((request, respond))) = connection.accept().await {
        if window == Window::Closed {
            // A second change has to wait for the first, which says the same.
            let _pending = connection.set_initial_window_size(0);
        }
        let (stream, log, seen) = (stream.clone(), log.clone(), seen.clone());
        tokio::spawn(answer(request, respond, stream, script, log, seen));
    }
}

/// One request and its answer; a connection that breaks is the client's affair.
async fn answer(
    request: Request<RecvStream>,
    mut respond: SendResponse<io::Cursor<Vec<u8>>>,
    mut stream: Shared,
    script: Script,
    log: Arc<Mutex<Log>>,
    seen: Sender<String>,
) {
    let (head, mut body) = request.into_parts();
    let mut lines = format!("{} {} HTTP/2\r\n", head.method, head.uri);
    for (name, value) in &head.headers {
        lines += &format!("{name}: {}\r\n", value.to_str().unwrap());
    }
    let mut text = Vec::new();
    while let Some(Ok(piece)) = body.data().await {
        let _gone = body.flow_control().release_capacity(piece.len());
        text.extend_from_slice(&piece);
    }
    let text = String::from_utf8(text).unwrap();
    let choice = Choice::of(script, &text);
    log.lock().unwrap().requests.push((lines + "\r\n", text));
    let _unheard = seen.send(choice.key.clone());
    match choice.answer {
        Some(Answer::Raw(_)) => respond.send_reset(Reason::INTERNAL_ERROR),
        Some(Answer::Silence) => std::future::pending().await,
        Some(Answer::Frame(kind, flags, payload)) => {
            let length = u8::try_from(payload.len()).unwrap();
            // Length, type, flags, and the stream 0, which is the connection: RFC 9113, section 4.1.
            let head = [0, 0, length, kind, flags, 0, 0, 0, 0];
            let _gone = stream.write_all(&[&head, payload.as_bytes()].concat()).await;
            reply(&choice.reply(), &mut respond).await;
        }
        _ => reply(&choice.reply(), &mut respond).await,
    }
}

async fn reply(reply: &Reply, respond: &mut SendResponse<io::Cursor<Vec<u8>>>) {
    let (status, _) = reply.status.split_once(' ').unwrap();
    let mut head = Response::builder().status(status);
    for line in reply.fields.lines() {
        let (name, value) = line.split_once(':').unwrap();
        head = head.header(name, value.trim());
    }
    if !reply.fields.contains("Content-Length") {
        head = head.header("content-length", reply.length());
    }
    let Ok(mut stream) = respond.send_response(head.body(()).unwrap(), false) else {
        return;
    };
    let _gone = stream.send_data(io::Cursor::new(reply.body.clone()), reply.ends);
    if !reply.ends {
        std::future::pending().await
    }
}

/// A stream on which frames can be written beside the library.
#[derive(Clone)]
struct Shared(Arc<Mutex<TlsStream<TcpStream>>>);

impl AsyncRead for Shared {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0.lock().unwrap()).poll_read(cx, buf)
    }
}

impl AsyncWrite for Shared {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0.lock().unwrap()).poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0.lock().unwrap()).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0.lock().unwrap()).poll_shutdown(cx)
    }
}
