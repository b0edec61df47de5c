//! What every test here needs: messages, targets, transports, and the drive of one exchange.

use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use mcp_http::{BoxedStream, Dialler, HttpOptions, HttpTransport, TcpDialler, Tls};
use mcp_testkit::loopback::{self, Server, Step};
use mcp_testkit::{
    AdmitAll, FixedProcess, MemoryCredentials, PeerReply, RecordedRequest, ReplyEnd, ScriptedPeer,
    SeededEntropy,
};
use mcp_wire::{
    Answer, Delivery, Endpoint, Exchange, ExchangeError, ExchangeEvent, Message, PortFuture, Reply,
    RequestId, RequestIds, Stage, Target, Transport,
};
use tokio_rustls::TlsAcceptor;

/// How an exchange ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) result: Result<Answer, ExchangeError>,
    pub(crate) stage: Stage,
    pub(crate) delivery: Delivery,
    /// The methods of the server messages on the way.
    pub(crate) server_messages: Vec<String>,
}

impl Outcome {
    /// The verdict in one word: `result`, `error`, `accepted`, or the kind of the failure.
    pub(crate) fn verdict(&self) -> &'static str {
        match &self.result {
            Ok(Answer::Reply { reply, .. }) => match reply {
                Reply::Result(_) => "result",
                Reply::Error(_) => "error",
            },
            Ok(Answer::Accepted) => "accepted",
            Err(error) => kind(error),
        }
    }

    /// The raw text of the result; empty when there is none.
    pub(crate) fn text(&self) -> &str {
        match &self.result {
            Ok(Answer::Reply {
                reply: Reply::Result(text),
                ..
            }) => text.as_str(),
            Ok(_) | Err(_) => "",
        }
    }
}

pub(crate) fn kind(error: &ExchangeError) -> &'static str {
    match error {
        ExchangeError::Malformed(fault) => fault.kind().name(),
        ExchangeError::Transport(error) => error.kind(),
        ExchangeError::Outbound(refusal) => refusal.kind(),
        ExchangeError::Credential(error) => error.kind(),
    }
}

/// Makes `ping` messages with different ids.
pub(crate) struct Pings(RequestIds);

impl Pings {
    pub(crate) fn new() -> Self {
        let entropy = Arc::new(SeededEntropy::new(7));
        Self(RequestIds::new(entropy, Arc::new(FixedProcess::default())).unwrap())
    }

    pub(crate) fn next(&self) -> Message {
        Message::ping(self.id())
    }

    pub(crate) fn id(&self) -> RequestId {
        self.0.allocate().unwrap()
    }
}

pub(crate) fn target(url: &str) -> Target {
    Target::new(Endpoint::parse(url).unwrap())
}

/// Admits everything, holds no secret.
pub(crate) fn transport_over(dialler: impl Dialler + 'static, tls: Tls) -> HttpTransport {
    HttpTransport::with_dialler(
        Arc::new(AdmitAll),
        Arc::new(MemoryCredentials::default()),
        Arc::new(dialler),
        tls,
        HttpOptions::default(),
    )
}

/// Over TCP to this machine, in the clear.
pub(crate) fn tcp_transport() -> HttpTransport {
    transport_over(ToLoopback, Tls::platform())
}

/// A server on loopback that plays these scripts in the clear.
pub(crate) async fn serve(scripts: &[&[Step]]) -> Server {
    Server::start(scripts, None).await.unwrap()
}

/// A server on loopback that plays these scripts under TLS.
pub(crate) async fn serve_tls(scripts: &[&[Step]], acceptor: TlsAcceptor) -> Server {
    Server::start(scripts, Some(acceptor)).await.unwrap()
}

/// The step that writes this.
pub(crate) fn say(text: &str) -> Step {
    Step::write(text)
}

/// Resolves every name to this machine and dials TCP.
pub(crate) struct ToLoopback;

impl Dialler for ToLoopback {
    fn resolve(&self, _name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        PortFuture::ready(Ok(vec![SocketAddr::from(([127, 0, 0, 1], port))]))
    }

    fn connect(&self, address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        TcpDialler.connect(address)
    }
}

/// Opens an exchange and drives it to its end.
pub(crate) async fn send(transport: &HttpTransport, target: &Target, message: Message) -> Outcome {
    let mut exchange = transport.open(&Arc::new(target.clone()), message);
    finish(&mut *exchange).await
}

/// Drives an open exchange to its end.
pub(crate) async fn finish(exchange: &mut dyn Exchange) -> Outcome {
    let mut server_messages = Vec::new();
    let result = patiently(poll_fn(|cx| {
        loop {
            match exchange.poll_event(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(ExchangeEvent::Server(message)) => {
                    server_messages.push(message.method().to_owned());
                }
                Poll::Ready(ExchangeEvent::Done(outcome)) => return Poll::Ready(outcome),
            }
        }
    }))
    .await;
    Outcome {
        result,
        stage: exchange.stage(),
        delivery: exchange.delivery(),
        server_messages,
    }
}

/// Drives an exchange that has no answer yet until `reached` holds.
pub(crate) async fn drive_until(exchange: &mut dyn Exchange, reached: impl Fn(&dyn Exchange) -> bool) {
    let poll_once = async {
        while !reached(exchange) {
            poll_fn(|cx| {
                assert!(
                    exchange.poll_event(cx).is_pending(),
                    "the exchange ended too early"
                );
                Poll::Ready(())
            })
            .await;
            tokio::task::yield_now().await;
        }
    };
    patiently(poll_once).await;
}

/// Lets the runtime work until `reached` holds.
pub(crate) async fn until(reached: impl Fn() -> bool) {
    let look = async {
        while !reached() {
            tokio::task::yield_now().await;
        }
    };
    patiently(look).await;
}

/// Turns a test that would hang into one that fails. No test that passes comes near it.
pub(crate) async fn patiently<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), work)
        .await
        .expect("nothing more happens")
}

/// A peer that gives every request the answer that `reply` writes, [filled](fill).
pub(crate) fn peer_saying(reply: impl Into<String>, end: ReplyEnd) -> ScriptedPeer {
    let reply = reply.into();
    ScriptedPeer::new(move |request: &RecordedRequest| PeerReply {
        pieces: vec![fill(&reply, request.member("id").unwrap_or_default()).into_bytes()],
        end,
    })
}

/// A peer that never answers.
pub(crate) fn silent_peer() -> ScriptedPeer {
    peer_saying("", ReplyEnd::KeepOpen)
}

/// A plain answer, with its length declared.
pub(crate) const PLAIN: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: $LEN\r\n\r\n\
                                {\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{}}";

/// The answer with the id of its request for `$ID`, and the bytes after its head for `$LEN`.
pub(crate) fn fill(reply: &str, id: &str) -> String {
    String::from_utf8(loopback::fill(reply.as_bytes(), id)).unwrap()
}
