//! `tools/call`: the one way to it, in its order.

use std::time::Duration;

use mcp_wire::{
    Arguments, CallResult, Delivery, Message, OmittedBlocks, ProtocolVersion, RequestMeta, ResultText,
    ToolName,
};

use crate::approval::ApprovalSubject;
use crate::budget::Budget;
use crate::client::{Client, Ports};
use crate::conversation::Conversation;
use crate::deadline::Deadline;
use crate::failure::{Cause, Failure};
use crate::ledger::{ResultNote, RunEnd};
use crate::port::{
    Actor, ApprovalDecision, CallAttempt, CallOrigin, CallRequest, Cancellation, LedgerError, RunId, StepId,
    StepOutcome, StepStatus,
};
use crate::refusal::Refusal;
use crate::server::{ApprovalRule, Server};
use crate::telemetry;
use crate::timing::Timing;

/// What a tool answered.
#[derive(Debug)]
pub struct CallOutcome {
    /// The text for the reader: first the note on omitted blocks, if any, then the tool's text. The note is ours, the
    /// text is remote.
    pub text: String,
    /// Whether the tool reports a failure of its own.
    pub is_error: bool,
    /// The structured content, as a JSON object; remote text.
    pub structured: Option<Box<str>>,
    /// The blocks that the text leaves out.
    pub omitted: OmittedBlocks,
    /// The negotiated revision.
    pub version: ProtocolVersion,
    /// How long the `tools/call` leg took.
    pub latency: Duration,
    /// Where the call's time went, its handshake included.
    pub timing: Timing,
    /// The whole result as the server wrote it.
    pub raw: ResultText,
}

impl CallOutcome {
    /// The tool's text without the note; remote.
    #[must_use]
    pub fn tool_text(&self) -> &str {
        let note = self.omitted.note().map_or(0, |note| note.len());
        let text = self.text.get(note..).unwrap_or_default();
        if note == 0 {
            text
        } else {
            text.strip_prefix('\n').unwrap_or_default()
        }
    }
}

impl Client {
    /// Calls a tool, once.
    ///
    /// The order: the budget starts; the gate permits; the approval is granted; the run is charged; the step is stamped;
    /// then the legs, each with its own check of budget and cancellation, its own id, the judgement of target and address,
    /// the reading of credentials and only then bytes; the verdict; the outcome is stored; the contact is noted; the server
    /// is told what is over.
    ///
    /// # Errors
    ///
    /// [`Failure`]. A tool's own failure is no error here but [`CallOutcome::is_error`]. A call is never repeated; with
    /// [`Failure::delivery`] the host decides what its failure means. [`ToolResult::of`] makes of either what a model is
    /// given.
    ///
    /// [`ToolResult::of`]: crate::ToolResult::of
    ///
    /// # Cancel safety
    ///
    /// Dropping the future after the stamp leaves the step in doubt: it is stamped and has no outcome. Once the outcome is
    /// stored, only the contact and the farewells are lost.
    pub async fn call_tool(
        &self,
        server: &Server,
        tool: &ToolName,
        arguments: &Arguments,
        run: &RunId,
        actor: &Actor,
        cancellation: &dyn Cancellation,
    ) -> Result<CallOutcome, Failure> {
        let attempt = CallAttempt {
            server,
            tool,
            arguments,
            run,
            actor,
        };
        let mut conversation = Conversation::of_one_operation();
        self.carry_out(&attempt, &mut conversation, cancellation).await
    }

    /// The one way of a call, in a session of its own or in one that is held.
    pub(crate) async fn carry_out(
        &self,
        attempt: &CallAttempt<'_>,
        conversation: &mut Conversation,
        cancellation: &dyn Cancellation,
    ) -> Result<CallOutcome, Failure> {
        let mut deadline = self.begin(attempt.server);
        let outcome = self
            .admit_and_exchange(&mut deadline, attempt, conversation, cancellation)
            .await;
        self.end(&mut deadline, attempt.server, conversation, outcome, |call| {
            call.latency
        })
        .await
    }

    /// What must be answered before a byte leaves, the legs, and what must be stored after.
    async fn admit_and_exchange(
        &self,
        deadline: &mut Deadline<'_>,
        attempt: &CallAttempt<'_>,
        conversation: &mut Conversation,
        cancellation: &dyn Cancellation,
    ) -> Result<CallOutcome, Failure> {
        let origin = self.permit(deadline, attempt).await?;
        let call = attempt.permitted(&origin);
        self.approve(deadline, &call).await?;
        self.charge(deadline, &call).await?;
        let step = self.stamp(deadline, &call).await?;
        let outcome = self
            .exchange_call(deadline, &call, conversation, cancellation)
            .await;
        self.settle(&call, step, outcome, deadline.timing()).await
    }

    async fn permit(
        &self,
        deadline: &mut Deadline<'_>,
        attempt: &CallAttempt<'_>,
    ) -> Result<CallOrigin, Failure> {
        match deadline.within(self.ports().gate.judge(attempt)).await? {
            Ok(origin) => Ok(origin),
            Err(reason) => {
                telemetry::denied(attempt.server, attempt.tool, reason);
                let Ports { denials, clock, .. } = self.ports();
                let kept = deadline.within(denials.record(attempt, reason, clock.wall()));
                if !matches!(kept.await, Ok(Ok(()))) {
                    telemetry::denial_not_kept(attempt.server, attempt.tool);
                }
                Err(Refusal::NotPermitted(reason).into())
            }
        }
    }

    async fn approve(&self, deadline: &mut Deadline<'_>, call: &CallRequest<'_>) -> Result<(), Failure> {
        match call.server.approval {
            ApprovalRule::NotRequired => return Ok(()),
            ApprovalRule::Required => {}
        }
        let subject = ApprovalSubject::of(call);
        match deadline
            .within(self.ports().approvals.decide(&subject))
            .await?
            .map_err(Refusal::Store)?
        {
            ApprovalDecision::Granted => Ok(()),
            ApprovalDecision::Denied => Err(Refusal::ApprovalDenied.into()),
            ApprovalDecision::Pending(id) => Err(Refusal::ApprovalPending { id }.into()),
        }
    }

    async fn charge(&self, deadline: &mut Deadline<'_>, call: &CallRequest<'_>) -> Result<(), Failure> {
        deadline
            .within(self.ports().ledger.charge(call.run))
            .await?
            .map_err(ledger_refusal)
    }

    async fn stamp(&self, deadline: &mut Deadline<'_>, call: &CallRequest<'_>) -> Result<StepId, Failure> {
        deadline
            .within(self.ports().ledger.stamp(call, self.ports().clock.wall()))
            .await?
            .map_err(ledger_refusal)
    }

    /// The legs: the handshake where there was none, then the one request.
    async fn exchange_call(
        &self,
        deadline: &mut Deadline<'_>,
        call: &CallRequest<'_>,
        conversation: &mut Conversation,
        cancellation: &dyn Cancellation,
    ) -> Result<CallOutcome, Failure> {
        let handshake = u32::from(conversation.version().is_none());
        let mut legs = self.legs(call.server, handshake + 1, conversation)?;
        legs.tool = Some(call.tool);
        let version = match legs.conversation.version() {
            Some(version) => version,
            None => {
                self.shake_hands(deadline, &mut legs, cancellation)
                    .await
                    .map_err(Failure::before_request)?
                    .version
            }
        };
        let request = |meta: RequestMeta<'_>| Message::tools_call(meta, call.tool, call.arguments);
        let reply = legs.request(deadline, request, cancellation).await?;
        let result = reply.span.read(|| CallResult::parse(reply.result))?;
        if result.is_error {
            reply.span.tool_error();
        }
        Ok(CallOutcome {
            text: leading_note(&result.omitted, result.text),
            is_error: result.is_error,
            structured: result.structured,
            omitted: result.omitted,
            version,
            latency: reply.latency,
            timing: deadline.timing(),
            raw: result.raw,
        })
    }

    /// Stores the outcome and gives it back, in a time of its own: an outcome that exists must be kept, also when the
    /// budget is spent.
    async fn settle(
        &self,
        call: &CallRequest<'_>,
        step: StepId,
        outcome: Result<CallOutcome, Failure>,
        timing: Timing,
    ) -> Result<CallOutcome, Failure> {
        let delivery = outcome
            .as_ref()
            .map_or_else(Failure::delivery, |_| Delivery::Answered);
        let stored = StepOutcome {
            status: match &outcome {
                Ok(_) => StepStatus::Ok,
                Err(failure) if matches!(failure.cause(), Cause::Cancelled { .. }) => StepStatus::Cancelled,
                Err(_) => StepStatus::Failed,
            },
            delivery,
            kind: outcome.as_ref().map_or_else(Failure::kind, |_| "ok").to_owned(),
            result: outcome
                .as_ref()
                .ok()
                .map(|result| ResultNote::of(result.raw.as_str(), result.is_error)),
            timing,
        };
        let Ports { ledger, clock, .. } = self.ports();
        let (now, mut time) = (clock.wall(), Deadline::start(&**clock, Budget::SETTLEMENT));
        if let Ok(Ok(())) = time.within(ledger.settle(step, stored, now)).await {
            return outcome;
        }
        telemetry::outcome_not_recorded(call.server, call.tool);
        // A run with a step that nobody knows the outcome of goes no further. Where that cannot be stored either, its
        // lease runs out.
        let _unended = time.within(ledger.end(call.run, RunEnd::Failed, now)).await;
        Err(Failure::new(Cause::Unrecorded, delivery))
    }
}

pub(crate) fn ledger_refusal(error: LedgerError) -> Failure {
    Failure::from(match error {
        LedgerError::RunLimit { limit } => Refusal::RunLimit { limit },
        LedgerError::NoRun => Refusal::NoRun,
        LedgerError::RunExists => Refusal::RunExists,
        LedgerError::Store(error) => Refusal::Store(error),
    })
}

/// The note stands first, so that no cut at the end of a long text removes it.
fn leading_note(omitted: &OmittedBlocks, text: String) -> String {
    match omitted.note() {
        None => text,
        Some(note) if text.is_empty() => note,
        Some(note) => format!("{note}\n{text}"),
    }
}
