//! A resolver with fixed answers before a peer in memory, and the log of what was asked of both.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use mcp_host::{HttpOptions, OutboundRules, Tls};
use mcp_http::{BoxedStream, Dialler, HttpTransport};
use mcp_testkit::{MemoryCredentials, PeerReply, RecordedRequest, ReplyEnd, ScriptedPeer};
use mcp_wire::{
    Credential, CredentialPlacement, CredentialRef, Delivery, Endpoint, ExchangeError, ExchangeEvent,
    Message, PortFuture, Target, Transport,
};

const REFERENCE: &str = "vault:key";

/// How a message ended: accepted, or refused with this class; and whether it may have arrived.
pub(crate) type Ended = Result<(), (&'static str, String, Delivery)>;

/// A transport under some rules, and what it touches.
pub(crate) struct World {
    transport: HttpTransport,
    credentials: Arc<MemoryCredentials>,
    names: Names,
}

/// Answers each look-up with the next of its answers, and goes on with the last one.
#[derive(Clone)]
struct Names {
    answers: Arc<Mutex<VecDeque<Vec<IpAddr>>>>,
    dead: Arc<[IpAddr]>,
    look_ups: Arc<Mutex<Vec<String>>>,
    dialled: Arc<Mutex<Vec<SocketAddr>>>,
    peer: ScriptedPeer,
}

impl World {
    /// Every look-up is answered from `answers`; what is in `dead` refuses connections.
    pub(crate) fn new(rules: OutboundRules, answers: &[&[&str]], dead: &[&str], end: ReplyEnd) -> Self {
        let read = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        let accepted = move |_: &RecordedRequest| PeerReply {
            pieces: vec![b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".to_vec()],
            end,
        };
        let dead: Vec<IpAddr> = read(dead);
        let names = Names {
            answers: Arc::new(Mutex::new(answers.iter().map(|answer| read(answer)).collect())),
            dead: dead.into(),
            look_ups: Arc::default(),
            dialled: Arc::default(),
            peer: ScriptedPeer::new(accepted),
        };
        let credentials = Arc::new(MemoryCredentials::holding(REFERENCE, "s3cr3t"));
        let transport = HttpTransport::with_dialler(
            Arc::new(rules),
            credentials.clone(),
            Arc::new(names.clone()),
            Tls::platform(),
            HttpOptions::default(),
        );
        Self {
            transport,
            credentials,
            names,
        }
    }

    /// Sends one message with a credential.
    pub(crate) async fn send(&self, url: &str) -> Ended {
        let mut target = Target::new(Endpoint::parse(url).unwrap());
        target.credentials.push(Credential {
            reference: CredentialRef(REFERENCE.to_owned()),
            placement: CredentialPlacement::Bearer,
        });
        let mut exchange = self.transport.open(&Arc::new(target), Message::initialized());
        let result = poll_fn(|cx| match exchange.poll_event(cx) {
            Poll::Ready(ExchangeEvent::Done(result)) => Poll::Ready(result),
            Poll::Ready(ExchangeEvent::Server(message)) => panic!("{message:?}"),
            Poll::Pending => Poll::Pending,
        });
        match result.await {
            Ok(_) => Ok(()),
            Err(ExchangeError::Outbound(refusal)) => {
                Err((refusal.kind(), refusal.to_string(), exchange.delivery()))
            }
            Err(error) => Err(("", error.to_string(), exchange.delivery())),
        }
    }

    pub(crate) fn look_ups(&self) -> Vec<String> {
        self.names.look_ups.lock().unwrap().clone()
    }

    /// The addresses that were dialled, in order.
    pub(crate) fn dialled(&self) -> Vec<String> {
        let dialled = self.names.dialled.lock().unwrap();
        dialled.iter().map(SocketAddr::to_string).collect()
    }

    /// The `Host` header of each request that came through.
    pub(crate) fn hosts(&self) -> Vec<String> {
        let requests = self.names.peer.log().requests;
        let host = |request: &RecordedRequest| request.field("host").unwrap().to_owned();
        requests.iter().map(host).collect()
    }

    pub(crate) fn reads(&self) -> usize {
        self.credentials.reads()
    }
}

impl Dialler for Names {
    fn resolve(&self, name: &str, port: u16) -> PortFuture<io::Result<Vec<SocketAddr>>> {
        self.look_ups.lock().unwrap().push(name.to_owned());
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 {
            answers.pop_front().unwrap()
        } else {
            answers[0].clone()
        };
        let answer = answer.into_iter().map(|address| SocketAddr::new(address, port));
        PortFuture::ready(Ok(answer.collect()))
    }

    fn connect(&self, address: SocketAddr) -> PortFuture<io::Result<BoxedStream>> {
        self.dialled.lock().unwrap().push(address);
        if self.dead.contains(&address.ip()) {
            return PortFuture::ready(Err(io::ErrorKind::ConnectionRefused.into()));
        }
        self.peer.connect(address)
    }
}
