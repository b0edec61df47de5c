//! A server that answers from a script, one connection after another, and notes what it was sent.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use serde_json::Value;
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::CANARY;

/// Which request gets which answer. The key is a method, or `tools/call` and a tool's name. A handshake that has no
/// entry goes well.
pub(crate) type Script = &'static [(&'static str, Answer)];

/// The answer to a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answer {
    /// A response with this `result`.
    Result(&'static str),
    /// A response with this `error`.
    Error(&'static str),
    /// A status, further fields of the head, and a body in which `$ID` is the id that was sent.
    Http(&'static str, &'static str, &'static str),
    /// These bytes and no others.
    Raw(&'static str),
    /// None, while the client waits.
    Silence,
}

const HANDSHAKE: Answer = Answer::Result(
    r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"demo","version":"1.2.0"}}"#,
);

/// What a server was sent.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// Connections, those included on which nothing came.
    pub(crate) connections: usize,
    /// Head and body of every request.
    pub(crate) requests: Vec<(String, String)>,
}

/// A running server on the loopback interface.
pub(crate) struct Server {
    authority: String,
    scheme: &'static str,
    /// The key of each request, as soon as it was read.
    pub(crate) seen: Receiver<String>,
    thread: JoinHandle<Log>,
}

/// What the sentinel sends that ends the server: no method and no TLS record begins with it.
const STOP: u8 = b'!';

impl Server {
    pub(crate) fn start(script: Script) -> Self {
        Self::start_with(script, None)
    }

    pub(crate) fn start_tls(script: Script, tls: Arc<ServerConfig>) -> Self {
        Self::start_with(script, Some(tls))
    }

    fn start_with(script: Script, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let (sender, seen) = mpsc::channel();
        let thread = thread::spawn(move || {
            let mut log = Log::default();
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                let mut first = [0];
                // A connection that is reset has no first byte.
                let read = stream.peek(&mut first).unwrap_or(0);
                if read == 1 && first[0] == STOP {
                    break;
                }
                log.connections += 1;
                match &tls {
                    None => serve(stream, script, &mut log, &sender),
                    Some(tls) => {
                        let session = ServerConnection::new(tls.clone()).unwrap();
                        serve(StreamOwned::new(session, stream), script, &mut log, &sender);
                    }
                }
            }
            log
        });
        Self {
            authority,
            scheme,
            seen,
            thread,
        }
    }

    pub(crate) fn origin(&self) -> String {
        format!("{}://{}", self.scheme, self.authority)
    }

    /// The endpoint, with a secret in its query.
    pub(crate) fn url(&self) -> String {
        format!("{}/mcp?token={CANARY}", self.origin())
    }

    /// Ends the server and says what came. Connections are served in their order, so none that came before is missed.
    pub(crate) fn log(self) -> Log {
        let mut sentinel = TcpStream::connect(&self.authority).unwrap();
        sentinel.write_all(&[STOP]).unwrap();
        self.thread.join().unwrap()
    }
}

/// One request and its answer; a connection that breaks is the client's affair.
fn serve(mut stream: impl Read + Write, script: Script, log: &mut Log, seen: &Sender<String>) {
    let Some((head, body)) = read_request(&mut stream) else {
        return;
    };
    let message: Value = serde_json::from_str(&body).unwrap_or_default();
    let method = message["method"].as_str().unwrap_or_default();
    let tool = message["params"]["name"].as_str().unwrap_or_default();
    let key = format!("{method} {tool}").trim_end().to_owned();
    let answer = find(script, &key).or_else(|| find(script, method));
    log.requests.push((head, body));
    // Most tests do not listen.
    let _unheard = seen.send(key);
    let id = message["id"].as_str().unwrap_or_default();
    let bytes = match answer {
        Some(Answer::Result(result)) => response(id, "result", result),
        Some(Answer::Error(error)) => response(id, "error", error),
        Some(Answer::Http(status, fields, body)) => http(status, fields, &body.replace("$ID", id)),
        Some(Answer::Raw(bytes)) => bytes.to_owned(),
        Some(Answer::Silence) => {
            // Ends when the client closes.
            let _closed = stream.read(&mut [0]);
            return;
        }
        None => http("202 Accepted", "", ""),
    };
    let _gone = stream.write_all(bytes.as_bytes());
    let _gone = stream.flush();
}

fn find(script: Script, key: &str) -> Option<Answer> {
    let own = script.iter().find(|(name, _)| *name == key);
    own.map(|(_, answer)| *answer)
        .or_else(|| (key == "initialize").then_some(HANDSHAKE))
}

fn response(id: &str, branch: &str, value: &str) -> String {
    let body = format!(r#"{{"jsonrpc":"2.0","id":"{id}","{branch}":{value}}}"#);
    http("200 OK", "Content-Type: application/json\r\n", &body)
}

fn http(status: &str, fields: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{fields}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

fn read_request(stream: &mut impl Read) -> Option<(String, String)> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let field = |line: &str| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().unwrap())
    };
    let mut body = vec![0; head.lines().find_map(field).unwrap_or(0)];
    stream.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8(body).unwrap()))
}
