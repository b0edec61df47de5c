//! A conversation over HTTP: each message on a connection of its own, in memory, written and read as bytes.

use std::collections::BTreeMap;

use mcp_server::HttpServer;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use tokio::task::JoinHandle;

use super::play::{Heard, Said};

/// The client's end.
pub(super) struct HttpCarrier {
    server: HttpServer,
    held: BTreeMap<String, JoinHandle<Result<Heard, String>>>,
}

impl HttpCarrier {
    pub(super) const fn new(server: HttpServer) -> Self {
        Self {
            server,
            held: BTreeMap::new(),
        }
    }

    pub(super) async fn say(&mut self, said: &Said, hold: Option<&str>) -> Result<Heard, String> {
        let exchange = exchange(self.server.clone(), request(said));
        let Some(name) = hold else {
            return exchange.await;
        };
        self.held.insert(name.to_owned(), tokio::spawn(exchange));
        // What is spawned gets as far as it gets on its own before the next message.
        for _ in 0..64 {
            tokio::task::yield_now().await;
        }
        Ok(Heard::default())
    }

    pub(super) async fn join(&mut self, name: &str) -> Result<Heard, String> {
        let held = self.held.remove(name).ok_or("nothing is held under this name")?;
        held.await.map_err(|fault| fault.to_string())?
    }
}

/// One request and the whole answer.
async fn exchange(server: HttpServer, request: Vec<u8>) -> Result<Heard, String> {
    let (mut client, served) = duplex(64 * 1_024);
    let driver = tokio::spawn(async move { server.serve_connection(served).await });
    // A server that refuses early may not read everything.
    let _refused = client.write_all(&request).await;
    let mut answer = Vec::new();
    client
        .read_to_end(&mut answer)
        .await
        .map_err(|fault| fault.to_string())?;
    driver.await.map_err(|fault| fault.to_string())?;
    read_answer(&answer)
}

fn request(said: &Said) -> Vec<u8> {
    let mut head = format!("{} {} HTTP/1.1\r\nconnection: close\r\n", said.method, said.path);
    for (name, value) in &said.fields {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !said.fields.contains_key("content-length") {
        head.push_str(&format!("content-length: {}\r\n", said.text.len()));
    }
    head.push_str("\r\n");
    [head.as_bytes(), said.text.as_bytes()].concat()
}

fn read_answer(answer: &[u8]) -> Result<Heard, String> {
    let text = std::str::from_utf8(answer).map_err(|fault| fault.to_string())?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or("the answer has no head")?;
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let fields: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let chunked = fields.contains_key("transfer-encoding");
    let body = if chunked { unchunk(body)? } else { body.to_owned() };
    let texts: Vec<String> = match fields.get("content-type").map(String::as_str) {
        Some("text/event-stream") => body
            .split("\n\n")
            .filter(|event| !event.is_empty())
            .map(|event| {
                event
                    .lines()
                    .filter_map(|line| line.strip_prefix("data: "))
                    .collect()
            })
            .collect(),
        Some(_) => vec![body],
        None if body.is_empty() => Vec::new(),
        None => return Err("a body without a type".into()),
    };
    let answers: Result<Vec<Value>, _> = texts.iter().map(|text| serde_json::from_str(text)).collect();
    Ok(Heard {
        status,
        fields,
        answers: answers.map_err(|fault| fault.to_string())?,
    })
}

fn unchunk(mut body: &str) -> Result<String, String> {
    let mut whole = String::new();
    loop {
        let (size, rest) = body.split_once("\r\n").ok_or("a chunk has no size")?;
        let size = usize::from_str_radix(size, 16).map_err(|fault| fault.to_string())?;
        if size == 0 {
            return Ok(whole);
        }
        whole.push_str(rest.get(..size).ok_or("a chunk is cut")?);
        body = rest.get(size + 2..).ok_or("a chunk is cut")?;
    }
}
