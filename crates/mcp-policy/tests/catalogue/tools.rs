//! Oracles of tools before gate and model.

use mcp_policy::catalogue::{ActRefused, Plan, RemoteTool, ServerTerms, Standing, WriteEffect};
use mcp_policy::{ApprovalRule, DataClass, GroupName};
use serde_json::{Value, json};

use crate::support::{alone, at, cases, offer, server, written};

#[test]
fn tools() {
    for case in cases("tools") {
        for approval in [ApprovalRule::Required, ApprovalRule::NotRequired] {
            check(&case.0, approval, case.id());
        }
    }
}

fn check(case: &Value, approval: ApprovalRule, id: &str) {
    let draw = |rows: &[_], definitions: &[String]| Plan::draw(rows, offer(definitions, &alone("s")), at(1));
    let mut rows = draw(&[], &[written(&case["definition"])]).into_rows();
    for act in case.get("acts").and_then(Value::as_array).into_iter().flatten() {
        match act.as_str().unwrap() {
            "enable" => rows[0].enable().unwrap(),
            "orphan" => rows = draw(&rows, &[]).into_rows(),
            other => panic!("{other}"),
        }
    }
    if let Some(definition) = case.get("replaced") {
        let other = draw(&[], &[written(definition)]).into_rows();
        rows[0].definition = other[0].definition.clone();
    }
    if let Standing::On { .. } = rows[0].standing {
        // Switched on again, a tool stays as it is: what was replaced must be confirmed.
        let again = rows[0].clone().enable();
        let refused = case.get("replaced").map(|_| ActRefused::MustBeConfirmed);
        assert_eq!(again, refused.map_or(Ok(()), Err), "{id}");
    }
    if let Some(text) = case.get("stored").and_then(Value::as_str) {
        rows[0].definition.input_schema = text.to_owned();
    }
    let whose = server(case.get("server").and_then(Value::as_str).unwrap_or("s"));
    let classified = case.get("classified").is_none();
    let group = GroupName::of(&whose);
    let terms = ServerTerms {
        server: &whose,
        enabled: case.get("enabled").is_none(),
        class: classified.then_some(DataClass::InternalConfiguration),
        approval,
        group: &group,
    };
    let tool = match RemoteTool::of_row(&rows[0], terms) {
        Ok(tool) => tool,
        Err(withheld) => {
            assert_eq!(case["withheld"], withheld.kind(), "{id}");
            return;
        }
    };
    let found = json!({
        "local": tool.local_name.as_str(),
        "group": tool.group.as_str(),
        "remote": tool.remote_name.as_str(),
        "description": tool.description,
        "on": tool.is_on,
    });
    assert_eq!(Some(&found), case.get("tool"), "{id}");
    assert_eq!(
        tool.input_schema.as_str(),
        rows[0].definition.input_schema,
        "{id}"
    );
    assert_eq!(
        (tool.class, tool.approval),
        (DataClass::InternalConfiguration, approval),
        "{id}"
    );
    assert_eq!(tool.write_effect(), WriteEffect::NonIdempotentWrite, "{id}");
    assert!(
        tool.is_remote() && tool.requires_admin() && !tool.is_on_by_default(),
        "{id}"
    );
}
