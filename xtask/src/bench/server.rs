//! A server for counting: answers each message at once and keeps the connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use crate::failure::Failure;

/// A stateless MCP server on loopback. Its threads end with the process.
pub(super) struct EchoServer {
    address: SocketAddr,
}

impl EchoServer {
    /// A server whose tool answers with `bytes` bytes of text.
    pub(super) fn start(bytes: usize) -> Result<Self, Failure> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let text: Arc<str> = "A line of realistic text, with \\\"quotes\\\" and \\n a line end – and more. "
            .chars()
            .cycle()
            .take(bytes)
            .collect::<String>()
            .trim_end_matches('\\')
            .into();
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let text = text.clone();
                // A client that goes away ends its thread.
                thread::spawn(move || serve(connection, &text).ok());
            }
        });
        Ok(Self { address })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}

fn serve(mut connection: TcpStream, text: &str) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = BufReader::new(connection.try_clone()?);
    while let Some(body) = read_request(&mut reader)? {
        let result = match member(&body, "method") {
            "initialize" => concat!(
                r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"#,
                r#""serverInfo":{"name":"bench","version":"1"}}"#
            )
            .to_owned(),
            "tools/call" => format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#),
            _ => {
                connection.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")?;
                continue;
            }
        };
        let answer = format!(
            r#"{{"jsonrpc":"2.0","id":"{}","result":{result}}}"#,
            member(&body, "id")
        );
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            answer.len()
        );
        connection.write_all((head + &answer).as_bytes())?;
    }
    Ok(())
}

/// The body of the next request; `None` when the client has closed.
fn read_request(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<String>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(String::from_utf8_lossy(&body).into_owned()))
}

/// A top-level string member, as this project's client spells it.
fn member<'a>(body: &'a str, name: &str) -> &'a str {
    let start = body
        .split_once(&format!("\"{name}\":\""))
        .map(|(_, rest)| rest)
        .unwrap_or_default();
    start.split_once('"').map(|(value, _)| value).unwrap_or_default()
}
