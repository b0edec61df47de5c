//! rmcp under load. `variant=default` is rmcp as it ships; any other gets a client that pools and room for all calls.

use std::future::Future;

use load::{Caller, Client, Settings};
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, ContentBlock};
use rmcp::service::{Peer, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

struct Rmcp {
    service: RunningService<RoleClient, ()>,
}

async fn open(settings: &Settings) -> RunningService<RoleClient, ()> {
    let config = StreamableHttpClientTransportConfig::with_uri(settings.url.as_str());
    let transport = if settings.variant == "default" {
        StreamableHttpClientTransport::from_config(config)
    } else {
        let config = config.max_concurrent_requests(settings.flight.max(1));
        StreamableHttpClientTransport::with_client(reqwest::Client::new(), config)
    };
    ().serve(transport).await.expect("a handshake")
}

async fn call(peer: &Peer<RoleClient>) -> usize {
    let mut params = CallToolRequestParams::new("echo");
    params.arguments = Some([("message".to_owned(), "hello".into())].into_iter().collect());
    let result = peer.call_tool(params).await.expect("a result");
    let texts = result.content.iter().filter_map(ContentBlock::as_text);
    texts.map(|text| text.text.len()).sum()
}

impl Client for Rmcp {
    type Caller = Line;

    async fn connect(settings: &Settings) -> Self {
        Self {
            service: open(settings).await,
        }
    }

    fn caller(&'static self) -> impl Future<Output = Line> + Send {
        std::future::ready(Line(self.service.peer().clone()))
    }

    async fn whole(settings: &Settings) -> usize {
        let service = open(settings).await;
        service.list_all_tools().await.expect("a list");
        let bytes = call(service.peer()).await;
        service.cancel().await.expect("an end");
        bytes
    }
}

struct Line(Peer<RoleClient>);

impl Caller for Line {
    fn call(&mut self) -> impl Future<Output = usize> + Send {
        call(&self.0)
    }

    async fn list(&mut self) -> usize {
        self.0.list_all_tools().await.expect("a list").len()
    }
}

fn main() {
    load::main::<Rmcp>();
}
