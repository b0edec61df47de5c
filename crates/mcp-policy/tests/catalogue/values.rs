//! Oracles of one value: schemas, names, canonical forms, fingerprints, definitions, flags.

use std::collections::BTreeSet;

use mcp_policy::catalogue::{
    DefinitionFault, Fingerprint, Flag, ImportedTool, InputSchema, LocalName, canonical_form,
};
use mcp_wire::ToolName;
use serde_json::Value;

use crate::support::{Case, alone, cases, definition, server, surroundings};

#[test]
fn schemas() {
    for case in cases("schemas") {
        let schema = case.joined("schema").unwrap();
        let result = InputSchema::normalise(&schema);
        match case.joined("text") {
            Some(text) => {
                let normal = result.unwrap_or_else(|fault| panic!("{}: {fault}", case.id()));
                assert_eq!(normal.as_str(), text, "{}", case.id());
                let again = InputSchema::normalise(normal.as_str());
                assert_eq!(
                    again,
                    Ok(normal.clone()),
                    "{}: what is kept is kept again",
                    case.id()
                );
                assert_eq!(InputSchema::from_stored(&text), Ok(normal), "{}", case.id());
            }
            None => {
                let fault = result.map(|_| ()).expect_err(case.id());
                assert_eq!(Some(fault.kind()), case.text("kind"), "{}", case.id());
                let said = fault.to_string();
                assert!(
                    !said.contains("CANARY") && said.len() < 100,
                    "{}: {said}",
                    case.id()
                );
                if let Some(name) = case.text("names") {
                    assert!(said.contains(&format!("`{name}`")), "{}: {said}", case.id());
                }
            }
        }
    }
}

#[test]
fn names() {
    for case in cases("names") {
        let id = case.id();
        let server = server(&case.joined("server").unwrap());
        let remote = ToolName::parse(&case.joined("remote").unwrap()).unwrap();
        let surroundings = surroundings(server.as_str(), &case);
        let result = LocalName::compose(&server, &remote)
            .map_err(DefinitionFault::from)
            .and_then(|name| {
                surroundings
                    .claim(&name)
                    .map(|()| name)
                    .map_err(DefinitionFault::from)
            });
        match result {
            Ok(name) => {
                assert_eq!(Some(name.as_str()), case.joined("local").as_deref(), "{id}");
                assert_eq!(
                    Some(mcp_policy::GroupName::of(&server).as_str()),
                    case.joined("group").as_deref(),
                    "{id}"
                );
                assert_eq!(name.to_string(), name.as_str(), "{id}");
                assert_eq!(LocalName::parse(name.as_str()), Ok(name), "{id}");
            }
            Err(fault) => assert_eq!(Some(fault.kind()), case.text("kind"), "{id}"),
        }
    }
    assert_eq!(
        LocalName::parse("").map_err(|fault| fault.kind()),
        Err("local-name-empty")
    );
}

#[test]
fn canonical_forms() {
    for case in cases("canonical") {
        let text = match case.text("bits") {
            Some(bits) => format!("{:e}", f64::from_bits(u64::from_str_radix(bits, 16).unwrap())),
            None => case.text("text").unwrap().to_owned(),
        };
        match canonical_form(&text) {
            Ok(canonical) => {
                assert_eq!(Some(&*canonical), case.text("canonical"), "{}", case.id());
                assert_eq!(canonical_form(&canonical), Ok(canonical), "{}: twice", case.id());
            }
            Err(fault) => assert_eq!(Some(fault.kind()), case.text("kind"), "{}", case.id()),
        }
    }
}

#[test]
fn fingerprints() {
    for case in cases("fingerprints") {
        let definition = definition(case.text("definition").unwrap());
        let fingerprint = Fingerprint::of_definition(&definition).unwrap();
        let printed = fingerprint.to_string();
        assert_eq!(Some(&*printed), case.text("fingerprint"), "{}", case.id());
        assert_eq!(Fingerprint::parse(&printed), Ok(fingerprint), "{}", case.id());
        for wrong in [
            printed.to_uppercase(),
            printed.replace("mcp1", "mcp2"),
            printed[..printed.len() - 1].to_owned(),
            printed.clone() + "0",
            printed.replace("mcp1:", ""),
        ] {
            assert!(Fingerprint::parse(&wrong).is_err(), "{wrong}");
        }
    }
}

#[test]
fn definitions() {
    for case in cases("definitions") {
        let id = case.id();
        match ImportedTool::read(&definition(&case.joined("definition").unwrap()), &alone("s")) {
            Ok(tool) => {
                assert_eq!(case.text("kind"), None, "{id}");
                assert_eq!(tool.definition.title.as_deref(), case.text("title_is"), "{id}");
                assert_eq!(
                    tool.definition.description.as_deref(),
                    case.text("description"),
                    "{id}"
                );
                assert_eq!(Some(tool.definition.input_schema), case.joined("schema"), "{id}");
                assert_eq!(tool.definition.output_schema, case.joined("output"), "{id}");
                assert_eq!(tool.definition.annotations, case.joined("annotations"), "{id}");
            }
            Err(fault) => {
                assert_eq!(Some(fault.kind()), case.text("kind"), "{id}");
                assert!(!fault.to_string().contains("CANARY"), "{id}: {fault}");
            }
        }
    }
}

#[test]
fn flags() {
    for case in cases("flags") {
        let surroundings = surroundings("s", &case);
        let tool = ImportedTool::read(&definition(case.text("definition").unwrap()), &surroundings).unwrap();
        let found: BTreeSet<String> = tool.flags.iter().map(shown).collect();
        assert_eq!(found, wanted(&case), "{}", case.id());
    }
}

fn shown(flag: &Flag) -> String {
    match flag.place() {
        Some(place) => format!("{}:{}", flag.kind(), place.name()),
        None => flag.kind().to_owned(),
    }
}

fn wanted(case: &Case) -> BTreeSet<String> {
    let flags = case.0["flags"].as_array().unwrap();
    flags
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}
