//! `server PORT FRAMING STATE`: a peer on rmcp, with the five tools that every peer has.

use std::error::Error;
use std::net::Ipv4Addr;
use std::sync::Arc;

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, ServerCapabilities, ServerConfig};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{Json, ServerHandler, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

/// One transparent pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

#[derive(Deserialize, JsonSchema)]
struct Message {
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Summands {
    a: i64,
    b: i64,
}

#[derive(Serialize, JsonSchema)]
struct Weather {
    city: String,
    degrees: f64,
    raining: bool,
    hours: Vec<u8>,
}

#[derive(Clone)]
struct Peer;

#[tool_router]
impl Peer {
    #[tool(description = "Repeat a message.")]
    fn echo(&self, Parameters(Message { message }): Parameters<Message>) -> String {
        format!("Echo: {message}")
    }

    #[tool(description = "Add two integers.")]
    fn add(&self, Parameters(Summands { a, b }): Parameters<Summands>) -> String {
        (a + b).to_string()
    }

    #[tool(description = "Report a tool error.")]
    fn fail(&self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text("this tool always fails")])
    }

    #[tool(description = "Show a structured result.")]
    fn weather(&self) -> Json<Weather> {
        Json(Weather {
            city: "Zürich".to_owned(),
            degrees: -4.5,
            raining: false,
            hours: vec![6, 12, 18],
        })
    }

    #[tool(description = "Show one image block and one text block.")]
    fn picture(&self) -> CallToolResult {
        CallToolResult::success(vec![
            ContentBlock::image(PIXEL, "image/png"),
            ContentBlock::text("one pixel"),
        ])
    }
}

#[tool_handler]
impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [port, framing, state] = arguments.as_slice() else {
        return Err("usage: server PORT FRAMING STATE".into());
    };
    let config = StreamableHttpServerConfig::default()
        .with_json_response(framing == "json")
        .with_legacy_session_mode(state != "stateless");
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(|| Ok(Peer), sessions, config);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.parse()?)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}
