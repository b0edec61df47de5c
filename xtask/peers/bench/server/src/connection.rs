//! One connection: requests in, answers out, one after another.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::Shared;
use crate::answers::{Answer, Answers};

/// How an answer is framed.
#[derive(Clone, Copy)]
enum Framing {
    Json,
    Sse,
}

/// One request, as far as it matters.
struct Request<'a> {
    method: &'a str,
    framing: Framing,
    /// Bytes of text that a call is answered with.
    bytes: usize,
    /// Tools of the catalogue.
    tools: usize,
    /// How many calls are held at a time.
    hold: Option<usize>,
    body: &'a str,
}

/// An answer of more bytes than this is written in pieces, without being copied first.
const COPIED: usize = 64 * 1_024;

const EVENT: (&str, &str) = ("event: message\ndata: ", "\n\n");

pub(crate) async fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut input, mut output) = (Vec::with_capacity(4_096), Vec::with_capacity(4_096));
    while let Some((head, whole)) = read_request(&mut stream, &mut input).await? {
        let request = input.get(..whole).and_then(|request| parse(request, head));
        let request = request.ok_or(io::ErrorKind::InvalidData)?;
        let answers = shared.answers(request.bytes, request.tools);
        if let (Some(count), Some("\"tools/call\"")) = (request.hold, member(request.body, "method")) {
            shared.hold.until(count).await;
        }
        output.clear();
        match choose(&request, &answers) {
            Choice::Answer(answer, fields) => {
                let id = member(request.body, "id").unwrap_or("null").as_bytes();
                let whole = answer.len(id);
                let end = begin(&mut output, request.framing, fields, whole);
                output.extend_from_slice(&answer.before_id);
                output.extend_from_slice(id);
                if whole > COPIED {
                    stream.write_all(&output).await?;
                    stream.write_all(&answer.after_id).await?;
                    output.clear();
                } else {
                    output.extend_from_slice(&answer.after_id);
                }
                output.extend_from_slice(end.as_bytes());
            }
            Choice::Empty(status) => {
                output
                    .extend_from_slice(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").as_bytes());
            }
        }
        stream.write_all(&output).await?;
        input.drain(..whole);
    }
    Ok(())
}

enum Choice<'a> {
    Answer(&'a Answer, &'static str),
    Empty(&'static str),
}

fn choose<'a>(request: &Request<'_>, answers: &'a Answers) -> Choice<'a> {
    match request.method {
        "POST" => {}
        "DELETE" => return Choice::Empty("200 OK"),
        _ => return Choice::Empty("405 Method Not Allowed"),
    }
    match member(request.body, "method") {
        Some("\"initialize\"") => Choice::Answer(
            &answers.initialize,
            "mcp-session-id: 0123456789abcdef0123456789abcdef\r\n",
        ),
        Some("\"tools/call\"") => Choice::Answer(&answers.call, ""),
        // The catalogue where no text is asked for.
        Some("\"tools/list\"") if request.bytes == 0 => {
            let cursor = member(request.body, "cursor").unwrap_or_default();
            let number = cursor
                .trim_matches('"')
                .strip_prefix("page-")
                .and_then(|page| page.parse().ok());
            match answers.pages.get(number.unwrap_or(0usize)) {
                Some(page) => Choice::Answer(page, ""),
                None => Choice::Empty("400 Bad Request"),
            }
        }
        Some("\"tools/list\"") => Choice::Answer(&answers.tools, ""),
        _ => Choice::Empty("202 Accepted"),
    }
}

/// Writes the head of an answer, and what comes after its last byte back.
fn begin(output: &mut Vec<u8>, framing: Framing, fields: &str, whole: usize) -> &'static str {
    match framing {
        Framing::Json => {
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{fields}content-length: {whole}\r\n\r\n"
            );
            output.extend_from_slice(head.as_bytes());
            ""
        }
        Framing::Sse => {
            let (before, after) = EVENT;
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n{fields}transfer-encoding: chunked\r\n\r\n{:x}\r\n{before}",
                before.len() + whole + after.len()
            );
            output.extend_from_slice(head.as_bytes());
            "\n\n\r\n0\r\n\r\n"
        }
    }
}

/// Waits for a whole request at the front of `input`: the bytes of its head, and of all of it. `None` when the client
/// has closed.
async fn read_request(stream: &mut TcpStream, input: &mut Vec<u8>) -> io::Result<Option<(usize, usize)>> {
    loop {
        let end = input.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(head) = end.map(|end| end + 4) {
            let text = std::str::from_utf8(&input[..head]).map_err(|_| io::ErrorKind::InvalidData)?;
            let whole = head + content_length(text);
            if input.len() >= whole {
                return Ok(Some((head, whole)));
            }
        }
        if stream.read_buf(input).await? == 0 {
            return Ok(None);
        }
    }
}

fn content_length(head: &str) -> usize {
    let fields = head.lines().filter_map(|line| line.split_once(':'));
    let mut lengths = fields.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    lengths
        .next()
        .and_then(|(_, value)| value.trim().parse().ok())
        .unwrap_or(0)
}

fn parse(request: &[u8], head: usize) -> Option<Request<'_>> {
    let (head, body) = request.split_at_checked(head)?;
    let mut line = std::str::from_utf8(head).ok()?.split(' ');
    let (method, target) = (line.next()?, line.next()?);
    let parts: Vec<&str> = target.split('/').collect();
    let (hold, tools, framing, bytes) = match parts[..] {
        ["", framing, bytes] => (None, 500, framing, bytes),
        ["", "hold", count, framing, bytes] => (Some(count.parse().ok()?), 500, framing, bytes),
        ["", "tools", count, framing, bytes] => (None, count.parse().ok()?, framing, bytes),
        _ => return None,
    };
    Some(Request {
        method,
        framing: match framing {
            "json" => Framing::Json,
            "sse" => Framing::Sse,
            _ => return None,
        },
        bytes: bytes.parse().ok()?,
        tools,
        hold,
        body: std::str::from_utf8(body).ok()?,
    })
}

/// The first member of this name that is a string or a number, as it is written. No text that the clients send holds such
/// a name elsewhere.
fn member<'a>(body: &'a str, name: &str) -> Option<&'a str> {
    let at = body.find(&format!("\"{name}\":"))? + name.len() + 3;
    let value = body.get(at..)?;
    let end = match value.strip_prefix('"') {
        Some(text) => text.find('"')? + 2,
        None => value.find([',', '}'])?,
    };
    value.get(..end)
}
