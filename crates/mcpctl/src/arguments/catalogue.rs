//! `catalogue` as it was typed.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum CatalogueCommand {
    /// Write the catalogue as a lock file: servers, tools, fingerprints, switches and classes. Contacts no server.
    Export {
        /// Where to; by default standard output.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Compare the catalogue with a lock file. The exit status is 1 when they differ.
    Verify {
        /// The lock file.
        file: PathBuf,
        /// Ask the servers anew as well, and change nothing.
        #[arg(long)]
        online: bool,
        /// Write what was found as JUnit XML, too.
        #[arg(long, value_name = "FILE")]
        junit: Option<PathBuf>,
    },
}
