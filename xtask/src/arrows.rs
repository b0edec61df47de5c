//! Which crate may use which. The table below is the whole rule; a crate that it does not name has no place yet.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::failure::Failure;

const PLACES: &[Place] = &[
    Place {
        name: "mcp-wire",
        uses: &[],
        tests_use: &["mcp-testkit"],
        never_reaches: &[
            "tokio",
            "hyper",
            "hyper-util",
            "http",
            "rustls",
            "getrandom",
            "bytes",
        ],
        has_features: false,
    },
    Place {
        name: "mcp-policy",
        uses: &["mcp-wire"],
        tests_use: &["mcp-testkit"],
        never_reaches: &[
            "tokio",
            "hyper",
            "hyper-util",
            "http",
            "rustls",
            "rusqlite",
            "tokio-postgres",
            "getrandom",
            "mio",
        ],
        has_features: false,
    },
    Place {
        tests_use: &["mcp-testkit"],
        ..Place::of("mcp-http", &["mcp-wire"])
    },
    Place::of("mcp-server", &["mcp-wire"]),
    Place::of("mcp-stdio", &["mcp-wire"]),
    Place::of("mcp-auth", &["mcp-wire"]),
    Place {
        tests_use: &["mcp-testkit"],
        ..Place::of("mcp-store-*", &["mcp-policy", "mcp-wire"])
    },
    // Composition roots.
    Place::of("mcp-host", &["*"]),
    Place::of("mcpctl", &["*"]),
    Place::of("mcp-conformance", &["*"]),
    Place::of("mcp-testkit", &["*"]),
    Place::of("xtask", &["*"]),
];

/// Nothing uses it, a composition root neither.
const USED_BY_NOBODY: &str = "xtask";

/// What one crate of the workspace may depend on. A `*` at the end of a name stands for any rest.
struct Place {
    name: &'static str,
    /// Workspace crates behind normal and build dependencies.
    uses: &'static [&'static str],
    /// Workspace crates that its dev-dependencies may name besides.
    tests_use: &'static [&'static str],
    /// Crates that normal and build dependencies must not lead to, however far.
    never_reaches: &'static [&'static str],
    /// Whether it may declare Cargo features.
    has_features: bool,
}

impl Place {
    const fn of(name: &'static str, uses: &'static [&'static str]) -> Self {
        Self {
            name,
            uses,
            tests_use: &[],
            never_reaches: &[],
            has_features: true,
        }
    }
}

/// Prints the arrows of each crate of the workspace around the directory in `arguments`, or around the current one,
/// and every arrow that breaks the table.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let directory = match arguments {
        [] => Path::new("."),
        [directory] if !directory.starts_with('-') => Path::new(directory),
        _ => return Err(Failure::new("takes at most a directory")),
    };
    let graph = read(&metadata(directory)?)?;
    for member in &graph.members {
        println!("{}", describe(&graph, member));
    }
    let violations = judge(&graph);
    for violation in &violations {
        eprintln!("{violation}");
    }
    match violations.len() {
        0 => Ok(()),
        count => Err(Failure::new(format!(
            "{count} against the table in xtask/src/arrows.rs"
        ))),
    }
}

/// The crates of the workspace, and every dependency that was seen.
#[derive(Default)]
struct Graph {
    members: Vec<Member>,
    edges: BTreeSet<Edge>,
}

struct Member {
    name: String,
    features: Vec<String>,
}

/// One dependency. The ends are named as [`labels`] names packages.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    from: String,
    to: String,
    /// A dev-dependency; the others are normal or of the build script.
    dev: bool,
}

/// Every violation, one line each.
fn judge(graph: &Graph) -> Vec<String> {
    let members: BTreeSet<&str> = graph.members.iter().map(|member| member.name.as_str()).collect();
    let mut violations = Vec::new();
    for Member { name, features } in &graph.members {
        let Some(place) = PLACES.iter().find(|place| stands_for(place.name, name)) else {
            violations.push(format!("{name}: has no place in the table"));
            continue;
        };
        for edge in graph.edges.iter().filter(|edge| edge.from == *name) {
            let to = edge.to.as_str();
            let by_tests = edge.dev && any_stands_for(place.tests_use, to);
            let allowed = to != USED_BY_NOBODY && (any_stands_for(place.uses, to) || by_tests);
            if members.contains(to) && !allowed {
                let kind = if edge.dev { " as a dev-dependency" } else { "" };
                violations.push(format!("{name} -> {to}: not one of its arrows{kind}"));
            }
        }
        for path in forbidden_paths(graph, name, place.never_reaches) {
            violations.push(format!("{}: must not be reached", path.join(" -> ")));
        }
        if !features.is_empty() && !place.has_features {
            violations.push(format!("{name}: declares the features {}", features.join(", ")));
        }
    }
    violations
}

fn any_stands_for(patterns: &[&str], name: &str) -> bool {
    patterns.iter().any(|pattern| stands_for(pattern, name))
}

fn stands_for(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

/// The shortest way from `start` to each package that is named in `forbidden`. Dev-dependencies are no way.
fn forbidden_paths<'a>(graph: &'a Graph, start: &'a str, forbidden: &[&str]) -> Vec<Vec<&'a str>> {
    let mut came_from: BTreeMap<&str, Option<&str>> = BTreeMap::from([(start, None)]);
    let mut queue = VecDeque::from([start]);
    let mut paths = Vec::new();
    while let Some(here) = queue.pop_front() {
        if here
            .split(' ')
            .next()
            .is_some_and(|name| forbidden.contains(&name))
        {
            let mut path: Vec<&str> =
                std::iter::successors(Some(here), |step| came_from.get(step).copied().flatten()).collect();
            path.reverse();
            paths.push(path);
        }
        for edge in graph.edges.iter().filter(|edge| edge.from == here && !edge.dev) {
            if !came_from.contains_key(edge.to.as_str()) {
                came_from.insert(&edge.to, Some(here));
                queue.push_back(&edge.to);
            }
        }
    }
    paths
}

fn describe(graph: &Graph, member: &Member) -> String {
    let arrows = |dev: bool| {
        let ends: BTreeSet<&str> = graph
            .edges
            .iter()
            .filter(|edge| edge.from == member.name && edge.dev == dev)
            .map(|edge| edge.to.as_str())
            .filter(|to| graph.members.iter().any(|other| other.name == *to))
            .collect();
        ends.into_iter().collect::<Vec<_>>().join(", ")
    };
    let (normal, dev) = (arrows(false), arrows(true));
    let normal = if normal.is_empty() { "nothing" } else { &normal };
    let dev = if dev.is_empty() {
        String::new()
    } else {
        format!("; its tests -> {dev}")
    };
    format!("{} -> {normal}{dev}", member.name)
}

fn metadata(directory: &Path) -> Result<Value, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(directory)
        .output()?;
    if !output.status.success() {
        return Err(Failure::new(String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Reads what `cargo metadata` wrote. The members' own dependencies are taken as declared, so that an optional one
/// counts before a feature turns it on; those of other packages as resolved.
fn read(metadata: &Value) -> Result<Graph, Failure> {
    let labels = labels(metadata)?;
    let label = |id: &Value| {
        let known = id.as_str().and_then(|id| labels.get(id)).cloned();
        known.ok_or_else(|| Failure::new(format!("the metadata names no package {id}")))
    };
    let ids: BTreeSet<&str> = list(metadata, "workspace_members")?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let mut graph = Graph::default();
    for package in list(metadata, "packages")? {
        if !ids.contains(text(package, "id")?) {
            continue;
        }
        let name = String::from(text(package, "name")?);
        for dependency in list(package, "dependencies")? {
            graph.edges.insert(Edge {
                from: name.clone(),
                to: String::from(text(dependency, "name")?),
                dev: is_dev(dependency),
            });
        }
        let features = package.get("features").and_then(Value::as_object);
        graph.members.push(Member {
            name,
            features: features
                .into_iter()
                .flat_map(|features| features.keys().cloned())
                .collect(),
        });
    }
    let resolve = metadata
        .get("resolve")
        .ok_or_else(|| Failure::new("the metadata is not resolved"))?;
    for node in list(resolve, "nodes")? {
        let from = label(node.get("id").unwrap_or(&Value::Null))?;
        for dependency in list(node, "deps")? {
            let to = label(dependency.get("pkg").unwrap_or(&Value::Null))?;
            for kind in list(dependency, "dep_kinds")? {
                graph.edges.insert(Edge {
                    from: from.clone(),
                    to: to.clone(),
                    dev: is_dev(kind),
                });
            }
        }
    }
    Ok(graph)
}

/// The label of each package id: its name, followed by its version where several versions are in use.
fn labels(metadata: &Value) -> Result<BTreeMap<&str, String>, Failure> {
    let packages = list(metadata, "packages")?;
    let mut labels = BTreeMap::new();
    for package in packages {
        let name = text(package, "name")?;
        let alone = packages
            .iter()
            .filter(|other| text(other, "name").ok() == Some(name))
            .count()
            == 1;
        let label = if alone {
            String::from(name)
        } else {
            format!("{name} {}", text(package, "version")?)
        };
        labels.insert(text(package, "id")?, label);
    }
    Ok(labels)
}

fn is_dev(dependency: &Value) -> bool {
    dependency.get("kind").and_then(Value::as_str) == Some("dev")
}

fn list<'a>(value: &'a Value, member: &str) -> Result<&'a Vec<Value>, Failure> {
    let list = value.get(member).and_then(Value::as_array);
    list.ok_or_else(|| Failure::new(format!("the metadata has no list `{member}`")))
}

fn text<'a>(value: &'a Value, member: &str) -> Result<&'a str, Failure> {
    let text = value.get(member).and_then(Value::as_str);
    text.ok_or_else(|| Failure::new(format!("the metadata has no text `{member}`")))
}
