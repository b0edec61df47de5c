//! The steps over HTTP/1.1: bytes as they are.

use std::io;

use tokio::io::AsyncReadExt;

use super::script::Frame;
use super::{Carrier, Socket, write};

/// A connection over HTTP/1.1.
pub(super) struct Http1<S>(S);

impl<S: Socket> Http1<S> {
    pub(super) const fn new(socket: S) -> Self {
        Self(socket)
    }
}

impl<S: Socket> Carrier for Http1<S> {
    type Socket = S;

    fn socket(&mut self) -> &mut S {
        &mut self.0
    }

    /// Reads a head, and a body of the length that it declares.
    async fn read(&mut self) -> io::Result<String> {
        let mut request = String::new();
        let mut piece = [0; 1_024];
        loop {
            let count = self.0.read(&mut piece).await?;
            let piece = piece.get(..count).unwrap_or_default();
            if piece.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            request.push_str(&String::from_utf8_lossy(piece));
            if let Some((head, body)) = request.split_once("\r\n\r\n")
                && body.len() >= declared_length(head)
            {
                return Ok(request);
            }
        }
    }

    async fn head(&mut self, status: u16, fields: &[(String, String)]) -> io::Result<()> {
        let mut head = format!("HTTP/1.1 {status} Scripted\r\n");
        for (name, value) in fields {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        write(&mut self.0, head.as_bytes()).await
    }

    async fn body(&mut self, piece: &[u8]) -> io::Result<bool> {
        write(&mut self.0, piece).await?;
        Ok(true)
    }

    async fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// HTTP/1.1 has none, so the script cannot go on.
    async fn frame(&mut self, _frame: &Frame) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    async fn await_end(&mut self) {
        // A reset ends a connection as well.
        while matches!(self.0.read(&mut [0; 1_024]).await, Ok(1..)) {}
    }
}

fn declared_length(head: &str) -> usize {
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    length.and_then(|length| length.parse().ok()).unwrap_or(0)
}
