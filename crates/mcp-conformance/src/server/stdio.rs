//! A conversation over a pair of pipes in memory.

use mcp_server::{Server, StdioOptions, serve_stdio};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex, split,
};
use tokio::task::JoinHandle;

use super::play::{Heard, Said};

/// The id of the ping that is sent after each message: what was heard before its answer belongs to the message.
const MARK: &str = "mark";

/// The client's end.
pub(super) struct StdioCarrier {
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    driver: JoinHandle<std::io::Result<()>>,
}

impl StdioCarrier {
    pub(super) fn new(server: Server) -> Self {
        let (client, served) = duplex(64 * 1_024);
        let driver = tokio::spawn(async move {
            let (input, output) = split(served);
            let mut options = StdioOptions::default();
            options.sessions_expire = true;
            serve_stdio(&server, options, BufReader::new(input), output).await
        });
        let (output, input) = split(client);
        Self {
            input,
            output: BufReader::new(output).lines(),
            driver,
        }
    }

    /// Says one message and hears what follows: as many lines as are expected, and those that came before the mark.
    pub(super) async fn say(&mut self, said: &Said, expected: usize) -> Result<Heard, String> {
        self.write(&said.text).await?;
        self.write(&json!({"jsonrpc": "2.0", "id": MARK, "method": "ping"}).to_string())
            .await?;
        let (mut heard, mut marked) = (Heard::default(), false);
        while !marked || heard.answers.len() < expected {
            let answer = self.read().await?.ok_or("the output ended")?;
            if answer.get("id").and_then(Value::as_str) == Some(MARK) {
                marked = true;
            } else {
                heard.answers.push(answer);
            }
        }
        Ok(heard)
    }

    /// Ends the input and hears what is left.
    pub(super) async fn end(mut self) -> Result<Heard, String> {
        self.input.shutdown().await.map_err(|fault| fault.to_string())?;
        let mut heard = Heard::default();
        while let Some(answer) = self.read().await? {
            heard.answers.push(answer);
        }
        let ended = self.driver.await.map_err(|fault| fault.to_string())?;
        ended.map_err(|fault| fault.to_string())?;
        Ok(heard)
    }

    async fn write(&mut self, line: &str) -> Result<(), String> {
        let line = format!("{line}\n");
        self.input
            .write_all(line.as_bytes())
            .await
            .map_err(|fault| fault.to_string())
    }

    async fn read(&mut self) -> Result<Option<Value>, String> {
        let line = self.output.next_line().await.map_err(|fault| fault.to_string())?;
        line.map(|line| serde_json::from_str(&line).map_err(|_no_json| format!("no message: {line}")))
            .transpose()
    }
}
