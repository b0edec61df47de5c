//! The form without the feature `tls`. Nobody can be trusted, so no handshake is run, no stream is under TLS and nothing
//! speaks HTTP/2: what stands for these has no values, and code that would need one is never reached.

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use mcp_wire::{Host, MalformedKind, TransportError};

use crate::connection::{Connection, Protocol};
use crate::dial::BoxedStream;
use crate::options::HttpOptions;
use crate::request::RequestBody;

/// Whom to trust: nobody.
#[derive(Debug, Clone)]
pub(crate) enum Trust {}

impl Trust {
    pub(crate) async fn handshake(
        &self,
        _host: &Host,
        _stream: BoxedStream,
    ) -> Result<Secured, TransportError> {
        match *self {}
    }
}

/// A stream under TLS.
pub(crate) enum Secured {}

impl Secured {
    pub(crate) const fn protocol(&self) -> Protocol {
        match *self {}
    }

    pub(crate) async fn start(self, _options: &HttpOptions) -> Result<Connection, TransportError> {
        match self {}
    }
}

/// A handle of a connection over HTTP/2.
#[derive(Clone)]
pub(crate) enum Http2 {}

impl Http2 {
    pub(crate) fn is_closed(&self) -> bool {
        match *self {}
    }

    pub(crate) async fn ready(&mut self) -> hyper::Result<()> {
        match *self {}
    }

    pub(crate) async fn try_send_request(
        &mut self,
        _request: Request<RequestBody>,
    ) -> Result<Response<Incoming>, TrySendError<Request<RequestBody>>> {
        match *self {}
    }
}

/// HTTP/1.1 has no streams to refuse.
pub(crate) const fn is_refused_stream(_error: &hyper::Error) -> bool {
    false
}

/// What breaks the rules of HTTP/1.1, hyper says itself.
pub(crate) const fn broken_rule(_error: &hyper::Error) -> Option<MalformedKind> {
    None
}
