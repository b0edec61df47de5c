//! On whose behalf a message comes.

use http::request::Parts;
use http::{HeaderValue, StatusCode};
use mcp_server::{Caller, Callers, HttpOptions, HttpServer, Server, ServerOptions, Unidentified};

use crate::scripted::Scripted;
use crate::wire::{Connection, Fallible, INITIALIZE};

/// Knows everybody who has a bearer credential, by that credential.
struct ByBearer;

impl Callers for ByBearer {
    fn identify(&self, head: &Parts) -> Result<Caller, Unidentified> {
        let bearer = head.headers.get("authorization");
        let name = bearer.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        name.map(Caller::new).ok_or(Unidentified {
            challenge: HeaderValue::from_static("Bearer realm=\"test\""),
        })
    }
}

fn server() -> (HttpServer, Server, Scripted) {
    let handler = Scripted::default();
    let server = Server::new(handler.clone(), ServerOptions::default());
    let http = HttpServer::with_callers(server.clone(), HttpOptions::default(), ByBearer);
    (http, server, handler)
}

#[tokio::test]
async fn a_stranger_is_challenged_and_nothing_is_kept_of_it() -> Fallible {
    let (http, server, handler) = server();
    let mut connection = Connection::to(&http).await?;
    let heard = connection.post(&[], INITIALIZE).await?;
    assert_eq!(heard.status, StatusCode::UNAUTHORIZED);
    let challenge = heard.fields.get("www-authenticate");
    assert_eq!(
        challenge.map(HeaderValue::as_bytes),
        Some(&b"Bearer realm=\"test\""[..])
    );
    assert_eq!((server.session_count(), handler.started()), (0, 0));
    Ok(())
}

#[tokio::test]
async fn a_handler_is_told_the_caller_and_another_does_not_see_the_session() -> Fallible {
    let (http, _, handler) = server();
    let mut connection = Connection::to(&http).await?;
    let alice = ("authorization", "Bearer alice");
    let session = connection.initialize(&[alice]).await?;
    let named = ("mcp-session-id", session.as_str());
    let roots = r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#;
    let echo = r#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#;
    assert_eq!(
        connection.post(&[alice, named], roots).await?.status,
        StatusCode::ACCEPTED
    );
    assert_eq!(
        connection.post(&[alice, named], echo).await?.status,
        StatusCode::OK
    );
    let bob = ("authorization", "Bearer bob");
    assert_eq!(
        connection.post(&[bob, named], echo).await?.status,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        handler.callers(),
        ["notifications/roots/list_changed alice", "alice"]
    );
    Ok(())
}

#[test]
fn a_caller_is_not_shown() {
    assert_eq!(
        format!("{:?}", Caller::new("alice@srv.example")),
        "Caller(redacted)"
    );
}
