//! The server that foreign suites and clients are run against: the tools that they ask for by name.
//!
//! `cargo run -p mcp-server --example conformance_server -- PORT` serves HTTP on 127.0.0.1, `-- stdio` a pair of pipes.
//! It prints the URL once it listens. `--idle SECONDS` ends sessions that are not used for so long.

use std::error::Error;
use std::time::Duration;

use mcp_server::{
    Block, HttpOptions, HttpServer, LogLevel, Outlet, Progress, Server, ServerOptions, SessionRules,
    StdioOptions, Tool, ToolError, ToolReply, Tools, serve_stdio,
};
use serde::Deserialize;
use serde_json::Map;
use tokio::io::BufReader;
use tokio::net::TcpListener;

const USAGE: &str = "usage: conformance_server PORT|stdio [--stateless | --idle SECONDS]";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut options = ServerOptions::default();
    let port = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [port] => port,
        [port, "--stateless"] => {
            options.sessions = SessionRules::None;
            port
        }
        [port, "--idle", seconds] => {
            let seconds = Duration::from_secs(seconds.parse()?);
            options.sessions = SessionRules::Issued {
                count: 10_000,
                idle: seconds,
                absolute: Duration::from_secs(3_600),
            };
            port
        }
        _ => return Err(USAGE.into()),
    };
    let server = Server::new(tools()?, options);
    if port == "stdio" {
        let input = BufReader::new(tokio::io::stdin());
        let mut stdio = StdioOptions::default();
        stdio.sessions_expire = arguments.iter().any(|argument| argument == "--idle");
        return Ok(serve_stdio(&server, stdio, input, tokio::io::stdout()).await?);
    }
    let listener = TcpListener::bind(("127.0.0.1", port.parse()?)).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    HttpServer::new(server, HttpOptions::default())
        .serve(listener, std::future::pending())
        .await;
    Ok(())
}

#[derive(Deserialize)]
struct Nothing {}

#[derive(Deserialize)]
struct Echo {
    message: String,
}

#[derive(Deserialize)]
struct Sum {
    a: i64,
    b: i64,
}

fn tools() -> Result<Tools, ToolError> {
    /// One pixel.
    const IMAGE: &str =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    /// The head of a sound without samples.
    const AUDIO: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";
    const WEATHER: &str = r#"{"type":"object","properties":{"city":{"type":"string"},"degrees":{"type":"number"},
        "raining":{"type":"boolean"},"hours":{"type":"array","items":{"type":"integer"}}},
        "required":["city","degrees","raining","hours"]}"#;
    /// Words of JSON Schema 2020-12 that a server has to pass on as they are.
    const SCHEMA: &str = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
        "$defs":{"address":{"$anchor":"addressDef","type":"object",
            "properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
        "properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
            "contactMethod":{"type":"string","enum":["phone","email"]},
            "phone":{"type":"string"},"email":{"type":"string"}},
        "allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
        "if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
        "then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}"##;
    let image = || Block::Image {
        data: IMAGE.into(),
        media_type: "image/png".into(),
    };
    let audio = || Block::Audio {
        data: AUDIO.into(),
        media_type: "audio/wav".into(),
    };
    let resource = |uri: &str| Block::Resource {
        uri: uri.into(),
        media_type: "text/plain".into(),
        text: "This is an embedded resource content.".into(),
    };
    let always = |name: &str, description: &str, reply: ToolReply| {
        let tool = Tool::new(name, description);
        (tool, move |_: Nothing, _: Outlet| {
            std::future::ready(reply.clone())
        })
    };
    let mut tools = Tools::new("conformance-server", env!("CARGO_PKG_VERSION"));
    let mixed = ToolReply::text("Multiple content types test:")
        .and(image())
        .and(resource("test://mixed-content-resource"));
    for (name, description, reply) in [
        (
            "test_simple_text",
            "Gives a text.",
            ToolReply::text("This is a simple text response for testing."),
        ),
        (
            "test_image_content",
            "Gives an image.",
            ToolReply::default().and(image()),
        ),
        (
            "test_audio_content",
            "Gives a sound.",
            ToolReply::default().and(audio()),
        ),
        (
            "test_embedded_resource",
            "Gives a resource.",
            ToolReply::default().and(resource("test://embedded-resource")),
        ),
        (
            "test_multiple_content_types",
            "Gives a text, an image and a resource.",
            mixed,
        ),
        (
            "test_error_handling",
            "Fails.",
            ToolReply::error("This tool intentionally returns an error for testing"),
        ),
    ] {
        let (tool, run) = always(name, description, reply);
        tools = tools.with(tool, run)?;
    }
    tools
        .with(
            Tool::new("test_tool_with_logging", "Logs three times, then answers."),
            |_: Nothing, outlet: Outlet| async move {
                for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                    outlet.log(LogLevel::Info, text).await;
                }
                ToolReply::text("logged")
            },
        )?
        .with(
            Tool::new("test_tool_with_progress", "Reports how far it is, then answers."),
            |_: Nothing, outlet: Outlet| async move {
                for done in [0, 50, 100] {
                    let message = format!("Completed step {done} of 100");
                    outlet
                        .progress(Progress {
                            done,
                            total: Some(100),
                            message: Some(&message),
                        })
                        .await;
                }
                ToolReply::text("done")
            },
        )?
        .with(
            Tool::new("weather", "Gives structured content.").output(WEATHER),
            |_: Nothing, _| async {
                ToolReply::structured(Map::from_iter([
                    ("city".into(), "Zürich".into()),
                    ("degrees".into(), (-4.5).into()),
                    ("raining".into(), false.into()),
                    ("hours".into(), [6, 12, 18].into_iter().collect()),
                ]))
            },
        )?
        .with(
            Tool::new("json_schema_2020_12_tool", "Takes a contact.").input(SCHEMA),
            |_: Nothing, _| async { ToolReply::text("taken") },
        )?
        .with(
            Tool::new("echo", "Gives the message back.").input(
                r#"{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}"#,
            ),
            |echo: Echo, _| async move { ToolReply::text(echo.message) },
        )?
        .with(
            Tool::new("add", "Adds two integers.").input(
                r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}"#,
            ),
            |sum: Sum, _| async move {
                match sum.a.checked_add(sum.b) {
                    Some(total) => ToolReply::text(total.to_string()),
                    None => ToolReply::error("the sum is beyond 64 bits"),
                }
            },
        )
}
