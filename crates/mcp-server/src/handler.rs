//! The port behind which a server's offer lies.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_wire::server::{Introduction, notification};
use mcp_wire::{ErrorCode, ProtocolVersion, write_json_string};
use tokio::sync::mpsc;

use crate::caller::Caller;
use crate::session::Session;

/// What a server offers. `initialize`, `ping`, `notifications/initialized`, `notifications/cancelled` and
/// `logging/setLevel` are answered by the [`Server`](crate::Server); every other message of an initialized client comes
/// here.
///
/// Both methods may be called from several tasks at once, and neither waits: what takes time belongs into the future of a request.
pub trait Handler: Send + Sync + 'static {
    /// How the server introduces itself. Asked once.
    fn introduction(&self) -> Introduction;

    /// Answers one request with the raw text of a result, a JSON object, or with an error. For a method that it does not
    /// know: [`HandlerError::method_not_found`].
    ///
    /// # Cancel safety
    ///
    /// The future runs in a task of its own. It is dropped when the client cancels the request, when its session ends, or
    /// when [`ServerOptions::request_time`](crate::ServerOptions::request_time) is over; not when the client's connection
    /// is lost, which is no cancellation. A panic is answered as an internal error.
    fn request(&self, request: Request, outlet: Outlet) -> HandlerFuture;

    /// Takes a notification, which has no answer.
    fn notification(&self, notice: Notice);
}

/// The answer to come: the raw text of a result, or an error.
pub type HandlerFuture = Pin<Box<dyn Future<Output = Result<String, HandlerError>> + Send>>;

/// One request of a client whose context is valid.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The method.
    pub method: String,
    /// The raw text of the parameters, a JSON object.
    pub params: Option<String>,
    /// On whose behalf it comes.
    pub caller: Caller,
    /// The session's revision; that which the message names where the server issues no sessions.
    pub version: Option<ProtocolVersion>,
}

/// One notification of a client whose context is valid.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Notice {
    /// The method.
    pub method: String,
    /// The raw text of the parameters, a JSON object.
    pub params: Option<String>,
    /// On whose behalf it comes.
    pub caller: Caller,
}

/// The handler's no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandlerError {
    /// The code of the JSON-RPC error.
    pub code: ErrorCode,
    /// Its message.
    pub message: String,
    /// The raw text of its data.
    pub data: Option<String>,
}

impl HandlerError {
    /// `-32601`: the server has no such method.
    #[must_use]
    pub fn method_not_found() -> Self {
        Self::new(ErrorCode::METHOD_NOT_FOUND, "there is no such method")
    }

    /// `-32602`: what is wrong with the parameters.
    #[must_use]
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::INVALID_PARAMS, message)
    }

    /// An error without data.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }
}

/// Where a handler says something before it answers.
///
/// What is said goes to the client of this request, in order, ahead of the answer. Over HTTP the first word makes the
/// answer an event stream. A client that has gone hears nothing, and the handler is not disturbed by it.
#[derive(Clone)]
pub struct Outlet {
    notices: mpsc::Sender<String>,
    session: Option<Arc<Session>>,
    progress_token: Option<Arc<str>>,
    /// The least value that counts as progress.
    next: Arc<AtomicU64>,
}

/// How far a request is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress<'a> {
    /// Steps that are done; each report says more than the one before.
    pub done: u64,
    /// Steps in all.
    pub total: Option<u64>,
    /// What is being done.
    pub message: Option<&'a str>,
}

impl Outlet {
    pub(crate) fn new(
        notices: mpsc::Sender<String>,
        session: Option<Arc<Session>>,
        progress_token: Option<&str>,
    ) -> Self {
        Self {
            notices,
            session,
            progress_token: progress_token.map(Into::into),
            next: Arc::default(),
        }
    }

    /// `notifications/progress`, if the client asked for it. What is no progress over the last report is left out.
    ///
    /// [MCP 2025-11-25, Progress](https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress).
    ///
    /// # Cancel safety
    ///
    /// A report whose future is dropped is not sent.
    pub async fn progress(&self, progress: Progress<'_>) {
        let Some(token) = &self.progress_token else {
            return;
        };
        if self
            .next
            .fetch_max(progress.done.saturating_add(1), Ordering::Relaxed)
            > progress.done
        {
            return;
        }
        let mut params = format!("{{\"progressToken\":{token},\"progress\":{}", progress.done);
        if let Some(total) = progress.total {
            params.push_str(&format!(",\"total\":{total}"));
        }
        if let Some(message) = progress.message {
            params.push_str(",\"message\":");
            write_json_string(&mut params, message);
        }
        params.push('}');
        self.send("notifications/progress", &params).await;
    }

    /// `notifications/message`, if the session wants that level: from [`LogLevel::Info`] on unless the client said
    /// otherwise.
    ///
    /// [MCP 2025-11-25, Logging](https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging).
    ///
    /// # Cancel safety
    ///
    /// As [`Outlet::progress`].
    pub async fn log(&self, level: LogLevel, text: &str) {
        let wanted = match &self.session {
            Some(session) => session.logs(level),
            None => level >= LogLevel::Info,
        };
        if !wanted {
            return;
        }
        let mut params = format!("{{\"level\":\"{}\",\"data\":", level.name());
        write_json_string(&mut params, text);
        params.push('}');
        self.send("notifications/message", &params).await;
    }

    /// A notification with these parameters, the raw text of a JSON object.
    ///
    /// # Cancel safety
    ///
    /// As [`Outlet::progress`].
    pub async fn send(&self, method: &str, params: &str) {
        // A client that has gone hears nothing.
        let _gone = self.notices.send(notification(method, params)).await;
    }
}

impl fmt::Debug for Outlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outlet").finish_non_exhaustive()
    }
}

/// How much a log message matters, from least to most: the levels of RFC 5424, section 6.2.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "named as the specification names them")]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl LogLevel {
    const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// The level with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }

    /// The level as the wire spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }
}
