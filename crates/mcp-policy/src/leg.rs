//! The two drivers of a leg: a request and a notification, under the operation's deadline and cancellation.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_wire::{
    Answer, Delivery, Exchange, ExchangeError, ExchangeEvent, Malformed, MalformedKind, Message, PortFuture,
    Reply, ResultText, SessionId, Stage, Target, Transport,
};

use crate::budget::Budget;
use crate::failure::Failure;
use crate::port::{Cancellation, CancellationUnknown, Clock, Moment, Timer};

/// How often a source of cancellation is asked while a leg is under way.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// One operation on its way: its deadline, and the one timer that all its legs share.
pub(crate) struct Operation<'a> {
    clock: &'a dyn Clock,
    timer: Box<dyn Timer>,
    budget: Budget,
    deadline: Moment,
}

/// The result of a request leg.
pub(crate) struct RequestReply {
    pub(crate) result: ResultText,
    pub(crate) session: Option<SessionId>,
    /// How long the leg took.
    pub(crate) latency: Duration,
}

impl<'a> Operation<'a> {
    /// Starts the budget.
    pub(crate) fn begin(clock: &'a dyn Clock, budget: Budget) -> Self {
        Self {
            clock,
            timer: clock.timer(),
            budget,
            deadline: clock.now() + budget.get(),
        }
    }

    /// Drives a request to its one reply.
    pub(crate) async fn request(
        &mut self,
        transport: &dyn Transport,
        target: &Arc<Target>,
        message: Message,
        cancellation: &dyn Cancellation,
    ) -> Result<RequestReply, Failure> {
        let started = self.clock.now();
        let (answer, delivery) = self.drive(transport, target, message, cancellation).await?;
        let (reply, session, http_status) = match answer {
            Answer::Reply {
                reply,
                session,
                http_status,
            } => (reply, session, http_status),
            // A transport that accepts a request without a reply breaks its port's contract.
            Answer::Accepted => {
                let fault = Malformed::from(MalformedKind::NoResponse);
                return Err(Failure::Malformed { fault, delivery });
            }
        };
        match reply {
            Reply::Result(result) => Ok(RequestReply {
                result,
                session,
                latency: self.clock.now().since(started),
            }),
            Reply::Error(error) => Err(Failure::Rpc {
                error,
                http_status,
                delivery,
            }),
        }
    }

    /// Drives a notification to its acceptance.
    pub(crate) async fn notify(
        &mut self,
        transport: &dyn Transport,
        target: &Arc<Target>,
        message: Message,
        cancellation: &dyn Cancellation,
    ) -> Result<(), Failure> {
        self.drive(transport, target, message, cancellation)
            .await
            .map(|_accepted| ())
    }

    /// Waits for the answer of a port, within the deadline.
    pub(crate) async fn within<T>(&mut self, mut answer: PortFuture<T>) -> Result<T, Failure> {
        poll_fn(|cx| {
            if let Poll::Ready(value) = Pin::new(&mut answer).poll(cx) {
                return Poll::Ready(Ok(value));
            }
            self.poll_deadline(cx)
                .map(|()| Err(self.spent(Stage::Start, Delivery::NotSent)))
        })
        .await
    }

    async fn drive(
        &mut self,
        transport: &dyn Transport,
        target: &Arc<Target>,
        message: Message,
        cancellation: &dyn Cancellation,
    ) -> Result<(Answer, Delivery), Failure> {
        if self.clock.now() >= self.deadline {
            return Err(self.spent(Stage::Start, Delivery::NotSent));
        }
        let mut watch = Watch::new(cancellation, self.clock.now());
        if self.within(cancellation.ask()).await? == Ok(true) {
            return Err(Failure::Cancelled {
                stage: Stage::Start,
                delivery: Delivery::NotSent,
            });
        }
        let mut exchange = transport.open(target, message);
        let outcome = poll_fn(|cx| self.poll_leg(&mut *exchange, &mut watch, cx)).await;
        let delivery = exchange.delivery();
        match outcome? {
            Ok(answer) => Ok((answer, delivery)),
            Err(error) => Err(Failure::of_leg(error, delivery)),
        }
    }

    /// One poll of everything that a leg waits for. An answer that has arrived wins over a cancellation, and that over
    /// the deadline.
    fn poll_leg(
        &mut self,
        exchange: &mut dyn Exchange,
        watch: &mut Watch<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Result<Answer, ExchangeError>, Failure>> {
        loop {
            match exchange.poll_event(cx) {
                // This client declares no capability, so it passes over whatever the server says on the way.
                Poll::Ready(ExchangeEvent::Server(_message)) => {}
                Poll::Ready(ExchangeEvent::Done(outcome)) => return Poll::Ready(Ok(outcome)),
                Poll::Pending => break,
            }
        }
        loop {
            if watch.poll_cancelled(cx, self.clock.now()).is_ready() {
                let (stage, delivery) = (exchange.stage(), exchange.delivery());
                return Poll::Ready(Err(Failure::Cancelled { stage, delivery }));
            }
            if self.clock.now() >= self.deadline {
                return Poll::Ready(Err(self.spent(exchange.stage(), exchange.delivery())));
            }
            self.timer.arm(
                watch
                    .next_ask()
                    .map_or(self.deadline, |ask| ask.min(self.deadline)),
            );
            match self.timer.poll_fired(cx) {
                Poll::Ready(()) => {}
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.timer.arm(self.deadline);
        self.timer.poll_fired(cx)
    }

    fn spent(&self, stage: Stage, delivery: Delivery) -> Failure {
        Failure::DeadlineExceeded {
            budget: self.budget,
            stage,
            delivery,
        }
    }
}

/// The watch over a source of cancellation during one leg.
struct Watch<'a> {
    source: &'a dyn Cancellation,
    /// A question that was asked and not yet answered.
    open: Option<PortFuture<Result<bool, CancellationUnknown>>>,
    ask_at: Moment,
}

impl<'a> Watch<'a> {
    fn new(source: &'a dyn Cancellation, now: Moment) -> Self {
        Self {
            source,
            open: None,
            ask_at: now + ASK_EVERY,
        }
    }

    /// When to ask again; not while a question is open.
    fn next_ask(&self) -> Option<Moment> {
        self.open.is_none().then_some(self.ask_at)
    }

    /// Ready when the source said yes. One question is open at a time.
    ///
    /// After a no the source is looked at once more, so that it knows whom to wake. One that claims a change each time is
    /// not followed further: it is asked again with the next poll.
    fn poll_cancelled(&mut self, cx: &mut Context<'_>, now: Moment) -> Poll<()> {
        for _look in 0..2 {
            let open = match &mut self.open {
                Some(open) => open,
                None if self.source.poll_changed(cx).is_ready() || now >= self.ask_at => {
                    self.ask_at = now + ASK_EVERY;
                    self.open.insert(self.source.ask())
                }
                None => return Poll::Pending,
            };
            match Pin::new(open).poll(cx) {
                Poll::Ready(Ok(true)) => return Poll::Ready(()),
                Poll::Ready(Ok(false) | Err(CancellationUnknown)) => self.open = None,
                Poll::Pending => return Poll::Pending,
            }
        }
        Poll::Pending
    }
}
