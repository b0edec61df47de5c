//! The bodies of the fuzz targets: what must hold for any bytes.
//!
//! Each is a plain function that panics when a property does not hold, so that a fuzzer and a test on stable run the same
//! code. Most compare the code with a second reading of the same rules, written here for clearness and not for speed.

pub mod client_messages;
pub mod code;
pub mod envelope;
mod frame;
mod input;
pub mod reply;
pub mod schema;
pub mod server_messages;
pub mod sse;

/// A body.
pub type Body = fn(&[u8]);

/// The bodies, by the name of the target and of the folder of its corpus.
pub const TARGETS: [(&str, Body); 7] = [
    ("sse", sse::run),
    ("envelope", envelope::run),
    ("reply", reply::run),
    ("code", code::run),
    ("server_messages", server_messages::run),
    ("client_messages", client_messages::run),
    ("schema", schema::run),
];
