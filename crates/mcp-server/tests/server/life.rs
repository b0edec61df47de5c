//! The life of requests and sessions: what ends them, and what does not.

use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode};
use mcp_server::{HttpOptions, HttpServer, Server, ServerOptions, SessionRules, SystemClock, SystemEntropy};

use crate::scripted::{HandClock, Repeating, Scripted};
use crate::wire::{Connection, Fallible, INITIALIZE, request, settle, whole};

struct Setup {
    http: HttpServer,
    server: Server,
    handler: Scripted,
    clock: Arc<HandClock>,
}

impl Setup {
    fn new() -> Self {
        let (handler, clock) = (Scripted::default(), Arc::new(HandClock::default()));
        let mut options = ServerOptions::default();
        options.sessions = SessionRules::Issued {
            count: 8,
            idle: Duration::from_secs(10),
            absolute: Duration::from_secs(60),
        };
        let server = Server::with(handler.clone(), options, Arc::new(SystemEntropy), clock.clone());
        Self {
            http: HttpServer::new(server.clone(), HttpOptions::default()),
            server,
            handler,
            clock,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_goes_away_does_not_end_its_request() -> Fallible {
    let setup = Setup::new();
    let mut leaver = Connection::to(&setup.http).await?;
    let session = leaver.initialize(&[]).await?;
    let gone = tokio::spawn({
        let session = session.clone();
        async move { leaver.request(&session, 1, "wait").await }
    });
    while setup.handler.started() < 1 {
        tokio::task::yield_now().await;
    }
    gone.abort();
    settle().await;
    assert_eq!(
        (setup.handler.dropped(), setup.server.live_request_count()),
        (0, 1)
    );
    setup.handler.release(1);
    settle().await;
    assert_eq!(
        (setup.handler.finished(), setup.server.live_request_count()),
        (1, 0)
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_request_ends_without_an_answer() -> Fallible {
    let setup = Setup::new();
    let mut connection = Connection::to(&setup.http).await?;
    let mut other = Connection::to(&setup.http).await?;
    let session = connection.initialize(&[]).await?;
    let stranger = other.initialize(&[]).await?;
    let named = [("mcp-session-id", session.as_str())];
    let speaking = connection
        .begin(Method::POST, &named, &request(1, "speak-and-hang"))
        .await?;
    let cancel = |id: &str| {
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
    };
    // Neither the same id in another session nor another id in the same one.
    other
        .post(&[("mcp-session-id", stranger.as_str())], &cancel("1"))
        .await?;
    other.post(&named, &cancel("\"1\"")).await?;
    settle().await;
    assert_eq!(setup.handler.dropped(), 0);
    let taken = other.post(&named, &cancel("1")).await?;
    assert_eq!(taken.status, StatusCode::ACCEPTED);
    let heard = whole(speaking).await?;
    assert_eq!(
        heard.text,
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/spoken\",\"params\":{}}\n\n"
    );
    assert_eq!(
        (setup.handler.dropped(), setup.server.live_request_count()),
        (1, 0)
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_session_that_ends_ends_its_requests_and_no_others() -> Fallible {
    let setup = Setup::new();
    let mut connection = Connection::to(&setup.http).await?;
    let mut other = Connection::to(&setup.http).await?;
    let session = connection.initialize(&[]).await?;
    let neighbour = other.initialize(&[]).await?;
    let (named, beside) = (
        [("mcp-session-id", session.as_str())],
        [("mcp-session-id", neighbour.as_str())],
    );
    let speaking = connection
        .begin(Method::POST, &named, &request(1, "speak-and-hang"))
        .await?;
    let mut third = Connection::to(&setup.http).await?;
    let going_on = third
        .begin(Method::POST, &beside, &request(1, "speak-and-hang"))
        .await?;
    let ended = whole(other.begin(Method::DELETE, &named, "").await?).await?;
    assert_eq!((ended.status, ended.text.as_str()), (StatusCode::NO_CONTENT, ""));
    assert_eq!(whole(speaking).await?.text.matches("data:").count(), 1);
    assert_eq!((setup.handler.dropped(), setup.server.session_count()), (1, 1));
    let after = other.post(&named, &request(2, "ping")).await?;
    assert_eq!(after.status, StatusCode::NOT_FOUND);
    assert_eq!(
        other.post(&beside, &request(3, "ping")).await?.status,
        StatusCode::OK
    );
    drop(going_on);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_sweep_ends_what_has_expired_with_what_is_live_in_it() -> Fallible {
    let setup = Setup::new();
    let mut connection = Connection::to(&setup.http).await?;
    let mut other = Connection::to(&setup.http).await?;
    let session = connection.initialize(&[]).await?;
    let named = [("mcp-session-id", session.as_str())];
    let speaking = connection
        .begin(Method::POST, &named, &request(1, "speak-and-hang"))
        .await?;
    setup.clock.advance(10);
    let younger = other.initialize(&[]).await?;
    setup.server.sweep();
    assert_eq!(setup.server.session_count(), 2, "10 s are not too long");
    setup.clock.advance(1);
    setup.server.sweep();
    assert_eq!(setup.server.session_count(), 1);
    assert_eq!(whole(speaking).await?.text.matches("data:").count(), 1);
    assert_eq!(setup.handler.dropped(), 1);
    assert_eq!(other.request(&younger, 1, "ping").await?.status, StatusCode::OK);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_id_is_128_bits_of_the_random_source_and_none_opens_no_session() -> Fallible {
    let with = |entropy| {
        let clock = Arc::new(SystemClock::start());
        let server = Server::with(
            Scripted::default(),
            ServerOptions::default(),
            Arc::new(entropy),
            clock,
        );
        (HttpServer::new(server.clone(), HttpOptions::default()), server)
    };
    let (http, server) = with(Repeating(Some(0xa5)));
    let mut connection = Connection::to(&http).await?;
    assert_eq!(connection.initialize(&[]).await?, "a5".repeat(16));
    // The source repeats itself: the session that has the id keeps it, and nobody else gets it.
    let heard = connection.post(&[], INITIALIZE).await?;
    assert_eq!(
        (heard.status, server.session_count()),
        (StatusCode::SERVICE_UNAVAILABLE, 1)
    );
    let (http, server) = with(Repeating(None));
    let mut connection = Connection::to(&http).await?;
    let heard = connection.post(&[], INITIALIZE).await?;
    assert_eq!(
        (heard.status, server.session_count()),
        (StatusCode::SERVICE_UNAVAILABLE, 0)
    );
    assert_eq!(
        heard.text,
        r#"{"jsonrpc":"2.0","id":"i","error":{"code":-32603,"message":"the server cannot begin a session"}}"#
    );
    Ok(())
}
