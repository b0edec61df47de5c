//! A request while its handler is at work: what the transport hears of it.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_wire::ErrorCode;
use mcp_wire::server::{Answer, ClientId};
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use crate::handler::{Handler, HandlerError, HandlerFuture, Outlet, Request};
use crate::live::Live;
use crate::session::Session;

/// Notifications on the way and the answer at the end, as texts.
#[derive(Debug)]
pub(crate) struct Work {
    notices: mpsc::Receiver<String>,
    end: End,
}

#[derive(Debug)]
enum End {
    Awaited(oneshot::Receiver<String>),
    /// The answer, held back until the notifications before it are taken.
    Known(Option<String>),
}

/// What a request came to.
#[derive(Debug)]
pub(crate) enum WorkEvent {
    /// A notification that belongs to it.
    Notice(String),
    /// Its answer; nothing comes after it.
    Answer(String),
    /// It ended without an answer, since it was cancelled or its session ended.
    Ended,
}

/// What a request needs on its way.
pub(crate) struct Order {
    pub(crate) id: ClientId,
    pub(crate) request: Request,
    pub(crate) progress_token: Option<Arc<str>>,
    pub(crate) session: Option<Arc<Session>>,
    /// Holds the id for as long as the work lasts.
    pub(crate) live: Option<Live>,
    /// Holds a place among the requests of all sessions.
    pub(crate) place: OwnedSemaphorePermit,
    pub(crate) time: Duration,
    pub(crate) waiting_notices: usize,
}

impl Work {
    /// Starts the handler in a task of its own, so that a client that goes away does not end it.
    pub(crate) fn start(handler: &Arc<dyn Handler>, order: Order) -> Self {
        let (notices, heard) = mpsc::channel(order.waiting_notices.max(1));
        let (answer, end) = oneshot::channel();
        let outlet = Outlet::new(notices, order.session.clone(), order.progress_token.as_deref());
        let handler = Arc::clone(handler);
        let session = order.session.clone();
        let id = order.id.clone();
        let task = tokio::spawn(async move {
            let Order {
                id,
                request,
                live,
                place,
                time,
                ..
            } = order;
            let outcome = guarded(move || handler.request(request, outlet));
            let outcome = tokio::time::timeout(time, outcome).await;
            // The id and the place are free before the client can know of the answer.
            drop(live);
            drop(place);
            let _gone = answer.send(encode(outcome, &id));
        });
        if let Some(session) = session {
            session.live.attach(&id, task.abort_handle());
        }
        Self {
            notices: heard,
            end: End::Awaited(end),
        }
    }

    /// The next event; after [`WorkEvent::Answer`] and [`WorkEvent::Ended`] it is not polled again.
    pub(crate) fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<WorkEvent> {
        // Notifications that were sent before the answer lie in the channel when the answer does.
        if let End::Awaited(end) = &mut self.end
            && let Poll::Ready(answer) = Pin::new(end).poll(cx)
        {
            self.end = End::Known(answer.ok());
        }
        match (self.notices.poll_recv(cx), &mut self.end) {
            (Poll::Ready(Some(notice)), _) => Poll::Ready(WorkEvent::Notice(notice)),
            (Poll::Ready(None) | Poll::Pending, End::Known(answer)) => {
                Poll::Ready(answer.take().map_or(WorkEvent::Ended, WorkEvent::Answer))
            }
            (Poll::Ready(None) | Poll::Pending, End::Awaited(_)) => Poll::Pending,
        }
    }

    pub(crate) async fn next(&mut self) -> WorkEvent {
        std::future::poll_fn(|cx| self.poll_event(cx)).await
    }
}

type Outcome = Result<Result<String, HandlerError>, Box<dyn Any + Send>>;

fn encode(outcome: Result<Outcome, tokio::time::error::Elapsed>, id: &ClientId) -> String {
    let internal = |text| Answer::error(ErrorCode::INTERNAL_ERROR, text).encode(Some(id));
    match outcome {
        Ok(Ok(Ok(result))) => Answer::Result(&result).encode(Some(id)),
        Ok(Ok(Err(error))) => Answer::Error {
            code: error.code,
            message: &error.message,
            data: error.data.as_deref(),
        }
        .encode(Some(id)),
        Ok(Err(_panic)) => {
            tracing::warn!("a handler panicked");
            internal("the server failed")
        }
        Err(_elapsed) => {
            tracing::warn!("a handler took longer than it may");
            internal("the server gave the request up")
        }
    }
}

/// A handler's answer whose panic is an outcome, be it in the call or in the future.
async fn guarded(call: impl FnOnce() -> HandlerFuture) -> Outcome {
    let mut future = catch_unwind(AssertUnwindSafe(call))?;
    std::future::poll_fn(
        |cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        },
    )
    .await
}
