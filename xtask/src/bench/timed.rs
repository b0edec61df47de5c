//! Times and memory, in rounds in which each client has its turn.

use serde_json::Value;

use super::Extent;
use super::programs::{CLIENTS, Programs};
use super::rows::{Row, Wanted};
use crate::failure::Failure;

/// One load, and what of its figures is compared.
struct Load {
    name: &'static str,
    mode: &'static str,
    path: &'static str,
    options: &'static [&'static str],
    figure: &'static str,
    unit: &'static str,
    /// What the figure is divided by to have the unit.
    by: f64,
    wanted: Wanted,
}

const fn rate(
    name: &'static str,
    mode: &'static str,
    path: &'static str,
    options: &'static [&'static str],
) -> Load {
    Load {
        name,
        mode,
        path,
        options,
        figure: "per_second",
        unit: "per second",
        by: 1.0,
        wanted: Wanted::AtLeast(0.7, 2.0),
    }
}

const fn time(
    name: &'static str,
    mode: &'static str,
    path: &'static str,
    options: &'static [&'static str],
    wanted: Wanted,
) -> Load {
    Load {
        name,
        mode,
        path,
        options,
        figure: "p50_ns",
        unit: "p50, µs",
        by: 1e3,
        wanted,
    }
}

const SIDE_BY_SIDE: &[&str] = &["flight=64"];
const LISTS: &[&str] = &["flight=500", "calls=40"];
const HELD: &[&str] = &["flight=1000"];

const LOADS: [Load; 11] = [
    time(
        "200 B, JSON, one in flight",
        "serial",
        "json/200",
        &[],
        Wanted::OfRaw(1.25),
    ),
    time(
        "1 MiB, JSON, one in flight",
        "serial",
        "json/1048576",
        &[],
        Wanted::OfRmcp(0.3),
    ),
    time(
        "1 MiB, SSE, one in flight",
        "serial",
        "sse/1048576",
        &[],
        Wanted::OfRmcp(0.3),
    ),
    rate("200 B, JSON, 64 in flight", "parallel", "json/200", SIDE_BY_SIDE),
    rate("200 B, SSE, 64 in flight", "parallel", "sse/200", SIDE_BY_SIDE),
    rate(
        "10 KiB, JSON, 64 in flight",
        "parallel",
        "json/10240",
        SIDE_BY_SIDE,
    ),
    rate("10 KiB, SSE, 64 in flight", "parallel", "sse/10240", SIDE_BY_SIDE),
    rate("whole operation, 200 B, JSON", "whole", "json/200", &[]),
    time("500 tools listed", "list", "json/0", LISTS, Wanted::OfRmcp(0.3)),
    time(
        "500 tools read as an import",
        "import",
        "json/0",
        LISTS,
        Wanted::OfRmcp(0.6),
    ),
    Load {
        name: "1,000 held, 10 KiB, JSON",
        mode: "memory",
        path: "hold/1000/json/10240",
        options: HELD,
        figure: "peak_bytes",
        unit: "peak, MiB",
        by: 1_048_576.0,
        wanted: Wanted::OfRaw(1.2),
    },
];

pub(super) fn measure(
    programs: &Programs,
    extent: Extent,
    tell: &mut impl FnMut(Row),
) -> Result<(), Failure> {
    let (rounds, millis) = match extent {
        Extent::Quick => (1, 50),
        Extent::Whole => (3, 500),
    };
    for load in LOADS
        .iter()
        .filter(|load| extent == Extent::Whole || load.is_small())
    {
        let rounds: Vec<_> = (0..rounds)
            .map(|_| load.round(programs, extent, millis))
            .collect::<Result<_, _>>()?;
        tell(Row::new(load.name, load.unit, &rounds, load.wanted));
    }
    Ok(())
}

impl Load {
    /// Whether it is the smallest of those that do the same.
    fn is_small(&self) -> bool {
        self.mode == "memory" || self.path == "json/200" || self.path == "json/0"
    }

    /// One turn for each client.
    fn round(&self, programs: &Programs, extent: Extent, millis: u64) -> Result<[Option<f64>; 3], Failure> {
        // Of two options with one name the first counts.
        let mut options = match extent {
            Extent::Quick => vec!["calls=1".to_owned()],
            Extent::Whole => Vec::new(),
        };
        options.extend(self.options.iter().map(|option| (*option).to_owned()));
        options.push(format!("millis={millis}"));
        let mut figures = [None; 3];
        for (figure, client) in figures.iter_mut().zip(CLIENTS) {
            // Only this client knows imports; the others list.
            let mode = if client == "ours" || self.mode != "import" {
                self.mode
            } else {
                "list"
            };
            let said = programs.figures(client, mode, self.path, &options)?;
            let value = said.get(self.figure).and_then(Value::as_f64);
            let value =
                value.ok_or_else(|| Failure::new(format!("{client} does not say {}", self.figure)))?;
            *figure = Some(value / self.by);
        }
        Ok(figures)
    }
}
