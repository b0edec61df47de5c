//! What a person's word on a call is bound to: server, tool, definition and arguments, and nothing else.
//!
//! Who is asked, and how, is behind the port [`Approvals`](crate::port::Approvals).

mod arguments;

pub use self::arguments::{ArgumentsDigest, ArgumentsDigestError};

use mcp_wire::{Endpoint, ToolName};

use crate::port::{CallOrigin, CallRequest};
use crate::server::ServerName;

/// What an approval is for. A word on one subject says nothing of a subject that differs in anything.
///
/// Neither run nor actor is part of it: the word is on what is done, and for one call ([`Approvals`]).
///
/// [`Approvals`]: crate::port::Approvals
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ApprovalSubject {
    /// The server.
    pub server: ServerName,
    /// Where the call goes. The name of a server that is called ad hoc says little.
    pub endpoint: Endpoint,
    /// The tool's name on the wire.
    pub tool: ToolName,
    /// The tool's local name and the definition that the gate judged, or that there is none.
    pub origin: CallOrigin,
    /// The arguments.
    pub arguments: ArgumentsDigest,
}

impl ApprovalSubject {
    /// The subject of a call that the gate has let pass.
    #[must_use]
    pub fn of(call: &CallRequest<'_>) -> Self {
        Self {
            server: call.server.name.clone(),
            endpoint: call.server.target.endpoint.clone(),
            tool: call.tool.clone(),
            origin: call.origin.clone(),
            arguments: ArgumentsDigest::of(call.arguments),
        }
    }
}
