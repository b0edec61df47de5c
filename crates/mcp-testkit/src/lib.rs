//! Test doubles: every port without the operating system, and a peer that answers from a script. [`store_suite`] holds
//! what every store must hold.
//!
//! Nothing here sleeps, opens a socket or depends on speed.

mod block_on;
mod clock;
mod credentials;
mod outbound;
mod peer;
mod spans;
pub mod store_suite;
mod system;
mod transport;

pub use crate::block_on::block_on;
pub use crate::clock::FakeClock;
pub use crate::credentials::MemoryCredentials;
pub use crate::outbound::AdmitAll;
pub use crate::peer::{PeerLog, PeerReply, RecordedRequest, ReplyEnd, Script, ScriptedPeer};
pub use crate::spans::{Recorded, TraceRecord};
pub use crate::system::{FailingEntropy, FixedProcess, SeededEntropy};
pub use crate::transport::{MemoryAnswer, MemoryTransport};
