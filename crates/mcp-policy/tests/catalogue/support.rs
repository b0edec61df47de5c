//! The oracles of this specification, and definitions as the wire hands them out.

use std::sync::Arc;

use mcp_policy::ServerName;
use mcp_policy::catalogue::{CatalogueRow, Neighbour, Offer, Plan, Surroundings};
use mcp_policy::port::UnixTime;
use mcp_testkit::{FixedProcess, SeededEntropy};
use mcp_wire::{
    BodyEnd, Framing, Reply, ReplyDecoder, ReplyLimits, RequestIds, ToolDefinition, ToolNameError, ToolsPage,
};

use serde_json::Value;

use crate::oracles;
pub(crate) use crate::oracles::Case;

/// Kinds that a list of tools gives before anything is imported.
pub(crate) const WIRE_KINDS: [&str; 6] = [
    ToolNameError::NotObject.kind(),
    ToolNameError::Missing.kind(),
    ToolNameError::NotString.kind(),
    ToolNameError::Empty.kind(),
    ToolNameError::TooLong.kind(),
    ToolNameError::Control.kind(),
];

const SPECIFICATION: &str = "029-catalogue";

pub(crate) fn spec() -> String {
    oracles::read(SPECIFICATION, "spec.md")
}

pub(crate) fn cases(set: &str) -> Vec<Case> {
    oracles::cases(SPECIFICATION, set)
}

/// Definitions as a server's page of them is read.
pub(crate) fn definitions(texts: &[String]) -> ToolsPage {
    let ids = RequestIds::new(Arc::new(SeededEntropy::new(1)), Arc::new(FixedProcess::default())).unwrap();
    let id = ids.allocate().unwrap();
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":"{}","result":{{"tools":[{}]}}}}"#,
        id.as_str(),
        texts.join(",")
    );
    let mut decoder = ReplyDecoder::new(id, Framing::Json, ReplyLimits::default());
    assert_eq!(decoder.push(&mut body.as_bytes()).unwrap(), None);
    match decoder.finish(BodyEnd::Complete).unwrap() {
        Reply::Result(result) => ToolsPage::parse(&result).unwrap(),
        Reply::Error(error) => panic!("{error}"),
    }
}

pub(crate) fn definition(text: &str) -> ToolDefinition {
    let page = definitions(&[text.to_owned()]);
    assert_eq!(page.quarantined, []);
    page.tools.into_iter().next().expect("one definition")
}

/// A definition given as a value; without a schema it gets the smallest one.
pub(crate) fn written(value: &Value) -> String {
    let mut value = value.clone();
    let members = value.as_object_mut().expect("a definition is an object");
    let smallest = || serde_json::json!({ "type": "object" });
    members.entry("inputSchema").or_insert_with(smallest);
    value.to_string()
}

pub(crate) fn server(name: &str) -> ServerName {
    ServerName::parse(name).expect("a server's name")
}

pub(crate) fn at(seconds: u64) -> UnixTime {
    UnixTime(std::time::Duration::from_secs(seconds))
}

/// Surroundings with nothing in them.
pub(crate) fn alone(name: &str) -> Surroundings {
    Surroundings::of(&server(name), [], [])
}

pub(crate) fn offer(texts: &[String], surroundings: &Surroundings) -> Offer {
    Offer::read(&definitions(texts).tools, vec![], surroundings)
}

/// The surroundings of `name` that a case describes by `others` and `builtin`.
pub(crate) fn surroundings(name: &str, case: &Case) -> Surroundings {
    let list = |member: &str| {
        case.0
            .get(member)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let others: Vec<(ServerName, bool, Vec<CatalogueRow>)> = list("others")
        .iter()
        .map(|other| {
            let whose = other["server"].as_str().unwrap();
            let tool = written(&serde_json::json!({ "name": other["remote"] }));
            let mut rows = Plan::draw(&[], offer(&[tool], &alone(whose)), at(1)).into_rows();
            if other.get("orphaned").is_some() {
                rows = Plan::draw(&rows, offer(&[], &alone(whose)), at(2)).into_rows();
            }
            (server(whose), other.get("disabled").is_none(), rows)
        })
        .collect();
    let builtin = list("builtin");
    Surroundings::of(
        &server(name),
        builtin.iter().filter_map(Value::as_str),
        others.iter().map(|(server, enabled, rows)| Neighbour {
            server,
            enabled: *enabled,
            rows,
        }),
    )
}
