//! The log, on standard error: what the operations tell `tracing`, and nothing that the libraries beneath them do.
//!
//! What is told under the target `mcp` is known in one place and holds no secret. What others tell is theirs to decide: the
//! library of HTTP/2, for one, tells at the level `debug` what a server says when it gives a connection up, and a server
//! can say there what it was sent.

use tracing::Metadata;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::layer::SubscriberExt;

use crate::arguments::Level;

/// The one target that is logged: that of the operations.
const TARGET: &str = "mcp";

/// Starts to log. Without it nothing listens and nothing is formatted.
pub(crate) fn start(level: Level) {
    let level = match level {
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
        Level::Trace => LevelFilter::TRACE,
    };
    let ours = move |metadata: &Metadata<'_>| metadata.target() == TARGET && *metadata.level() <= level;
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(std::io::stderr);
    let log = tracing_subscriber::registry().with(lines.with_filter(filter_fn(ours)));
    // The process has no other one.
    let _installed = tracing::subscriber::set_global_default(log);
}
