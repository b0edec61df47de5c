//! The two drivers of a leg: a request and a notification, under the operation's deadline and cancellation.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use mcp_wire::{
    Answer, Delivery, Exchange, ExchangeError, ExchangeEvent, Malformed, MalformedKind, Message, PortFuture,
    Reply, RequestMeta, ReservedIds, ResultText, SessionId, Stage, ToolName, Transport, TransportError,
};

use crate::conversation::Conversation;
use crate::deadline::Deadline;
use crate::failure::{Cause, Failure};
use crate::port::{Cancellation, CancellationUnknown, Moment, TraceSource};
use crate::refusal::Refusal;
use crate::server::Server;
use crate::telemetry::LegSpan;

/// How often a source of cancellation is asked while a leg is under way.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// The legs of one operation: where they go, the ids that were set aside for them, and the conversation that they are
/// part of.
pub(crate) struct Legs<'a> {
    pub(crate) transport: &'a dyn Transport,
    pub(crate) trace: &'a dyn TraceSource,
    pub(crate) server: &'a Server,
    /// The tool that the operation calls.
    pub(crate) tool: Option<&'a ToolName>,
    pub(crate) ids: ReservedIds<'a>,
    pub(crate) conversation: &'a mut Conversation,
}

/// The result of a request leg.
pub(crate) struct RequestReply {
    pub(crate) result: ResultText,
    pub(crate) session: Option<SessionId>,
    /// How long the leg took.
    pub(crate) latency: Duration,
    pub(crate) span: LegSpan,
}

impl Legs<'_> {
    /// Drives a request to its one reply: budget, cancellation, id, then the exchange.
    pub(crate) async fn request(
        &mut self,
        deadline: &mut Deadline<'_>,
        message: impl FnOnce(RequestMeta<'_>) -> Message,
        cancellation: &dyn Cancellation,
    ) -> Result<RequestReply, Failure> {
        let watch = start(deadline, cancellation).await?;
        let id = self.ids.allocate().map_err(Refusal::Id)?;
        let started = deadline.now();
        let span = LegSpan::open(self.server);
        let trace = span.trace(self.trace);
        let message = message(RequestMeta::traced(id, trace.as_ref()));
        let driven = self.drive(deadline, message, watch, &span).await;
        if let Err(failure) = &driven
            && matches!(failure.cause(), Cause::Cancelled { .. })
            && failure.delivery() == Delivery::Unknown
        {
            self.conversation.give_up(id);
        }
        let (answer, delivery) = driven?;
        let latency = deadline.now().since(started);
        match answer {
            Answer::Reply {
                reply: Reply::Result(result),
                session,
                http_status: _,
            } => Ok(RequestReply {
                result,
                session,
                latency,
                span,
            }),
            Answer::Reply {
                reply: Reply::Error(error),
                session: _,
                http_status,
            } => Err(Failure::new(Cause::Rpc { error, http_status }, delivery)),
            // A transport that accepts a request without a reply breaks its port's contract.
            Answer::Accepted => Err(Failure::new(Malformed::from(MalformedKind::NoResponse), delivery)),
        }
    }

    /// Drives a notification to its acceptance.
    pub(crate) async fn notify(
        &mut self,
        deadline: &mut Deadline<'_>,
        message: Message,
        cancellation: &dyn Cancellation,
    ) -> Result<(), Failure> {
        let watch = start(deadline, cancellation).await?;
        let span = LegSpan::open(self.server);
        self.drive(deadline, message, watch, &span)
            .await
            .map(|_accepted| ())
    }

    /// Drives a message of the conversation. A server that no longer knows the session ends it.
    async fn drive(
        &mut self,
        deadline: &mut Deadline<'_>,
        message: Message,
        watch: Watch<'_>,
        span: &LegSpan,
    ) -> Result<(Answer, Delivery), Failure> {
        let message = self.conversation.address(message);
        span.describe(&message, self.tool);
        let driven = drive(self.transport, self.server, deadline, message, watch, span).await;
        if let Err(failure) = &driven
            && let Cause::Transport(TransportError::Status(status)) = failure.cause()
            && status.is_session_lost()
        {
            self.conversation.lose();
        }
        driven
    }
}

/// Drives one message to the end of its exchange. The message is the transport's at once, and no part of the future.
pub(crate) fn drive<'a>(
    transport: &dyn Transport,
    server: &Server,
    deadline: &'a mut Deadline<'_>,
    message: Message,
    mut watch: Watch<'a>,
    span: &'a LegSpan,
) -> impl Future<Output = Result<(Answer, Delivery), Failure>> + Send + 'a {
    let mut exchange = transport.open(&server.target, message);
    async move {
        let mut poll = |cx: &mut Context<'_>| poll_leg(&mut *exchange, deadline, &mut watch, cx);
        let outcome = poll_fn(|cx| span.within(|| poll(cx))).await;
        let delivery = exchange.delivery();
        let driven = outcome.and_then(|outcome| {
            outcome
                .map(|answer| (answer, delivery))
                .map_err(|error| Failure::of_leg(error, delivery))
        });
        span.ended(&driven);
        driven
    }
}

/// What comes before each leg: is there time left, and does the caller still want it?
async fn start<'c>(
    deadline: &mut Deadline<'_>,
    cancellation: &'c dyn Cancellation,
) -> Result<Watch<'c>, Failure> {
    let (stage, delivery) = (Stage::Start, Delivery::NotSent);
    if deadline.has_passed() {
        return Err(deadline.spent(stage, delivery));
    }
    if deadline.within(cancellation.ask()).await? == Ok(true) {
        return Err(Failure::new(Cause::Cancelled { stage }, delivery));
    }
    Ok(Watch::new(cancellation, deadline.now()))
}

/// One poll of everything that a leg waits for. An answer that has arrived wins over a cancellation, and that over the
/// deadline.
fn poll_leg(
    exchange: &mut dyn Exchange,
    deadline: &mut Deadline<'_>,
    watch: &mut Watch<'_>,
    cx: &mut Context<'_>,
) -> Poll<Result<Result<Answer, ExchangeError>, Failure>> {
    let stage = exchange.stage();
    let now = deadline.waited(stage);
    // Nothing can have arrived for what was not sent, and no connection is made for a call that is over.
    if deadline.is_over(now) && exchange.delivery() == Delivery::NotSent {
        return Poll::Ready(Err(deadline.spent(stage, Delivery::NotSent)));
    }
    let polled = poll_answer(exchange, cx);
    let mut now = deadline.worked(stage, exchange.stage());
    if let Poll::Ready(outcome) = polled {
        return Poll::Ready(Ok(outcome));
    }
    loop {
        if watch.poll_cancelled(cx, now).is_ready() {
            let cause = Cause::Cancelled {
                stage: exchange.stage(),
            };
            return Poll::Ready(Err(Failure::new(cause, exchange.delivery())));
        }
        if deadline.is_over(now) {
            return Poll::Ready(Err(deadline.spent(exchange.stage(), exchange.delivery())));
        }
        if deadline.poll_until(watch.next_ask(), cx).is_pending() {
            return Poll::Pending;
        }
        now = deadline.now();
    }
}

/// Polls an exchange to its end, as far as it goes.
fn poll_answer(exchange: &mut dyn Exchange, cx: &mut Context<'_>) -> Poll<Result<Answer, ExchangeError>> {
    loop {
        match ready!(exchange.poll_event(cx)) {
            // This client declares no capability, so it passes over whatever the server says on the way.
            ExchangeEvent::Server(_message) => {}
            ExchangeEvent::Done(outcome) => return Poll::Ready(outcome),
        }
    }
}

/// The watch over a source of cancellation during one leg.
pub(crate) struct Watch<'a> {
    source: &'a dyn Cancellation,
    /// A question that was asked and not yet answered.
    open: Option<PortFuture<Result<bool, CancellationUnknown>>>,
    ask_at: Moment,
    /// Whether the source may still be asked before `ask_at` because its answer may have changed.
    early: bool,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(source: &'a dyn Cancellation, now: Moment) -> Self {
        Self {
            source,
            open: None,
            ask_at: now + ASK_EVERY,
            early: true,
        }
    }

    /// When to ask again; not while a question is open.
    fn next_ask(&self) -> Option<Moment> {
        self.open.is_none().then_some(self.ask_at)
    }

    /// Ready when the source said yes. One question is open at a time, and a source that calls for questions again and
    /// again is heard once between two regular ones.
    fn poll_cancelled(&mut self, cx: &mut Context<'_>, now: Moment) -> Poll<()> {
        let changed = self.source.poll_changed(cx).is_ready();
        if self.open.is_none() {
            if now >= self.ask_at {
                (self.ask_at, self.early) = (now + ASK_EVERY, true);
                self.open = Some(self.source.ask());
            } else if changed && self.early {
                self.early = false;
                self.open = Some(self.source.ask());
            }
        }
        let Some(open) = &mut self.open else {
            return Poll::Pending;
        };
        match Pin::new(open).poll(cx) {
            Poll::Ready(Ok(true)) => Poll::Ready(()),
            Poll::Ready(Ok(false) | Err(CancellationUnknown)) => {
                self.open = None;
                // Leaves the waker for the next change.
                let _change_is_met_later = self.source.poll_changed(cx);
                Poll::Pending
            }
            Poll::Pending => Poll::Pending,
        }
    }
}
