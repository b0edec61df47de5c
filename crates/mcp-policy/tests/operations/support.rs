//! The drive of an operation without a runtime, and the messages of a server that behaves.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake};

use mcp_testkit::MemoryAnswer;
use mcp_wire::{Expectation, Message, Method, SessionId};

/// An operation under way. It is polled only when it was woken, so an operation that sets no alarm stays asleep.
pub(crate) struct Task<'a, T> {
    future: Pin<Box<dyn Future<Output = T> + 'a>>,
    alarm: Arc<Alarm>,
}

struct Alarm(AtomicBool);

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<'a, T> Task<'a, T> {
    pub(crate) fn new(future: impl Future<Output = T> + 'a) -> Self {
        Self {
            future: Box::pin(future),
            alarm: Arc::new(Alarm(AtomicBool::new(true))),
        }
    }

    /// Runs the operation as far as it comes.
    pub(crate) fn run(&mut self) -> Poll<T> {
        let waker = self.alarm.clone().into();
        while self.alarm.0.swap(false, Ordering::Relaxed) {
            if let Poll::Ready(output) = self.future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return Poll::Ready(output);
            }
        }
        Poll::Pending
    }

    /// Runs the operation, which must not end.
    #[track_caller]
    pub(crate) fn wait(&mut self) {
        assert!(self.run().is_pending(), "the operation has ended");
    }

    /// Runs the operation, which must end.
    #[track_caller]
    pub(crate) fn end(&mut self) -> T {
        match self.run() {
            Poll::Ready(output) => output,
            Poll::Pending => panic!("the operation goes on"),
        }
    }
}

/// Runs an operation that has nothing to wait for.
#[track_caller]
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    Task::new(future).end()
}

/// How a server answers one kind of message.
pub(crate) type Answer = fn(&Message) -> MemoryAnswer;

/// The answer of a server that behaves.
pub(crate) fn well(message: &Message) -> MemoryAnswer {
    match message.leg().method {
        Method::Initialize => result(
            message,
            r#"{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#,
        ),
        Method::Initialized | Method::Cancelled | Method::EndSession => MemoryAnswer::Accepted,
        Method::Ping => result(message, "{}"),
        Method::ToolsList => result(message, r#"{"tools":[{"name":"echo"}]}"#),
        Method::ToolsCall => result(message, r#"{"content":[{"type":"text","text":"done"}]}"#),
    }
}

/// A server that behaves, but for one method.
pub(crate) fn well_except(
    method: Method,
    answer: impl Fn(&Message) -> MemoryAnswer + Send + 'static,
) -> impl Fn(&Message) -> MemoryAnswer + Send + 'static {
    move |message| {
        if message.leg().method == method {
            answer(message)
        } else {
            well(message)
        }
    }
}

/// The same server, issuing the session `s-1` with its reply to `initialize`.
pub(crate) fn in_session(
    answer: impl Fn(&Message) -> MemoryAnswer + Send + 'static,
) -> impl Fn(&Message) -> MemoryAnswer + Send + 'static {
    move |message| match (message.leg().method, answer(message)) {
        (Method::Initialize, MemoryAnswer::Json(body)) => {
            MemoryAnswer::JsonInSession(body, SessionId::parse(b"s-1").unwrap())
        }
        (_, answer) => answer,
    }
}

/// One message as the server has got it.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) method: Method,
    /// The id of a request; empty for a message that has none.
    pub(crate) id: String,
    pub(crate) body: String,
    pub(crate) session: Option<String>,
    /// The revision; empty for none.
    pub(crate) version: String,
}

/// What a server has got.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tap(Arc<Mutex<Vec<Sent>>>);

impl Tap {
    /// The server, listened to.
    pub(crate) fn on(
        answer: impl Fn(&Message) -> MemoryAnswer + Send + 'static,
    ) -> (Self, impl Fn(&Message) -> MemoryAnswer + Send + 'static) {
        let tap = Self::default();
        let log = tap.clone();
        let script = move |message: &Message| {
            let sent = Sent {
                method: message.leg().method,
                id: id_of(message),
                body: String::from_utf8(message.body().to_vec()).unwrap(),
                session: message.session().map(|session| session.expose().to_owned()),
                version: message
                    .version()
                    .map(|version| version.to_string())
                    .unwrap_or_default(),
            };
            log.0.lock().unwrap().push(sent);
            answer(message)
        };
        (tap, script)
    }

    pub(crate) fn all(&self) -> Vec<Sent> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn of(&self, method: Method) -> Vec<Sent> {
        let mut sent = self.all();
        sent.retain(|sent| sent.method == method);
        sent
    }

    pub(crate) fn methods(&self) -> Vec<Method> {
        self.all().iter().map(|sent| sent.method).collect()
    }
}

pub(crate) fn silence(_message: &Message) -> MemoryAnswer {
    MemoryAnswer::Silence
}

/// The response with this result.
pub(crate) fn result(message: &Message, result: &str) -> MemoryAnswer {
    response(message, &format!("\"result\":{result}"))
}

/// The response with this error.
pub(crate) fn error(message: &Message, code: i64) -> MemoryAnswer {
    response(
        message,
        &format!("\"error\":{{\"code\":{code},\"message\":\"no\"}}"),
    )
}

fn response(message: &Message, outcome: &str) -> MemoryAnswer {
    let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{}\",{outcome}}}", id_of(message));
    MemoryAnswer::Json(text.into_bytes())
}

/// The id of a request; empty for a message that has none.
pub(crate) fn id_of(message: &Message) -> String {
    match message.leg().expectation {
        Expectation::Response(id) => id.to_string(),
        Expectation::Acceptance | Expectation::Receipt => String::new(),
    }
}
