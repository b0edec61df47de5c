//! stdio beyond its conversations: the end of either stream, and lines that are cut anyhow.

use mcp_server::{Server, ServerOptions, StdioOptions, serve_stdio};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::scripted::Scripted;
use crate::wire::{Fallible, INITIALIZE, request, settle};

struct Setup {
    handler: Scripted,
    server: Server,
    input: DuplexStream,
    output: DuplexStream,
    serving: JoinHandle<std::io::Result<()>>,
}

fn start() -> Setup {
    let handler = Scripted::default();
    let server = Server::new(handler.clone(), ServerOptions::default());
    let (input, read) = duplex(1_024);
    let (written, output) = duplex(1_024);
    let serving = tokio::spawn({
        let server = server.clone();
        async move { serve_stdio(&server, StdioOptions::default(), BufReader::new(read), written).await }
    });
    Setup {
        handler,
        server,
        input,
        output,
        serving,
    }
}

fn begin() -> String {
    format!("{INITIALIZE}\n{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n")
}

#[tokio::test(start_paused = true)]
async fn requests_under_way_at_the_end_of_the_input_have_a_time() -> Fallible {
    let mut setup = start();
    let text = format!("{}{}\n{}", begin(), request(1, "wait"), request(2, "hang"));
    setup.input.write_all(text.as_bytes()).await?;
    drop(setup.input);
    while setup.handler.started() < 2 {
        tokio::task::yield_now().await;
    }
    let at = Instant::now();
    setup.handler.release(1);
    let mut said = String::new();
    setup.output.read_to_string(&mut said).await?;
    setup.serving.await??;
    assert_eq!(at.elapsed().as_secs(), 5);
    let answers: Vec<&str> = said.lines().skip(1).collect();
    assert_eq!(answers, [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]);
    assert_eq!((setup.handler.finished(), setup.handler.dropped()), (1, 1));
    assert_eq!(setup.server.session_count(), 0);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_client_that_stops_reading_ends_the_server() -> Fallible {
    let mut setup = start();
    setup.input.write_all(begin().as_bytes()).await?;
    settle().await;
    drop(setup.output);
    setup
        .input
        .write_all(format!("{}\n", request(1, "ping")).as_bytes())
        .await?;
    assert!(setup.serving.await?.is_err());
    Ok(())
}

#[tokio::test]
async fn a_message_may_come_in_any_pieces_and_with_any_line_end() -> Fallible {
    let mut setup = start();
    let text = format!("{}\r\n\n  \r\n{}\n", begin(), request(1, "echo"));
    for byte in text.as_bytes() {
        setup.input.write_all(&[*byte]).await?;
        settle().await;
    }
    drop(setup.input);
    let mut said = String::new();
    setup.output.read_to_string(&mut said).await?;
    setup.serving.await??;
    assert_eq!(
        said.lines().nth(1),
        Some(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)
    );
    assert_eq!(said.lines().count(), 2);
    Ok(())
}
