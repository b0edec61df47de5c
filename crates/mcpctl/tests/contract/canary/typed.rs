//! Command lines that are refused: the URL with its secret was taken in, or is itself what is refused.

use super::path::{Path, Reach};
use super::peer::Peer;

/// Kind and command line; no credential is added.
type Row = (&'static str, &'static [&'static str]);

const ROWS: [Row; 39] = [
    ("usage", &["URL"]),
    ("usage", &["tools", "ping", "URL"]),
    ("usage", &["ping", "URL", "canary-bearer"]),
    ("usage", &["ping", "URL", "--timing=canary-bearer"]),
    ("usage", &["ping", "URL", "--heder=X-Key=canary-bearer"]),
    ("usage", &["ping", "URL", "--output", "canary-bearer"]),
    ("usage", &["ping", "URL", "--log=canary-bearer"]),
    (
        "argument-invalid",
        &["call", "URL", "echo", "{}", "canary-bearer"],
    ),
    (
        "url-user-info",
        &[
            "ping",
            "https://user:canary-bearer@127.0.0.1/mcp?token=canary-query",
        ],
    ),
    (
        "url-user-info",
        &["call", "http://canary-bearer@127.0.0.1/mcp", "echo"],
    ),
    (
        "url-scheme-unknown",
        &["ping", "ftp://127.0.0.1/?token=canary-query"],
    ),
    ("url-scheme-unknown", &["ping", "canary-bearer"]),
    (
        "url-character-invalid",
        &["ping", "http://127.0.0.1/?token=canary query"],
    ),
    (
        "url-fragment",
        &["ping", "http://127.0.0.1/?token=canary-query#canary-bearer"],
    ),
    ("url-host-invalid", &["ping", "http:///mcp?token=canary-query"]),
    (
        "url-host-invalid",
        &["ping", "http://[canary-bearer]/?token=canary-query"],
    ),
    ("url-port-invalid", &["ping", "http://127.0.0.1:canary-bearer/"]),
    (
        "url-port-invalid",
        &["ping", "http://127.0.0.1:0/?token=canary-query"],
    ),
    ("tool-name-invalid", &["call", "URL", ""]),
    ("arguments-not-json", &["call", "URL", "echo", "canary-bearer"]),
    (
        "arguments-not-json",
        &["call", "URL", "echo", "{\"canary-bearer\":canary}"],
    ),
    (
        "arguments-not-object",
        &["call", "URL", "echo", "\"canary-bearer\""],
    ),
    ("arguments-too-deep", &["call", "URL", "echo", DEEP]),
    (
        "traceparent-invalid",
        &["ping", "URL", "--traceparent", "canary-bearer"],
    ),
    (
        "tracestate-invalid",
        &[
            "ping",
            "URL",
            "--traceparent",
            PARENT,
            "--tracestate",
            "canary-bearer",
        ],
    ),
    ("budget-invalid", &["ping", "URL", "--budget", "canary-bearer"]),
    (
        "header-invalid",
        &["ping", "URL", "--header", "X-Key: canary-bearer"],
    ),
    (
        "header-invalid",
        &["ping", "URL", "--header", "X-Key: canary-bearer="],
    ),
    (
        "header-reserved",
        &["ping", "URL", "--header", "Authorization=Bearer canary-bearer"],
    ),
    (
        "credential-form-unknown",
        &["ping", "URL", "--bearer", "canary-bearer"],
    ),
    (
        "credential-form-unknown",
        &["ping", "URL", "--bearer", "Bearer canary-bearer"],
    ),
    (
        "credential-form-unknown",
        &["ping", "URL", "--bearer", "vault:canary-bearer"],
    ),
    (
        "credential-form-unknown",
        &["ping", "URL", "--header", "X-Key=canary-bearer"],
    ),
    ("ca-unreadable", &["ping", "URL", "--ca", "canary-bearer"]),
    ("ca-invalid", &["ping", "URL", "--ca", "../given/key"]),
    ("url-too-long", &["ping", LONG]),
    ("arguments-unreadable", &["call", "URL", "echo", "-"]),
    ("arguments-too-large", &["call", "URL", "echo", "-"]),
    ("arguments-not-json", &["call", "URL", "echo", "-"]),
];

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// Stand for words that are made when the test runs.
const DEEP: &str = "deep";
const LONG: &str = "long";

pub(crate) fn paths() -> Vec<Path> {
    ROWS.into_iter().map(path).collect()
}

fn path((kind, words): Row) -> Path {
    let words: Vec<String> = words.iter().map(|word| made(word)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Path {
        credentials: &[],
        input: match kind {
            "arguments-unreadable" => b"canary-bearer\xff".to_vec(),
            "arguments-too-large" => b"canary-bearer".repeat(700_000),
            _ => b"Bearer canary-bearer".to_vec(),
        },
        ..Path::new(kind, Reach::TakenIn, &words, || Peer::http1(&[]))
    }
}

fn made(word: &str) -> String {
    match word {
        DEEP => format!("{{\"canary-bearer\":{}{}}}", "[".repeat(600), "]".repeat(600)),
        LONG => format!("http://127.0.0.1/?token={}", "canary-query".repeat(700)),
        other => other.to_owned(),
    }
}
