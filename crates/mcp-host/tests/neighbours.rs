//! A server that answers nothing beside one that answers: the calls to the one take nothing from the calls to the other.
//!
//! Judged is what happens, not how fast: `cargo test -p mcp-host --test neighbours -- --nocapture` prints the times.

#![cfg(test)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mcp_host::{CancelToken, Host, Server, Wiring};
use mcp_policy::port::{Actor, RunId};
use mcp_testkit::loopback::{self, Authority, Step};
use mcp_wire::{Arguments, ToolName};
use tokio::task::JoinSet;

/// Calls to the server that answers nothing. Its queue lets as many exchanges pass as there are places for requests.
const SLOW_CALLS: usize = 96;
const PLACES: usize = 63;

/// Calls to the server that answers, one after another.
const FAST_CALLS: usize = 200;

/// The kind of a failure, or `answered`.
async fn call(host: &Host, server: &Server, token: &CancelToken) -> &'static str {
    let (tool, arguments) = (ToolName::parse("echo").unwrap(), Arguments::none());
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let run = RunId(format!("run-{}", RUNS.fetch_add(1, Ordering::Relaxed)));
    let (client, actor) = (host.client(), Actor::Unattended);
    client.open_run(&run, &actor).await.unwrap();
    let called = client.call_tool(server, &tool, &arguments, &run, &actor, token);
    called.await.map_or_else(|failure| failure.kind(), |_| "answered")
}

/// How long each of the fast calls took, in order of length.
async fn fast_calls(host: &Host, server: &Server) -> Vec<Duration> {
    let never = CancelToken::new();
    let mut took = Vec::new();
    for _ in 0..FAST_CALLS {
        let started = Instant::now();
        assert_eq!(call(host, server, &never).await, "answered");
        took.push(started.elapsed());
    }
    took.sort_unstable();
    took
}

#[tokio::test]
async fn a_server_that_answers_nothing_takes_nothing_from_one_that_answers() {
    println!("| Carrier | The fast server | p50, ms | p99, ms |\n|---|---|---:|---:|");
    let authority = Authority::new().unwrap();
    for (carrier, acceptor) in [
        ("HTTP/1.1", None),
        (
            "HTTP/1.1, TLS",
            Some(authority.server("127.0.0.1", 2999).unwrap()),
        ),
        ("HTTP/2, TLS", Some(authority.http2_server("127.0.0.1").unwrap())),
    ] {
        let mut answers = Vec::new();
        for _ in 0..2 * 3 * FAST_CALLS {
            answers.extend([Step::Read, Step::Respond]);
        }
        let silence = vec![Step::Read, Step::AwaitEnd];
        let slow = loopback::Server::repeat(silence, acceptor.clone()).await.unwrap();
        let fast = loopback::Server::repeat(answers, acceptor.clone()).await.unwrap();
        let url = |server: &loopback::Server| match acceptor {
            None => server.http_url(),
            Some(_) => server.https_url("127.0.0.1"),
        };
        let mut wiring = Wiring::default();
        wiring.tls = authority.tls().unwrap();
        let host = Arc::new(Host::wire(wiring).unwrap());
        let (to_slow, to_fast) = (
            host.server("slow", &url(&slow)).unwrap(),
            host.server("fast", &url(&fast)).unwrap(),
        );

        let alone = fast_calls(&host, &to_fast).await;
        let (mut waiting, token) = (JoinSet::new(), CancelToken::new());
        for _ in 0..SLOW_CALLS {
            let (host, server, token) = (host.clone(), to_slow.clone(), token.clone());
            waiting.spawn(async move { call(&host, &server, &token).await });
        }
        while slow.seen(|seen| seen.requests.len()) < PLACES {
            assert!(waiting.try_join_next().is_none(), "{carrier}: a slow call ended");
            tokio::task::yield_now().await;
        }
        let beside = fast_calls(&host, &to_fast).await;
        // All the while the slow server held all that it may hold, and no more came to it.
        assert_eq!(
            slow.seen(|seen| (seen.requests.len(), seen.ends)),
            (PLACES, 0),
            "{carrier}"
        );
        assert!(waiting.try_join_next().is_none(), "{carrier}: a slow call ended");
        token.cancel();
        while let Some(ended) = waiting.join_next().await {
            assert_eq!(ended.unwrap(), "cancelled", "{carrier}");
        }
        for (beside_whom, took) in [("alone", alone), ("beside the slow one", beside)] {
            let ms = |place: usize| took[place].as_secs_f64() * 1_000.0;
            let (half, most) = (ms(took.len() / 2), ms(took.len() * 99 / 100));
            println!("| {carrier} | {beside_whom} | {half:.2} | {most:.2} |");
        }
    }
}
