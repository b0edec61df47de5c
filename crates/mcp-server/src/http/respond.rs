//! The way of one request, from its head to its answer.

use std::sync::Arc;

use http::header::{ALLOW, HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode};
use hyper::body::{Body, Bytes};
use mcp_wire::context::{Context, ContextRefusal, ContextResult};
use mcp_wire::server::{ClientId, ClientMessage, ClientRequest, LifecycleRefusal};

use super::answer::{AnswerBody, empty, events, json};
use super::head::{EndpointMethod, Named, admit, named, route};
use super::refusal::{HttpRefusal, status};
use super::{HttpServer, body};
use crate::caller::{Caller, Unidentified};
use crate::refusal::{Refusal, context_error};
use crate::server::{Begun, Reception};
use crate::session::{Expiry, Session};
use crate::work::WorkEvent;

/// The one method that this transport knows by name: its context is the empty one.
const INITIALIZE: &str = "initialize";

impl HttpServer {
    pub(super) async fn respond<B>(&self, request: Request<B>) -> Response<AnswerBody>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let (head, mut body) = request.into_parts();
        match self.judge_head(&head) {
            Ok((caller, EndpointMethod::Post)) => self.post(&head, &mut body, &caller).await,
            Ok((caller, EndpointMethod::Delete)) => self.delete(&head, &caller),
            Err(response) => *response,
        }
    }

    fn judge_head(&self, head: &Parts) -> Result<(Caller, EndpointMethod), Box<Response<AnswerBody>>> {
        admit(head, &self.options, self.server.limits().body_bytes).map_err(refused)?;
        let caller = self
            .callers
            .identify(head)
            .map_err(|Unidentified { challenge }| {
                let response = refused(HttpRefusal::Unidentified);
                Box::new(with(*response, WWW_AUTHENTICATE, challenge))
            })?;
        Ok((caller, route(head, &self.options.path).map_err(refused)?))
    }

    async fn post<B>(&self, head: &Parts, body: &mut B, caller: &Caller) -> Response<AnswerBody>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let limits = self.server.limits();
        let text = match body::read(body, limits.body_bytes, self.options.body_time).await {
            Ok(text) => text,
            Err(refusal) => return *refused(refusal),
        };
        let message = match ClientMessage::parse(&text, limits) {
            Ok(message) => message,
            Err(fault) => return json(StatusCode::BAD_REQUEST, fault.answer()),
        };
        let named = match named(&head.headers) {
            Ok(named) => named,
            Err(refusal) => return json(refusal.status(), refusal.answer().encode(message.id())),
        };
        if let ClientMessage::Request(request) = &message
            && request.method == INITIALIZE
        {
            return self.initialize(caller, named, request);
        }
        match self.create_context(caller, named) {
            Ok(context) => self.receive(caller, &context, message).await,
            Err((status, refusal)) => json(status, context_error(refusal, message.id())),
        }
    }

    /// A session that a client names here exists already, or never will; which of both is not told.
    fn initialize(
        &self,
        caller: &Caller,
        named: Named<'_>,
        request: &ClientRequest<'_>,
    ) -> Response<AnswerBody> {
        if named.session.is_some() {
            let refusal = Refusal::Lifecycle(LifecycleRefusal::AlreadyInitialized);
            return refuse(refusal, Some(&request.id));
        }
        let Begun { answer, session } =
            match self
                .server
                .initialize(caller, Expiry::ByRule, request, &Context::empty())
            {
                Ok(begun) => begun,
                Err(refusal) => return refuse(refusal, Some(&request.id)),
            };
        let id = session.and_then(|id| HeaderValue::from_str(id.expose()).ok());
        let response = json(StatusCode::OK, answer);
        match id {
            Some(id) => with(response, HeaderName::from_static("mcp-session-id"), id),
            None => response,
        }
    }

    async fn receive(
        &self,
        caller: &Caller,
        context: &Context<Arc<Session>>,
        message: ClientMessage<'_>,
    ) -> Response<AnswerBody> {
        let id = message.id().cloned();
        let mut work = match self.server.receive(caller, context, message) {
            Reception::Taken => return empty(StatusCode::ACCEPTED),
            Reception::Answered(text) => return json(StatusCode::OK, text),
            Reception::Refused(refusal) => return refuse(refusal, id.as_ref()),
            Reception::Working(work) => work,
        };
        match work.next().await {
            WorkEvent::Answer(text) => json(StatusCode::OK, text),
            // A request that was cancelled has no answer: the stream of its events ends without one.
            first @ (WorkEvent::Notice(_) | WorkEvent::Ended) => events(first, work),
        }
    }

    fn delete(&self, head: &Parts, caller: &Caller) -> Response<AnswerBody> {
        let named = match named(&head.headers) {
            Ok(named) => named,
            Err(refusal) => return *refused(refusal),
        };
        match self.create_context(caller, named) {
            Ok(context) => {
                self.server.end(&context);
                empty(StatusCode::NO_CONTENT)
            }
            Err((status, refusal)) => json(status, context_error(refusal, None)),
        }
    }

    /// The context of a message, or its refusal with the status that this transport has for it.
    fn create_context(
        &self,
        caller: &Caller,
        named: Named<'_>,
    ) -> Result<Context<Arc<Session>>, (StatusCode, ContextRefusal)> {
        match self.server.create_context(caller, named.session, named.version) {
            ContextResult::Valid(context) => Ok(context),
            ContextResult::SessionIdRequired(refusal) => Err((StatusCode::BAD_REQUEST, refusal)),
            ContextResult::SessionNotFound(refusal) => Err((StatusCode::NOT_FOUND, refusal)),
            ContextResult::ProtocolVersionMismatch(refusal) => Err((StatusCode::BAD_REQUEST, refusal)),
        }
    }
}

fn refused(refusal: HttpRefusal) -> Box<Response<AnswerBody>> {
    let response = json(refusal.status(), refusal.answer().encode(None));
    Box::new(match refusal {
        HttpRefusal::Method => with(response, ALLOW, HeaderValue::from_static("POST, DELETE")),
        HttpRefusal::Host
        | HttpRefusal::Origin
        | HttpRefusal::TooLarge
        | HttpRefusal::Unidentified
        | HttpRefusal::Path
        | HttpRefusal::Accept
        | HttpRefusal::MediaType
        | HttpRefusal::Repeated
        | HttpRefusal::Slow
        | HttpRefusal::Incomplete => response,
    })
}

fn refuse(refusal: Refusal, id: Option<&ClientId>) -> Response<AnswerBody> {
    let (status, retry_after) = status(refusal);
    let response = json(status, refusal.answer().encode(id));
    match retry_after {
        Some(seconds) => with(response, RETRY_AFTER, HeaderValue::from(seconds)),
        None => response,
    }
}

fn with(mut response: Response<AnswerBody>, name: HeaderName, value: HeaderValue) -> Response<AnswerBody> {
    response.headers_mut().insert(name, value);
    response
}
