//! stdio: one message on each line, one session for each process.
//!
//! The client is whoever holds the other end, so there is one caller. The session's id never leaves: the transport names
//! it with every message after `initialize`. A revision is named by the message's own metadata, if at all.
//!
//! [MCP 2025-11-25, Transports, stdio](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio).

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_wire::context::{Context, ContextRefusal, ContextResult};
use mcp_wire::server::{ClientMessage, ClientRequest, LifecycleRefusal, RequestFault, RequestRule};
use mcp_wire::{Malformed, MalformedKind, SessionId};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::caller::Caller;
use crate::refusal::{Refusal, context_error};
use crate::server::{Begun, Reception, Server};
use crate::session::{Expiry, Session};
use crate::work::{Work, WorkEvent};

/// The one method that this transport knows by name: its context is the empty one.
const INITIALIZE: &str = "initialize";

/// Bounds of the stdio transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StdioOptions {
    /// How long requests may go on after the input has ended. Default 5 s.
    pub drain_time: Duration,
    /// Lines that wait to be written; reading waits beyond. Default 64.
    pub waiting_lines: usize,
    /// Whether the session expires by [`SessionRules`](crate::SessionRules). Default: no, it lives as long as the streams.
    pub sessions_expire: bool,
}

impl Default for StdioOptions {
    fn default() -> Self {
        Self {
            drain_time: Duration::from_secs(5),
            waiting_lines: 64,
            sessions_expire: false,
        }
    }
}

/// Serves one client on a pair of streams until the input ends; then waits for the requests under way.
///
/// Lines end with LF, also after CR; empty ones are passed over. A line beyond
/// [`RequestLimits::body_bytes`](mcp_wire::server::RequestLimits::body_bytes) is answered by an error and not kept.
///
/// # Errors
///
/// Of the streams. A client that has closed its input is none: the server then ends.
///
/// # Cancel safety
///
/// Dropping the future may cut a line that is being written. Handlers at work go on until they end.
pub async fn serve_stdio(
    server: &Server,
    options: StdioOptions,
    mut input: impl AsyncBufRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let (lines, waiting) = mpsc::channel(options.waiting_lines.max(1));
    let mut client = Client {
        server,
        caller: Caller::new("stdio"),
        session: None,
        expiry: if options.sessions_expire {
            Expiry::ByRule
        } else {
            Expiry::Never
        },
        lines,
        at_work: JoinSet::new(),
    };
    let read = async move {
        let ended = client.read_all(&mut input).await;
        if timeout(options.drain_time, client.drain()).await.is_err() {
            tracing::warn!("the input ended, and requests under way did not");
        }
        client.end();
        ended
    };
    let mut written = pin!(write_all(&mut output, waiting));
    tokio::select! {
        // Lines that were said before the end are written.
        ended = read => ended.and(written.await),
        failed = &mut written => failed,
    }
}

/// Writes lines until nobody has one more.
async fn write_all(
    output: &mut (impl AsyncWrite + Unpin),
    mut lines: mpsc::Receiver<String>,
) -> io::Result<()> {
    while let Some(mut line) = lines.recv().await {
        line.push('\n');
        output.write_all(line.as_bytes()).await?;
        output.flush().await?;
    }
    Ok(())
}

/// The one client of a pair of streams.
struct Client<'a> {
    server: &'a Server,
    caller: Caller,
    session: Option<SessionId>,
    expiry: Expiry,
    lines: mpsc::Sender<String>,
    at_work: JoinSet<()>,
}

impl Client<'_> {
    async fn read_all(&mut self, input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<()> {
        let limit = self.server.limits().body_bytes;
        let mut line = Vec::new();
        loop {
            let whole = match read_line(input, &mut line, limit).await? {
                Line::Whole => self.message(&line).await,
                Line::TooLong => self.say(too_long(limit)).await,
                Line::End => return Ok(()),
            };
            // Nobody hears the answers any more.
            if whole.is_err() {
                return Ok(());
            }
            line.clear();
            while self.at_work.try_join_next().is_some() {}
        }
    }

    async fn message(&mut self, line: &[u8]) -> Result<(), Gone> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(());
        }
        let message = match ClientMessage::parse(line, self.server.limits()) {
            Ok(message) => message,
            Err(fault) => return self.say(fault.answer()).await,
        };
        if let ClientMessage::Request(request) = &message
            && request.method == INITIALIZE
        {
            return self.initialize(request).await;
        }
        let id = message.id().cloned();
        let version = message.named_version();
        match self.create_context(version.as_deref()) {
            Ok(context) => match self.server.receive(&self.caller, &context, message) {
                Reception::Taken => Ok(()),
                Reception::Answered(text) => self.say(text).await,
                Reception::Working(work) => {
                    self.at_work.spawn(forward(work, self.lines.clone()));
                    Ok(())
                }
                // A notification has no answer here, and no status either.
                Reception::Refused(_) if id.is_none() => Ok(()),
                Reception::Refused(refusal) => self.say(refusal.answer().encode(id.as_ref())).await,
            },
            Err(_) if id.is_none() => Ok(()),
            Err(refusal) => self.say(context_error(refusal, id.as_ref())).await,
        }
    }

    /// A session that is over makes room for another.
    async fn initialize(&mut self, request: &ClientRequest<'_>) -> Result<(), Gone> {
        if self.session.is_some() && self.create_context(None).is_ok() {
            let refusal = Refusal::Lifecycle(LifecycleRefusal::AlreadyInitialized);
            return self.say(refusal.answer().encode(Some(&request.id))).await;
        }
        match self
            .server
            .initialize(&self.caller, self.expiry, request, &Context::empty())
        {
            Ok(Begun { answer, session }) => {
                self.session = session;
                self.say(answer).await
            }
            Err(refusal) => self.say(refusal.answer().encode(Some(&request.id))).await,
        }
    }

    /// The context of a message, or its refusal, which has no other form here than a line with code and text.
    fn create_context(&self, version: Option<&str>) -> Result<Context<Arc<Session>>, ContextRefusal> {
        let session = self.session.as_ref().map(|id| id.expose().as_bytes());
        match self
            .server
            .create_context(&self.caller, session, version.map(str::as_bytes))
        {
            ContextResult::Valid(context) => Ok(context),
            ContextResult::SessionIdRequired(refusal)
            | ContextResult::SessionNotFound(refusal)
            | ContextResult::ProtocolVersionMismatch(refusal) => Err(refusal),
        }
    }

    async fn say(&self, line: String) -> Result<(), Gone> {
        self.lines.send(line).await.map_err(|_closed| Gone)
    }

    async fn drain(&mut self) {
        while self.at_work.join_next().await.is_some() {}
    }

    /// Ends the session, and with it what is still at work.
    fn end(&self) {
        if let Ok(context) = self.create_context(None) {
            self.server.end(&context);
        }
    }
}

/// The output is closed.
struct Gone;

/// Passes on what a request comes to, each as a line.
async fn forward(mut work: Work, lines: mpsc::Sender<String>) {
    loop {
        let (text, last) = match work.next().await {
            WorkEvent::Notice(text) => (text, false),
            WorkEvent::Answer(text) => (text, true),
            WorkEvent::Ended => return,
        };
        if lines.send(on_one_line(text)).await.is_err() || last {
            return;
        }
    }
}

/// JSON text without line ends: they stand between its tokens only, where a space means the same.
fn on_one_line(text: String) -> String {
    if text.contains(['\n', '\r']) {
        text.replace(['\n', '\r'], " ")
    } else {
        text
    }
}

/// What the input holds next.
enum Line {
    /// A line, without its end.
    Whole,
    /// A line beyond the limit; it was passed over.
    TooLong,
    /// Nothing.
    End,
}

/// Reads up to the next LF, or the end of the input, into `line`, of which no more than `limit` bytes are kept.
async fn read_line(
    input: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
    limit: usize,
) -> io::Result<Line> {
    let (mut too_long, mut any) = (false, false);
    loop {
        let piece = input.fill_buf().await?;
        any |= !piece.is_empty();
        let end = piece.iter().position(|byte| *byte == b'\n');
        let text = piece.get(..end.unwrap_or(piece.len())).unwrap_or_default();
        too_long |= text.len() > limit - line.len();
        if too_long {
            line.clear();
        } else {
            line.extend_from_slice(text);
        }
        let last = end.is_some() || piece.is_empty();
        let used = end.map_or(piece.len(), |end| end + 1);
        input.consume(used);
        if last {
            return Ok(match (any, too_long) {
                (_, true) => Line::TooLong,
                (true, false) => Line::Whole,
                (false, false) => Line::End,
            });
        }
    }
}

fn too_long(limit: usize) -> String {
    let fault = Malformed::beyond(MalformedKind::TooLarge, limit, "body_bytes");
    let rule = RequestRule::Text(fault);
    RequestFault { rule, id: None }.answer()
}
