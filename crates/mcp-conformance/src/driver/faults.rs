//! The run of the plants on a client in another process: each must be caught by an oracle that the client meets without it.

use std::collections::BTreeSet;

use super::{Driver, put, skip};
use crate::faults::{Fate, FaultReport, Row};
use crate::oracle::Oracle;
use crate::plant::{Plant, all};
use crate::profile::Profile;
use crate::suite::Suite;

/// Runs each plant that a client in another process can be given against the oracles of its requirement, one at a time,
/// under the first profile whose name contains `profile`, until one catches it. The others are named with the reason.
#[must_use]
pub fn run_driver_faults(suite: &Suite, driver: &Driver, profile: &str) -> FaultReport {
    let mut profiles = suite.profiles.iter().filter(|known| known.is_scripted_in_http());
    let profile = profiles.find(|known| known.name.contains(profile));
    let oracles = with_reasons(suite);
    let row = |plant: Plant| {
        let fate = match (applicable(&oracles, plant), profile) {
            (Err(reason), _) => Fate::Beyond(reason),
            (Ok(_), None) => Fate::Missed {
                asked: 0,
                red_anyway: 0,
            },
            (Ok(oracles), Some(profile)) => run_plant(&oracles, profile, driver, plant),
        };
        Row { plant, fate }
    };
    FaultReport::new(all().map(row).collect(), Vec::new())
}

/// Each oracle, and why a client in another process cannot be asked it. To find out takes time, so it is done once.
fn with_reasons(suite: &Suite) -> Vec<(&Oracle, Option<&'static str>)> {
    suite
        .oracles
        .iter()
        .map(|oracle| (oracle, skip(oracle)))
        .collect()
}

/// The oracles that can catch a plant, or why there are none for a client in another process.
fn applicable<'a>(
    oracles: &[(&'a Oracle, Option<&'static str>)],
    plant: Plant,
) -> Result<Vec<&'a Oracle>, String> {
    if let Some(reason) = plant.fault.beyond_a_driver() {
        return Err(reason.to_owned());
    }
    let (mut asked, mut reasons) = (Vec::new(), BTreeSet::new());
    for (oracle, reason) in oracles {
        if !oracle.requirements.iter().any(|known| known == plant.requirement) {
            continue;
        }
        match reason {
            None => asked.push(*oracle),
            Some(reason) => {
                reasons.insert(*reason);
            }
        }
    }
    if asked.is_empty() && !reasons.is_empty() {
        let reasons: Vec<&str> = reasons.into_iter().collect();
        return Err(format!("no oracle of it can be asked: {}", reasons.join("; ")));
    }
    Ok(asked)
}

/// An oracle that is red without the plant too catches nothing. This control comes second, because most oracles that a
/// plant is put to are met with it.
fn run_plant(oracles: &[&Oracle], profile: &Profile, driver: &Driver, plant: Plant) -> Fate {
    let holds = |oracle: &Oracle, plant: Plant| put(oracle, profile, driver, plant).judgement.holds();
    let mut red_anyway = 0;
    for oracle in oracles {
        if holds(oracle, plant) {
            continue;
        }
        if holds(oracle, Plant::NONE) {
            return Fate::Caught(oracle.id.clone());
        }
        red_anyway += 1;
    }
    Fate::Missed {
        asked: oracles.len(),
        red_anyway,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::LazyLock;

    use super::*;

    /// Loaded once, because that takes longer than the tests.
    static SUITE: LazyLock<Suite> = LazyLock::new(|| {
        let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
        Suite::load(&specs).unwrap()
    });

    /// The fate of one plant, with a client that prints this whatever it reads.
    fn fate(plant: &str, line: &str) -> Fate {
        let plant = all().find(|known| known.name == plant).unwrap();
        let oracles = applicable(&with_reasons(&SUITE), plant).unwrap();
        let driver = Driver::new(format!("echo '{line}' #"));
        run_plant(&oracles, SUITE.profiles.first().unwrap(), &driver, plant)
    }

    #[test]
    fn a_client_that_reads_nothing_misses_a_plant_on_bytes() {
        let fate = fate(
            "every number is checked",
            r#"{"outcome":"result","text":"ok","structured":null}"#,
        );
        let Fate::Missed { asked, red_anyway } = fate else {
            panic!("{fate:?}");
        };
        assert!(0 < red_anyway && red_anyway < asked, "{red_anyway} of {asked}");
    }

    #[test]
    fn a_plant_on_the_outcome_is_caught_by_an_oracle_that_holds_without_it() {
        let line = r#"{"outcome":"rpc_error","code":-32602,"message":"m"}"#;
        let fate = fate("the server's own no is malformed", line);
        assert!(matches!(fate, Fate::Caught(_)), "{fate:?}");
    }

    #[test]
    fn without_a_profile_nothing_is_caught() {
        let report = run_driver_faults(&SUITE, &Driver::new("false".to_owned()), "no such profile");
        assert!(!report.is_green(), "{report}");
    }

    /// A plant that loses its last oracle is to be seen here.
    #[test]
    fn plants_without_an_oracle_for_a_client_in_another_process() {
        let oracles = with_reasons(&SUITE);
        let without: Vec<&str> = all()
            .filter(|plant| plant.fault.beyond_a_driver().is_none())
            .filter(|plant| applicable(&oracles, *plant).is_err())
            .map(|plant| plant.name)
            .collect();
        let of_imports = [
            "a member that is kept is lost",
            "the filter goes below the root",
            "a reference is repaired",
            "a union is narrowed to the object in it",
            "a conditional is left out",
        ];
        assert_eq!(
            without.split_first(),
            Some((&"the sequence wraps", &of_imports[..]))
        );
    }
}
