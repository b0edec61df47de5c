//! Many sessions, many strangers, many calls at once: what they hold is free afterwards, and no answer is lost or crossed.
//!
//! The heap is counted exactly, on the one thread that server and client share. `-- --nocapture` prints the figures.

#[path = "server/scripted.rs"]
#[expect(dead_code, reason = "shared with the other tests of the server")]
mod scripted;
#[path = "server/wire.rs"]
#[expect(dead_code, reason = "shared with the other tests of the server")]
mod wire;

use std::sync::Arc;
use std::time::Duration;

use allocation_counter::measure;
use http::StatusCode;
use mcp_server::{HttpOptions, HttpServer, Server, ServerOptions, SessionRules, SystemEntropy};
use mcp_wire::Entropy;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use crate::scripted::{HandClock, Scripted};
use crate::wire::{Connection, Fallible, request};

const SESSIONS: usize = 10_000;

struct Setup {
    runtime: Runtime,
    server: Server,
    clock: Arc<HandClock>,
    connection: Connection,
}

impl Setup {
    fn new() -> Fallible<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let clock = Arc::new(HandClock::default());
        let mut options = ServerOptions::default();
        options.sessions = SessionRules::Issued {
            count: SESSIONS,
            idle: Duration::from_secs(1_800),
            absolute: Duration::from_secs(86_400),
        };
        let server = Server::with(
            Scripted::default(),
            options,
            Arc::new(SystemEntropy),
            clock.clone(),
        );
        let http = HttpServer::new(server.clone(), HttpOptions::default());
        let connection = runtime.block_on(Connection::to(&http))?;
        Ok(Self {
            runtime,
            server,
            clock,
            connection,
        })
    }

    /// Opens sessions and leaves them.
    fn open_and_leave(&mut self, count: usize) -> Fallible {
        self.runtime.block_on(async {
            for _ in 0..count {
                self.connection.initialize(&[]).await?;
            }
            Ok(())
        })
    }

    fn expire(&self) {
        self.clock.advance(1_801);
        self.server.sweep();
    }
}

#[test]
fn sessions_that_were_left_give_their_memory_back() -> Fallible {
    let mut setup = Setup::new()?;
    // Buffers of the connection grow to their size.
    setup.open_and_leave(100)?;
    setup.expire();
    let mut opened = Ok(());
    let held = measure(|| opened = setup.open_and_leave(SESSIONS)).bytes_current;
    opened?;
    assert_eq!(setup.server.session_count(), SESSIONS);
    let given_back = measure(|| setup.expire()).bytes_current;
    assert_eq!(setup.server.session_count(), 0);
    println!(
        "{SESSIONS} sessions: {held} bytes, {} after they expired",
        held + given_back
    );
    assert!(held > 100 * i64::try_from(SESSIONS)?, "sessions are counted");
    assert_eq!(held + given_back, 0);
    Ok(())
}

#[test]
fn ids_that_nobody_was_given_leave_nothing() -> Fallible {
    let mut setup = Setup::new()?;
    let known = setup.runtime.block_on(setup.connection.initialize(&[]))?;
    let ask = |setup: &mut Setup, count: usize| -> Fallible {
        let mut random = [0; 16];
        for _ in 0..count {
            SystemEntropy.fill(&mut random)?;
            let id = format!("{:032x}", u128::from_be_bytes(random));
            let heard = setup.runtime.block_on(setup.connection.request(&id, 1, "echo"))?;
            assert_eq!(heard.status, StatusCode::NOT_FOUND);
        }
        Ok(())
    };
    // Buffers of the connection grow to their size.
    ask(&mut setup, 100)?;
    let mut asked = Ok(());
    let cost = measure(|| asked = ask(&mut setup, SESSIONS));
    asked?;
    println!(
        "{SESSIONS} ids: {} bytes kept, {} allocations kept",
        cost.bytes_current, cost.count_current
    );
    assert_eq!((cost.bytes_current, cost.count_current), (0, 0));
    assert_eq!(setup.server.session_count(), 1);
    let heard = setup
        .runtime
        .block_on(setup.connection.request(&known, 1, "echo"))?;
    assert_eq!(heard.status, StatusCode::OK);
    Ok(())
}

/// One call in a session of its own, under the same id as all others; its nonce comes back when all have started.
async fn call(mut connection: Connection, nonce: usize) -> Fallible<usize> {
    let session = connection.initialize(&[]).await?;
    let text = request(1, "wait").replace('}', &format!(",\"params\":{{\"nonce\":{nonce}}}}}"));
    let heard = connection
        .post(&[("mcp-session-id", session.as_str())], &text)
        .await?;
    assert_eq!(heard.status, StatusCode::OK);
    assert_eq!(
        heard.text,
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"nonce":{nonce}}}}}"#)
    );
    Ok(nonce)
}

async fn none_is_lost_or_crossed(count: usize, on_sockets: bool) -> Fallible {
    let handler = Scripted::default();
    let server = Server::new(handler.clone(), ServerOptions::default());
    let http = HttpServer::new(server.clone(), HttpOptions::default());
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let serving = tokio::spawn(http.clone().serve(listener, std::future::pending()));
    let mut calls = JoinSet::new();
    for nonce in 0..count {
        let connection = if on_sockets {
            Connection::on(TcpStream::connect(address).await?).await?
        } else {
            Connection::to(&http).await?
        };
        calls.spawn(call(connection, nonce));
    }
    while handler.started() < count {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.live_request_count(), count);
    handler.release(count);
    let mut answered = vec![false; count];
    while let Some(ended) = calls.join_next().await {
        let nonce = ended??;
        let seen = answered.get_mut(nonce).ok_or("a nonce of nobody")?;
        assert!(!std::mem::replace(seen, true), "{nonce} twice");
    }
    assert!(answered.iter().all(|seen| *seen), "none is lost");
    assert_eq!((server.live_request_count(), server.session_count()), (0, count));
    println!(
        "{count} calls at once, {}",
        if on_sockets { "on sockets" } else { "in memory" }
    );
    serving.abort();
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_calls_at_once_are_neither_lost_nor_crossed() -> Fallible {
    none_is_lost_or_crossed(1_000, false).await?;
    // Each takes two descriptors, and 1,024 are what a process may have where nobody raised it.
    none_is_lost_or_crossed(400, true).await
}
