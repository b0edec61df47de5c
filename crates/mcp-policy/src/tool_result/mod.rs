//! What a model is given of a call, however it ended: one result, bounded, in which our words come before the server's.

mod failure;

use std::fmt;

use mcp_wire::{ArgumentsError, Delivery};

use crate::call::CallOutcome;
use crate::failure::Failure;
use crate::port::ApprovalId;
use crate::server::ServerName;

/// The result of a tool for the model. Every outcome of a call has one, and so have arguments that cannot be sent.
///
/// It is the lead, which is ours, then what the server sent, which is remote text. The lead begins with the note on omitted
/// blocks, where there are any; then, for an error, it names the server and says in our words what happened, without a byte
/// of the server, of a credential's name or of an address; then it says what is missing. Only what the server sent is ever
/// cut, and the cut says so.
///
/// The text and the structured content are together at most [`ToolResult::MAX_BYTES`] long. Structured content is whole or
/// not there, since a part of it would be another content; the text goes before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    lead: String,
    remote: String,
    cut: bool,
    structured: Option<Box<str>>,
    omitted: Vec<&'static str>,
    outcome: ToolOutcome,
    run: RunEffect,
}

/// How a call ended, for code. Nobody need read it out of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolOutcome {
    /// The tool answered.
    Answered,
    /// The tool answered that it failed.
    ToolError,
    /// There is no answer of the tool.
    Failed {
        /// The kind of the failure.
        kind: &'static str,
        /// Whether the server may have acted.
        delivery: Delivery,
    },
}

/// What becomes of the run that made a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunEffect {
    /// It goes on with this result, be it an error.
    GoesOn,
    /// It waits for a person, who decides under this id; then the same call is made again.
    Suspends(ApprovalId),
    /// It is over: it was cancelled, or what it does cannot be accounted for any more.
    Ends,
}

const NO_TEXT: &str = "[The tool gave no text.]";

/// What stands after remote text that was cut.
const MARKER: &str = "\n[cut at 50,000 bytes]";

impl ToolResult {
    /// The most that text and structured content have together, in bytes.
    pub const MAX_BYTES: usize = 50_000;

    /// The result of a call to a tool of `server`.
    #[must_use]
    pub fn of(server: &ServerName, outcome: Result<CallOutcome, Failure>) -> Self {
        match outcome {
            Ok(outcome) => Self::of_answer(server, outcome),
            Err(failure) => {
                let outcome = ToolOutcome::Failed {
                    kind: failure.kind(),
                    delivery: failure.delivery(),
                };
                let (lead, message) = failure::told(server, &failure);
                let run = failure::effect(failure.cause());
                Self::compose(vec![lead], message, outcome, run)
            }
        }
    }

    /// The result of a call that could not be made because its arguments cannot be sent. Nothing was asked or sent.
    #[must_use]
    pub fn of_arguments(server: &ServerName, error: ArgumentsError) -> Self {
        let delivery = Delivery::NotSent;
        let lead = failure::sentence(server, error.kind(), error, failure::delivered(delivery));
        let outcome = ToolOutcome::Failed {
            kind: error.kind(),
            delivery,
        };
        Self::compose(vec![lead], String::new(), outcome, RunEffect::GoesOn)
    }

    fn of_answer(server: &ServerName, answer: CallOutcome) -> Self {
        let mut lead: Vec<String> = answer.omitted.note().into_iter().collect();
        let text = answer.tool_text().to_owned();
        let outcome = if answer.is_error {
            lead.push(format!("[server {server}] The tool reports an error of its own."));
            ToolOutcome::ToolError
        } else {
            ToolOutcome::Answered
        };
        if text.is_empty() {
            lead.push(NO_TEXT.to_owned());
        }
        let beside = joined_length(&lead, &text);
        let structured = match answer.structured {
            Some(content) if beside + content.len() > Self::MAX_BYTES => {
                let missing = format!(
                    "[Structured content of {} bytes omitted: no room.]",
                    content.len()
                );
                let after_note = usize::from(answer.omitted.total() > 0);
                lead.insert(after_note, missing);
                None
            }
            whole_or_none => whole_or_none,
        };
        let mut omitted: Vec<&'static str> = answer.omitted.counts().map(|(name, _)| name).collect();
        omitted.sort_unstable();
        Self {
            structured,
            omitted,
            ..Self::compose(lead, text, outcome, RunEffect::GoesOn)
        }
    }

    /// Puts the parts together and cuts what is remote.
    fn compose(lead: Vec<String>, mut remote: String, outcome: ToolOutcome, run: RunEffect) -> Self {
        let cut = joined_length(&lead, &remote) > Self::MAX_BYTES;
        let lead = lead.join("\n");
        if cut {
            let taken = lead.len() + usize::from(!lead.is_empty()) + MARKER.len();
            remote.truncate(remote.floor_char_boundary(Self::MAX_BYTES.saturating_sub(taken)));
        }
        Self {
            lead,
            remote,
            cut,
            structured: None,
            omitted: Vec::new(),
            outcome,
            run,
        }
    }

    /// The lines that are ours; they stand first.
    #[must_use]
    pub fn lead(&self) -> &str {
        &self.lead
    }

    /// What the server sent, as far as it is shown. Remote text.
    #[must_use]
    pub fn remote(&self) -> &str {
        &self.remote
    }

    /// Whether remote text was cut.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.cut
    }

    /// The structured content, as a JSON object; remote text.
    #[must_use]
    pub fn structured(&self) -> Option<&str> {
        self.structured.as_deref()
    }

    /// The types of content that the text leaves out, each once and sorted.
    #[must_use]
    pub fn omitted(&self) -> &[&'static str] {
        &self.omitted
    }

    /// Whether the model is told of an error.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        match self.outcome {
            ToolOutcome::Answered => false,
            ToolOutcome::ToolError | ToolOutcome::Failed { .. } => true,
        }
    }

    /// How the call ended.
    #[must_use]
    pub const fn outcome(&self) -> ToolOutcome {
        self.outcome
    }

    /// What becomes of the run.
    #[must_use]
    pub const fn run(&self) -> RunEffect {
        self.run
    }
}

/// The whole text for the model.
impl fmt::Display for ToolResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lead)?;
        if !self.lead.is_empty() && !self.remote.is_empty() {
            f.write_str("\n")?;
        }
        f.write_str(&self.remote)?;
        f.write_str(if self.cut { MARKER } else { "" })
    }
}

/// The length of lead and remote text with a line feed after each line of the lead that something follows.
fn joined_length(lead: &[String], remote: &str) -> usize {
    let lines: usize = lead.iter().map(|line| line.len() + 1).sum();
    if remote.is_empty() {
        lines.saturating_sub(1)
    } else {
        lines + remote.len()
    }
}
