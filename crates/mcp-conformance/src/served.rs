//! The server of this workspace as the other side: what an oracle says comes out of its handler.

use std::future::{pending, ready};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_server::{
    AllowList, Clock, Handler, HandlerError, HandlerFuture, HttpOptions, HttpServer, Notice, Outlet, Request,
    Server, ServerOptions, SessionRules,
};
use mcp_testkit::{PeerLog, ServedPeer};
use mcp_wire::server::Introduction;
use mcp_wire::{Entropy, EntropyUnavailable};

use crate::profile::HOST;
use crate::saying::Saying;
use crate::script::OracleScript;

/// The way to the server.
pub(crate) fn served_peer(script: OracleScript) -> ServedPeer {
    let (log, chunking) = (Arc::<Mutex<PeerLog>>::default(), script.chunking());
    let mut options = ServerOptions::default();
    if script.session().is_none() {
        options.sessions = SessionRules::None;
    }
    let entropy = NamedSession::parse(script.session().unwrap_or_default());
    let handler = OracleHandler {
        script: Mutex::new(script),
        log: Arc::clone(&log),
    };
    let server = Server::with(handler, options, Arc::new(entropy), Arc::new(NoTime));
    let mut options = HttpOptions::default();
    options.hosts = AllowList::Only(vec![HOST.to_owned()]);
    let server = HttpServer::new(server, options);
    let serve = move |stream| {
        let server = server.clone();
        tokio::spawn(async move { server.serve_connection(stream).await });
    };
    ServedPeer::new(log, serve, move |bytes| chunking.cut(bytes))
}

/// Says what the oracle says.
struct OracleHandler {
    script: Mutex<OracleScript>,
    log: Arc<Mutex<PeerLog>>,
}

impl Handler for OracleHandler {
    fn introduction(&self) -> Introduction {
        Introduction {
            name: "scripted".to_owned(),
            version: "1".to_owned(),
            capabilities: r#"{"tools":{}}"#.to_owned(),
            instructions: None,
        }
    }

    fn request(&self, _request: Request, outlet: Outlet) -> HandlerFuture {
        // Requests come one after another: the one at hand is the last that was sent.
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(request) = log.requests.last().cloned() else {
            return Box::pin(ready(Err(HandlerError::method_not_found())));
        };
        let mut script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
        match script.said(&request) {
            None => Box::pin(pending()),
            Some(Saying { notices, answer }) => Box::pin(async move {
                for (method, params) in notices {
                    outlet.send(&method, &params).await;
                }
                answer
            }),
        }
    }

    fn notification(&self, _notice: Notice) {}
}

/// Draws the session that the profile names, again and again: there is one at a time.
struct NamedSession(Option<u128>);

impl NamedSession {
    fn parse(session: &str) -> Self {
        Self(u128::from_str_radix(session, 16).ok())
    }
}

impl Entropy for NamedSession {
    fn fill(&self, target: &mut [u8]) -> Result<(), EntropyUnavailable> {
        let bytes = self.0.map(u128::to_be_bytes).ok_or(EntropyUnavailable)?;
        if target.len() != bytes.len() {
            return Err(EntropyUnavailable);
        }
        target.copy_from_slice(&bytes);
        Ok(())
    }
}

/// No session expires.
struct NoTime;

impl Clock for NoTime {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}
