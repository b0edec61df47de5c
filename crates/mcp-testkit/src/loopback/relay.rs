//! A proxy on a real socket of this machine: it opens a tunnel for whoever asks, to one server, and keeps what it saw.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use super::lock;

/// A running proxy. Whatever name is asked for, its tunnels lead to one port of this machine. It ends with the runtime of
/// the test.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    seen: Arc<Mutex<Relayed>>,
}

/// What a proxy has seen.
#[derive(Debug, Clone, Default)]
pub struct Relayed {
    /// Connections that were accepted.
    pub accepts: usize,
    /// The heads that asked for a tunnel, as they came.
    pub heads: Vec<String>,
    /// What clients sent through the tunnels.
    pub sent: Vec<u8>,
}

impl Relay {
    /// Starts a proxy whose tunnels lead to `port`.
    ///
    /// # Errors
    ///
    /// That of the operating system, when it gives no socket.
    pub async fn start(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let relay = Self {
            address: listener.local_addr()?,
            seen: Arc::default(),
        };
        let seen = relay.seen.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                lock(&seen).accepts += 1;
                tokio::spawn(serve(client, port, seen.clone()));
            }
        });
        Ok(relay)
    }

    /// Where the proxy is.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// A copy of what the proxy has seen so far.
    #[must_use]
    pub fn seen(&self) -> Relayed {
        lock(&self.seen).clone()
    }
}

/// Serves one connection. How it ended is the client's to judge.
async fn serve(mut client: TcpStream, port: u16, seen: Arc<Mutex<Relayed>>) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await?);
    }
    let asked = String::from_utf8_lossy(&head).into_owned();
    lock(&seen).heads.push(asked);
    let server = TcpStream::connect(("127.0.0.1", port)).await?;
    client
        .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
        .await?;
    let (mut from_client, to_client) = client.into_split();
    let (from_server, mut to_server) = server.into_split();
    tokio::spawn(copy(from_server, to_client));
    let mut piece = [0; 4_096];
    loop {
        let count = from_client.read(&mut piece).await?;
        let piece = piece.get(..count).unwrap_or_default();
        if piece.is_empty() {
            return to_server.shutdown().await;
        }
        lock(&seen).sent.extend_from_slice(piece);
        to_server.write_all(piece).await?;
    }
}

async fn copy(mut from: OwnedReadHalf, mut to: OwnedWriteHalf) -> io::Result<()> {
    tokio::io::copy(&mut from, &mut to).await?;
    to.shutdown().await
}
