//! A server on a real socket of this machine that plays one script for each connection: in the clear, under TLS, or over
//! HTTP/2 when TLS chose it.
//!
//! It keeps no rule that a script does not keep. What it writes is what the steps say, whether or not HTTP allows it.

mod authority;
mod http1;
mod http2;
mod relay;
mod script;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use self::http1::Http1;
use self::http2::Http2;

pub use self::authority::Authority;
pub use self::relay::{Relay, Relayed};
pub use self::script::{Frame, Step, fill};

/// A running server. It ends with the runtime of the test.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
}

/// What a server has seen.
#[derive(Debug, Default)]
pub struct Seen {
    /// Connections that were accepted.
    pub accepts: usize,
    /// Whole requests, as they came. Of one over HTTP/2 the body alone.
    pub requests: Vec<String>,
    /// Connections whose end the server waited for and saw.
    pub ends: usize,
}

/// Which script the next connection plays.
struct Scripts {
    first: std::vec::IntoIter<Vec<Step>>,
    then: Vec<Step>,
}

impl Server {
    /// Plays `scripts` on the connections, in the order in which they come; drops any further one at once. With an
    /// acceptor it speaks TLS, and drops a connection whose handshake fails.
    ///
    /// # Errors
    ///
    /// That of the operating system, when it gives no socket.
    pub async fn start(scripts: &[&[Step]], acceptor: Option<TlsAcceptor>) -> io::Result<Self> {
        let first: Vec<Vec<Step>> = scripts.iter().map(|script| script.to_vec()).collect();
        let scripts = Scripts {
            first: first.into_iter(),
            then: Vec::new(),
        };
        Self::serve(scripts, acceptor).await
    }

    /// Plays one script on every connection.
    ///
    /// # Errors
    ///
    /// As [`Server::start`].
    pub async fn repeat(script: Vec<Step>, acceptor: Option<TlsAcceptor>) -> io::Result<Self> {
        let scripts = Scripts {
            first: Vec::new().into_iter(),
            then: script,
        };
        Self::serve(scripts, acceptor).await
    }

    async fn serve(mut scripts: Scripts, acceptor: Option<TlsAcceptor>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let server = Self {
            address: listener.local_addr()?,
            seen: Arc::default(),
        };
        let seen = server.seen.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                lock(&seen).accepts += 1;
                let script = scripts.first.next().unwrap_or_else(|| scripts.then.clone());
                tokio::spawn(serve_one(stream, acceptor.clone(), script, seen.clone()));
            }
        });
        Ok(server)
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Where the server is, in the clear.
    #[must_use]
    pub fn http_url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Where the server is under TLS, under a name.
    #[must_use]
    pub fn https_url(&self, host: &str) -> String {
        format!("https://{host}:{}/mcp", self.port())
    }

    /// Looks at what the server has seen.
    pub fn seen<T>(&self, look: impl FnOnce(&Seen) -> T) -> T {
        look(&lock(&self.seen))
    }
}

fn lock<T>(seen: &Mutex<T>) -> MutexGuard<'_, T> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves one connection. How it ended is the client's to judge.
async fn serve_one(
    stream: TcpStream,
    acceptor: Option<TlsAcceptor>,
    script: Vec<Step>,
    seen: Arc<Mutex<Seen>>,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    match acceptor {
        None => play(&script, &mut Http1::new(stream), &seen).await,
        Some(acceptor) => {
            let stream = acceptor.accept(stream).await?;
            if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                play(&script, &mut Http2::new(stream), &seen).await
            } else {
                play(&script, &mut Http1::new(stream), &seen).await
            }
        }
    }
}

/// A connection over which a script is played.
trait Socket: AsyncRead + AsyncWrite + Send + Unpin {
    /// Makes the end of the connection a reset.
    fn reset_at_end(&self) -> io::Result<()>;
}

impl Socket for TcpStream {
    fn reset_at_end(&self) -> io::Result<()> {
        self.set_zero_linger()
    }
}

impl Socket for tokio_rustls::server::TlsStream<TcpStream> {
    fn reset_at_end(&self) -> io::Result<()> {
        self.get_ref().0.set_zero_linger()
    }
}

/// How one version of HTTP carries out the steps that have a meaning in both.
trait Carrier: Send {
    type Socket: Socket;

    fn socket(&mut self) -> &mut Self::Socket;

    /// Reads one request.
    fn read(&mut self) -> impl Future<Output = io::Result<String>> + Send;

    /// Writes the head of an answer.
    fn head(
        &mut self,
        status: u16,
        fields: &[(String, String)],
    ) -> impl Future<Output = io::Result<()>> + Send;

    /// Writes a piece of the body. Whether the client takes more of it; what it does not take is left out.
    fn body(&mut self, piece: &[u8]) -> impl Future<Output = io::Result<bool>> + Send;

    /// Ends the answer where that takes a sign of its own.
    fn finish(&mut self) -> impl Future<Output = io::Result<()>> + Send;

    /// Writes one frame.
    fn frame(&mut self, frame: &Frame) -> impl Future<Output = io::Result<()>> + Send;

    /// Reads until the client has ended the connection; answers only what the version of HTTP asks to be answered.
    fn await_end(&mut self) -> impl Future<Output = ()> + Send;
}

async fn play(script: &[Step], carrier: &mut impl Carrier, seen: &Mutex<Seen>) -> io::Result<()> {
    let mut request = String::new();
    for (number, step) in script.iter().enumerate() {
        let id = script::id_of(&request);
        match step {
            Step::Read => {
                request = carrier.read().await?;
                lock(seen).requests.push(request.clone());
            }
            Step::Respond => {
                let (status, fields, body) = script::healthy(&request);
                carrier.head(status, &fields).await?;
                carrier.body(body.as_bytes()).await?;
                carrier.finish().await?;
            }
            Step::Write(bytes) => write(carrier.socket(), &fill(bytes, id)).await?,
            Step::Head(status, fields) => {
                let length = script::length_of_body(script, number, id);
                let fields = script::with_length(fields, length);
                carrier.head(*status, &fields).await?;
            }
            Step::Body(bytes) => {
                carrier.body(&fill(bytes, id)).await?;
            }
            Step::PadTo(_) => {
                let padding = vec![b'x'; script::padding(script, number, id)];
                carrier.body(&padding).await?;
            }
            Step::Chunk(bytes) => {
                let bytes = fill(bytes, id);
                let size = format!("{:x}\r\n", bytes.len());
                write(carrier.socket(), &[size.as_bytes(), &bytes, b"\r\n"].concat()).await?;
            }
            Step::Endless(bytes) => {
                let bytes = fill(bytes, id);
                while carrier.body(&bytes).await? {}
            }
            Step::Drip(bytes, pause) => {
                for byte in fill(bytes, id) {
                    if !carrier.body(&[byte]).await? {
                        break;
                    }
                    tokio::time::sleep(*pause).await;
                }
            }
            Step::Finish => carrier.finish().await?,
            Step::Frame(frame) => carrier.frame(frame).await?,
            Step::EndlessFrame(frame) => loop {
                carrier.frame(frame).await?;
            },
            Step::Shutdown => carrier.socket().shutdown().await?,
            Step::Drop => break,
            Step::Reset => return carrier.socket().reset_at_end(),
            Step::AwaitEnd => {
                carrier.await_end().await;
                lock(seen).ends += 1;
            }
        }
    }
    Ok(())
}

async fn write(socket: &mut impl Socket, bytes: &[u8]) -> io::Result<()> {
    socket.write_all(bytes).await?;
    socket.flush().await
}
