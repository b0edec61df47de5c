//! A client by hand: hyper's, on a stream of any kind.

use std::error::Error;
use std::time::Duration;

use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use mcp_server::HttpServer;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, duplex};
use tokio::time::timeout;

pub(crate) type Fallible<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

pub(crate) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;

/// A connection of a client.
#[derive(Debug)]
pub(crate) struct Connection(SendRequest<Full<Bytes>>);

/// A whole answer.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) status: StatusCode,
    pub(crate) fields: HeaderMap,
    pub(crate) text: String,
}

impl Connection {
    pub(crate) async fn on(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> Fallible<Self> {
        let (sender, driver) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(driver);
        Ok(Self(sender))
    }

    /// A connection in memory.
    pub(crate) async fn to(server: &HttpServer) -> Fallible<Self> {
        Self::on(serve(server)).await
    }

    /// Sends a message and gives the answer when its head is there.
    pub(crate) async fn begin(
        &mut self,
        method: Method,
        fields: &[(&str, &str)],
        text: &str,
    ) -> Fallible<http::Response<Incoming>> {
        let mut request = Request::builder().method(method).uri("/mcp");
        for (name, value) in [
            ("host", "localhost"),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ]
        .iter()
        .chain(fields)
        {
            request = request.header(*name, *value);
        }
        self.0.ready().await?;
        Ok(self
            .0
            .send_request(request.body(Full::from(text.to_owned()))?)
            .await?)
    }

    pub(crate) async fn post(&mut self, fields: &[(&str, &str)], text: &str) -> Fallible<Heard> {
        whole(self.begin(Method::POST, fields, text).await?).await
    }

    /// Opens a session and gives its id.
    pub(crate) async fn initialize(&mut self, fields: &[(&str, &str)]) -> Fallible<String> {
        let heard = self.post(fields, INITIALIZE).await?;
        let session = heard.fields.get("mcp-session-id").ok_or("no session")?;
        let session = session.to_str()?.to_owned();
        let named = [&[("mcp-session-id", session.as_str())], fields].concat();
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let heard = self.post(&named, initialized).await?;
        assert_eq!(heard.status, StatusCode::ACCEPTED);
        Ok(session)
    }

    pub(crate) async fn request(&mut self, session: &str, id: usize, method: &str) -> Fallible<Heard> {
        self.post(&[("mcp-session-id", session)], &request(id, method))
            .await
    }
}

pub(crate) fn request(id: usize, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)
}

/// Reads an answer to its end, which comes within a minute.
pub(crate) async fn whole(response: http::Response<Incoming>) -> Fallible<Heard> {
    let (head, body) = response.into_parts();
    let bytes = timeout(Duration::from_secs(60), body.collect())
        .await??
        .to_bytes();
    Ok(Heard {
        status: head.status,
        fields: head.headers,
        text: String::from_utf8(bytes.to_vec())?,
    })
}

/// The client's end of a connection that the server serves.
pub(crate) fn serve(server: &HttpServer) -> DuplexStream {
    let (client, served) = duplex(4 * 1_024);
    let server = server.clone();
    tokio::spawn(async move { server.serve_connection(served).await });
    client
}

/// Writes bytes, and reads until the server closes.
pub(crate) async fn say(server: &HttpServer, bytes: &[u8]) -> Fallible<String> {
    let mut stream = serve(server);
    let _refused_early = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(String::from_utf8(answer)?)
}

/// Gives every task its turns, until nothing can change without the time or a peer.
pub(crate) async fn settle() {
    for _ in 0..256 {
        tokio::task::yield_now().await;
    }
}
