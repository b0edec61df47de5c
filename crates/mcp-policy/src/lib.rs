//! What the host wants of an MCP client: which calls may happen, for how long, and what is kept of them.
//!
//! [`Client`] carries out whole operations: [`Client::ping`], [`Client::probe`], [`Client::list_tools`] and
//! [`Client::call_tool`], each in a session of its own, or several in a [`Session`] that the host holds. Each runs under
//! one deadline from its first step to its last leg. This crate names no runtime, no HTTP library and no store; it meets
//! them behind ports: the wire's [`Transport`](mcp_wire::Transport), and its own in [`port`].
//!
//! What becomes of the definitions that a server offers is decided in [`catalogue`]; which calls may take place, in
//! [`gate`].
//!
//! In-memory implementations of the ports, for tests and for hosts that keep nothing, are in [`memory`].

mod address;
mod approval;
mod budget;
mod call;
pub mod catalogue;
mod client;
mod conversation;
mod deadline;
mod failure;
mod farewell;
pub mod gate;
mod handshake;
mod hex;
pub mod ledger;
mod leg;
mod list;
pub mod memory;
mod outbound;
pub mod port;
mod quarantine;
mod record;
mod refusal;
mod registry;
mod runs;
mod server;
mod session;
mod telemetry;
mod timing;
mod tool_result;
mod walk;

pub use crate::address::AddressClass;
pub use crate::approval::{ApprovalSubject, ArgumentsDigest, ArgumentsDigestError};
pub use crate::budget::{Budget, BudgetError};
pub use crate::call::CallOutcome;
pub use crate::client::{Client, Ports};
pub use crate::failure::{Cause, Class, Culprit, Failure};
pub use crate::handshake::{Pong, Probe};
pub use crate::list::ToolList;
pub use crate::outbound::{NeverDialled, OutboundRules};
pub use crate::quarantine::{QuarantineReason, Quarantined};
pub use crate::record::{GroupName, GroupNameError, RecordGap, ServerRecord, Switch};
pub use crate::refusal::Refusal;
pub use crate::registry::{Act, Registry, RegistryError};
pub use crate::server::{ApprovalRule, DataClass, Server, ServerName, ServerNameError};
pub use crate::session::Session;
pub use crate::timing::Timing;
pub use crate::tool_result::{RunEffect, ToolOutcome, ToolResult};
pub use crate::walk::{WalkFault, WalkLimits};
