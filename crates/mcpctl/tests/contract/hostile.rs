//! What a server may try with the text that it sends: commands to the terminal, lines of its own, values that change on
//! the way.

use crate::support::{Answer, Case};

#[test]
fn commands_in_a_result_are_spelled_out() {
    Case {
        script: &[(
            "tools/call",
            Answer::Result(
                r#"{"content":[{"type":"text","text":"a\u001b[2Jb\u0007\r\u007f\u009b1mc\u202ed\u2066\u200f\ufeff\udb40\udc41é😀\te"}]}"#,
            ),
        )],
        arguments: &["call", "URL", "t"],
        json: r#"{"outcome":"result","text":"a\u001b[2Jb\u0007\r\u007f\u009b1mc\u202ed\u2066\u200f\ufeff\udb40\udc41é😀\te","structured":null,"omitted":{},"protocol_version":"2025-11-25","duration_ms":0,"server":"http://127.0.0.1:3001"}"#,
        stdout: "a\\u{1b}[2Jb\\u{7}\\u{d}\\u{7f}\\u{9b}1mc\\u{202e}d\\u{2066}\\u{200f}\\u{feff}\\u{e0041}é😀\te\n",
        stderr: "",
        exit: 0,
    }
    .check();
}

#[test]
fn commands_that_stand_unescaped_in_the_servers_json_are_escaped() {
    Case {
        script: &[(
            "tools/call",
            Answer::Result(
                "{\"structuredContent\":{\"a\u{202e}b\":\"c\u{9b}d\u{7f}\u{2028}\u{e0041}\"},\
                 \"content\":[{\"type\":\"text\",\"text\":\"\u{9b}\u{200b}\"}],\"isError\":false}",
            ),
        )],
        arguments: &["call", "URL", "t"],
        json: r#"{"outcome":"result","text":"\u009b\u200b","structured":{"a\u202eb":"c\u009bd\u007f\u2028\udb40\udc41"},"omitted":{},"protocol_version":"2025-11-25","duration_ms":0,"server":"http://127.0.0.1:3001"}"#,
        stdout: "\\u{9b}\\u{200b}\n",
        stderr: "",
        exit: 0,
    }
    .check();
}

#[test]
fn commands_in_a_tools_error_are_spelled_out() {
    Case {
        script: &[(
            "tools/call",
            Answer::Result(r#"{"content":[{"type":"text","text":"\u001b]0;x\u0007\u202e"}],"isError":true}"#),
        )],
        arguments: &["call", "URL", "t"],
        json: r#"{"outcome":"tool_error","text":"\u001b]0;x\u0007\u202e","server":"http://127.0.0.1:3001"}"#,
        stdout: "\\u{1b}]0;x\\u{7}\\u{202e}\n",
        stderr: "mcpctl: the tool reports an error (http://127.0.0.1:3001)\n",
        exit: 5,
    }
    .check();
}

#[test]
fn names_and_descriptions_stay_on_their_line() {
    Case {
        script: &[(
            "tools/list",
            Answer::Result(
                r#"{"tools":[{"name":"ab\u202e","description":"\u001b[1mone\ttwo\r\nthree"},
                    {"name":"a\nb"},{"name":"c\u2067"},{"name":"c\u2067"}]}"#,
            ),
        )],
        arguments: &["tools", "URL"],
        json: r#"{"outcome":"tools","tools":[{"name":"ab\u202e","description":"\u001b[1mone\ttwo\r\nthree"}],"quarantined":[{"name":null,"reason":"the name holds a control character"},{"name":"c\u2067","reason":"the name occurs more than once"},{"name":"c\u2067","reason":"the name occurs more than once"}]}"#,
        stdout: "ab\\u{202e}\t\\u{1b}[1mone\\u{9}two\n",
        stderr: "mcpctl: a tool set aside: the name holds a control character\n\
                 mcpctl: c\\u{2067} set aside: the name occurs more than once\n\
                 mcpctl: c\\u{2067} set aside: the name occurs more than once\n",
        exit: 0,
    }
    .check();
}

#[test]
fn the_message_of_an_error_is_one_line() {
    Case {
        script: &[(
            "tools/call",
            Answer::Error(r#"{"code":1,"message":"a\nmcpctl: \u001b[2J\u202e"}"#),
        )],
        arguments: &["call", "URL", "t"],
        json: r#"{"outcome":"rpc_error","code":1,"message":"a mcpctl:  [2J\u202e","http_status":200,"server":"http://127.0.0.1:3001"}"#,
        stdout: "",
        stderr: "mcpctl: RPC error 1: a mcpctl:  [2J\\u{202e} (http://127.0.0.1:3001)\n",
        exit: 5,
    }
    .check();
}

#[test]
fn the_servers_name_is_one_line() {
    Case {
        script: &[(
            "initialize",
            Answer::Result(
                "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\n\"x\u{202e}\" :\t{} },\
                 \"serverInfo\":{\"name\":\"a\\n\\u001b\u{202e}\",\"version\":\"1\\t2\"}}",
            ),
        )],
        arguments: &["ping", "URL"],
        json: r#"{"outcome":"pong","era":"legacy","protocol_version":"2025-11-25","server_info":{"name":"a  \u202e","version":"1 2"},"capabilities":{"x\u202e":{}},"latency_ms":0}"#,
        stdout: "http://127.0.0.1:3001 answered in 0 ms: a  \\u{202e} 1 2, protocol 2025-11-25 (legacy era)\n",
        stderr: "",
        exit: 0,
    }
    .check();
}

#[test]
fn structured_content_stays_one_line_and_keeps_its_spelling() {
    Case {
        script: &[(
            "tools/call",
            Answer::Result(
                "{\"structuredContent\":\r\n{ \"n\" : [ 9007199254740993,\n 123456789012345678901234567890,\t1.0, \
                 1e400,\n-0 ] ,\n \"s\" : \"a  \\\"  \\\\\" , \"s\" : \"\\u0041\\/\" }\n}",
            ),
        )],
        arguments: &["call", "URL", "t"],
        json: r#"{"outcome":"result","text":"","structured":{"n":[9007199254740993,123456789012345678901234567890,1.0,1e400,-0],"s":"a  \"  \\","s":"\u0041\/"},"omitted":{},"protocol_version":"2025-11-25","duration_ms":0,"server":"http://127.0.0.1:3001"}"#,
        stdout: "",
        stderr: "",
        exit: 0,
    }
    .check();
}

/// A schema may hold what a decoder of values refuses: numbers beyond a double, and depths beyond its own.
#[test]
fn a_tool_is_listed_whatever_its_schema_holds() {
    let deep = "[".repeat(300) + &"]".repeat(300);
    let tool =
        format!(r#"{{"name":"t","inputSchema":{{"maximum":1e999,"default":{deep}}},"description":"d"}}"#);
    let result: &'static str = Box::leak(format!("{{\"tools\":[{tool}]}}").into_boxed_str());
    let line = format!(r#"{{"outcome":"tools","tools":[{tool}],"quarantined":[]}}"#);
    Case {
        script: Box::leak(Box::new([("tools/list", Answer::Result(result))])),
        arguments: &["tools", "URL"],
        json: Box::leak(line.into_boxed_str()),
        stdout: "t\td\n",
        stderr: "",
        exit: 0,
    }
    .check();
}
