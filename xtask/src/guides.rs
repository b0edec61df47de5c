//! `cargo xtask guides`: what the guides tell a reader to do, done in an empty directory, and what it prints compared.
//!
//! In a guide, a block whose language is followed by a path is a file of the reader's project, whole. The commands of its
//! `console` blocks are run there, in order, with a conformance server at the address that the guides name. A project is
//! built with the versions of this workspace's lock file and without a warning. `--fresh` builds from nothing, as a new
//! user does; without it the products of the last run are used. `--filter GUIDE` keeps to some.

use std::fs;
use std::path::{Component, Path};
use std::time::Duration;

use crate::console::{ADDRESS, Shell, Step, compare, steps};
use crate::failure::Failure;
use crate::interop::install::Workspace;
use crate::interop::package::{JSON_IN_SESSIONS, Package};
use crate::interop::running::Running;

const GUIDES: [&str; 4] = ["link", "transport", "stores", "judge"];

/// Where the guides say that this workspace is.
const CHECKOUT: &str = "../mcp-wire";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let (mut fresh, mut filter) = (false, "");
    let mut arguments = arguments.iter().map(String::as_str);
    while let Some(argument) = arguments.next() {
        match argument {
            "--fresh" => fresh = true,
            "--filter" => {
                filter = arguments
                    .next()
                    .ok_or_else(|| Failure::new("--filter needs a value"))?
            }
            other => {
                return Err(Failure::new(format!(
                    "unknown option {other}; there are --fresh and --filter GUIDE"
                )));
            }
        }
    }
    let workspace = Workspace::locate()?;
    Package::ConformanceServer.install(&workspace)?;
    let places = workspace.target.join("guides");
    if fresh && places.exists() {
        fs::remove_dir_all(&places)?;
    }
    let chosen: Vec<&str> = GUIDES
        .into_iter()
        .filter(|guide| guide.contains(filter))
        .collect();
    if chosen.is_empty() {
        return Err(Failure::new("there is no such guide"));
    }
    for guide in chosen {
        follow(guide, &places, &workspace)?;
    }
    Ok(())
}

/// Does what one guide says.
fn follow(guide: &str, places: &Path, workspace: &Workspace) -> Result<(), Failure> {
    let document = format!("docs/guide/{guide}.md");
    let text = fs::read_to_string(workspace.root.join(&document))?;
    let (files, steps) = (files(&text)?, steps(&text)?);
    let place = places.join(guide);
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    fs::create_dir_all(&place)?;
    let checkout = workspace.root.display().to_string();
    for File { path, text } in &files {
        let file = place.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&place))?;
        fs::write(file, text.replace(CHECKOUT, &checkout))?;
    }
    let mut variables = Vec::new();
    if files.iter().any(|file| file.path == "Cargo.toml") {
        fs::copy(workspace.root.join("Cargo.lock"), place.join("Cargo.lock"))?;
        variables.push(("CARGO_TARGET_DIR", places.join("target").display().to_string()));
        variables.push(("RUSTFLAGS", "--deny warnings".to_owned()));
    }
    let server = Running::start(Package::ConformanceServer, JSON_IN_SESSIONS, workspace)?;
    let shell = Shell {
        place: &place,
        programs: &place,
        stand_ins: &[(ADDRESS, server.url()), (CHECKOUT, checkout)],
        variables: &variables,
    };
    let times = compare(&document, &steps, &shell)?;
    for (Step { command, .. }, time) in steps.iter().zip(&times) {
        println!("{:>8.1} s  {command}", time.as_secs_f64());
    }
    let total: Duration = times.iter().sum();
    println!("{:>8.1} s  {document}, all of it", total.as_secs_f64());
    Ok(())
}

/// A file of the reader's project.
#[derive(Debug, PartialEq, Eq)]
struct File<'a> {
    path: &'a str,
    text: String,
}

/// The files that a guide spells out.
fn files(guide: &str) -> Result<Vec<File<'_>>, Failure> {
    let mut files: Vec<File<'_>> = Vec::new();
    let mut lines = guide.lines();
    while let Some(line) = lines.next() {
        let Some(fence) = line.strip_prefix("```") else {
            continue;
        };
        let mut text = String::new();
        let mut closed = false;
        for line in lines.by_ref() {
            closed = line == "```";
            if closed {
                break;
            }
            text.push_str(line);
            text.push('\n');
        }
        if !closed {
            return Err(Failure::new("a block of a guide has no end"));
        }
        let Some((_, path)) = fence.split_once(' ') else {
            continue;
        };
        let inside = Path::new(path)
            .components()
            .all(|component| matches!(component, Component::Normal(_)));
        if !inside || files.iter().any(|file| file.path == path) {
            return Err(Failure::new(format!("{path} lies outside, or is there twice")));
        }
        files.push(File { path, text });
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_with_a_path_is_a_file() {
        let guide = "text\n```rust src/main.rs\nfn main() {}\n\n```\n```sh\nno\n```\n```console\n$ no\n```\n";
        let file = File {
            path: "src/main.rs",
            text: "fn main() {}\n\n".to_owned(),
        };
        assert_eq!(files(guide).unwrap(), [file]);
    }

    #[test]
    fn a_file_lies_inside_and_is_there_once() {
        for guide in [
            "```rust ../a.rs\n```\n",
            "```rust /a.rs\n```\n",
            "```rust a.rs\n```\n```rust a.rs\n```\n",
            "```rust a.rs\n",
        ] {
            assert!(files(guide).is_err(), "{guide}");
        }
    }
}
