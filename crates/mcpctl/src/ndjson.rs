//! One JSON object on a line for each thing that a command gives, instead of one object with a list of them.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The lines of an object: one for each object in its first list of objects, which begins with the members that stood
/// before the list; the object itself when it has no such list. An empty list is no line.
pub(crate) fn lines(object: &str) -> String {
    let Ok(Members(members)) = serde_json::from_str::<Members<'_>>(object) else {
        return String::new();
    };
    let list = members.iter().position(|(_, value)| value.get().starts_with('['));
    let list = list.and_then(|at| members.split_at_checked(at));
    let Some((before, [(_, list), ..])) = list else {
        return format!("{object}\n");
    };
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(list.get()) else {
        return format!("{object}\n");
    };
    let head: Vec<String> = before
        .iter()
        .map(|(name, value)| format!("\"{name}\":{}", value.get()))
        .collect();
    let head = head.join(",");
    let line = |item: &&RawValue| match item.get().strip_prefix('{') {
        Some("}") => format!("{{{head}}}\n"),
        Some(members) => format!("{{{head},{members}\n"),
        None => format!("{{{head},\"item\":{}}}\n", item.get()),
    };
    items.iter().map(line).collect()
}

/// The members of an object in their order. The names are our own and need no escapes.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Walk;
        impl<'de> Visitor<'de> for Walk {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Walk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_of_the_list_is_a_line_with_what_stood_before_it() {
        let object = r#"{"outcome":"tools","n":1,"tools":[{"a":1.0e3},{}],"remarks":["x"]}"#;
        assert_eq!(
            lines(object),
            "{\"outcome\":\"tools\",\"n\":1,\"a\":1.0e3}\n{\"outcome\":\"tools\",\"n\":1}\n"
        );
        assert_eq!(lines(r#"{"outcome":"tools","tools":[]}"#), "");
        let whole = r#"{"outcome":"pong","era":"legacy"}"#;
        assert_eq!(lines(whole), format!("{whole}\n"));
        assert_eq!(lines(r#"{"o":1,"l":["x"]}"#), "{\"o\":1,\"item\":\"x\"}\n");
        assert_eq!(lines(""), "");
    }
}
