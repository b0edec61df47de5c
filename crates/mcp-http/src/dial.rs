//! Names and sockets: the operating system's part, behind a port of this adapter.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use mcp_wire::PortFuture;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;

/// Looks names up and makes connections. Asked from several exchanges at once. It judges nothing: the addresses that it gives are
/// put to the [`OutboundPolicy`](mcp_wire::OutboundPolicy) before one of them comes back to be dialled.
///
/// # Errors
///
/// A name that cannot be looked up, or has no address, is `resolve-failed`. Of connecting,
/// [`ConnectionRefused`](io::ErrorKind::ConnectionRefused) is `connect-refused` and every other kind `connect-failed`; no text of
/// an error is shown. How long either takes is bounded by the caller.
///
/// # Cancel safety
///
/// Dropping an answer gives the attempt up; a connection that was being made is closed.
pub trait Dialler: Send + Sync {
    /// The addresses of a host name, in the order in which to try them. Address literals never come here.
    fn resolve(&self, name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>>;

    /// A connection to exactly this address.
    fn connect(&self, address: SocketAddr) -> PortFuture<io::Result<BoxedStream>>;
}

/// A connection's two directions.
pub trait Stream: hyper::rt::Read + hyper::rt::Write + Send + Unpin {}

impl<S: hyper::rt::Read + hyper::rt::Write + Send + Unpin> Stream for S {}

/// A connection of any kind.
pub type BoxedStream = Box<dyn Stream>;

/// How long a connection may be silent before the system asks whether the peer lives, and how often it asks again.
const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// Dials TCP and asks the system's resolver.
///
/// A look-up runs on a thread of the runtime's blocking pool and goes on there after its answer was dropped.
#[derive(Debug, Clone, Copy, Default)]
pub struct TcpDialler;

impl Dialler for TcpDialler {
    fn resolve(&self, name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        let name = name.to_owned();
        PortFuture::pending(async move {
            tokio::net::lookup_host((name, port))
                .await
                .map(|addresses| addresses.collect())
        })
    }

    fn connect(&self, address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        PortFuture::pending(async move {
            let socket = TcpStream::connect(address).await?;
            // One message is one write; waiting to coalesce it would only add latency.
            socket.set_nodelay(true)?;
            let keep_alive = TcpKeepalive::new()
                .with_time(KEEP_ALIVE)
                .with_interval(KEEP_ALIVE);
            SockRef::from(&socket).set_tcp_keepalive(&keep_alive)?;
            Ok(Box::new(TokioIo::new(socket)) as BoxedStream)
        })
    }
}
