//! Servers that say no by a status, end the exchange, keep it waiting, or answer: each echoes what it was sent.

use super::path::{Interrupt, Path, answered, over_http1, over_http2, script};
use crate::support::Answer::{self, Endless, Error, Frame, Http, Raw, Result as Success, Silence};

const JSON: &str = "Content-Type: application/json\r\nX-Echo: Bearer canary-bearer\r\n";
const IN_SESSION: Answer = Http(
    "200 OK",
    "Content-Type: application/json\r\nMcp-Session-Id: canary-bearer\r\n",
    r#"{"jsonrpc":"2.0","id":"$ID","result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"n","version":"v"}}}"#,
);
const ECHO: &str =
    r#"{"authorization":"Bearer canary-bearer","x-key":"canary-header","query":"canary-query"}"#;
/// An error for nobody: its code is told, its message is not.
const STRAY_ERROR: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bearer canary-bearer","data":"Q2FuYXJ5canary"}}"#;

pub(crate) fn paths() -> Vec<Path> {
    let mut paths = statuses();
    paths.extend(interrupted());
    paths.extend(waiting());
    paths.extend(shown());
    paths.extend(healthy());
    paths.extend(answered("connection-lost", &[("tools/call", Raw(""))]));
    paths
}

fn statuses() -> Vec<Path> {
    let challenge = "WWW-Authenticate: Bearer realm=\"canary-bearer\", error_description=\"canary-header\", \
                     resource_metadata=\"https://127.0.0.1/?token=canary-query\"\r\n";
    let rows = [
        ("authentication-required", "401 Unauthorized", challenge, ECHO),
        (
            "authentication-required",
            "401 canary-bearer",
            "WWW-Authenticate: canary-bearer Y2FuYXJ5\r\n",
            "",
        ),
        ("forbidden", "403 Forbidden", challenge, ECHO),
        ("not-found", "404 Not Found", JSON, ECHO),
        (
            "rate-limited",
            "429 Too Many Requests",
            "Retry-After: canary-bearer\r\n",
            ECHO,
        ),
        (
            "redirect",
            "302 Found",
            "Location: https://127.0.0.1/?token=canary-query\r\n",
            ECHO,
        ),
        (
            "redirect",
            "307 Temporary Redirect",
            "Location: /mcp?token=canary-query\r\n",
            "",
        ),
        ("rejected", "400 Bad Request", JSON, ECHO),
        ("rejected", "431 canary-header", JSON, STRAY_ERROR),
        ("server-error", "500 Internal Server Error", JSON, ECHO),
        (
            "server-error",
            "503 canary-bearer",
            "Retry-After: canary\r\n",
            ECHO,
        ),
        ("server-error", "502 Bad Gateway", JSON, STRAY_ERROR),
        ("unknown-status", "600 canary-bearer", JSON, ECHO),
    ];
    let mut paths = Vec::new();
    for (kind, status, fields, body) in rows {
        for key in ["initialize", "tools/call"] {
            paths.extend(answered(kind, script(vec![(key, Http(status, fields, body))])));
        }
    }
    let lost = Http("404 Not Found", JSON, ECHO);
    for key in ["tools/call", "tools/list"] {
        paths.extend(answered(
            "session-lost",
            script(vec![("initialize", IN_SESSION), (key, lost)]),
        ));
    }
    // What the server says of the connection: the reason to give it up, an answer to a question that nobody asked.
    let giving_up = "\u{7f}\u{7f}\u{7f}\u{7f}\0\0\0\u{b}Bearer canary-bearer";
    for frame in [
        Frame(7, 0, giving_up),
        Frame(6, 1, "=canary="),
        Frame(0x42, 0, "Bearer canary-bearer"),
    ] {
        paths.push(over_http2("server-error", script(vec![("tools/call", frame)])));
    }
    paths
}

fn waiting() -> Vec<Path> {
    let half = Endless("200 OK", JSON, r#"{"jsonrpc":"2.0","id":"canary-bearer","#);
    let stream = Endless(
        "200 OK",
        "Content-Type: text/event-stream\r\n",
        ": canary-bearer\ndata: canary",
    );
    let mut paths = Vec::new();
    for answer in [Silence, half, stream] {
        let script = script(vec![("initialize", IN_SESSION), ("tools/call", answer)]);
        paths.extend(answered("deadline-exceeded", script));
    }
    for path in &mut paths {
        path.arguments.extend(["--budget", "2"].map(str::to_owned));
    }
    paths
}

fn interrupted() -> Vec<Path> {
    let half = Endless("200 OK", JSON, r#"{"jsonrpc":"2.0","id":"canary-bearer","#);
    let mut paths = Vec::new();
    for (key, seen) in [
        ("initialize", "initialize"),
        ("tools/list", "tools/list"),
        ("tools/call", "tools/call echo"),
    ] {
        for answer in [Silence, half] {
            let mut entries = vec![("initialize", IN_SESSION), (key, answer)];
            entries.drain(..usize::from(key == "initialize"));
            let script = script(entries);
            paths.extend(
                [over_http1("cancelled", script), over_http2("cancelled", script)].map(|path| Path {
                    interrupt: Interrupt::AtRequest(seen),
                    ..path
                }),
            );
        }
    }
    paths
}

/// Answers, which are shown whatever they say: the server's word is what the operator asked for, and a server that has a
/// credential can print it in any way. The log does not repeat them.
fn shown() -> Vec<Path> {
    let mut paths = Vec::new();
    let error = Error(r#"{"code":-32602,"message":"Bearer canary-bearer","data":"canary-query"}"#);
    for key in ["initialize", "tools/list", "tools/call"] {
        paths.extend(answered("rpc-error", script(vec![(key, error)])));
    }
    let refused = Http(
        "400 Bad Request",
        JSON,
        r#"{"jsonrpc":"2.0","id":"$ID","error":{"code":1,"message":"canary-bearer"}}"#,
    );
    paths.extend(answered("rpc-error", script(vec![("tools/call", refused)])));
    let said = r#"{"content":[{"type":"text","text":"Bearer canary-bearer"}],"isError":false}"#;
    paths.extend(answered("result", script(vec![("tools/call", Success(said))])));
    let said = r#"{"content":[{"type":"text","text":"Bearer canary-bearer"}],"isError":true}"#;
    paths.extend(answered(
        "tool-error",
        script(vec![("tools/call", Success(said))]),
    ));
    let said = r#"{"tools":[{"name":"canary-bearer","description":"canary-header"}]}"#;
    paths.extend(answered("tools", script(vec![("tools/list", Success(said))])));
    let said = r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"canary-bearer","version":"canary"}}"#;
    paths.extend(answered("pong", script(vec![("initialize", Success(said))])));
    for path in &mut paths {
        path.shown = true;
    }
    paths
}

/// Answers that do not repeat the secrets, from servers that do so everywhere else.
fn healthy() -> Vec<Path> {
    let said = Http(
        "200 OK",
        JSON,
        r#"{"jsonrpc":"2.0","id":"$ID","result":{"content":[{"type":"text","text":"hello"}],"_meta":{"echo":"canary-bearer"}}}"#,
    );
    let stream = Http(
        "200 OK",
        "Content-Type: text/event-stream; echo=canary-bearer\r\n",
        "id: canary-bearer\nevent: canary-bearer\n: canary-query\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\
         \"params\":{\"data\":\"canary-bearer\"}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{}}\n\n",
    );
    let mut paths = Vec::new();
    for answer in [said, stream] {
        let script = script(vec![("initialize", IN_SESSION), ("tools/call", answer)]);
        paths.extend(answered("result", script));
    }
    paths
}
