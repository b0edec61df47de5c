//! `cargo xtask conformance`: the suite on the real client, or with `--driver` on any client that is a command.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use mcp_conformance::{Driver, Suite, run as run_suite, run_driver, run_driver_faults, run_faults};

use crate::failure::Failure;

/// What the command line asks for.
#[derive(Debug, Default)]
struct Options {
    filter: String,
    json: Option<PathBuf>,
    junit: Option<PathBuf>,
    list: bool,
    faults: bool,
    driver: Option<String>,
    profile: String,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let options = Options::parse(arguments)?;
    let suite = Suite::load(&specs())?;
    if options.list {
        for oracle in suite
            .oracles
            .iter()
            .filter(|oracle| oracle.matches(&options.filter))
        {
            println!(
                "{:<10} {:<16} {}: {}",
                oracle.id,
                oracle.set,
                oracle.requirements.join(" "),
                oracle.title
            );
        }
        return Ok(());
    }
    if options.faults {
        let started = Instant::now();
        let report = match options.driver {
            Some(command) => run_driver_faults(&suite, &Driver::new(command), &options.profile),
            None => run_faults(&suite),
        };
        println!("{report}, {:.1} s", started.elapsed().as_secs_f64());
        return if report.is_green() {
            Ok(())
        } else {
            Err(Failure::new("a plant was not caught, or is missing"))
        };
    }
    if let Some(command) = options.driver {
        let report = run_driver(&suite, &Driver::new(command), &options.filter, &options.profile);
        println!("{report}");
        if let Some(path) = options.json {
            fs::write(path, format!("{}\n", report.to_json()))?;
        }
        return if report.is_green() {
            Ok(())
        } else {
            Err(Failure::new("the client differs from the oracles"))
        };
    }
    let report = run_suite(&suite, &options.filter);
    println!("{report}");
    if let Some(path) = options.json {
        fs::write(path, format!("{}\n", report.to_json()))?;
    }
    if let Some(path) = options.junit {
        fs::write(path, report.to_junit()?)?;
    }
    if report.is_green() {
        Ok(())
    } else {
        Err(Failure::new("not every oracle holds, or none ran"))
    }
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, Failure> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || {
                arguments
                    .next()
                    .cloned()
                    .ok_or_else(|| Failure::new(format!("{argument} needs a value")))
            };
            match argument.as_str() {
                "--filter" => options.filter = value()?,
                "--json" => options.json = Some(value()?.into()),
                "--junit" => options.junit = Some(value()?.into()),
                "--list" => options.list = true,
                "--faults" => options.faults = true,
                "--driver" => options.driver = Some(value()?),
                "--profile" => options.profile = value()?,
                other => {
                    return Err(Failure::new(format!(
                        "unknown option {other}; there are --filter TEXT, --list, --faults, --json FILE, --junit FILE, \
                         and --driver COMMAND with --profile NAME"
                    )));
                }
            }
        }
        if options.driver.is_none() && !options.profile.is_empty() {
            return Err(Failure::new("--profile goes with --driver"));
        }
        if options.driver.is_some() && options.junit.is_some() {
            return Err(Failure::new(
                "--driver goes with --filter, --profile, --list, --json and --faults",
            ));
        }
        let narrowed = !options.filter.is_empty() || options.json.is_some() || options.junit.is_some();
        if options.faults && narrowed {
            return Err(Failure::new(
                "--faults goes with --driver and --profile: every plant runs, and the report is a table",
            ));
        }
        Ok(options)
    }
}

/// The folder of the specifications, wherever the command is run.
pub(crate) fn specs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs")
}
