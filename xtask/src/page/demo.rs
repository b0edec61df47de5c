//! A store in which there is something of everything that the page shows, filled by commands of `mcpctl`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::server;
use crate::failure::Failure;

/// Commands in their order, and how each ends. `ORIGIN` stands for the server's.
const COMMANDS: [(&[&str], i32); 18] = [
    (
        &[
            "server",
            "add",
            "weather",
            "ORIGIN/weather",
            "--class",
            "publicContent",
            "--no-approval",
        ],
        0,
    ),
    (
        &[
            "server",
            "add",
            "files",
            "ORIGIN/files?key=secret",
            "--class",
            "sourceCode",
        ],
        0,
    ),
    (
        &[
            "server",
            "add",
            "diagnostics",
            "http://127.0.0.1:1/mcp",
            "--class",
            "systemDiagnostics",
        ],
        0,
    ),
    (&["server", "add", "archive", "https://archive.example/mcp"], 0),
    (&["server", "disable", "archive"], 0),
    (&["import", "weather", "files"], 0),
    (&["import", "diagnostics"], 4),
    (&["tool", "enable", "mcp_weather_current"], 0),
    (&["tool", "enable", "mcp_weather_forecast"], 0),
    (&["tool", "enable", "mcp_weather_stations"], 0),
    (&["tool", "enable", "mcp_files_read"], 0),
    (&["call", "weather", "current"], 0),
    (&["call", "weather", "forecast"], 0),
    (&["call", "files", "read", r#"{"path":"a"}"#], 6),
    (&["call", "files", "remove"], 6),
    (&["call", "weather", "current", "--as", "nobody"], 6),
    (
        &["call", "ORIGIN/files", "\"><img src=x onerror=alert(1)>\u{202e}"],
        0,
    ),
    (&["import", "weather"], 0),
];

/// Fills a store and writes its page; gives the page's path.
pub(super) fn write(program: &Path, place: &Path) -> Result<PathBuf, Failure> {
    let origin = server::start()?;
    for (command, exit) in COMMANDS {
        let words: Vec<String> = command
            .iter()
            .map(|word| word.replace("ORIGIN", &origin))
            .collect();
        run(program, place, &words, exit)?;
    }
    let page = place.join("status.html");
    let words = [
        "status".to_owned(),
        "--html".to_owned(),
        page.display().to_string(),
    ];
    run(program, place, &words, 0)?;
    Ok(page)
}

fn run(program: &Path, place: &Path, words: &[String], exit: i32) -> Result<(), Failure> {
    let output = Command::new(program)
        .args(words)
        .arg("--store")
        .arg(place.join("store.db"))
        .stdin(Stdio::null())
        .output()?;
    if output.status.code() == Some(exit) {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Failure::new(format!(
        "mcpctl {}: {}; {said}",
        words.join(" "),
        output.status
    )))
}
