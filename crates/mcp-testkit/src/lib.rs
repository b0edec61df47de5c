//! Test doubles: every port without the operating system, and peers that answer from a script. [`store_suite`] and
//! [`ledger_suite`] hold what every store and every ledger must hold.
//!
//! Only [`loopback`] opens sockets, and only a script that drips lets time pass.

mod block_on;
mod clock;
mod credentials;
pub mod ledger_suite;
pub mod loopback;
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
pub use crate::peer::{PeerLog, PeerReply, RecordedRequest, ReplyEnd, Script, ScriptedPeer, ServedPeer};
pub use crate::spans::{Recorded, TraceRecord};
pub use crate::system::{FailingEntropy, FixedProcess, SeededEntropy};
pub use crate::transport::{MemoryAnswer, MemoryTransport};
