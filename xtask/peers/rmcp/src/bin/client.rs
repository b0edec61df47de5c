//! `client http URL` or `client stdio PROGRAM ARGS...`: rmcp on the conformance server. Prints a line of JSON for each step.
#![expect(
    deprecated,
    reason = "log messages are, from 2026-07-28 on; the revision spoken here has them"
)]

use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientRequest, LoggingMessageNotificationParam, PingRequest,
    ProgressNotificationParam,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, RunningService, ServiceError,
};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::{sleep, timeout};

const LIMIT: Duration = Duration::from_secs(10);

/// What the server said before it answered.
#[derive(Clone, Default)]
struct Notices {
    log: Arc<Mutex<Vec<Value>>>,
    progress: Arc<Mutex<Vec<Value>>>,
}

impl ClientHandler for Notices {
    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.log.lock().unwrap().push(json!([params.level, params.data]));
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let notice = json!([
            params.progress as u64,
            params.total.map(|total| total as u64),
            params.message
        ]);
        self.progress.lock().unwrap().push(notice);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let notices = Notices::default();
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![rmcp::model::ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    };
    let client = match arguments.as_slice() {
        [link, url] if link == "http" => {
            let transport = StreamableHttpClientTransport::from_uri(url.as_str());
            notices.clone().serve_with_lifecycle(transport, lifecycle).await?
        }
        [link, program, arguments @ ..] if link == "stdio" => {
            let mut command = Command::new(program);
            command.args(arguments);
            let transport = TokioChildProcess::new(command)?;
            notices.clone().serve_with_lifecycle(transport, lifecycle).await?
        }
        _ => return Err("usage: client http URL | client stdio PROGRAM ARGS...".into()),
    };
    walk(&client, &notices).await?;
    client.cancel().await?;
    report("close", json!({}));
    Ok(())
}

async fn walk(client: &RunningService<RoleClient, Notices>, notices: &Notices) -> Result<(), Box<dyn Error>> {
    let info = client.peer_info().ok_or("the server is not known")?;
    let server = info.server_info.as_ref().ok_or("the server has no name")?;
    let server_info = json!({"name": server.name, "version": server.version});
    report(
        "initialize",
        json!({"protocol_version": info.protocol_version, "server_info": server_info}),
    );
    client
        .send_request(ClientRequest::PingRequest(PingRequest::default()))
        .await?;
    report("ping", json!({}));
    let names: Vec<_> = client
        .list_all_tools()
        .await?
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    report("list", json!({"tools": names}));
    let echoed = call(client, "echo", json!({"message": "grüß dich – 你好 👋"})).await?;
    report("text", json!({"text": text_of(&echoed)}));
    let weather = call(client, "weather", json!({})).await?;
    report("structured", json!({"structured": weather.structured_content}));
    let failed = call(client, "test_error_handling", json!({})).await?;
    report(
        "error",
        json!({"is_error": failed.is_error, "text": text_of(&failed)}),
    );
    match call(client, "missing", json!({})).await {
        Err(ServiceError::McpError(error)) => report("missing", json!({"code": error.code.0})),
        other => return Err(format!("a missing tool came to {other:?}").into()),
    }
    let result = call(client, "test_tool_with_progress", json!({})).await?;
    let progress = reached(&notices.progress, 3).await;
    report(
        "progress",
        json!({"text": text_of(&result), "progress": progress}),
    );
    let result = call(client, "test_tool_with_logging", json!({})).await?;
    let log = reached(&notices.log, 3).await;
    report("logging", json!({"text": text_of(&result), "log": log}));
    let result = call(client, "test_image_content", json!({})).await?;
    let image = result.content.first().and_then(|block| block.as_image());
    let image = image.ok_or("there is no image")?;
    report(
        "image",
        json!({"media_type": image.mime_type, "data": image.data}),
    );
    Ok(())
}

async fn call(
    client: &RunningService<RoleClient, Notices>,
    tool: &str,
    arguments: Value,
) -> Result<CallToolResult, ServiceError> {
    let mut params = CallToolRequestParams::new(tool.to_owned());
    params.arguments = arguments.as_object().cloned();
    client.call_tool(params).await
}

/// Waits until so many notifications have come: they may be handled after the answer.
async fn reached(notices: &Mutex<Vec<Value>>, count: usize) -> Vec<Value> {
    let waiting = async {
        while notices.lock().unwrap().len() < count {
            sleep(Duration::from_millis(10)).await;
        }
    };
    // What has not come by then is missing in the report.
    let _late = timeout(LIMIT, waiting).await;
    notices.lock().unwrap().clone()
}

fn text_of(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|block| block.as_text());
    texts
        .map(|text| text.text.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

fn report(step: &str, mut fields: Value) {
    fields["step"] = step.into();
    println!("{fields}");
}
