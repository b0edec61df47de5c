//! Each bound at its edge: the last value that is accepted and the first that is not.

use std::time::Duration;

use http::{Method, StatusCode};
use mcp_server::{HttpOptions, HttpServer, Server, ServerOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use crate::scripted::Scripted;
use crate::wire::{Connection, Fallible, request, say, serve, settle, whole};

fn server(options: ServerOptions, http: HttpOptions) -> (HttpServer, Scripted) {
    let handler = Scripted::default();
    let server = Server::new(handler.clone(), options);
    (HttpServer::new(server, http), handler)
}

fn status(answer: &str) -> Option<&str> {
    answer.split(' ').nth(1)
}

/// A whole request whose head has so many bytes and fields.
fn head_of(bytes: usize, fields: usize) -> String {
    let mut head = String::from(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\naccept: */*\r\ncontent-length: 2\r\n",
    );
    for number in 6..fields {
        head.push_str(&format!("x-{number}: 1\r\n"));
    }
    let rest = bytes.saturating_sub(head.len() + "x-fill: \r\n\r\n".len());
    head.push_str(&format!("x-fill: {}\r\n\r\n", "f".repeat(rest)));
    head.push_str("{}");
    head
}

#[tokio::test]
async fn a_head_has_a_bound_on_its_bytes_and_one_on_its_fields() -> Fallible {
    let (server, _) = server(ServerOptions::default(), HttpOptions::default());
    for (bytes, fields, expected) in [
        (1_000, 10, "400"),
        (16_384, 10, "400"),
        (16_385, 10, "431"),
        (40_000, 10, "431"),
        (2_000, 64, "400"),
        (2_000, 65, "431"),
    ] {
        // An empty object is no message: 400 means that the head was taken.
        let answer = say(&server, head_of(bytes, fields).as_bytes()).await?;
        assert_eq!(status(&answer), Some(expected), "{bytes} bytes, {fields} fields");
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_come_is_waited_for_as_long_as_it_may_take() -> Fallible {
    let (server, handler) = server(ServerOptions::default(), HttpOptions::default());
    let start = Instant::now();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: */*\r\ncontent-length: 100\r\n\r\n{";
    let mut stream = serve(&server);
    stream.write_all(head.as_bytes()).await?;
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).await?;
    assert_eq!(&answer, b"HTTP/1.1 408");
    assert_eq!(start.elapsed().as_secs(), 30);
    assert_eq!(handler.started(), 0);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_come_ends_the_connection() -> Fallible {
    let (server, _) = server(ServerOptions::default(), HttpOptions::default());
    for begun in ["", "POST /mcp HTTP/1.1\r\nhost: loc"] {
        let start = Instant::now();
        let mut stream = serve(&server);
        stream.write_all(begun.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        assert_eq!(start.elapsed().as_secs(), 30, "{begun}");
    }
    Ok(())
}

#[tokio::test]
async fn requests_of_all_sessions_have_a_bound() -> Fallible {
    let mut options = ServerOptions::default();
    options.live_requests_in_all = 2;
    let (server, handler) = server(options, HttpOptions::default());
    let mut first = Connection::to(&server).await?;
    let mut second = Connection::to(&server).await?;
    let mut third = Connection::to(&server).await?;
    let (one, two) = (first.initialize(&[]).await?, second.initialize(&[]).await?);
    let waiting = [
        tokio::spawn(async move { first.request(&one, 1, "wait").await }),
        tokio::spawn({
            let two = two.clone();
            async move { second.request(&two, 1, "wait").await }
        }),
    ];
    while handler.started() < 2 {
        tokio::task::yield_now().await;
    }
    let refused = third.request(&two, 2, "echo").await?;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(
        refused.text,
        r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"the server handles as many requests as it may"}}"#
    );
    assert_eq!(
        handler.started(),
        2,
        "a request that is refused reaches no handler"
    );
    handler.release(2);
    for answer in waiting {
        assert_eq!(answer.await??.status, StatusCode::OK);
    }
    assert_eq!(third.request(&two, 3, "echo").await?.status, StatusCode::OK);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_request_may_be_handled_for_so_long_and_no_longer() -> Fallible {
    let mut options = ServerOptions::default();
    options.request_time = Duration::from_secs(7);
    let (server, handler) = server(options, HttpOptions::default());
    let mut connection = Connection::to(&server).await?;
    let session = connection.initialize(&[]).await?;
    let start = Instant::now();
    let heard = connection.request(&session, 1, "hang").await?;
    assert_eq!(start.elapsed().as_secs(), 7);
    assert_eq!(heard.status, StatusCode::OK);
    assert_eq!(
        heard.text,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the server gave the request up"}}"#
    );
    assert_eq!(handler.dropped(), 1);
    Ok(())
}

#[tokio::test]
async fn a_client_that_does_not_read_holds_the_handler_back() -> Fallible {
    let (server, handler) = server(ServerOptions::default(), HttpOptions::default());
    let mut connection = Connection::to(&server).await?;
    let session = connection.initialize(&[]).await?;
    let named = [("mcp-session-id", session.as_str())];
    let answer = connection
        .begin(Method::POST, &named, &request(1, "chatter"))
        .await?;
    settle().await;
    let held_back = handler.spoken();
    // The channel of 64, and what the buffers between hyper, the stream and the client hold: some hundred events.
    assert!((64..2_000).contains(&held_back), "{held_back} of 10,000");
    settle().await;
    assert_eq!(handler.spoken(), held_back, "nothing moves while nobody reads");
    let heard = whole(answer).await?;
    assert_eq!(heard.text.matches("notifications/spoken").count(), 10_000);
    assert_eq!(handler.finished(), 1);
    Ok(())
}

#[tokio::test]
async fn connections_beyond_the_bound_wait_until_one_ends() -> Fallible {
    let mut http = HttpOptions::default();
    http.connections = 2;
    let (server, handler) = server(ServerOptions::default(), http);
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(server.serve(listener, std::future::pending()));
    let mut first = Connection::on(TcpStream::connect(address).await?).await?;
    let mut second = Connection::on(TcpStream::connect(address).await?).await?;
    let session = first.initialize(&[]).await?;
    assert_eq!(second.request(&session, 1, "echo").await?.status, StatusCode::OK);
    let mut third = Connection::on(TcpStream::connect(address).await?).await?;
    let waiting = tokio::spawn({
        let session = session.clone();
        async move { third.request(&session, 2, "echo").await }
    });
    for id in 3..20 {
        first.request(&session, id, "echo").await?;
    }
    assert!(!waiting.is_finished());
    assert_eq!(handler.started(), 18);
    drop(first);
    assert_eq!(waiting.await??.status, StatusCode::OK);
    Ok(())
}
