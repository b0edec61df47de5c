//! Oracles that are values: the form of their files, for the tests of each specification that has some.

use std::path::Path;

use serde_json::Value;

/// One case of an oracle file.
#[derive(Debug, Clone)]
pub(crate) struct Case(pub(crate) Value);

impl Case {
    pub(crate) fn id(&self) -> &str {
        self.text("id").expect("a case has an id")
    }

    pub(crate) fn requirements(&self) -> Vec<String> {
        self.list("requirements")
    }

    pub(crate) fn text(&self, member: &str) -> Option<&str> {
        self.0.get(member).and_then(Value::as_str)
    }

    /// A member that is a text, or a list of texts and of pairs of a text and how often it stands there.
    pub(crate) fn joined(&self, member: &str) -> Option<String> {
        self.0.get(member).map(join)
    }

    pub(crate) fn has(&self, member: &str) -> bool {
        self.0.get(member).is_some()
    }

    /// The texts of a member; none when it is not there.
    pub(crate) fn list(&self, member: &str) -> Vec<String> {
        if !self.has(member) {
            return Vec::new();
        }
        let items = self.0[member].as_array().expect("a list");
        let text = |item: &Value| item.as_str().expect("a text").to_owned();
        items.iter().map(text).collect()
    }
}

fn join(value: &Value) -> String {
    let Some(parts) = value.as_array() else {
        return value.as_str().expect("a text").to_owned();
    };
    let part = |part: &Value| match part.as_array() {
        None => join(part),
        Some(pair) => {
            let times = usize::try_from(pair[1].as_u64().expect("a number of times")).unwrap();
            pair[0].as_str().expect("a text").repeat(times)
        }
    };
    parts.iter().map(part).collect()
}

/// The cases of one file of a specification.
pub(crate) fn cases(specification: &str, set: &str) -> Vec<Case> {
    let text = read(specification, &format!("oracles/values/{set}.json"));
    let file: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(file["set"], set);
    let cases = file["cases"].as_array().expect("cases").iter().cloned().map(Case);
    let cases: Vec<Case> = cases.collect();
    assert!(!cases.is_empty());
    cases
}

/// One file of a specification.
#[expect(clippy::disallowed_methods, reason = "the oracles are files")]
pub(crate) fn read(specification: &str, path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../specs")
        .join(specification);
    std::fs::read_to_string(root.join(path)).expect("a file of the specification")
}
