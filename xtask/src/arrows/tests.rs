//! The rule on workspaces that keep it and that break it.

use super::*;
use serde_json::json;

const MEMBERS: [&str; 7] = [
    "mcp-wire",
    "mcp-http",
    "mcp-policy",
    "mcp-host",
    "mcp-testkit",
    "mcp-store-sqlite",
    "xtask",
];

/// `a -> b` is a normal dependency, `a ~> b` a dev-dependency.
fn graph(arrows: &[&str]) -> Graph {
    let edge = |arrow: &&str| {
        let (from, to) = arrow.split_once(" -> ").or(arrow.split_once(" ~> ")).unwrap();
        Edge {
            from: from.into(),
            to: to.into(),
            dev: arrow.contains('~'),
        }
    };
    let member = |name: &str| Member {
        name: name.into(),
        features: Vec::new(),
    };
    Graph {
        members: MEMBERS.map(member).into(),
        edges: arrows.iter().map(edge).collect(),
    }
}

#[test]
fn arrows_of_the_table_are_accepted() {
    let graph = graph(&[
        "mcp-http -> mcp-wire",
        "mcp-policy -> mcp-wire",
        "mcp-store-sqlite -> mcp-policy",
        "mcp-store-sqlite -> mcp-wire",
        "mcp-host -> mcp-http",
        "mcp-host -> mcp-store-sqlite",
        "mcp-testkit -> mcp-host",
        "mcp-wire ~> mcp-testkit",
        "mcp-policy ~> mcp-testkit",
        "mcp-http ~> mcp-testkit",
        "mcp-store-sqlite ~> mcp-testkit",
        "xtask -> mcp-testkit",
        "mcp-http -> tokio",
    ]);
    assert_eq!(judge(&graph), Vec::<String>::new());
    let member = &graph.members[1];
    assert_eq!(
        describe(&graph, member),
        "mcp-http -> mcp-wire; its tests -> mcp-testkit"
    );
}

#[test]
fn each_other_arrow_is_a_violation() {
    for arrow in [
        "mcp-wire -> mcp-testkit",
        "mcp-http -> mcp-policy",
        "mcp-policy -> mcp-http",
        "mcp-store-sqlite -> mcp-host",
        "mcp-host -> xtask",
        "mcp-http -> xtask",
    ] {
        assert_eq!(
            judge(&graph(&[arrow])),
            [format!("{arrow}: not one of its arrows")]
        );
    }
    for arrow in [
        "mcp-wire ~> mcp-host",
        "mcp-store-sqlite ~> mcp-host",
        "mcp-host ~> xtask",
    ] {
        let expected = format!(
            "{}: not one of its arrows as a dev-dependency",
            arrow.replace('~', "-")
        );
        assert_eq!(judge(&graph(&[arrow])), [expected]);
    }
}

#[test]
fn a_runtime_is_found_however_far_it_is() {
    let graph = graph(&[
        "mcp-policy -> x",
        "mcp-policy -> mcp-wire",
        "x -> y",
        "x -> tokio 1.54.0",
        "y -> tokio 1.54.0",
        "mcp-wire -> bytes",
    ]);
    assert_eq!(
        judge(&graph),
        [
            "mcp-wire -> bytes: must not be reached",
            "mcp-policy -> x -> tokio 1.54.0: must not be reached"
        ]
    );
}

#[test]
fn a_driver_of_a_database_is_found_however_far_it_is() {
    assert_eq!(
        judge(&graph(&[
            "mcp-policy -> x",
            "x -> rusqlite 0.43.0",
            "mcp-store-sqlite -> rusqlite"
        ])),
        ["mcp-policy -> x -> rusqlite 0.43.0: must not be reached"]
    );
}

#[test]
fn a_runtime_behind_tests_is_not_reached() {
    assert_eq!(
        judge(&graph(&["mcp-policy ~> proptest", "proptest -> getrandom"])).len(),
        0
    );
}

#[test]
fn an_unknown_crate_and_a_feature_are_violations() {
    let mut graph = graph(&[]);
    graph.members.push(Member {
        name: "mcp-new".into(),
        features: Vec::new(),
    });
    graph.members[0].features.push("std".into());
    graph.members[1].features.push("tls".into());
    assert_eq!(
        judge(&graph),
        [
            "mcp-wire: declares the features std",
            "mcp-new: has no place in the table"
        ]
    );
}

#[test]
fn optional_renamed_and_resolved_dependencies_are_read() {
    let package = |name: &str, version: &str, dependencies: Value| {
        json!({"id": format!("{name}@{version}"), "name": name, "version": version,
            "features": {}, "dependencies": dependencies})
    };
    let declared = json!([
        {"name": "tokio", "kind": null, "optional": true},
        {"name": "mcp-host", "kind": "build", "rename": "innocent"},
        {"name": "x", "kind": "dev"}
    ]);
    let graph = read(&json!({
        "workspace_members": ["mcp-policy@1", "mcp-host@1"],
        "packages": [
            package("mcp-policy", "1", declared), package("mcp-host", "1", json!([])),
            package("x", "1", json!([])), package("mio", "1", json!([])), package("mio", "2", json!([]))
        ],
        "resolve": {"nodes": [
            {"id": "mcp-policy@1", "deps": [{"pkg": "x@1", "dep_kinds": [{"kind": "dev"}, {"kind": null}]}]},
            {"id": "x@1", "deps": [{"pkg": "mio@2", "dep_kinds": [{"kind": null}]}]}
        ]}
    }))
    .unwrap();
    assert_eq!(
        judge(&graph),
        [
            "mcp-policy -> mcp-host: not one of its arrows",
            "mcp-policy -> tokio: must not be reached",
            "mcp-policy -> x -> mio 2: must not be reached"
        ]
    );
    assert!(read(&json!({"packages": [], "workspace_members": []})).is_err());
}
