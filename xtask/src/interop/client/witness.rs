//! Stands between a client and the server, passes everything on, and notes how the end of a session was answered.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The line that a request for the end of a session begins with.
const END: &[u8] = b"DELETE /mcp HTTP/1.1\r\n";

/// What was seen; it is shared by all connections.
#[derive(Debug, Default)]
struct Seen {
    statuses: Mutex<Vec<u16>>,
    over: AtomicBool,
}

/// A port in front of the server's. No more connections are taken when this is dropped.
pub(super) struct Witness {
    port: u16,
    seen: Arc<Seen>,
}

impl Witness {
    pub(super) fn before(server: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let seen = Arc::new(Seen::default());
        let shared = Arc::clone(&seen);
        thread::spawn(move || {
            for client in listener.incoming() {
                if shared.over.load(Ordering::Acquire) {
                    return;
                }
                // A connection that fails is the client's to notice.
                let _failed = client.and_then(|client| pass_on(client, server, &shared));
            }
        });
        Ok(Self { port, seen })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}:{}/mcp", Ipv4Addr::LOCALHOST, self.port)
    }

    /// The status of every answer to the end of a session.
    pub(super) fn ended(&self) -> Vec<u16> {
        let statuses = self.seen.statuses.lock();
        statuses.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.seen.over.store(true, Ordering::Release);
        // Wakes the thread that accepts; when it cannot be reached, it has ended.
        let _ended = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

/// Passes both directions on, each in a thread that ends with its side of the connection.
fn pass_on(mut client: TcpStream, server: u16, seen: &Arc<Seen>) -> io::Result<()> {
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, server))?;
    let (mut to_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    let asked = Arc::new(AtomicBool::new(false));
    let answered = Arc::clone(&asked);
    let seen = Arc::clone(seen);
    thread::spawn(move || {
        let mut tail = Vec::new();
        copy(&mut client, &mut to_server, |piece| {
            if contains_end(&mut tail, piece) {
                asked.store(true, Ordering::Release);
            }
        })
    });
    thread::spawn(move || {
        copy(&mut server, &mut to_client, |piece| {
            // On one connection answers come in the order of the requests, each from the start of a piece.
            if answered.swap(false, Ordering::AcqRel) {
                let mut statuses = seen.statuses.lock().unwrap_or_else(PoisonError::into_inner);
                statuses.push(status(piece).unwrap_or(0));
            }
        })
    });
    Ok(())
}

fn copy(from: &mut TcpStream, to: &mut TcpStream, mut look: impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = [0; 16 * 1_024];
    loop {
        // A side that is reset is over, as one that is closed.
        let count = from.read(&mut buffer).unwrap_or(0);
        let piece = buffer.get(..count).unwrap_or_default();
        if piece.is_empty() {
            return to.shutdown(Shutdown::Write);
        }
        look(piece);
        to.write_all(piece)?;
    }
}

/// Whether the line has come; it may come in two pieces.
fn contains_end(tail: &mut Vec<u8>, piece: &[u8]) -> bool {
    tail.extend_from_slice(piece);
    let contains = tail.windows(END.len()).any(|window| window == END);
    let kept = if contains { 0 } else { END.len() - 1 };
    tail.drain(..tail.len().saturating_sub(kept));
    contains
}

fn status(head: &[u8]) -> Option<u16> {
    let line = head.strip_prefix(b"HTTP/1.1 ")?.get(..3)?;
    std::str::from_utf8(line).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found_once_in_any_cutting() {
        let text = b"POST /mcp HTTP/1.1\r\n\r\n{}DELETE /mcp HTTP/1.1\r\nHost: h\r\n\r\n";
        for cut in 0..text.len() {
            let mut tail = Vec::new();
            let found = [&text[..cut], &text[cut..]].map(|piece| contains_end(&mut tail, piece));
            assert_eq!(found.iter().filter(|found| **found).count(), 1, "{cut}");
        }
    }

    #[test]
    fn an_end_and_its_answer_are_seen() {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let witness = Witness::before(server.local_addr().unwrap().port()).unwrap();
        let answering = thread::spawn(move || {
            let (mut stream, _) = server.accept().unwrap();
            let mut request = [0; 256];
            let count = stream.read(&mut request).unwrap();
            stream.write_all(b"HTTP/1.1 404 Not Found\r\n\r\n").unwrap();
            request[..count].to_vec()
        });
        let mut client = TcpStream::connect((Ipv4Addr::LOCALHOST, witness.port)).unwrap();
        client.write_all(END).unwrap();
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).unwrap();
        assert_eq!(answering.join().unwrap(), END);
        assert!(answer.starts_with(b"HTTP/1.1 404"));
        assert_eq!(witness.ended(), [404]);
    }
}
