//! The smallest client, run: without TLS it calls a tool over plain HTTP, and goes nowhere for `https`.

use std::path::Path;
use std::process::{Command, Output};

use mcp_testkit::loopback::{Server, Step};

use crate::failure::Failure;

const INITIALIZED: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: $LEN\r\n\r\n\
    {\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{\"protocolVersion\":\"2025-11-25\",\
    \"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"links\",\"version\":\"0\"}}}";

const ACCEPTED: &str = "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";

const CALLED: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: $LEN\r\n\r\n\
    {\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]}}";

/// Runs the program against a server on loopback.
pub(super) fn run(program: &Path) -> Result<(), Failure> {
    let runtime = tokio::runtime::Runtime::new()?;
    let answers = [INITIALIZED, ACCEPTED, CALLED];
    let script: Vec<Step> = answers
        .iter()
        .flat_map(|answer| [Step::Read, Step::write(answer)])
        .collect();
    let server = runtime.block_on(Server::start(&[&script], None))?;

    let said = ask(program, &server.http_url())?;
    if !said.status.success() || said.stdout != b"hello\n" {
        return Err(Failure::new(format!("quickstart does not call: {said:?}")));
    }
    let said = ask(program, &server.https_url("127.0.0.1"))?;
    let refused = String::from_utf8_lossy(&said.stderr).contains("TlsTrustMissing");
    if said.status.success() || !refused || server.seen(|seen| seen.accepts) != 1 {
        return Err(Failure::new(format!(
            "quickstart does not refuse https: {said:?}"
        )));
    }
    Ok(())
}

fn ask(program: &Path, url: &str) -> Result<Output, Failure> {
    Ok(Command::new(program).arg(url).output()?)
}
