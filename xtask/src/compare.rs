//! `cargo xtask compare`: the oracles of a call, put to this client and to clients of other makers.

use std::fs;
use std::path::{Path, PathBuf};

use mcp_conformance::{Driver, Suite, run_driver};
use serde_json::Value;

use crate::conformance::specs;
use crate::failure::Failure;
use crate::interop::install::{
    Installation, Workspace, build_mcpctl, build_workspace, install_node_modules, install_python,
};

/// A client to put the oracles to. The pins and the driver of each are in the folder of its name under
/// `xtask/peers/drivers`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Client {
    Mcpctl,
    Typescript,
    Python,
    Fastmcp,
    Rmcp,
}

/// `compare [--client NAME] [--filter TEXT] [--profile NAME]`. A client that cannot be installed fails the task; what a
/// client makes of the oracles does not.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let options = Options::parse(arguments)?;
    let clients = options.clients()?;
    let workspace = Workspace::locate()?;
    let results = workspace.target.join("compare");
    fs::create_dir_all(&results)?;
    let suite = Suite::load(&specs())?;
    let commands: Result<Vec<String>, Failure> =
        clients.iter().map(|client| client.install(&workspace)).collect();
    let mut columns = Vec::new();
    for (client, command) in clients.iter().zip(commands?) {
        eprintln!("running {}", client.name());
        let report = run_driver(&suite, &Driver::new(command), &options.filter, &options.profile);
        let json = report.to_json();
        fs::write(
            results.join(client.name()).with_extension("txt"),
            format!("{report}\n"),
        )?;
        fs::write(
            results.join(client.name()).with_extension("json"),
            format!("{json}\n"),
        )?;
        columns.push((client.name(), json));
    }
    print!("{}", table(&columns));
    println!("\nWhat differs stands in {}.", results.display());
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
struct Options {
    client: String,
    filter: String,
    profile: String,
}

impl Options {
    /// Without a profile it is the one of a server with sessions: starting a process for each case takes time.
    fn parse(arguments: &[String]) -> Result<Self, Failure> {
        let mut options = Self {
            client: String::new(),
            filter: String::new(),
            profile: "session".to_owned(),
        };
        for pair in arguments.chunks(2) {
            let (name, value) = match pair {
                [name, value] => (name.as_str(), value.clone()),
                [_] | [] | [_, _, ..] => ("", String::new()),
            };
            match name {
                "--client" => options.client = value,
                "--filter" => options.filter = value,
                "--profile" => options.profile = value,
                _ => {
                    return Err(Failure::new(
                        "the options are --client NAME, --filter TEXT and --profile NAME",
                    ));
                }
            }
        }
        Ok(options)
    }

    fn clients(&self) -> Result<Vec<Client>, Failure> {
        let clients: Vec<Client> = Client::ALL
            .into_iter()
            .filter(|client| client.name().contains(&self.client))
            .collect();
        if clients.is_empty() {
            let names = Client::ALL.map(Client::name);
            return Err(Failure::new(format!("the clients are {}", names.join(", "))));
        }
        Ok(clients)
    }
}

impl Client {
    const ALL: [Self; 5] = [
        Self::Mcpctl,
        Self::Typescript,
        Self::Python,
        Self::Fastmcp,
        Self::Rmcp,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Mcpctl => "mcpctl",
            Self::Typescript => "typescript",
            Self::Python => "python",
            Self::Fastmcp => "fastmcp",
            Self::Rmcp => "rmcp",
        }
    }

    /// Builds or installs the client under `target/drivers` and gives the shell command that runs it.
    fn install(self, workspace: &Workspace) -> Result<String, Failure> {
        let pins = workspace.root.join("xtask/peers/drivers").join(self.name());
        let place = workspace.target.join("drivers").join(self.name());
        match self {
            Self::Mcpctl => Ok(command(&[
                &build_mcpctl(workspace)?,
                "--json".as_ref(),
                "--budget".as_ref(),
                "3".as_ref(),
                "--store".as_ref(),
                &workspace.target.join("drivers/store.db"),
            ])),
            Self::Typescript => {
                self.ensure(&pins, &place, "package-lock.json", install_node_modules)?;
                Ok(command(&["node".as_ref(), &pins.join("driver.mjs"), &place]))
            }
            Self::Python | Self::Fastmcp => {
                self.ensure(&pins, &place, "requirements.txt", install_python)?;
                Ok(command(&[
                    &place.join("bin/python"),
                    "-B".as_ref(),
                    &pins.join("driver.py"),
                ]))
            }
            Self::Rmcp => {
                build_workspace(&pins, &place)?;
                Ok(command(&[&place.join("debug/driver")]))
            }
        }
    }

    fn ensure(
        self,
        pins: &Path,
        place: &Path,
        lock: &'static str,
        install: fn(&Path, &Path) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let installation = Installation {
            name: self.name(),
            pins: PathBuf::from(pins),
            place: PathBuf::from(place),
            lock,
        };
        installation.ensure(install)
    }
}

/// Words of a shell command, each in quotation marks.
fn command(words: &[&Path]) -> String {
    let quoted = words
        .iter()
        .map(|word| format!("'{}'", word.display().to_string().replace('\'', r"'\''")));
    quoted.collect::<Vec<_>>().join(" ")
}

/// Per set and in total, how many cases came out as expected and of how many; then what the others came to.
fn table(columns: &[(&str, Value)]) -> String {
    let row = |name: &str, cells: Vec<String>| format!("| {name} | {} |\n", cells.join(" | "));
    let names = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut table = row("set", names);
    table += &format!("|---|{}\n", "---|".repeat(columns.len()));
    let sets = columns
        .first()
        .and_then(|(_, report)| report.get("sets")?.as_object());
    for set in sets.into_iter().flat_map(|sets| sets.keys()) {
        let cells = columns.iter().map(|(_, report)| {
            let counts = report.get("sets").and_then(|sets| sets.get(set));
            format!(
                "{} of {}",
                count(counts, "as-expected") + count(counts, "as-expected-late"),
                total(counts) - count(counts, "not-applicable"),
            )
        });
        table += &row(set, cells.collect());
    }
    let judgements = columns
        .first()
        .and_then(|(_, report)| report.get("total")?.as_object());
    for judgement in judgements.into_iter().flat_map(|counts| counts.keys()) {
        let cells = columns
            .iter()
            .map(|(_, report)| count(report.get("total"), judgement).to_string());
        table += &row(judgement, cells.collect());
    }
    table
}

fn count(counts: Option<&Value>, judgement: &str) -> u64 {
    counts
        .and_then(|counts| counts.get(judgement)?.as_u64())
        .unwrap_or_default()
}

fn total(counts: Option<&Value>) -> u64 {
    let counts = counts.and_then(Value::as_object);
    counts
        .into_iter()
        .flat_map(|counts| counts.values())
        .filter_map(Value::as_u64)
        .sum()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_come_in_pairs() {
        let parse = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().copied().map(String::from).collect();
            Options::parse(&arguments).ok()
        };
        let options = parse(&["--client", "py", "--profile", ""]).unwrap();
        assert_eq!(options.profile, "");
        assert_eq!(options.clients().unwrap(), [Client::Python]);
        assert_eq!(parse(&[]).unwrap().clients().unwrap(), Client::ALL);
        assert_eq!(parse(&["--client"]), None);
        assert_eq!(parse(&["--other", "x"]), None);
    }

    #[test]
    fn words_with_quotation_marks_stay_one_word() {
        assert_eq!(command(&["a b".as_ref(), "it's".as_ref()]), r"'a b' 'it'\''s'");
    }

    #[test]
    fn cases_that_mean_nothing_are_no_part_of_a_cell() {
        let counts = json!({"as-expected": 3, "as-expected-late": 1, "hang": 2, "not-applicable": 4});
        let report = json!({"total": counts, "sets": {"id": counts}});
        let table = table(&[("a", report)]);
        assert!(table.contains("| id | 4 of 6 |\n"), "{table}");
        assert!(table.contains("| hang | 2 |\n"), "{table}");
    }
}
