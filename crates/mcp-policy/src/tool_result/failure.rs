//! Failures in words for a model. It sees no byte of the server in them, no name of a credential and no address.

use std::fmt::Display;

use mcp_wire::Delivery;

use super::RunEffect;
use crate::failure::{Cause, Failure};
use crate::refusal::Refusal;
use crate::server::ServerName;

/// Our sentence on a failure, and what the server said of it, which is remote text and never stands inside the sentence.
pub(super) fn told(server: &ServerName, failure: &Failure) -> (String, String) {
    let said = |words: &dyn Display| sentence(server, failure.kind(), words, delivered(failure.delivery()));
    let ours = match failure.cause() {
        Cause::Rpc { error, .. } => {
            let words = format!("the server answered with the JSON-RPC error {}", error.code());
            let message = error.message();
            let end = if message.is_empty() {
                "It has no message."
            } else {
                "Its message follows."
            };
            return (sentence(server, failure.kind(), words, end), message.to_owned());
        }
        Cause::Malformed(fault) => said(fault),
        Cause::Transport(error) => said(error),
        Cause::Refused(refusal) => said(&refused(refusal)),
        cause @ (Cause::DeadlineExceeded { .. }
        | Cause::Cancelled { .. }
        | Cause::Walk(_)
        | Cause::Unrecorded) => said(cause),
    };
    (ours, String::new())
}

/// One sentence on why there is no answer, and one more.
pub(super) fn sentence(server: &ServerName, kind: &str, words: impl Display, end: &str) -> String {
    format!("[server {server}] The call failed ({kind}): {words}. {end}")
}

/// Whether the server may have acted.
pub(super) const fn delivered(delivery: Delivery) -> &'static str {
    match delivery {
        Delivery::NotSent => "The call was not sent.",
        Delivery::Unknown => "The server may have acted on the call.",
        Delivery::Answered => "The server has answered the call.",
    }
}

/// A refusal without what only the operator should read.
fn refused(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Store(_) => "a store that must answer before a call did not".to_owned(),
        Refusal::Outbound(_) => "the host's rules do not let the call go there".to_owned(),
        Refusal::Credential(_) => "a credential that the server needs cannot be used".to_owned(),
        Refusal::NotPermitted(_)
        | Refusal::ApprovalDenied
        | Refusal::ApprovalPending { .. }
        | Refusal::RunLimit { .. }
        | Refusal::NoRun
        | Refusal::RunExists
        | Refusal::SessionGone
        | Refusal::Id(_) => refusal.to_string(),
    }
}

/// What a failure means for the run. A store that cannot answer for a step ends it, as a lost run does: nobody could say
/// afterwards what it did.
pub(super) const fn effect(cause: &Cause) -> RunEffect {
    match cause {
        Cause::Refused(Refusal::ApprovalPending { id }) => RunEffect::Suspends(*id),
        Cause::Refused(Refusal::NoRun | Refusal::RunExists | Refusal::Store(_))
        | Cause::Cancelled { .. }
        | Cause::Unrecorded => RunEffect::Ends,
        Cause::Refused(
            Refusal::NotPermitted(_)
            | Refusal::ApprovalDenied
            | Refusal::RunLimit { .. }
            | Refusal::SessionGone
            | Refusal::Id(_)
            | Refusal::Outbound(_)
            | Refusal::Credential(_),
        )
        | Cause::Malformed(_)
        | Cause::Rpc { .. }
        | Cause::Transport(_)
        | Cause::DeadlineExceeded { .. }
        | Cause::Walk(_) => RunEffect::GoesOn,
    }
}
