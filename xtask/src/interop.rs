//! Runs `mcpctl` against servers, and clients of other makers against the conformance server, and judges what they print.

mod client;
pub(crate) mod install;
pub(crate) mod package;
pub(crate) mod process;
mod ran;
pub(crate) mod running;
mod step;
mod steps;

use std::path::Path;
use std::thread;

use self::client::{Link, Walk};
use self::install::{Workspace, build_mcpctl};
use self::package::Package;
use self::ran::Ran;
use self::running::{Form, Running};
use self::steps::steps;
use crate::failure::Failure;

/// What is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peer {
    /// A server in one of its forms, asked by `mcpctl`.
    Server(Package, Form),
    /// A client on the conformance server.
    Client(Package, Link),
}

impl Peer {
    fn all() -> Vec<Self> {
        let forms = |package: Package| {
            package
                .forms()
                .iter()
                .map(move |&form| Self::Server(package, form))
        };
        let links = |package| Link::ALL.map(|link| Self::Client(package, link));
        let servers = Package::ALL.into_iter().flat_map(forms);
        servers
            .chain(Package::CLIENTS.into_iter().flat_map(links))
            .collect()
    }

    fn name(self) -> String {
        match self {
            Self::Server(package, form) => format!("{}-{form}", package.name()),
            Self::Client(package, link) => format!("{}-client-{link}", package.name()),
        }
    }

    /// What has to be installed.
    fn packages(self) -> Vec<Package> {
        match self {
            Self::Server(package, _) => vec![package],
            Self::Client(package, _) => vec![package, Package::ConformanceServer],
        }
    }
}

/// `interop [--filter PEER]`. A peer that cannot be installed or started fails the task.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let peers = chosen(arguments)?;
    let workspace = Workspace::locate()?;
    let mcpctl = build_mcpctl(&workspace)?;
    install(&peers, &workspace)?;
    let mut tally = Tally::default();
    print_row([
        "peer", "version", "framing", "state", "revision", "step", "outcome", "exit", "ms",
    ]);
    for peer in peers {
        match peer {
            Peer::Server(package, form) => {
                try_server(&peer.name(), package, form, &workspace, &mcpctl, &mut tally)?;
            }
            Peer::Client(package, link) => try_client(&peer.name(), package, link, &workspace, &mut tally)?,
        }
    }
    tally.close()
}

fn chosen(arguments: &[String]) -> Result<Vec<Peer>, Failure> {
    let filter = match arguments {
        [] => "",
        [option, filter] if option == "--filter" => filter.as_str(),
        _ => return Err(Failure::new("the only option is --filter PEER")),
    };
    let is_chosen = |peer: &Peer| peer.name().contains(filter);
    let peers: Vec<_> = Peer::all().into_iter().filter(is_chosen).collect();
    if peers.is_empty() {
        let names: Vec<_> = Peer::all().into_iter().map(Peer::name).collect();
        return Err(Failure::new(format!(
            "no peer is named {filter}; there are {}",
            names.join(", ")
        )));
    }
    Ok(peers)
}

/// Installs what the peers need, all at a time: most of it is waiting for a network.
fn install(peers: &[Peer], workspace: &Workspace) -> Result<(), Failure> {
    let mut packages: Vec<Package> = Vec::new();
    for package in peers.iter().flat_map(|peer| peer.packages()) {
        if !packages.contains(&package) {
            packages.push(package);
        }
    }
    thread::scope(|scope| {
        let installs: Vec<_> = packages
            .into_iter()
            .map(|package| (package, scope.spawn(move || package.install(workspace))))
            .collect();
        let mut failures = Vec::new();
        for (package, install) in installs {
            let name = package.name();
            match install.join() {
                Ok(Ok(())) => {}
                Ok(Err(failure)) => failures.push(format!("{name}: {failure}")),
                Err(_) => failures.push(format!("{name}: the installation panicked")),
            }
        }
        if failures.is_empty() {
            Ok(())
        } else {
            Err(Failure::new(format!(
                "cannot be installed: {}",
                failures.join("; ")
            )))
        }
    })
}

/// Starts a server, takes all its steps and prints a row for each.
fn try_server(
    name: &str,
    package: Package,
    expected: Form,
    workspace: &Workspace,
    mcpctl: &Path,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let version = package.version(workspace)?;
    let running = Running::start(package, expected, workspace)?;
    let form = running.form()?;
    let mismatch = (form != expected).then(|| format!("{form} was found"));
    let columns = [
        package.name(),
        &version,
        form.framing.as_str(),
        form.state.as_str(),
    ];
    let [package_name, version_shown, framing, state] = columns;
    print_row([
        package_name,
        version_shown,
        framing,
        state,
        "-",
        "form",
        "-",
        "-",
        "-",
    ]);
    tally.add(name, "form", mismatch.into_iter().collect());
    for step in steps(package, &version) {
        let ran = Ran::of(&step, &running.url(), mcpctl, workspace)?;
        print_row([
            package_name,
            version_shown,
            framing,
            state,
            ran.text("protocol_version"),
            &step.name(),
            ran.text("outcome"),
            &ran.exit_shown(),
            &ran.milliseconds(),
        ]);
        tally.add(name, &step.name(), ran.mismatches(&step));
    }
    Ok(())
}

/// Lets a client walk through its steps on the conformance server and prints a row for each.
fn try_client(
    name: &str,
    package: Package,
    link: Link,
    workspace: &Workspace,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let version = package.version(workspace)?;
    let walk = Walk::of(package, link, workspace)?;
    let [framing, state] = link.shown();
    let row = |step: &str, mismatch: bool, exit: &str, ms: &str| {
        let outcome = if mismatch { "differs" } else { "as expected" };
        let revision = walk.report.revision();
        print_row([
            package.name(),
            &version,
            framing,
            state,
            revision,
            step,
            outcome,
            exit,
            ms,
        ]);
    };
    for (step, mismatch) in walk.report.steps(&Package::ConformanceServer.version(workspace)?) {
        row(&step, mismatch.is_some(), "-", "-");
        tally.add(name, &step, mismatch.into_iter().collect());
    }
    let mismatches = walk.end_mismatches(link);
    let exit = walk
        .exit
        .map_or_else(|| String::from("-"), |exit| exit.to_string());
    row(
        "end",
        !mismatches.is_empty(),
        &exit,
        &walk.duration.as_millis().to_string(),
    );
    tally.add(name, "end", mismatches);
    Ok(())
}

fn print_row([peer, version, framing, state, revision, step, outcome, exit, ms]: [&str; 9]) {
    println!(
        "{peer:<18} {version:<9} {framing:<7} {state:<9} {revision:<10} {step:<27} {outcome:<11} {exit:>4} {ms:>5}"
    );
}

/// What passed, and why the rest did not.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    mismatches: Vec<String>,
}

impl Tally {
    fn add(&mut self, peer: &str, step: &str, mismatches: Vec<String>) {
        if mismatches.is_empty() {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
        self.mismatches.extend(
            mismatches
                .into_iter()
                .map(|mismatch| format!("{peer}, {step}: {mismatch}")),
        );
    }

    fn close(self) -> Result<(), Failure> {
        for mismatch in &self.mismatches {
            println!("{mismatch}");
        }
        println!("interop: {} passed, {} failed", self.passed, self.failed);
        if self.failed == 0 {
            Ok(())
        } else {
            Err(Failure::new(
                "clients and servers differ from what is expected of them",
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_is_a_part_of_the_name() {
        let names = |arguments: &[&str]| {
            let arguments: Vec<_> = arguments.iter().copied().map(String::from).collect();
            chosen(&arguments)
                .map(|peers| peers.into_iter().map(Peer::name).collect::<Vec<_>>())
                .ok()
        };
        assert_eq!(names(&[]).map(|peers| peers.len()), Some(Peer::all().len()));
        assert_eq!(
            names(&["--filter", "sdk-json-state"]),
            Some(vec![
                String::from("python-sdk-json-stateless"),
                String::from("typescript-sdk-json-stateless")
            ])
        );
        assert_eq!(names(&["--filter", "other"]), None);
        assert_eq!(names(&["python"]), None);
    }
}
