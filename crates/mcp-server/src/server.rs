//! What becomes of a message once its context is valid, whatever transport it came by.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use mcp_wire::context::{Context, ContextResult, create_context};
use mcp_wire::server::{
    Answer, ClientMessage, ClientRequest, InitializeRequest, Introduction, Notification, RequestLimits,
};
use mcp_wire::{Entropy, ErrorCode, SessionId};
use tokio::sync::Semaphore;

use crate::caller::Caller;
use crate::clock::{Clock, SystemClock, SystemEntropy};
use crate::handler::{Handler, LogLevel, Notice, Request};
use crate::options::ServerOptions;
use crate::refusal::Refusal;
use crate::session::{Expiry, Session};
use crate::sessions::Sessions;
use crate::work::{Order, Work};

/// A server without a transport: sessions, the rules of their life, and the handler. Cloning shares it, so that several
/// transports can serve one.
#[derive(Clone)]
pub struct Server {
    inner: Arc<Inner>,
}

struct Inner {
    handler: Arc<dyn Handler>,
    introduction: Introduction,
    options: ServerOptions,
    sessions: Sessions,
    places: Arc<Semaphore>,
}

/// What a message came to.
#[derive(Debug)]
pub(crate) enum Reception {
    /// It needs no answer.
    Taken,
    /// The answer is known.
    Answered(String),
    /// A handler works on it.
    Working(Work),
    /// It is refused.
    Refused(Refusal),
}

/// A session that has begun, and the answer to the `initialize` that began it.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) answer: String,
    pub(crate) session: Option<SessionId>,
}

impl Server {
    /// A server with the system's clock and random source.
    #[must_use]
    pub fn new(handler: impl Handler, options: ServerOptions) -> Self {
        Self::with(
            handler,
            options,
            Arc::new(SystemEntropy),
            Arc::new(SystemClock::start()),
        )
    }

    /// A server with a random source for its session ids and a clock for their expiry.
    #[must_use]
    pub fn with(
        handler: impl Handler,
        options: ServerOptions,
        entropy: Arc<dyn Entropy>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let sessions = Sessions::new(options.sessions, options.versions.clone(), entropy, clock);
        Self {
            inner: Arc::new(Inner {
                introduction: handler.introduction(),
                handler: Arc::new(handler),
                places: Arc::new(Semaphore::new(options.live_requests_in_all)),
                sessions,
                options,
            }),
        }
    }

    /// Sessions that are kept, those included that have expired and were not swept yet.
    #[must_use]
    pub fn session_count(&self) -> usize {
        self.inner.sessions.count()
    }

    /// Requests that handlers are at work on.
    #[must_use]
    pub fn live_request_count(&self) -> usize {
        self.inner.options.live_requests_in_all - self.inner.places.available_permits()
    }

    /// Ends the sessions that have expired. The transports call it from time to time; without them, the host does.
    pub fn sweep(&self) {
        self.inner.sessions.sweep();
    }

    pub(crate) fn limits(&self) -> &RequestLimits {
        &self.inner.options.message
    }

    /// Judges what a message says of its session and revision.
    pub(crate) fn create_context(
        &self,
        caller: &Caller,
        session_id: Option<&[u8]>,
        version: Option<&[u8]>,
    ) -> ContextResult<Arc<Session>> {
        create_context(&self.inner.sessions.of(caller), session_id, version)
    }

    /// Answers `initialize`, whose context is the empty one. A refusal opens no session.
    pub(crate) fn initialize(
        &self,
        caller: &Caller,
        expiry: Expiry,
        request: &ClientRequest<'_>,
        _context: &Context<Arc<Session>>,
    ) -> Result<Begun, Refusal> {
        let sessions = &self.inner.sessions;
        let asked = InitializeRequest::parse(request.params).map_err(Refusal::Initialize)?;
        let version = asked.negotiate(sessions.versions()).ok_or(Refusal::Unable)?;
        let session = sessions.open(caller, version, expiry)?;
        let session = session.map(|session| session.key().to_string());
        Ok(Begun {
            answer: Answer::Result(&self.inner.introduction.result(version)).encode(Some(&request.id)),
            session: session.and_then(|id| SessionId::parse(id.as_bytes()).ok()),
        })
    }

    /// Acts on any other message.
    pub(crate) fn receive(
        &self,
        caller: &Caller,
        context: &Context<Arc<Session>>,
        message: ClientMessage<'_>,
    ) -> Reception {
        let session = context.session();
        if let Some(session) = session
            && let Err(refusal) = session.lifecycle.admit(&message)
        {
            return Reception::Refused(Refusal::Lifecycle(refusal));
        }
        match message {
            ClientMessage::Request(request) => match &*request.method {
                "ping" => Reception::Answered(Answer::Result("{}").encode(Some(&request.id))),
                "logging/setLevel" => Reception::Answered(set_level(session, &request)),
                _ => match self.start(caller, context, request) {
                    Ok(work) => Reception::Working(work),
                    Err(refusal) => Reception::Refused(refusal),
                },
            },
            ClientMessage::Notification(notification) => {
                self.notice(caller, session, &notification);
                Reception::Taken
            }
            ClientMessage::Response => Reception::Taken,
        }
    }

    /// Ends the session of this context.
    pub(crate) fn end(&self, context: &Context<Arc<Session>>) {
        if let Some(session) = context.session() {
            self.inner.sessions.end(session);
        }
    }

    fn start(
        &self,
        caller: &Caller,
        context: &Context<Arc<Session>>,
        request: ClientRequest<'_>,
    ) -> Result<Work, Refusal> {
        let options = &self.inner.options;
        let place = Arc::clone(&self.inner.places).try_acquire_owned();
        let place = place.map_err(|_none_free| Refusal::Busy)?;
        let session = context.session();
        let live = session.map(|session| session.live.begin(request.id.clone(), options.live_requests));
        let order = Order {
            progress_token: request.progress_token().map(Into::into),
            request: Request {
                method: request.method.into_owned(),
                params: request.params.map(Into::into),
                caller: caller.clone(),
                version: session.map(|session| session.version()).or(context.version()),
            },
            id: request.id,
            session: session.cloned(),
            live: live.transpose()?,
            place,
            time: options.request_time,
            waiting_notices: options.waiting_notices,
        };
        Ok(Work::start(&self.inner.handler, order))
    }

    fn notice(&self, caller: &Caller, session: Option<&Arc<Session>>, notification: &Notification<'_>) {
        match &*notification.method {
            "notifications/initialized" => {}
            "notifications/cancelled" => {
                if let (Some(session), Some(id)) = (session, notification.cancelled_request()) {
                    session.live.cancel(&id);
                }
            }
            method => self.inner.handler.notification(Notice {
                method: method.into(),
                params: notification.params.map(Into::into),
                caller: caller.clone(),
            }),
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}

/// Answers `logging/setLevel`; without a session there is nothing to set it for.
fn set_level(session: Option<&Arc<Session>>, request: &ClientRequest<'_>) -> String {
    let Some(level) = read_level(request.params) else {
        let fault = Answer::error(ErrorCode::INVALID_PARAMS, "`level` must name a level");
        return fault.encode(Some(&request.id));
    };
    if let Some(session) = session {
        session.log_from(level);
    }
    Answer::Result("{}").encode(Some(&request.id))
}

fn read_level(params: Option<&str>) -> Option<LogLevel> {
    #[derive(serde::Deserialize)]
    struct SetLevel<'a> {
        #[serde(borrow)]
        level: Cow<'a, str>,
    }
    let asked: SetLevel<'_> = serde_json::from_str(params?).ok()?;
    LogLevel::parse(&asked.level)
}
