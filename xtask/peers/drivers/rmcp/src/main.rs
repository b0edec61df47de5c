//! `driver call URL TOOL ARGS`: one call with rmcp, its outcome as one line of JSON.

use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, ErrorData};
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::{Value, json};
use tokio::time::timeout;

const LIMIT: Duration = Duration::from_secs(3);

/// The transport reports some of its failures as errors of the server; its own words for them begin like this.
const OWN_WORDS: &str = "streamable HTTP ";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let outcome = match arguments.as_slice() {
        [url, tool, arguments] => call(url, tool, arguments).await,
        _ => failed("usage", "driver call URL TOOL ARGS"),
    };
    println!("{outcome}");
    // Nothing is left to do, and ending the session in order could wait for the server.
    std::process::exit(0);
}

async fn call(url: &str, tool: &str, arguments: &str) -> Value {
    let transport = StreamableHttpClientTransport::from_uri(url);
    let client = match timeout(LIMIT, ().serve(transport)).await {
        Ok(Ok(client)) => client,
        Ok(Err(ClientInitializeError::JsonRpcError(error))) => return rpc_error(&error),
        Ok(Err(error)) => return failed("other", &error.to_string()),
        Err(_) => return failed("deadline", "no handshake in time"),
    };
    let mut params = CallToolRequestParams::new(tool.to_owned());
    params.arguments = serde_json::from_str(arguments).ok();
    match timeout(LIMIT, client.call_tool(params)).await {
        Ok(Ok(result)) => {
            let texts: Vec<&str> = result
                .content
                .iter()
                .filter_map(|block| block.as_text())
                .map(|text| text.text.as_str())
                .filter(|text| !text.is_empty())
                .collect();
            let outcome = if result.is_error == Some(true) {
                "tool_error"
            } else {
                "result"
            };
            json!({"outcome": outcome, "text": texts.join("\n")})
        }
        Ok(Err(ServiceError::McpError(error))) => rpc_error(&error),
        Ok(Err(error)) => failed("other", &error.to_string()),
        Err(_) => failed("deadline", "no answer in time"),
    }
}

fn rpc_error(error: &ErrorData) -> Value {
    if error.message.starts_with(OWN_WORDS) {
        return failed("other", &error.message);
    }
    json!({"outcome": "rpc_error", "code": error.code.0, "message": error.message})
}

fn failed(kind: &str, message: &str) -> Value {
    let message: String = message.chars().take(500).collect();
    json!({"outcome": "failed", "kind": kind, "message": message})
}
