//! The catalogue of imported tools: which of a server's definitions are kept, and what becomes of them.
//!
//! Values in, values out: nothing here knows a store, a clock or a server. The way of one import:
//!
//! 1. [`Surroundings`] say which names are taken.
//! 2. [`Offer::read`] judges each definition on its own: name, texts, schema, fingerprint. What cannot be used is
//!    quarantined with its reason.
//! 3. [`Plan::draw`] compares the offer with the rows that are there. It can be shown and thrown away.
//! 4. [`Plan::into_rows`] is what a store keeps.
//! 5. [`RemoteTool::of_row`] is what gate and model see.
//!
//! What the operator says stands in a row's [`Standing`]; [`CatalogueRow::enable`], [`CatalogueRow::confirm`] and
//! [`CatalogueRow::disable`] are its only ways in.

mod characters;
mod definition;
mod fingerprint;
mod form;
mod lint;
mod name;
mod number;
mod plan;
mod remote_tool;
mod row;
mod schema;
mod surroundings;
mod tree;
mod writing;

pub use self::characters::Mark;
pub use self::definition::{Definition, DefinitionFault, ImportedTool, Offer, Part};
pub use self::fingerprint::{Fingerprint, FingerprintError, canonical_form};
pub use self::form::CanonicalFault;
pub use self::lint::{Flag, TextPlace, inspect};
pub use self::name::{LocalName, LocalNameFault, NameTaken};
pub use self::plan::{Change, Plan, RenameSuspect};
pub use self::remote_tool::{RemoteTool, ServerTerms, Withheld, WriteEffect};
pub use self::row::{ActRefused, CatalogueRow, Standing};
pub use self::schema::{InputSchema, KEPT, REFUSED, SchemaFault};
pub use self::surroundings::{Neighbour, Surroundings};
