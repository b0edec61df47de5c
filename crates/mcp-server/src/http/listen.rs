//! Connections: accepted, bounded in number, served by hyper, drained at the end.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::HttpServer;

/// How often expired sessions are looked for.
const SWEEP: Duration = Duration::from_secs(30);

/// How long to wait when the system has no connection to give, for lack of descriptors for one.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

impl HttpServer {
    /// Serves the connections of `listener` until `end` is ready; then accepts no more, and gives requests under way
    /// [`HttpOptions::drain_time`](super::HttpOptions::drain_time). A connection that cannot be accepted, or breaks HTTP, ends
    /// nothing but itself. Must be polled inside a tokio runtime with I/O and time enabled, where connections and handlers get
    /// tasks of their own.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes all connections at once. Handlers at work go on until they end.
    pub async fn serve(self, listener: TcpListener, end: impl Future<Output = ()>) {
        let mut end = pin!(end);
        let places = Arc::new(Semaphore::new(self.options.connections));
        let (ending, told) = watch::channel(());
        let mut connections = JoinSet::new();
        let mut sweep = interval(SWEEP);
        sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let accepted = async {
                // The semaphore is never closed, so a permit always comes.
                let place = Arc::clone(&places).acquire_owned().await.ok();
                (listener.accept().await, place)
            };
            tokio::select! {
                () = &mut end => break,
                _ = sweep.tick() => self.server.sweep(),
                Some(_ended) = connections.join_next() => {}
                (accepted, place) = accepted => match accepted {
                    Ok((stream, _peer)) => {
                        let (server, told) = (self.clone(), told.clone());
                        connections.spawn(async move {
                            server.serve_stream(stream, told).await;
                            drop(place);
                        });
                    }
                    Err(fault) => pause(&fault).await,
                },
            }
        }
        drop(listener);
        drop(ending);
        let drained = timeout(self.options.drain_time, async {
            while connections.join_next().await.is_some() {}
        });
        if drained.await.is_err() {
            tracing::warn!("connections were closed with requests under way");
        }
    }

    /// Serves one connection until the client closes it or breaks HTTP: a stream of any kind, such as one under TLS.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future closes the connection. Handlers at work go on until they end.
    pub async fn serve_connection(&self, connection: impl AsyncRead + AsyncWrite + Unpin + Send) {
        let (_never, told) = watch::channel(());
        self.drive(connection, told).await;
    }

    async fn serve_stream(&self, stream: TcpStream, told: watch::Receiver<()>) {
        // Answers are small and complete; waiting for more of them gains nothing.
        let _unsupported = stream.set_nodelay(true);
        self.drive(stream, told).await;
    }

    async fn drive(
        &self,
        connection: impl AsyncRead + AsyncWrite + Unpin + Send,
        mut told: watch::Receiver<()>,
    ) {
        let service = service_fn(|request| async { Ok::<_, Infallible>(self.respond(request).await) });
        let mut driver = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(self.options.head_time)
                .max_headers(self.options.head_fields)
                .max_buf_size(self.options.head_bytes.max(8_192))
                .serve_connection(TokioIo::new(connection), service)
        );
        let broken = tokio::select! {
            ended = &mut driver => ended.err(),
            // It ends with the sender, when the server is told to.
            _ = told.changed() => {
                driver.as_mut().graceful_shutdown();
                driver.await.err()
            }
        };
        if let Some(fault) = broken {
            tracing::trace!(
                incomplete = fault.is_incomplete_message(),
                "a connection ended with a fault"
            );
        }
    }
}

/// Waits when accepting fails for a reason that is not the connection's own.
async fn pause(fault: &io::Error) {
    let connections_own = matches!(
        fault.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    );
    if !connections_own {
        sleep(ACCEPT_PAUSE).await;
    }
}
