//! The figures in docs/performance.md: what stands between the two marks is written here, the rest by hand.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::growth::Series;
use super::plot::svg;
use super::rows::{Row, Spread, grouped};
use crate::failure::Failure;

const BEGIN: &str = "<!-- figures: written by `cargo xtask bench --md` -->\n";
const END: &str = "<!-- end of the figures -->\n";

pub(super) fn write(rows: &[Row], series: &[Series]) -> Result<(), Failure> {
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let file = docs.join("performance.md");
    let text = fs::read_to_string(&file)?;
    let parts = text
        .split_once(BEGIN)
        .and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = parts.ok_or_else(|| Failure::new("docs/performance.md lacks its marks"))?;
    fs::create_dir_all(docs.join("plots"))?;
    for series in series {
        fs::write(docs.join(format!("plots/{}.svg", series.name)), svg(series))?;
    }
    let figures = figures(rows, series)?;
    fs::write(file, format!("{before}{BEGIN}{figures}{END}{after}"))?;
    Ok(())
}

fn figures(rows: &[Row], series: &[Series]) -> Result<String, Failure> {
    let mut text = format!(
        "\nMachine: {}. {}, {}. Where there are rounds, a median with the least and the most of them.\n\n",
        machine(),
        said("rustc", "--version")?,
        said("valgrind", "--version")?
    );
    text.push_str("| load | unit | ours | raw | rmcp | ours / raw | ours / rmcp | wanted | |\n");
    text.push_str("|---|---|---:|---:|---:|---:|---:|---|---|\n");
    let ratio = |ratio: Option<f64>| ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
    for row in rows {
        let [ours, raw, rmcp] = row.figures.map(cell);
        // Writing to a `String` does not fail.
        let _infallible = writeln!(
            text,
            "| {} | {} | {ours} | {raw} | {rmcp} | {} | {} | {} | {} |",
            row.load,
            row.unit,
            ratio(row.to_raw),
            ratio(row.to_rmcp),
            row.wanted,
            row.verdict()
        );
    }
    text.push_str("\n| growth | from | to | cost of one more at the start | at the end | |\n|---|---:|---:|---:|---:|---|\n");
    for series in series {
        let ends = series.points.first().zip(series.points.last());
        if let (Some((first, last)), Some((start, end))) = (ends, series.slopes()) {
            let _infallible = writeln!(
                text,
                "| {} | {} | {} | {start:.4} | {end:.4} | [{}](plots/{}.svg) |",
                series.of,
                grouped(first.0),
                grouped(last.0),
                series.unit,
                series.name
            );
        }
    }
    for series in series {
        let _infallible = write!(
            text,
            "\n![{} by {}](plots/{}.svg)\n",
            series.unit, series.of, series.name
        );
    }
    text.push('\n');
    Ok(text)
}

/// A median, with its ends where they differ.
fn cell(spread: Option<Spread>) -> String {
    let Some(Spread { median, least, most }) = spread else {
        return String::new();
    };
    if least == most {
        grouped(median)
    } else {
        format!("{} ({}–{})", grouped(median), grouped(least), grouped(most))
    }
}

fn machine() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let model = model.map_or("an unnamed processor", |(_, name)| name);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<&str> = load.split(' ').take(3).collect();
    format!(
        "{model}, {cores} cores, {} {}, load average {} (of 1, 5 and 15 minutes, at the end)",
        std::env::consts::OS,
        std::env::consts::ARCH,
        load.join(", ")
    )
}

fn said(program: &str, option: &str) -> Result<String, Failure> {
    let output = Command::new(program).arg(option).output()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok(text.split(" (").next().unwrap_or_default().to_owned())
}
