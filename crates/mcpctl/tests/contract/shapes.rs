//! The outcomes that carry the server's word: their keys in order, their text, their exit status.

use crate::support::{Answer, Case};

#[test]
fn a_result() {
    Case {
        script: &[(
            "tools/call echo",
            Answer::Result(r#"{"content":[{"type":"text","text":"hello"}]}"#),
        )],
        arguments: &["call", "URL", "echo", r#"{"message":"hello"}"#],
        json: r#"{"outcome":"result","text":"hello","structured":null,"omitted":{},"protocol_version":"2025-11-25","duration_ms":0,"server":"http://127.0.0.1:3001"}"#,
        stdout: "hello\n",
        stderr: "",
        exit: 0,
    }
    .check();
}

#[test]
fn a_result_with_more_than_text() {
    Case {
        script: &[(
            "tools/call",
            Answer::Result(
                r#"{"content":[{"type":"image","data":"AA==","mimeType":"image/png"},
                    {"type":"text","text":"one"},{"type":"audio"},{"type":"image"},{"type":"text","text":"two"}],
                    "structuredContent":{"b":1,"a":[true]}}"#,
            ),
        )],
        arguments: &["call", "URL", "picture"],
        json: r#"{"outcome":"result","text":"[3 content blocks omitted: 2 image, 1 audio]\none\ntwo","structured":{"b":1,"a":[true]},"omitted":{"audio":1,"image":2},"protocol_version":"2025-11-25","duration_ms":0,"server":"http://127.0.0.1:3001"}"#,
        stdout: "[3 content blocks omitted: 2 image, 1 audio]\none\ntwo\n",
        stderr: "",
        exit: 0,
    }
    .check();
}

#[test]
fn a_result_without_text_prints_no_empty_line() {
    Case {
        script: &[("tools/call", Answer::Result("{}"))],
        arguments: &["call", "URL", "nothing"],
        json: r#"{"outcome":"result","text":"","structured":null,"omitted":{},"protocol_version":"2025-11-25","duration_ms":0,"server":"http://127.0.0.1:3001"}"#,
        stdout: "",
        stderr: "",
        exit: 0,
    }
    .check();
}

#[test]
fn the_tools_own_error() {
    Case {
        script: &[(
            "tools/call",
            Answer::Result(r#"{"content":[{"type":"text","text":"no such file"}],"isError":true}"#),
        )],
        arguments: &["call", "URL", "read"],
        json: r#"{"outcome":"tool_error","text":"no such file","server":"http://127.0.0.1:3001"}"#,
        stdout: "no such file\n",
        stderr: "mcpctl: the tool reports an error (http://127.0.0.1:3001)\n",
        exit: 5,
    }
    .check();
}

#[test]
fn an_rpc_error_of_each_command() {
    let error = Answer::Error(r#"{"code":-32601,"message":"Method not found","data":{"a":1}}"#);
    let scripts: [(_, &'static [&'static str]); 4] = [
        ("initialize", &["ping", "URL"]),
        ("initialize", &["call", "URL", "echo"]),
        ("tools/list", &["tools", "URL"]),
        ("tools/call", &["call", "URL", "echo"]),
    ];
    for (method, arguments) in scripts {
        Case {
            script: Box::leak(Box::new([(method, error)])),
            arguments,
            json: r#"{"outcome":"rpc_error","code":-32601,"message":"Method not found","http_status":200,"server":"http://127.0.0.1:3001"}"#,
            stdout: "",
            stderr: "mcpctl: RPC error -32601: Method not found (http://127.0.0.1:3001)\n",
            exit: 5,
        }
        .check();
    }
}

#[test]
fn an_rpc_error_under_a_status_of_failure() {
    Case {
        script: &[(
            "tools/call",
            Answer::Http(
                "400 Bad Request",
                "Content-Type: application/json\r\n",
                r#"{"jsonrpc":"2.0","id":"$ID","error":{"code":9007199254740993,"message":"no"}}"#,
            ),
        )],
        arguments: &["call", "URL", "echo"],
        json: r#"{"outcome":"rpc_error","code":9007199254740993,"message":"no","http_status":400,"server":"http://127.0.0.1:3001"}"#,
        stdout: "",
        stderr: "mcpctl: RPC error 9007199254740993: no (http://127.0.0.1:3001)\n",
        exit: 5,
    }
    .check();
}

#[test]
fn a_list_of_tools() {
    Case {
        script: &[(
            "tools/list",
            Answer::Result(
                r#"{"tools":[
                    {"name":"echo","description":"Says it again.\nAs often as asked.","inputSchema":{"type":"object"}},
                    {"name":"twin"},{"name":"bare"},{"description":"no name"},{"name":"twin"},7]}"#,
            ),
        )],
        arguments: &["tools", "URL"],
        json: r#"{"outcome":"tools","tools":[{"name":"echo","description":"Says it again.\nAs often as asked.","inputSchema":{"type":"object"}},{"name":"bare"}],"quarantined":[{"name":null,"reason":"the definition has no name"},{"name":null,"reason":"the definition is not an object"},{"name":"twin","reason":"the name occurs more than once"},{"name":"twin","reason":"the name occurs more than once"}]}"#,
        stdout: "echo\tSays it again.\nbare\t\n",
        stderr: "mcpctl: a tool set aside: the definition has no name\n\
                 mcpctl: a tool set aside: the definition is not an object\n\
                 mcpctl: twin set aside: the name occurs more than once\n\
                 mcpctl: twin set aside: the name occurs more than once\n",
        exit: 0,
    }
    .check();
}

#[test]
fn an_empty_list_of_tools() {
    Case {
        script: &[("tools/list", Answer::Result(r#"{"tools":[]}"#))],
        arguments: &["tools", "URL"],
        json: r#"{"outcome":"tools","tools":[],"quarantined":[]}"#,
        stdout: "",
        stderr: "",
        exit: 0,
    }
    .check();
}

#[test]
fn a_pong() {
    Case {
        script: &[],
        arguments: &["ping", "URL"],
        json: r#"{"outcome":"pong","era":"legacy","protocol_version":"2025-11-25","server_info":{"name":"demo","version":"1.2.0"},"capabilities":{"tools":{}},"latency_ms":0}"#,
        stdout: "http://127.0.0.1:3001 answered in 0 ms: demo 1.2.0, protocol 2025-11-25 (legacy era)\n",
        stderr: "",
        exit: 0,
    }
    .check();
}

#[test]
fn an_older_revision_is_named() {
    Case {
        script: &[(
            "initialize",
            Answer::Result(
                r#"{"capabilities":{},"serverInfo":{"version":"0","name":"old"},"protocolVersion":"2024-11-05"}"#,
            ),
        )],
        arguments: &["ping", "URL"],
        json: r#"{"outcome":"pong","era":"legacy","protocol_version":"2024-11-05","server_info":{"name":"old","version":"0"},"capabilities":{},"latency_ms":0}"#,
        stdout: "http://127.0.0.1:3001 answered in 0 ms: old 0, protocol 2024-11-05 (legacy era)\n",
        stderr: "",
        exit: 0,
    }
    .check();
}
