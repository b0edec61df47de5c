//! A host that links `mcp-wire` and `mcp-http` alone: one `initialize` to the URL that it is given.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::sync::Arc;

use mcp_http::{HttpOptions, HttpTransport, Tls};
use mcp_wire::{
    Answer, ClientInfo, CredentialError, CredentialRef, CredentialSource, Endpoint, Entropy,
    EntropyUnavailable, ExchangeEvent, InitializeResult, Message, OutboundPolicy, OutboundRefusal,
    PortFuture, ProcessId, ProcessIdentity, Reply, RequestIds, Secret, Target, Transport,
};

struct Zeroes;

impl Entropy for Zeroes {
    fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
        target.fill(0);
        Ok(())
    }
}

struct ThisProcess;

impl ProcessIdentity for ThisProcess {
    fn current(&self) -> ProcessId {
        ProcessId(u64::from(std::process::id()))
    }
}

struct NoCredentials;

impl CredentialSource for NoCredentials {
    fn read(&self, reference: &CredentialRef) -> PortFuture<Result<Secret, CredentialError>> {
        PortFuture::ready(Err(CredentialError::Missing(reference.clone())))
    }
}

struct ThisMachine;

impl OutboundPolicy for ThisMachine {
    fn admit_target(&self, _endpoint: &Endpoint) -> Result<(), OutboundRefusal> {
        Ok(())
    }

    fn admit_address(&self, _endpoint: &Endpoint, address: SocketAddr) -> Result<(), OutboundRefusal> {
        if address.ip().is_loopback() {
            Ok(())
        } else {
            Err(OutboundRefusal::Address {
                class: "beyond this machine",
            })
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("usage: links-wire-http URL")?;
    let transport = HttpTransport::new(
        Arc::new(ThisMachine),
        Arc::new(NoCredentials),
        Tls::platform(),
        HttpOptions::default(),
    );
    // The ids of a demonstration; a client needs real entropy.
    let id = RequestIds::new(Arc::new(Zeroes), Arc::new(ThisProcess))?.allocate()?;
    let info = ClientInfo {
        name: "links".to_owned(),
        version: "0".to_owned(),
    };
    let target = Arc::new(Target::new(Endpoint::parse(&url)?));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let answer = runtime.block_on(async {
        let mut exchange = transport.open(&target, Message::initialize(id, &info));
        loop {
            match poll_fn(|cx| exchange.poll_event(cx)).await {
                ExchangeEvent::Server(message) => println!("passed over: {message:?}"),
                ExchangeEvent::Done(outcome) => break outcome,
            }
        }
    })?;
    match answer {
        Answer::Reply {
            reply: Reply::Result(result),
            ..
        } => {
            println!("{:?}", InitializeResult::parse(&result)?);
        }
        Answer::Reply {
            reply: Reply::Error(error),
            ..
        } => println!("{error}"),
        Answer::Accepted => println!("accepted"),
    }
    Ok(())
}
