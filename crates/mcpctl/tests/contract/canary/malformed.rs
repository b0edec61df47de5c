//! Servers that break the protocol in every way that there is a kind for. What they were sent stands in what they break.

use super::path::{Path, answered, over_http1, script};
use crate::support::Answer::{self, Http, Raw};

const JSON: &str = "Content-Type: application/json\r\nX-Echo: Bearer canary-bearer\r\n";
const EVENTS: &str = "Content-Type: text/event-stream\r\nX-Echo: Bearer canary-bearer\r\n";

/// Kind and body.
type Row = (&'static str, &'static str);

const BODIES: [Row; 30] = [
    ("empty-body", ""),
    (
        "invalid-utf8",
        r#"{"jsonrpc":"2.0","id":"$ID","result":{"a":"canary-bearer$FF"}}"#,
    ),
    ("invalid-json", "Authorization: Bearer canary-bearer"),
    (
        "lone-surrogate",
        r#"{"jsonrpc":"2.0","id":"$ID","result":{"canary-bearer":"\ud800"}}"#,
    ),
    ("batch", r#"[{"jsonrpc":"2.0","id":"canary-bearer","result":{}}]"#),
    ("root-not-object", r#""canary-bearer""#),
    (
        "duplicate-member",
        r#"{"jsonrpc":"2.0","id":"$ID","result":"canary-bearer","result":{}}"#,
    ),
    (
        "mixed-frame",
        r#"{"jsonrpc":"2.0","id":"$ID","method":"canary-bearer","result":{}}"#,
    ),
    (
        "method-not-string",
        r#"{"jsonrpc":"2.0","method":["canary-bearer"]}"#,
    ),
    (
        "version-missing",
        r#"{"id":"$ID","result":{"a":"canary-bearer"}}"#,
    ),
    (
        "version-mismatch",
        r#"{"jsonrpc":"canary-bearer","id":"$ID","result":{}}"#,
    ),
    (
        "id-missing",
        r#"{"jsonrpc":"2.0","result":{"a":"canary-bearer"}}"#,
    ),
    (
        "id-not-string",
        r#"{"jsonrpc":"2.0","id":["canary-bearer"],"result":{}}"#,
    ),
    (
        "foreign-id",
        r#"{"jsonrpc":"2.0","id":"canary-bearer","result":{}}"#,
    ),
    (
        "both-branches",
        r#"{"jsonrpc":"2.0","id":"$ID","result":{},"error":{"code":1,"message":"canary-bearer"}}"#,
    ),
    (
        "no-branch",
        r#"{"jsonrpc":"2.0","id":"$ID","canary-bearer":"canary-query"}"#,
    ),
    (
        "result-not-object",
        r#"{"jsonrpc":"2.0","id":"$ID","result":"canary-bearer"}"#,
    ),
    (
        "error-not-object",
        r#"{"jsonrpc":"2.0","id":"$ID","error":"canary-bearer"}"#,
    ),
    (
        "code-missing",
        r#"{"jsonrpc":"2.0","id":"$ID","error":{"message":"canary-bearer"}}"#,
    ),
    (
        "code-not-number",
        r#"{"jsonrpc":"2.0","id":"$ID","error":{"code":"canary-bearer","message":"m"}}"#,
    ),
    (
        "code-fraction",
        r#"{"jsonrpc":"2.0","id":"$ID","error":{"code":1.5,"message":"canary-bearer"}}"#,
    ),
    (
        "code-out-of-range",
        r#"{"jsonrpc":"2.0","id":"$ID","error":{"code":1e99,"message":"canary-bearer"}}"#,
    ),
    (
        "message-missing",
        r#"{"jsonrpc":"2.0","id":"$ID","error":{"code":1,"data":"canary-bearer"}}"#,
    ),
    (
        "message-not-string",
        r#"{"jsonrpc":"2.0","id":"$ID","error":{"code":1,"message":["canary-bearer"]}}"#,
    ),
    ("no-response", r#"{"jsonrpc":"2.0","method":"canary-bearer"}"#),
    (
        "content-not-array",
        r#"{"jsonrpc":"2.0","id":"$ID","result":{"content":"canary-bearer"}}"#,
    ),
    (
        "structured-not-object",
        r#"{"jsonrpc":"2.0","id":"$ID","result":{"structuredContent":"canary-bearer"}}"#,
    ),
    ("too-deep", DEEP),
    ("too-large", LARGE),
    ("invalid-json", "{\"canary-bearer"),
];

/// Stand for bodies that are made when the test runs.
const DEEP: &str = "deep";
const LARGE: &str = "large";

const STREAMS: [Row; 6] = [
    (
        "no-message",
        "id: canary-bearer\nevent: canary-bearer\n: canary-query\ncanary-header\n\n",
    ),
    (
        "no-response",
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"canary-bearer\"}\n\n",
    ),
    (
        "second-response",
        "data: {\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"$ID\",\"result\":{\"a\":\"canary-bearer\"}}\n\n",
    ),
    ("invalid-json", "data: Bearer canary-bearer\n\n"),
    (
        "foreign-id",
        "id: canary-query\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"canary-bearer\",\"result\":{}}\n\n",
    ),
    ("invalid-utf8", "data: canary-bearer$FF\n\n"),
];

/// What the result of a handshake or of a list may get wrong.
const RESULTS: [(&str, &str, &str); 9] = [
    (
        "initialize",
        "protocol-version-missing",
        r#"{"protocolVersion":["canary-bearer"]}"#,
    ),
    (
        "initialize",
        "protocol-version-unsupported",
        r#"{"protocolVersion":"canary-bearer","capabilities":{},"serverInfo":{"name":"n","version":"v"}}"#,
    ),
    (
        "initialize",
        "capabilities-not-object",
        r#"{"protocolVersion":"2025-11-25","capabilities":"canary-bearer","serverInfo":{"name":"n","version":"v"}}"#,
    ),
    (
        "initialize",
        "server-info-invalid",
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":["canary-bearer"]}}"#,
    ),
    ("tools/list", "tools-missing", r#"{"tools":"canary-bearer"}"#),
    (
        "tools/list",
        "cursor-not-string",
        r#"{"tools":[],"nextCursor":["canary-bearer"]}"#,
    ),
    (
        "tools/list",
        "cursor-loop",
        r#"{"tools":[],"nextCursor":"canary-bearer"}"#,
    ),
    (
        "tools/list",
        "too-many-pages",
        r#"{"tools":[{"name":"canary-bearer"}],"nextCursor":"canary-bearer-$ID"}"#,
    ),
    ("tools/list", "too-many-tools", MANY),
];

const MANY: &str = "many";

/// Answers whose head is at fault, whatever their version of HTTP.
const HEADS: [(&str, &str, Answer); 7] = [
    (
        "initialize",
        "unreadable-media-type",
        Http("200 OK", "Content-Type: text/canary-bearer\r\n", "canary-bearer"),
    ),
    (
        "tools/call",
        "unreadable-media-type",
        Http("200 OK", "X-Echo: canary-bearer\r\n", "canary-bearer"),
    ),
    (
        "tools/call",
        "unexpected-success",
        Http("202 canary-bearer", JSON, ""),
    ),
    (
        "tools/call",
        "content-coded",
        Http("200 OK", CODED, "canary-bearer"),
    ),
    ("initialize", "session-id-invalid", Http("200 OK", SPACED, "{}")),
    ("initialize", "session-id-invalid", Http("200 OK", TWICE, "{}")),
    (
        "notifications/initialized",
        "authentication-required",
        Http("401 canary-bearer", JSON, "canary-bearer"),
    ),
];

const CODED: &str = "Content-Type: application/json\r\nContent-Encoding: canary-bearer\r\n";
const SPACED: &str = "Content-Type: application/json\r\nMcp-Session-Id: Bearer canary-bearer\r\n";
const TWICE: &str =
    "Content-Type: application/json\r\nMcp-Session-Id: canary-bearer\r\nMcp-Session-Id: canary-header\r\n";

/// Answers that are HTTP/1.1 only, or not even that.
const BYTES: [Row; 7] = [
    ("invalid-http", "Authorization: Bearer canary-bearer\r\n\r\n"),
    (
        "invalid-http",
        "HTTP/1.1 200 OK\r\ncanary-bearer canary-query\r\n\r\n",
    ),
    (
        "incomplete",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{\"canary-bearer\":",
    ),
    (
        "incomplete",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5;canary-bearer\r\n{\"can",
    ),
    (
        "ambiguous-framing",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nContent-Length: 13\r\n\r\ncanary-bearer",
    ),
    (
        "too-large",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\ncanary-bearer",
    ),
    ("connection-lost", "HTTP/1.1 200 canary-bea"),
];

pub(crate) fn paths() -> Vec<Path> {
    let mut paths = Vec::new();
    let mut add = |kind, key, answer| paths.extend(answered(kind, script(vec![(key, answer)])));
    for (kind, body) in BODIES {
        add(kind, "tools/call", Http("200 OK", JSON, made(body)));
    }
    for (kind, body) in STREAMS {
        add(kind, "tools/call", Http("200 OK", EVENTS, body));
    }
    for (kind, body) in [
        ("too-large", "data: canary-bearer\n".repeat(120_000)),
        (
            "too-many-events",
            format!(": canary-bearer\n{}", "data:\n\n".repeat(70_000)),
        ),
    ] {
        add(kind, "tools/call", Http("200 OK", EVENTS, body.leak()));
    }
    for (key, kind, result) in RESULTS {
        add(kind, key, Answer::Result(made(result)));
    }
    for (key, kind, answer) in HEADS {
        add(kind, key, answer);
    }
    let large = format!(
        "[{{\"name\":\"canary\",\"description\":\"{}\"}}]",
        "canary-bearer".repeat(80_000)
    );
    let page = format!(r#"{{"tools":{large},"nextCursor":"canary-bearer-$ID"}}"#);
    add("list-too-large", "tools/list", Answer::Result(page.leak()));
    let crowded = format!("{JSON}X-Large: {}\r\n", "canary-bearer".repeat(24_000)).leak();
    for (kind, bytes) in BYTES {
        paths.push(over_http1(kind, script(vec![("tools/call", Raw(bytes))])));
    }
    let head = Http("200 OK", crowded, "{}");
    paths.push(over_http1("head-too-large", script(vec![("tools/call", head)])));
    paths
}

fn made(text: &'static str) -> &'static str {
    let made = match text {
        DEEP => format!("{}\"canary-bearer\"", "[".repeat(2_000)),
        LARGE => format!("\"{}\"", "canary-bearer".repeat(200_000)),
        MANY => {
            let tools: Vec<_> = (0..501)
                .map(|index| format!(r#"{{"name":"canary-bearer-{index}"}}"#))
                .collect();
            format!(r#"{{"tools":[{}]}}"#, tools.join(","))
        }
        other => return other,
    };
    made.leak()
}
