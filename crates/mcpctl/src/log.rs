//! The log, on standard error: what the libraries tell `tracing`, and what those beneath them do.

use tracing_subscriber::filter::LevelFilter;

use crate::arguments::Level;

/// Starts to log. Without it nothing listens and nothing is formatted.
pub(crate) fn start(level: Level) {
    let level = match level {
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
        Level::Trace => LevelFilter::TRACE,
    };
    let log = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .with_writer(std::io::stderr)
        .finish();
    // The process has no other one.
    let _installed = tracing::subscriber::set_global_default(log);
}
