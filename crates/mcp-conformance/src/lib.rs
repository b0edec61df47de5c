//! The conformance suite: oracles as data, judged on the real client.
//!
//! An oracle is literal bytes in and an expected verdict out, each naming its requirement. A profile is what an operator
//! configured and what the server does about sessions. Every oracle runs under every profile, over the real HTTP client
//! with only the dialler swapped for in-memory streams. Expectations are written by hand; nothing here writes them.
//!
//! [`Suite::load`] reads `specs/`, [`run`] judges, [`Report`] shows. [`run_driver`] puts the same oracles to a client in a
//! process of its own, over loopback sockets, and judges what it prints. [`run_over`] puts those that need no HTTP to the
//! client over a transport of another maker, which carries messages to a [`MessagePeer`].

mod catalogue;
mod check;
mod checklist;
mod chunking;
mod connection;
mod decoder;
mod driver;
mod evidence;
mod faults;
mod governance;
mod host;
mod keeping;
mod oracle;
mod outcome;
mod permission;
mod plant;
mod profile;
mod reply;
mod report;
mod run;
mod saying;
mod script;
mod served;
mod server;
mod setup;
mod step;
mod structure;
mod subject;
mod suite;
mod told;

pub use crate::check::Miss;
pub use crate::checklist::{Check, HeldBy, NamedTest};
pub use crate::chunking::Chunking;
pub use crate::connection::{MessagePeer, PeerAnswer};
pub use crate::driver::{Driver, DriverReport, run_driver, run_driver_faults};
pub use crate::faults::{FaultReport, run_faults};
pub use crate::oracle::{Expected, ExpectedRequest, Operation, Oracle};
pub use crate::profile::Profile;
pub use crate::report::Report;
pub use crate::run::{Verdict, run, run_over};
pub use crate::step::{ExpectedCatalogue, ExpectedTool};
pub use crate::structure::StructureCase;
pub use crate::suite::{LoadError, Suite};
