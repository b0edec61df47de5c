//! `cargo xtask sbom`: what goes into `mcpctl`, as a bill of materials in CycloneDX 1.6.
//!
//! It is made from `cargo metadata`, and the hashes from the lock file, so the same sources give the same bytes: there is no
//! time and no serial number in it. As the metadata have the features that any crate of the workspace asks for, `cargo tree`
//! says which packages a build of the program alone takes. Packages that are linked have the scope `required`. Those that only a build runs, macros
//! and build scripts with what they use, are `excluded`. Without `--target` it holds what any target asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::interop::install::{Workspace, cargo};

/// The program whose materials are told.
const PROGRAM: &str = "mcpctl";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let (mut target, mut out) = (None, None);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let value = arguments
            .next()
            .ok_or_else(|| Failure::new(format!("{argument} needs a value")));
        match argument.as_str() {
            "--target" => target = Some(value?.as_str()),
            "--out" => out = Some(PathBuf::from(value?)),
            other => {
                return Err(Failure::new(format!(
                    "unknown option {other}; there are --target TRIPLE and --out FILE"
                )));
            }
        }
    }
    let workspace = Workspace::locate()?;
    let lock = fs::read_to_string(workspace.root.join("Cargo.lock"))?;
    let built = built(&workspace, target)?;
    let text = render(&bill(&metadata(&workspace, target)?, &built, &lock)?)?;
    match out {
        Some(path) => fs::write(path, text)?,
        None => print!("{text}"),
    }
    Ok(())
}

fn render(bill: &Value) -> Result<String, Failure> {
    Ok(format!("{}\n", serde_json::to_string_pretty(bill)?))
}

fn metadata(workspace: &Workspace, target: Option<&str>) -> Result<Value, Failure> {
    let mut command = Command::new(cargo());
    command
        .args(["metadata", "--locked", "--format-version", "1"])
        .args(target.map(|target| format!("--filter-platform={target}")))
        .current_dir(&workspace.root)
        .stderr(Stdio::inherit());
    let output = command.output()?;
    if !output.status.success() {
        return Err(Failure::new(format!("cargo metadata: {}", output.status)));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// What a build of the program takes, by the names that the bill uses.
fn built(workspace: &Workspace, target: Option<&str>) -> Result<BTreeSet<String>, Failure> {
    let mut tree = Command::new(cargo());
    tree.args([
        "tree",
        "--locked",
        "--package",
        PROGRAM,
        "--edges",
        "normal,build",
    ])
    .args([
        "--prefix",
        "none",
        "--format",
        "{p}",
        "--target",
        target.unwrap_or("all"),
    ])
    .current_dir(&workspace.root)
    .stderr(Stdio::inherit());
    let output = tree.output()?;
    if !output.status.success() {
        return Err(Failure::new(format!("cargo tree: {}", output.status)));
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    let packages = printed.lines().filter_map(|line| {
        let (name, rest) = line.split_once(" v")?;
        Some(format!("{name}@{}", rest.split(' ').next()?))
    });
    Ok(packages.collect())
}

/// The bill of materials, from what Cargo says and the text of the lock file.
fn bill(metadata: &Value, built: &BTreeSet<String>, lock: &str) -> Result<Value, Failure> {
    let mut graph = Graph::read(metadata)?;
    graph
        .packages
        .retain(|_, package| built.contains(&package.reference()));
    let checksums = checksums(lock);
    let root = graph
        .packages
        .iter()
        .find(|(_, package)| package.name == PROGRAM && package.source.is_none())
        .map(|(id, _)| *id)
        .ok_or_else(|| Failure::new(format!("cargo metadata has no {PROGRAM}")))?;
    let linked = graph.reach(root, Reach::Linked);
    let all = graph.reach(root, Reach::Built);
    let package = |id: &str| {
        let package = graph.packages.get(id);
        package.ok_or_else(|| Failure::new(format!("cargo metadata names {id} and has it not")))
    };
    let mut components = BTreeMap::new();
    let mut dependencies = BTreeMap::new();
    for id in &all {
        let name = package(id)?.reference();
        let on: Result<BTreeSet<String>, Failure> = graph
            .next(id, Reach::Built)
            .map(|next| Ok(package(next)?.reference()))
            .collect();
        dependencies.insert(name.clone(), json!({"ref": name, "dependsOn": on?}));
        if *id != root {
            let scope = if linked.contains(id) {
                "required"
            } else {
                "excluded"
            };
            components.insert(name, package(id)?.component("library", Some(scope), &checksums)?);
        }
    }
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": package(root)?.component("application", None, &checksums)?},
        "components": components.into_values().collect::<Vec<Value>>(),
        "dependencies": dependencies.into_values().collect::<Vec<Value>>(),
    }))
}

/// How far the graph is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// What the linker sees: normal dependencies, and no macro.
    Linked,
    /// What a build needs, too.
    Built,
}

struct Graph<'a> {
    packages: BTreeMap<&'a str, Package<'a>>,
    /// For each package those that it depends on, and whether by a normal dependency.
    edges: BTreeMap<&'a str, BTreeMap<&'a str, bool>>,
}

struct Package<'a> {
    name: &'a str,
    version: &'a str,
    license: Option<&'a str>,
    description: Option<&'a str>,
    source: Option<&'a str>,
    is_macro: bool,
}

impl<'a> Graph<'a> {
    fn read(metadata: &'a Value) -> Result<Self, Failure> {
        let mut packages = BTreeMap::new();
        for package in list(metadata, "packages")? {
            let optional = |key: &str| package.get(key).and_then(Value::as_str);
            let is_macro = list(package, "targets")?.iter().any(|target| {
                let kinds = target.get("kind").and_then(Value::as_array);
                kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == "proc-macro"))
            });
            let read = Package {
                name: text(package, "name")?,
                version: text(package, "version")?,
                license: optional("license"),
                description: optional("description"),
                source: optional("source"),
                is_macro,
            };
            packages.insert(text(package, "id")?, read);
        }
        let resolve = metadata.get("resolve").unwrap_or(&Value::Null);
        let mut edges = BTreeMap::new();
        for node in list(resolve, "nodes")? {
            let mut to: BTreeMap<&str, bool> = BTreeMap::new();
            for dependency in list(node, "deps")? {
                for kind in list(dependency, "dep_kinds")? {
                    match kind.get("kind").and_then(Value::as_str) {
                        Some("dev") => {}
                        Some("build") => drop(to.entry(text(dependency, "pkg")?).or_default()),
                        None => drop(to.insert(text(dependency, "pkg")?, true)),
                        Some(other) => {
                            return Err(Failure::new(format!("a dependency of the kind {other}")));
                        }
                    }
                }
            }
            edges.insert(text(node, "id")?, to);
        }
        Ok(Self { packages, edges })
    }

    /// What a package depends on.
    fn next(&self, id: &str, reach: Reach) -> impl Iterator<Item = &'a str> {
        let edges = self.edges.get(id).into_iter().flatten();
        edges.filter_map(move |(&next, &is_normal)| {
            let package = self.packages.get(next)?;
            let counts = match reach {
                Reach::Built => true,
                Reach::Linked => is_normal && !package.is_macro,
            };
            counts.then_some(next)
        })
    }

    /// Everything that a package leads to, itself among it.
    fn reach(&self, root: &'a str, reach: Reach) -> BTreeSet<&'a str> {
        let (mut found, mut open) = (BTreeSet::from([root]), vec![root]);
        while let Some(id) = open.pop() {
            open.extend(self.next(id, reach).filter(|next| found.insert(next)));
        }
        found
    }
}

impl Package<'_> {
    /// What the bill calls it. The lock file has no two packages of one name and version.
    fn reference(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    fn component(
        &self,
        kind: &str,
        scope: Option<&str>,
        checksums: &Checksums<'_>,
    ) -> Result<Value, Failure> {
        let reference = self.reference();
        let mut component = Map::new();
        let mut tell = |key: &str, value: Value| drop(component.insert(key.to_owned(), value));
        tell("type", kind.into());
        tell("bom-ref", reference.as_str().into());
        tell("name", self.name.into());
        tell("version", self.version.into());
        if let Some(scope) = scope {
            tell("scope", scope.into());
        }
        if let Some(description) = self.description {
            let words: Vec<&str> = description.split_whitespace().collect();
            tell("description", words.join(" ").into());
        }
        if let Some(license) = self.license {
            // A slash is an old way to say `OR`, and no expression of SPDX.
            let words: Vec<&str> = license.split('/').map(str::trim).collect();
            tell("licenses", json!([{"expression": words.join(" OR ")}]));
        }
        if self.source.is_some() {
            let checksum = checksums
                .get(&(self.name, self.version))
                .ok_or_else(|| Failure::new(format!("the lock file has no checksum of {reference}")))?;
            tell("hashes", json!([{"alg": "SHA-256", "content": checksum}]));
            tell("purl", format!("pkg:cargo/{reference}").into());
        }
        Ok(component.into())
    }
}

/// The SHA-256 of what was downloaded, by name and version.
type Checksums<'a> = BTreeMap<(&'a str, &'a str), &'a str>;

fn checksums(lock: &str) -> Checksums<'_> {
    let packages = lock.split("[[package]]").skip(1);
    let entries = packages.filter_map(|package| {
        let value = |key: &str| {
            let mut lines = package.lines();
            lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"'))
        };
        Some(((value("name")?, value("version")?), value("checksum")?))
    });
    entries.collect()
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, Failure> {
    let text = value.get(key).and_then(Value::as_str);
    text.ok_or_else(|| Failure::new(format!("cargo metadata has no {key}")))
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a [Value], Failure> {
    let list = value.get(key).and_then(Value::as_array);
    list.map(Vec::as_slice)
        .ok_or_else(|| Failure::new(format!("cargo metadata has no {key}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ours {
        metadata: Value,
        built: BTreeSet<String>,
        lock: String,
    }

    impl Ours {
        fn read() -> Self {
            let workspace = Workspace::locate().unwrap();
            Self {
                metadata: metadata(&workspace, None).unwrap(),
                built: built(&workspace, None).unwrap(),
                lock: fs::read_to_string(workspace.root.join("Cargo.lock")).unwrap(),
            }
        }

        fn bill(&self) -> Value {
            bill(&self.metadata, &self.built, &self.lock).unwrap()
        }
    }

    #[test]
    fn what_cargo_builds_the_program_of_is_in_it() {
        let ours = Ours::read();
        let bill = ours.bill();
        let mut named: BTreeSet<String> = list(&bill, "components")
            .unwrap()
            .iter()
            .map(|component| text(component, "bom-ref").unwrap().to_owned())
            .collect();
        let program = bill
            .pointer("/metadata/component/bom-ref")
            .and_then(Value::as_str);
        named.extend(program.map(str::to_owned));
        assert!(ours.built.len() > 50, "{}", ours.built.len());
        assert_eq!(named, ours.built);
        // Each of them is in the lock file, and the dependencies name nothing else.
        for dependency in list(&bill, "dependencies").unwrap() {
            let on = list(dependency, "dependsOn").unwrap();
            assert!(
                on.iter().all(|on| named.contains(on.as_str().unwrap())),
                "{dependency}"
            );
            let (name, version) = text(dependency, "ref").unwrap().split_once('@').unwrap();
            let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            assert!(ours.lock.contains(&entry), "{entry}");
        }
    }

    #[test]
    fn the_same_sources_give_the_same_bytes() {
        let render = || render(&Ours::read().bill()).unwrap();
        assert_eq!(render(), render());
    }

    #[test]
    fn each_package_of_a_registry_has_a_licence_and_the_hash_of_the_lock_file() {
        let ours = Ours::read();
        let (bill, lock) = (ours.bill(), &ours.lock);
        for component in list(&bill, "components").unwrap() {
            let name = text(component, "bom-ref").unwrap();
            assert!(component.get("licenses").is_some(), "{name}");
            if component.get("purl").is_some() {
                let hash = component
                    .pointer("/hashes/0/content")
                    .and_then(Value::as_str)
                    .unwrap();
                assert!(lock.contains(&format!("checksum = \"{hash}\"")), "{name}");
            }
        }
    }

    #[test]
    fn a_macro_is_built_and_not_linked() {
        let package = |id: &str, kind: &str| {
            json!({"id": id, "name": id, "version": "1.0.0", "source": null, "license": "MIT/Apache-2.0",
                "targets": [{"kind": [kind]}]})
        };
        let edge = |to: &str, kind: Value| json!({"pkg": to, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [package("mcpctl", "bin"), package("lib", "lib"), package("macro", "proc-macro"),
                package("syn", "lib"), package("cc", "lib"), package("test", "lib")],
            "resolve": {"nodes": [
                {"id": "mcpctl", "deps": [edge("lib", Value::Null), edge("macro", Value::Null),
                    edge("cc", "build".into()), edge("test", "dev".into())]},
                {"id": "macro", "deps": [edge("syn", Value::Null)]},
            ]},
        });
        let names = ["mcpctl", "lib", "macro", "syn", "cc", "test"];
        let built = names.map(|name| format!("{name}@1.0.0")).into();
        let bill = bill(&metadata, &built, "").unwrap();
        let scopes: Vec<(&str, &str)> = list(&bill, "components")
            .unwrap()
            .iter()
            .map(|component| {
                (
                    text(component, "name").unwrap(),
                    text(component, "scope").unwrap(),
                )
            })
            .collect();
        let expected = [
            ("cc", "excluded"),
            ("lib", "required"),
            ("macro", "excluded"),
            ("syn", "excluded"),
        ];
        assert_eq!(scopes, expected);
        let license = bill.pointer("/components/0/licenses/0/expression");
        assert_eq!(license.and_then(Value::as_str), Some("MIT OR Apache-2.0"));
    }
}
