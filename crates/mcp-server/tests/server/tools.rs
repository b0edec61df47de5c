//! Tools as a client meets them: pages, arguments, replies, and definitions that are refused.

use std::sync::Arc;

use http::StatusCode;
use mcp_server::{
    Block, Handler, HttpOptions, HttpServer, Outlet, Server, ServerOptions, SessionRules, Tool, ToolError,
    ToolReply, Tools,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::wire::{Connection, Fallible};

#[derive(Deserialize)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    text: String,
}

async fn echo(arguments: Text, _outlet: Outlet) -> ToolReply {
    ToolReply::text(arguments.text)
}

async fn nothing(_arguments: Nothing, _outlet: Outlet) -> ToolReply {
    ToolReply::default()
}

/// Asks a server of these tools without sessions.
async fn ask(tools: Tools, messages: &[Value]) -> Fallible<Vec<Value>> {
    let mut options = ServerOptions::default();
    options.sessions = SessionRules::None;
    let http = HttpServer::new(Server::new(tools, options), HttpOptions::default());
    let mut connection = Connection::to(&http).await?;
    let mut answers = Vec::new();
    for message in messages {
        let heard = connection.post(&[], &message.to_string()).await?;
        assert_eq!(heard.status, StatusCode::OK);
        answers.push(serde_json::from_str(&heard.text)?);
    }
    Ok(answers)
}

fn list(cursor: Option<&str>) -> Value {
    let params = cursor.map_or(json!({}), |cursor| json!({ "cursor": cursor }));
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params})
}

fn call(name: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
}

fn names(answer: &Value) -> Vec<&str> {
    let tools = answer.pointer("/result/tools").and_then(Value::as_array);
    tools
        .into_iter()
        .flatten()
        .filter_map(|tool| tool.get("name")?.as_str())
        .collect()
}

#[tokio::test]
async fn a_list_has_pages_and_knows_its_own_cursors_only() -> Fallible {
    let mut tools = Tools::new("t", "1").page(2);
    for name in ["a", "b", "c", "d", "e"] {
        tools = tools.with(Tool::new(name, ""), nothing)?;
    }
    let cursors = [
        None,
        Some("2"),
        Some("4"),
        Some("5"),
        Some("0"),
        Some("-1"),
        Some("x"),
        Some(""),
    ];
    let answers = ask(tools, &cursors.map(list)).await?;
    let pages: Vec<_> = answers.iter().map(names).collect();
    assert_eq!(
        pages,
        [
            vec!["a", "b"],
            vec!["c", "d"],
            vec!["e"],
            vec![],
            vec![],
            vec![],
            vec![],
            vec![]
        ]
    );
    let next: Vec<_> = answers
        .iter()
        .map(|answer| answer.pointer("/result/nextCursor"))
        .collect();
    assert_eq!(
        next.get(..3),
        Some(&[Some(&json!("2")), Some(&json!("4")), None][..])
    );
    for answer in answers.iter().skip(3) {
        let error = json!({"code": -32602, "message": "there is no such cursor"});
        assert_eq!(answer.get("error"), Some(&error));
    }
    Ok(())
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_the_models_to_see_and_no_tool_is_called() -> Fallible {
    let tools = Tools::new("t", "1").with(Tool::new("echo", ""), echo)?;
    let answers = ask(
        tools,
        &[
            call("echo", json!({"text": "ü\n\"\u{0001}"})),
            call("echo", json!({"text": 1})),
            call("echo", json!({"text": "a", "more": 1})),
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo"}}),
            call("ohce", json!({})),
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 1}}),
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/burn"}),
        ],
    )
    .await?;
    let text = |at: usize| {
        answers
            .get(at)
            .and_then(|answer| answer.pointer("/result/content/0/text")?.as_str())
    };
    let is_error = |at: usize| {
        answers
            .get(at)
            .and_then(|answer| answer.pointer("/result/isError"))
    };
    let code = |at: usize| {
        answers
            .get(at)
            .and_then(|answer| answer.pointer("/error/code")?.as_i64())
    };
    assert_eq!((text(0), is_error(0)), (Some("ü\n\"\u{0001}"), None));
    for (at, what) in [
        (1, "invalid type: integer"),
        (2, "unknown field `more`"),
        (3, "missing field `text`"),
    ] {
        assert!(
            text(at).is_some_and(|text| text.contains(what)),
            "{at}: {:?}",
            text(at)
        );
        assert_eq!(is_error(at), Some(&json!(true)));
    }
    assert_eq!(
        [code(4), code(5), code(6)],
        [Some(-32_602), Some(-32_602), Some(-32_601)]
    );
    Ok(())
}

#[tokio::test]
async fn every_block_is_written_as_the_specification_names_it() -> Fallible {
    let link = Block::Link {
        uri: "file:///a".into(),
        name: "a".into(),
    };
    let resource = Block::Resource {
        uri: "file:///b".into(),
        media_type: "text/plain".into(),
        text: "b".into(),
    };
    let [image, audio] = ["image/png", "audio/wav"].map(|media| (String::from("AA=="), String::from(media)));
    let content = json!({"total": 1.5}).as_object().cloned().unwrap_or_default();
    let reply = ToolReply::structured(content)
        .and(Block::Image {
            data: image.0,
            media_type: image.1,
        })
        .and(Block::Audio {
            data: audio.0,
            media_type: audio.1,
        })
        .and(resource)
        .and(link);
    let reply = Arc::new(reply);
    let all = move |_: Nothing, _: Outlet| std::future::ready(ToolReply::clone(&reply));
    let answers = ask(
        Tools::new("t", "1").with(Tool::new("all", ""), all)?,
        &[call("all", json!({}))],
    )
    .await?;
    assert_eq!(
        answers,
        [json!({"jsonrpc": "2.0", "id": 1, "result": {
            "content": [
                {"type": "text", "text": "{\"total\":1.5}"},
                {"type": "image", "data": "AA==", "mimeType": "image/png"},
                {"type": "audio", "data": "AA==", "mimeType": "audio/wav"},
                {"type": "resource", "resource": {"uri": "file:///b", "mimeType": "text/plain", "text": "b"}},
                {"type": "resource_link", "uri": "file:///a", "name": "a"},
            ],
            "structuredContent": {"total": 1.5},
        }})]
    );
    Ok(())
}

#[test]
fn a_definition_that_no_client_would_take_is_refused() {
    let refused = |tool: Tool| Tools::new("t", "1").with(tool, nothing).err();
    let long = "n".repeat(129);
    for name in ["", "a b", "ä", "a/b", long.as_str()] {
        assert_eq!(refused(Tool::new(name, "")), Some(ToolError::Name), "{name}");
    }
    assert_eq!(refused(Tool::new(&"n".repeat(128), "")), None);
    for schema in ["", "[]", "{}", r#"{"type":"array"}"#, r#"{"type":"object"} x"#] {
        assert_eq!(
            refused(Tool::new("n", "").input(schema)),
            Some(ToolError::Input),
            "{schema}"
        );
        assert_eq!(
            refused(Tool::new("n", "").output(schema)),
            Some(ToolError::Output),
            "{schema}"
        );
    }
    assert_eq!(
        refused(Tool::new("n", "").annotations("1")),
        Some(ToolError::Annotations)
    );
    let twice = Tools::new("t", "1").with(Tool::new("n", ""), nothing);
    let twice = twice.and_then(|tools| tools.with(Tool::new("n", ""), nothing));
    assert_eq!(twice.err(), Some(ToolError::NameTaken));
    let named = Tools::new("t", "2").instructions("Ask first.").introduction();
    assert_eq!(
        (named.name.as_str(), named.instructions.as_deref()),
        ("t", Some("Ask first."))
    );
}
