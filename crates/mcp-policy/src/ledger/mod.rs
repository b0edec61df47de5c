//! The ledger of calls: what a run is, what a step is, and the chain of entries that tells of both.
//!
//! Values in, values out: nothing here knows a store or a clock. A store keeps runs, steps and entries, and asks here what a
//! change is and which entry tells of it, so that every store decides alike.

mod chain;
mod digest;
mod entry;
mod items;
mod run;
mod verify;

pub use self::chain::{Broken, Chain, ChainHash, Linked};
pub use self::digest::{Digest, DigestError};
pub use self::entry::{Entry, Event, LeaseHolder, ResultNote, RunEnd, StepCall};
pub use self::run::{Run, RunState};
pub use self::verify::{Verified, VerifyError, verify};
