//! What is sent back: nothing, one JSON text, or an event stream.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};
use hyper::body::{Body, Bytes, Frame, SizeHint};

use crate::work::{Work, WorkEvent};

/// The body of an answer.
#[derive(Debug)]
pub(super) enum AnswerBody {
    /// A text, or nothing.
    Text(Option<Bytes>),
    /// Events, as they come.
    Events(Events),
}

/// The events of one request: the first one, which is known, and the work that brings the rest.
#[derive(Debug)]
pub(super) struct Events {
    first: Option<WorkEvent>,
    /// Dropped with the last event.
    work: Option<Work>,
}

/// An answer without a body.
pub(super) fn empty(status: StatusCode) -> Response<AnswerBody> {
    respond(status, AnswerBody::Text(None))
}

/// One message as the whole body.
pub(super) fn json(status: StatusCode, text: String) -> Response<AnswerBody> {
    let mut response = respond(status, AnswerBody::Text(Some(text.into())));
    let media = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, media);
    response
}

/// The notifications of a request and its answer, each as an event.
pub(super) fn events(first: WorkEvent, work: Work) -> Response<AnswerBody> {
    let events = Events {
        first: Some(first),
        work: Some(work),
    };
    let mut response = respond(StatusCode::OK, AnswerBody::Events(events));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    response
}

fn respond(status: StatusCode, body: AnswerBody) -> Response<AnswerBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

impl Events {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let Some(work) = &mut self.work else {
            return Poll::Ready(None);
        };
        let event = match self.first.take() {
            Some(first) => first,
            None => match work.poll_event(cx) {
                Poll::Ready(event) => event,
                Poll::Pending => return Poll::Pending,
            },
        };
        Poll::Ready(match event {
            WorkEvent::Notice(text) => Some(event_text(&text)),
            WorkEvent::Answer(text) => {
                self.work = None;
                Some(event_text(&text))
            }
            WorkEvent::Ended => {
                self.work = None;
                None
            }
        })
    }
}

/// One event with this message. The text is JSON of our own or of a handler; a line end inside it starts another line
/// of data.
///
/// [WHATWG HTML, section 9.2](https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
fn event_text(message: &str) -> Bytes {
    let mut text = String::with_capacity(message.len() + 32);
    text.push_str("event: message\n");
    for line in message.split(['\n', '\r']) {
        text.push_str("data: ");
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    text.into()
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match self.get_mut() {
            Self::Text(text) => Poll::Ready(text.take()),
            Self::Events(events) => events.poll_next(cx),
        };
        next.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Text(text) => text.is_none(),
            Self::Events(events) => events.work.is_none(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Text(text) => SizeHint::with_exact(text.as_ref().map_or(0, |text| text.len() as u64)),
            Self::Events(_) => SizeHint::new(),
        }
    }
}
