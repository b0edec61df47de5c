//! A scripted MCP server for measuring: answers that are made beforehand, on one thread, with as little work as it can.
//!
//! It prints its port and serves until its standard input ends. The path of a URL says what it answers:
//! `/FRAMING/BYTES`, where the framing is `json` or `sse` and a call is answered with so many bytes of text;
//! `/hold/COUNT/FRAMING/BYTES` holds each answer to a call until COUNT of them are waited for. Where no text is asked for,
//! the list is a catalogue: of 500 tools, or of COUNT for `/tools/COUNT/FRAMING/0`.

mod answers;
mod connection;
mod hold;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio::task::LocalSet;

use crate::answers::Answers;
use crate::hold::Hold;

/// What connections share: the answers that were made, and the calls that are held.
#[derive(Default)]
struct Shared {
    answers: RefCell<HashMap<(usize, usize), Rc<Answers>>>,
    hold: Hold,
}

impl Shared {
    fn answers(&self, bytes: usize, tools: usize) -> Rc<Answers> {
        let mut answers = self.answers.borrow_mut();
        answers
            .entry((bytes, tools))
            .or_insert_with(|| Rc::new(Answers::new(bytes, tools)))
            .clone()
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    LocalSet::new().block_on(&runtime.expect("a runtime"), async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        println!("{}", listener.local_addr().expect("an address").port());
        tokio::task::spawn_local(async move {
            let shared = Rc::new(Shared::default());
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                let shared = shared.clone();
                // A client that goes away ends its connection.
                tokio::task::spawn_local(async move { connection::serve(stream, &shared).await.ok() });
            }
        });
        let mut input = tokio::io::stdin();
        while input.read(&mut [0; 64]).await.is_ok_and(|read| read > 0) {}
    });
    // The thread that reads standard input may still wait for it.
    std::process::exit(0);
}
