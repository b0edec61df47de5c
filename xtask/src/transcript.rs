//! `cargo xtask transcript`: the commands in documents, run against a server, and what they print compared with what the
//! documents say. Needs `bash` and `curl`.

use std::fs;
use std::path::Path;

use crate::console::{ADDRESS, Shell, compare, steps};
use crate::failure::Failure;
use crate::interop::install::Workspace;
use crate::interop::package::{JSON_IN_SESSIONS, Package};
use crate::interop::running::Running;

/// The documents.
const DOCUMENTS: [&str; 1] = ["docs/server.md"];

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::new(format!("unknown option {argument}; there is none")));
    }
    let workspace = Workspace::locate()?;
    Package::ConformanceServer.install(&workspace)?;
    let server = Package::ConformanceServer.place(&workspace);
    let place = workspace.target.join("transcript");
    fs::create_dir_all(&place)?;
    for document in DOCUMENTS {
        let steps = steps(&fs::read_to_string(workspace.root.join(document))?)?;
        let running = Running::start(Package::ConformanceServer, JSON_IN_SESSIONS, &workspace)?;
        let shell = Shell {
            place: &place,
            programs: server.parent().unwrap_or(Path::new("")),
            stand_ins: &[(ADDRESS, running.url())],
            variables: &[],
        };
        compare(document, &steps, &shell)?;
    }
    Ok(())
}
