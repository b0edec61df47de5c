//! Eight servers at once, of which one is dead and one silent: nobody waits for these two to hear of the others.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::store::Desk;
use crate::support::{Answer, Script, Server};

const WELL: Script = &[(
    "tools/list",
    Answer::Result(r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"#),
)];
const SILENT: Script = &[("initialize", Answer::Silence)];

/// `a_dead` and `b_silent` come first in every order.
fn desk(name: &str) -> (Desk, Vec<Server>) {
    let desk = Desk::new(name);
    let dead = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let add = |name: &str, url: &str, budget: &str| {
        desk.well(&[
            "server",
            "add",
            name,
            url,
            "--class",
            "publicContent",
            "--budget",
            budget,
        ]);
    };
    add("a_dead", &format!("http://{dead}/mcp"), "60");
    let mut servers = vec![Server::start(SILENT)];
    // Longer than the others need on any machine.
    add("b_silent", &servers[0].url(), "8");
    for number in 1..=6 {
        servers.push(Server::start(WELL));
        add(&format!("well_{number}"), &servers[number].url(), "60");
    }
    (desk, servers)
}

#[test]
fn the_healthy_are_told_of_while_the_silent_one_is_waited_for() {
    let (desk, _servers) = desk("several");
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_mcpctl"))
        .args(["import", "--all", "--output", "ndjson", "--store"])
        .arg(desk.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut told = Vec::new();
    let mut healthy = None;
    // The silent one is the last of all: it is waited for, and the others are not.
    for line in lines.by_ref() {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        assert_eq!(
            (&line["outcome"], &line["dry_run"]),
            (&"import".into(), &false.into())
        );
        told.push(line);
        if told.iter().filter(|line| line["failed"].is_null()).count() == 6 {
            healthy.get_or_insert(start.elapsed());
        }
    }
    let all = start.elapsed();
    assert_eq!(child.wait().unwrap().code(), Some(4));
    assert_eq!(told.len(), 8);
    assert_eq!(told[7]["server"], "b_silent");
    assert_eq!(told[7]["failed"]["kind"], "deadline-exceeded");
    let dead = told.iter().find(|line| line["server"] == "a_dead").unwrap();
    assert_eq!(dead["failed"]["kind"], "connect-refused");
    println!("the healthy six after {healthy:?}, all eight after {all:?}");
    assert!(healthy.unwrap() < all);
}

#[test]
fn the_whole_report_has_the_order_of_the_names() {
    let (desk, _servers) = desk("several-json");
    let ended = desk.run(&["import", "--all", "--json", "--parallel", "3"]);
    assert_eq!(ended.exit, Some(4));
    let line: Value = serde_json::from_str(&ended.stdout).unwrap();
    let names: Vec<&str> = line["servers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["server"].as_str().unwrap())
        .collect();
    let expected = [
        "a_dead", "b_silent", "well_1", "well_2", "well_3", "well_4", "well_5", "well_6",
    ];
    assert_eq!(names, expected);
    assert_eq!(desk.json(&["status"])["servers"][7]["tools"], 1);
}
