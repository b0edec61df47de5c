//! The steps over HTTP/2: frames by hand, so that a script can send any of them in any order.
//!
//! Read is what the script needs to go on: the bodies of requests, windows, and what must be acknowledged. Fields of
//! requests are not decoded.

use std::collections::BTreeMap;
use std::io;

use tokio::io::AsyncReadExt;

use super::script::Frame;
use super::{Carrier, Socket, write};

const PREFACE: usize = 24;

/// Frames: [RFC 9113, section 6](https://www.rfc-editor.org/rfc/rfc9113#section-6).
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;

const INITIAL_WINDOW_SIZE: u16 = 4;

/// The largest frame that every client takes.
const FRAME: usize = 16_384;

/// A connection over HTTP/2.
pub(super) struct Http2<S> {
    socket: S,
    begun: bool,
    /// The stream of the request that was read last.
    stream: u32,
    /// The bodies of requests that are not complete.
    bodies: BTreeMap<u32, Vec<u8>>,
    /// What the client takes: on the connection, on a new stream, and on each stream that it has opened.
    window: i64,
    initial_window: i64,
    windows: BTreeMap<u32, i64>,
}

struct Received {
    kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

impl<S: Socket> Http2<S> {
    pub(super) const fn new(socket: S) -> Self {
        Self {
            socket,
            begun: false,
            stream: 0,
            bodies: BTreeMap::new(),
            window: 65_535,
            initial_window: 65_535,
            windows: BTreeMap::new(),
        }
    }

    /// Reads one frame, and acknowledges it when it asks for that.
    async fn receive(&mut self) -> io::Result<Received> {
        if !self.begun {
            self.begun = true;
            self.socket.read_exact(&mut [0; PREFACE]).await?;
        }
        let mut length = [0; 4];
        self.socket
            .read_exact(length.get_mut(1..).unwrap_or_default())
            .await?;
        let (kind, flags) = (self.socket.read_u8().await?, self.socket.read_u8().await?);
        let stream = self.socket.read_u32().await?;
        let mut payload = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap_or(0)];
        self.socket.read_exact(&mut payload).await?;
        let frame = Received {
            kind,
            flags,
            stream,
            payload,
        };
        self.note(&frame).await?;
        Ok(frame)
    }

    async fn note(&mut self, frame: &Received) -> io::Result<()> {
        match frame.kind {
            SETTINGS if frame.flags & ACK == 0 => {
                for setting in frame.payload.chunks_exact(6) {
                    let (name, value) = setting.split_at(2);
                    if name == INITIAL_WINDOW_SIZE.to_be_bytes() {
                        self.initial_window = number(value);
                    }
                }
                self.send(SETTINGS, ACK, 0, &[]).await
            }
            PING if frame.flags & ACK == 0 => self.send(PING, ACK, 0, &frame.payload).await,
            // What was read makes room for as much again.
            DATA if !frame.payload.is_empty() => {
                let room = u32::try_from(frame.payload.len())
                    .unwrap_or(u32::MAX)
                    .to_be_bytes();
                self.send(WINDOW_UPDATE, 0, 0, &room).await?;
                self.send(WINDOW_UPDATE, 0, frame.stream, &room).await
            }
            HEADERS => {
                self.windows.insert(frame.stream, self.initial_window);
                Ok(())
            }
            WINDOW_UPDATE if frame.stream == 0 => {
                self.window += number(&frame.payload);
                Ok(())
            }
            WINDOW_UPDATE => {
                let window = self.windows.entry(frame.stream);
                *window.or_insert(self.initial_window) += number(&frame.payload);
                Ok(())
            }
            RST_STREAM => {
                self.windows.remove(&frame.stream);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    async fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> io::Result<()> {
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX).to_be_bytes();
        let mut frame = length.get(1..).unwrap_or_default().to_vec();
        frame.extend_from_slice(&[kind, flags]);
        frame.extend_from_slice(&stream.to_be_bytes());
        frame.extend_from_slice(payload);
        write(&mut self.socket, &frame).await
    }

    /// Waits until the client takes data on the current stream; how much. `None` when it has reset the stream.
    async fn room(&mut self) -> io::Result<Option<usize>> {
        loop {
            let Some(window) = self.windows.get(&self.stream) else {
                return Ok(None);
            };
            match usize::try_from(self.window.min(*window)) {
                Ok(room @ 1..) => return Ok(Some(room.min(FRAME))),
                Ok(0) | Err(_) => {
                    self.receive().await?;
                }
            }
        }
    }
}

impl<S: Socket> Carrier for Http2<S> {
    type Socket = S;

    fn socket(&mut self) -> &mut S {
        &mut self.socket
    }

    async fn read(&mut self) -> io::Result<String> {
        if !self.begun {
            self.send(SETTINGS, 0, 0, &[]).await?;
        }
        loop {
            let frame = self.receive().await?;
            if !matches!(frame.kind, DATA | HEADERS) {
                continue;
            }
            let body = self.bodies.entry(frame.stream).or_default();
            if frame.kind == DATA {
                body.extend_from_slice(&frame.payload);
            }
            if frame.flags & END_STREAM != 0 {
                self.stream = frame.stream;
                let body = self.bodies.remove(&frame.stream).unwrap_or_default();
                return Ok(String::from_utf8_lossy(&body).into_owned());
            }
        }
    }

    async fn head(&mut self, status: u16, fields: &[(String, String)]) -> io::Result<()> {
        // `:status` stands at place 8 of the static table of RFC 7541; everything else is written out.
        let mut block = vec![0x08];
        literal(&mut block, &status.to_string());
        for (name, value) in fields {
            block.push(0);
            literal(&mut block, name);
            literal(&mut block, value);
        }
        let mut pieces = block.chunks(FRAME).peekable();
        let mut kind = HEADERS;
        while let Some(piece) = pieces.next() {
            let flags = if pieces.peek().is_none() { END_HEADERS } else { 0 };
            self.send(kind, flags, self.stream, piece).await?;
            kind = CONTINUATION;
        }
        Ok(())
    }

    async fn body(&mut self, mut piece: &[u8]) -> io::Result<bool> {
        while !piece.is_empty() {
            let Some(room) = self.room().await? else {
                return Ok(false);
            };
            let room = room.min(piece.len());
            let (now, rest) = piece.split_at(room);
            let taken = i64::try_from(room).unwrap_or(i64::MAX);
            self.window -= taken;
            if let Some(window) = self.windows.get_mut(&self.stream) {
                *window -= taken;
            }
            self.send(DATA, 0, self.stream, now).await?;
            piece = rest;
        }
        Ok(true)
    }

    async fn finish(&mut self) -> io::Result<()> {
        self.send(DATA, END_STREAM, self.stream, &[]).await
    }

    async fn frame(&mut self, frame: &Frame) -> io::Result<()> {
        let stream = if frame.on_stream { self.stream } else { 0 };
        self.send(frame.kind, frame.flags, stream, &frame.payload).await
    }

    async fn await_end(&mut self) {
        while self.receive().await.is_ok() {}
    }
}

/// A string of RFC 7541, section 5.2, without its code.
fn literal(block: &mut Vec<u8>, text: &str) {
    let mut length = text.len();
    if length < 127 {
        block.push(u8::try_from(length).unwrap_or_default());
    } else {
        block.push(127);
        length -= 127;
        while length >= 128 {
            block.push(u8::try_from(length % 128).unwrap_or_default() | 128);
            length /= 128;
        }
        block.push(u8::try_from(length).unwrap_or_default());
    }
    block.extend_from_slice(text.as_bytes());
}

fn number(bytes: &[u8]) -> i64 {
    bytes.iter().fold(0, |sum, byte| sum << 8 | i64::from(*byte))
}
