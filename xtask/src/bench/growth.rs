//! How the cost grows with what is asked: one series for each.

use serde_json::Value;

use super::count::instructions;
use super::programs::Programs;
use crate::failure::Failure;

/// One series: the cost at some amounts of one thing.
pub(super) struct Series {
    /// The name of its file.
    pub(super) name: &'static str,
    /// What grows.
    pub(super) of: &'static str,
    pub(super) unit: &'static str,
    pub(super) points: Vec<(f64, f64)>,
}

impl Series {
    /// The cost for each unit of what grows, between the first two points and between the last two. They are close where
    /// the growth is linear.
    pub(super) fn slopes(&self) -> Option<(f64, f64)> {
        let slope = |pair: &[(f64, f64)]| match pair {
            [(x, y), (later_x, later_y)] => Some((later_y - y) / (later_x - x)),
            _ => None,
        };
        let mut pairs = self.points.windows(2);
        Some((slope(pairs.next()?)?, slope(pairs.next_back()?)?))
    }
}

pub(super) fn measure(programs: &Programs) -> Result<Vec<Series>, Failure> {
    let total = |mode: &str, path: &str, calls: u64| -> Result<f64, Failure> {
        // Of no calls and of some: the difference is all of them.
        let counted = instructions(programs, "ours", mode, path, (0, calls), &[])?;
        Ok(counted.all * calls as f64 / 1e6)
    };
    let mut calls = Vec::new();
    for count in [100, 200, 400, 800, 1_600] {
        calls.push((count as f64, total("warm", "json/200", count)?));
    }
    let mut sizes = Vec::new();
    for bytes in [1_024, 65_536, 131_072, 262_144, 524_288, 1_048_576] {
        let counted = instructions(programs, "ours", "warm", &format!("json/{bytes}"), (2, 6), &[])?;
        sizes.push((f64::from(bytes) / 1_024.0, counted.all / 1e6));
    }
    let mut tools = Vec::new();
    for count in [100, 200, 300, 400, 500] {
        let counted = instructions(
            programs,
            "ours",
            "import",
            &format!("tools/{count}/json/0"),
            (1, 4),
            &[format!("flight={count}")],
        )?;
        tools.push((f64::from(count), counted.all / 1e6));
    }
    let mut held = Vec::new();
    for count in [125, 250, 500, 1_000] {
        let options = [format!("flight={count}")];
        let said = programs.figures("ours", "memory", &format!("hold/{count}/json/10240"), &options)?;
        let peak = said.get("peak_bytes").and_then(Value::as_f64);
        let peak = peak.ok_or_else(|| Failure::new("no peak"))?;
        held.push((f64::from(count), peak / 1_048_576.0));
    }
    let series = |name, of, unit, points| Series {
        name,
        of,
        unit,
        points,
    };
    Ok(vec![
        series(
            "calls",
            "calls of 200 B, one after another",
            "million instructions",
            calls,
        ),
        series("size", "KiB of text in one answer", "million instructions", sizes),
        series(
            "tools",
            "tools listed and read as an import",
            "million instructions",
            tools,
        ),
        series(
            "flight",
            "calls of 10 KiB held at a time",
            "MiB at the peak",
            held,
        ),
    ])
}
