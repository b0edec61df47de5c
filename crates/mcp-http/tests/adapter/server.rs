//! A server on a real socket of this machine that plays one script for each connection.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::support::fill;

/// What the server does on a connection. After its last step it drops the connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// Reads one request.
    Read,
    /// Writes this, [filled](fill) for the request that was read last.
    Write(&'static str),
    /// Ends its own direction in order: under TLS with `close_notify`.
    Shutdown,
    /// Reads until the client has ended the connection.
    AwaitEnd,
}

/// A running server. It ends with the runtime of the test.
pub(crate) struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
}

/// What a server has seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Connections that were accepted.
    pub(crate) accepts: usize,
    /// Whole requests, as they came.
    pub(crate) requests: Vec<String>,
    /// Connections whose end the server waited for and saw.
    pub(crate) ends: usize,
}

impl Server {
    /// Plays `scripts` on the connections, in the order in which they come; drops any further one at once.
    pub(crate) async fn start(scripts: &[&'static [Step]]) -> Self {
        Self::serve(scripts, None).await
    }

    /// As [`Server::start`], under TLS. A connection whose handshake fails is dropped.
    pub(crate) async fn start_tls(scripts: &[&'static [Step]], acceptor: TlsAcceptor) -> Self {
        Self::serve(scripts, Some(acceptor)).await
    }

    async fn serve(scripts: &[&'static [Step]], acceptor: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            seen: Arc::default(),
        };
        let (scripts, seen) = (scripts.to_vec(), server.seen.clone());
        tokio::spawn(async move {
            for script in scripts.into_iter().chain(std::iter::repeat(&[][..])) {
                let (mut stream, _) = listener.accept().await.unwrap();
                seen.lock().unwrap().accepts += 1;
                let (acceptor, seen) = (acceptor.clone(), seen.clone());
                tokio::spawn(async move {
                    match acceptor {
                        None => play(script, &mut stream, &seen).await,
                        Some(acceptor) => play(script, &mut acceptor.accept(stream).await?, &seen).await,
                    }
                });
            }
        });
        server
    }

    /// Where the server is, under its address.
    pub(crate) fn http_url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Where the server is, under a name.
    pub(crate) fn https_url(&self, host: &str) -> String {
        format!("https://{host}:{}/mcp", self.address.port())
    }

    /// Looks at what the server has seen.
    pub(crate) fn seen<T>(&self, look: impl FnOnce(&Seen) -> T) -> T {
        look(&self.seen.lock().unwrap())
    }
}

async fn play(
    script: &[Step],
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    seen: &Mutex<Seen>,
) -> io::Result<()> {
    let mut request = String::new();
    for step in script {
        match step {
            Step::Read => {
                request = read_request(stream).await?;
                seen.lock().unwrap().requests.push(request.clone());
            }
            Step::Write(reply) => {
                stream.write_all(fill(reply, id_of(&request)).as_bytes()).await?;
                stream.flush().await?;
            }
            Step::Shutdown => stream.shutdown().await?,
            Step::AwaitEnd => {
                // A reset ends a connection as well.
                while matches!(stream.read(&mut [0; 64]).await, Ok(1..)) {}
                seen.lock().unwrap().ends += 1;
            }
        }
    }
    Ok(())
}

/// Reads a head, and a body of the length that it declares.
async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<String> {
    let mut request = String::new();
    loop {
        let mut piece = [0; 1_024];
        let count = stream.read(&mut piece).await?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        request.push_str(&String::from_utf8_lossy(&piece[..count]));
        if let Some((head, body)) = request.split_once("\r\n\r\n")
            && body.len() >= declared_length(head)
        {
            return Ok(request);
        }
    }
}

fn declared_length(head: &str) -> usize {
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    length.map_or(0, |length| length.parse().unwrap())
}

fn id_of(request: &str) -> &str {
    let (_, rest) = request.split_once("\"id\":\"").unwrap_or_default();
    rest.split_once('"').map_or("", |(id, _)| id)
}
