//! Permission: which tool may be called by whom, and whether the models may see what it answers.
//!
//! [`judge`] is the whole rule as one pure function: a [`Candidate`], a caller and [`GateRules`] go in, a [`Decision`]
//! comes out. [`CatalogueGate`] asks it for each call over what the stores hold at that moment, and denies what they
//! cannot tell. The order of the rule is that of [`GateStep::ALL`].
//!
//! Whatever nobody knows counts as the strict end: a class, a zone, a mode, a tool, a caller.

mod catalogue;
mod decision;
mod explain;
mod rules;
mod zone;

pub use self::catalogue::CatalogueGate;
pub use self::decision::{Audience, Candidate, Decision, GateStep, Provenance, StepAnswer, judge};
pub use self::rules::{GateRules, Mode};
pub use self::zone::{ModelZones, TrustZone};
