//! Digests of arguments.

use mcp_policy::ArgumentsDigest;
use mcp_wire::Arguments;

use crate::support::cases;

fn digest(text: &str) -> ArgumentsDigest {
    ArgumentsDigest::of(&Arguments::parse(text).unwrap())
}

#[test]
fn arguments() {
    for case in cases("arguments") {
        let (id, found) = (case.id(), digest(case.text("arguments").unwrap()));
        if let Some(other) = case.text("other") {
            let same = case.0["same"].as_bool().unwrap();
            assert_eq!(found == digest(other), same, "{id}");
        } else {
            assert_eq!(Some(&*found.to_string()), case.text("digest"), "{id}");
        }
    }
}

#[test]
fn the_printed_form_reads_back_and_no_other_does() {
    let found = digest("{}");
    let printed = found.to_string();
    assert_eq!(ArgumentsDigest::parse(&printed), Ok(found));
    assert_eq!(format!("{found:?}"), format!("ArgumentsDigest({printed})"));
    for wrong in [
        printed.to_uppercase().replace("ARGS", "args"),
        printed.replace("args1", "args2"),
        printed.replace("args1:", ""),
        printed[..printed.len() - 1].to_owned(),
        printed.clone() + "0",
        printed.replace("args1:", "args1:+"),
    ] {
        assert!(ArgumentsDigest::parse(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn depth_costs_no_stack() {
    let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(500), "]".repeat(500));
    assert_eq!(digest(&deep), digest(&deep.replace(':', " : ")));
}
