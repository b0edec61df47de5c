//! The end of the whole server: no connection more, and a time for requests under way.

use std::net::SocketAddr;

use http::StatusCode;
use mcp_server::{HttpOptions, HttpServer, Server, ServerOptions};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::scripted::Scripted;
use crate::wire::{Connection, Fallible};

/// A server on a socket, which ends when the sender is dropped.
async fn start(handler: &Scripted) -> Fallible<(SocketAddr, oneshot::Sender<()>, JoinHandle<()>)> {
    let server = Server::new(handler.clone(), ServerOptions::default());
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let (end, told) = oneshot::channel::<()>();
    let serving = tokio::spawn(
        HttpServer::new(server, HttpOptions::default()).serve(listener, async {
            let _ended = told.await;
        }),
    );
    Ok((address, end, serving))
}

#[tokio::test(start_paused = true)]
async fn requests_under_way_are_answered_and_others_are_given_up_in_time() -> Fallible {
    let handler = Scripted::default();
    let (address, end, serving) = start(&handler).await?;
    let mut idle = Connection::on(TcpStream::connect(address).await?).await?;
    let session = idle.initialize(&[]).await?;
    let [answered, given_up] = [("wait", 1), ("hang", 2)].map(|(method, id)| {
        let session = session.clone();
        tokio::spawn(async move {
            let stream = TcpStream::connect(address).await?;
            let mut connection = Connection::on(stream).await?;
            connection.request(&session, id, method).await
        })
    });
    while handler.started() < 2 {
        tokio::task::yield_now().await;
    }
    let start = Instant::now();
    drop(end);
    handler.release(1);
    assert_eq!(answered.await??.status, StatusCode::OK);
    serving.await?;
    assert_eq!(
        start.elapsed().as_secs(),
        5,
        "the drain time, for the one that hangs"
    );
    assert!(given_up.await?.is_err());
    assert!(idle.request(&session, 3, "ping").await.is_err());
    assert!(TcpStream::connect(address).await.is_err());
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_server_with_nothing_under_way_ends_at_once() -> Fallible {
    let (address, end, serving) = start(&Scripted::default()).await?;
    let mut idle = Connection::on(TcpStream::connect(address).await?).await?;
    idle.initialize(&[]).await?;
    let start = Instant::now();
    drop(end);
    serving.await?;
    assert_eq!(start.elapsed().as_secs(), 0);
    Ok(())
}
