//! The floor: hyper with its own pool, the same bytes again and again, the body collected and thrown away.

use std::future::Future;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Method, Request, Uri};
use hyper_util::client::legacy::{Client as Pooled, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use load::{Caller, Client, Settings};

struct Raw {
    client: Pooled<HttpConnector, Full<Bytes>>,
    uri: Uri,
}

const INITIALIZE: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#;
const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LIST: &[u8] = br#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#;
const CALL: &[u8] = br#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}"#;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

impl Raw {
    fn new(settings: &Settings) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Self {
            client: Pooled::builder(TokioExecutor::new()).build(connector),
            uri: settings.url.parse().expect("a URL"),
        }
    }

    fn post(&self, body: impl Into<Bytes>) -> impl Future<Output = usize> + Send + 'static {
        self.send(Method::POST, body)
    }

    fn send(&self, method: Method, body: impl Into<Bytes>) -> impl Future<Output = usize> + Send + 'static {
        let mut request = Request::new(Full::new(body.into()));
        *request.method_mut() = method;
        *request.uri_mut() = self.uri.clone();
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(
            ACCEPT,
            HeaderValue::from_static("application/json, text/event-stream"),
        );
        headers.insert("mcp-protocol-version", HeaderValue::from_static("2025-11-25"));
        headers.insert(
            SESSION,
            HeaderValue::from_static("0123456789abcdef0123456789abcdef"),
        );
        let answer = self.client.request(request);
        async move {
            let answer = answer.await.expect("an answer");
            answer
                .into_body()
                .collect()
                .await
                .expect("a body")
                .to_bytes()
                .len()
        }
    }

    async fn page(&self, number: usize) -> usize {
        if number == 0 {
            self.post(LIST).await
        } else {
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{{"cursor":"page-{number}"}}}}"#
            );
            self.post(body).await
        }
    }
}

impl Client for Raw {
    type Caller = Line;

    fn connect(settings: &Settings) -> impl Future<Output = Self> + Send {
        std::future::ready(Self::new(settings))
    }

    async fn caller(&'static self) -> Line {
        Line(self)
    }

    async fn whole(settings: &Settings) -> usize {
        let raw = Self::new(settings);
        raw.post(INITIALIZE).await;
        raw.post(INITIALIZED).await;
        raw.post(LIST).await;
        let bytes = raw.post(CALL).await;
        raw.send(Method::DELETE, Bytes::new()).await;
        bytes
    }
}

struct Line(&'static Raw);

impl Caller for Line {
    fn call(&mut self) -> impl Future<Output = usize> + Send {
        self.0.post(CALL)
    }

    /// The five pages of the catalogue, by number: nothing is read to find the next one.
    async fn list(&mut self) -> usize {
        for number in 0..5 {
            self.0.page(number).await;
        }
        500
    }
}

fn main() {
    load::main::<Raw>();
}
