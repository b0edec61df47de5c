//! One HTTP/1.1 request off a socket, with its last byte held back so that a reset can follow.

use std::io::{self, Read};
use std::net::TcpStream;

use serde::Deserialize;
use serde_json::value::RawValue;

/// More than any client of the suite sends.
const LINE_LIMIT: usize = 64 * 1_024;
const BODY_LIMIT: usize = 4 * 1_024 * 1_024;

/// One request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) body: Vec<u8>,
    /// Whether the last byte of the body still lies in the socket. A socket that is closed over unread bytes is reset.
    pub(super) held: bool,
}

/// What the body says of itself. Ids of any JSON type are kept as they are spelled.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) method: Option<String>,
    pub(super) id: Option<String>,
}

impl Request {
    /// Reads the next request; `None` when the connection has ended.
    pub(super) fn read(stream: &mut TcpStream) -> io::Result<Option<Self>> {
        let Some(start) = line(stream)? else {
            return Ok(None);
        };
        let mut request = Self {
            method: start.split(' ').next().unwrap_or_default().to_owned(),
            ..Self::default()
        };
        let (mut length, mut chunked) = (0, false);
        while let Some((name, value)) = field(stream)? {
            match name.as_str() {
                "content-length" => length = value.parse().map_err(|_| malformed())?,
                "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
                _ => {}
            }
        }
        if chunked {
            request.body = chunks(stream)?;
        } else if length > 0 {
            request.body = exactly(stream, length - 1)?;
            let mut last = [0];
            if stream.peek(&mut last)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            request.body.extend(last);
            request.held = true;
        }
        Ok(Some(request))
    }

    /// Takes the last byte, so that the connection can go on or end in order.
    pub(super) fn release(&self, stream: &mut TcpStream) -> io::Result<()> {
        if self.held {
            exactly(stream, 1)?;
        }
        Ok(())
    }

    /// The message in the body; an empty one when it holds none.
    pub(super) fn message(&self) -> Message {
        #[derive(Deserialize)]
        struct Members<'a> {
            #[serde(default)]
            method: Option<String>,
            #[serde(default, borrow)]
            id: Option<&'a RawValue>,
        }
        serde_json::from_slice(&self.body)
            .map(|Members { method, id }| Message {
                method,
                id: id.map(|id| id.get().to_owned()),
            })
            .unwrap_or_default()
    }
}

/// The next field, with its name in lower case; `None` at the end of the head.
fn field(stream: &mut impl Read) -> io::Result<Option<(String, String)>> {
    let line = line(stream)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    if line.is_empty() {
        return Ok(None);
    }
    let (name, value) = line.split_once(':').ok_or_else(malformed)?;
    Ok(Some((name.to_ascii_lowercase(), value.trim().to_owned())))
}

/// The next line without its end; `None` when there is nothing more.
fn line(stream: &mut impl Read) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut byte = [0];
    while line.len() < LINE_LIMIT {
        if stream.read(&mut byte)? == 0 {
            return if line.is_empty() {
                Ok(None)
            } else {
                Err(io::ErrorKind::UnexpectedEof.into())
            };
        }
        if byte == *b"\n" {
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
        }
        line.extend(byte);
    }
    Err(malformed())
}

fn chunks(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = line(stream)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let size = size.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| malformed())?;
        if size == 0 {
            while field(stream)?.is_some() {}
            return Ok(body);
        }
        body.extend(exactly(stream, size)?);
        line(stream)?;
        if body.len() > BODY_LIMIT {
            return Err(malformed());
        }
    }
}

fn exactly(stream: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    if length > BODY_LIMIT {
        return Err(malformed());
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn malformed() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_keeps_the_spelling_of_its_id() {
        let message = |body: &str| {
            let body = body.as_bytes().to_vec();
            Request {
                body,
                ..Request::default()
            }
            .message()
        };
        let id = |text: &str| message(&format!(r#"{{"jsonrpc":"2.0","id":{text},"method":"m"}}"#)).id;
        for text in ["7", r#""a-1""#, "1.0", r#""\u0061""#] {
            assert_eq!(id(text).as_deref(), Some(text));
        }
        assert_eq!(message(r#"{"method":"n"}"#).method.as_deref(), Some("n"));
        assert_eq!(message("[]"), Message::default());
    }

    #[test]
    fn a_body_in_chunks_is_put_together() {
        let mut bytes: &[u8] = b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: 1\r\n\r\nnext";
        assert_eq!(chunks(&mut bytes).unwrap(), b"abcde");
        assert_eq!(bytes, b"next");
        assert!(chunks(&mut &b"zz\r\n"[..]).is_err());
    }
}
