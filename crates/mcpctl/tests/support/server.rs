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
    /// A status, further fields of the head, and a body in which `$ID` is the id that was sent and `$FF` a byte that is
    /// no UTF-8.
    Http(&'static str, &'static str, &'static str),
    /// The same, but the body is declared longer and never ends.
    Endless(&'static str, &'static str, &'static str),
    /// These bytes and no others; over HTTP/2, the end of the stream.
    Raw(&'static str),
    /// A frame of HTTP/2 with this type, flags and payload, about the connection; then a 503.
    Frame(u8, u8, &'static str),
    /// A response with the next of these results, each time it is asked.
    InTurn(&'static [&'static str]),
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
pub(super) const STOP: u8 = b'!';

impl Server {
    pub(crate) fn start(script: Script) -> Self {
        Self::start_with(script, None)
    }

    pub(crate) fn start_tls(script: Script, tls: Arc<ServerConfig>) -> Self {
        Self::start_with(script, Some(tls))
    }

    fn start_with(script: Script, tls: Option<Arc<ServerConfig>>) -> Self {
        let scheme = if tls.is_some() { "https" } else { "http" };
        Self::start_thread(scheme, move |listener, sender| {
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
        })
    }

    /// A server that is this function.
    pub(super) fn start_thread(
        scheme: &'static str,
        serve: impl FnOnce(TcpListener, Sender<String>) -> Log + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        let (sender, seen) = mpsc::channel();
        let thread = thread::spawn(move || serve(listener, sender));
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
    let mut choice = Choice::of(script, &body);
    if let Some(Answer::InTurn(results)) = choice.answer {
        let before = log
            .requests
            .iter()
            .filter(|(_, earlier)| Choice::of(script, earlier).key == choice.key);
        choice.answer = results.get(before.count()).copied().map(Answer::Result);
    }
    log.requests.push((head, body));
    // Most tests do not listen.
    let _unheard = seen.send(choice.key.clone());
    let (bytes, open) = match choice.answer {
        Some(Answer::Raw(bytes)) => (bytes.into(), false),
        Some(Answer::Silence) => (vec![], true),
        _ => {
            let reply = choice.reply();
            (reply.encode(), !reply.ends)
        }
    };
    let _gone = stream.write_all(&bytes);
    let _gone = stream.flush();
    if open {
        // Ends when the client closes.
        let _closed = stream.read(&mut [0]);
    }
}

/// What a server does about one request.
pub(super) struct Choice {
    pub(super) key: String,
    id: String,
    pub(super) answer: Option<Answer>,
}

impl Choice {
    pub(super) fn of(script: Script, body: &str) -> Self {
        let message: Value = serde_json::from_str(body).unwrap_or_default();
        let method = message["method"].as_str().unwrap_or_default();
        let tool = message["params"]["name"].as_str().unwrap_or_default();
        let key = format!("{method} {tool}").trim_end().to_owned();
        Self {
            answer: find(script, &key).or_else(|| find(script, method)),
            key,
            id: message["id"].as_str().unwrap_or_default().to_owned(),
        }
    }

    /// The reply of the answers that are whole ones; a 503 for the others.
    pub(super) fn reply(&self) -> Reply {
        let response = |branch, value| {
            let body = format!(r#"{{"jsonrpc":"2.0","id":"$ID","{branch}":{value}}}"#);
            ("200 OK", "Content-Type: application/json\r\n", body, true)
        };
        let (status, fields, body, ends) = match self.answer {
            Some(Answer::Result(result)) => response("result", result),
            Some(Answer::Error(error)) => response("error", error),
            Some(Answer::Http(status, fields, body)) => (status, fields, body.to_owned(), true),
            Some(Answer::Endless(status, fields, body)) => (status, fields, body.to_owned(), false),
            None => ("202 Accepted", "", String::new(), true),
            Some(Answer::Raw(_) | Answer::Frame(..) | Answer::Silence | Answer::InTurn(_)) => {
                ("503 Service Unavailable", "", String::new(), true)
            }
        };
        let body = body.replace("$ID", &self.id);
        let pieces: Vec<_> = body.split("$FF").map(str::as_bytes).collect();
        Reply {
            status,
            fields,
            body: pieces.join(&0xff),
            ends,
        }
    }
}

/// Status, further fields of the head, and body.
pub(super) struct Reply {
    pub(super) status: &'static str,
    pub(super) fields: &'static str,
    pub(super) body: Vec<u8>,
    /// Whether there is no more than the body.
    pub(super) ends: bool,
}

impl Reply {
    /// The length that the head declares.
    pub(super) fn length(&self) -> usize {
        self.body.len() + usize::from(!self.ends)
    }

    fn encode(&self) -> Vec<u8> {
        let (status, fields, length) = (self.status, self.fields, self.length());
        let head =
            format!("HTTP/1.1 {status}\r\n{fields}Content-Length: {length}\r\nConnection: close\r\n\r\n");
        [head.as_bytes(), &self.body].concat()
    }
}

fn find(script: Script, key: &str) -> Option<Answer> {
    let own = script.iter().find(|(name, _)| *name == key);
    own.map(|(_, answer)| *answer)
        .or_else(|| (key == "initialize").then_some(HANDSHAKE))
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
