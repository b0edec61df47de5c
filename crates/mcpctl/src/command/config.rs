//! Servers from a file of another program: `mcp.json` in its two common shapes.
//!
//! The file may come with a project that somebody else wrote. So nothing in it reads the environment unless the operator
//! asks for that, no literal secret is taken over, and whatever is not understood is reported and not guessed.

use std::collections::BTreeMap;
use std::fmt;

use mcp_policy::{ServerName, ServerRecord, Switch};
use mcp_wire::{Credential, CredentialHeader, CredentialPlacement, CredentialRef, Endpoint};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use crate::failed::{Failed, Local};

/// The largest file that is read, in bytes.
pub(crate) const FILE_BYTES: u64 = 1_024 * 1_024;

/// What a file holds: the servers that can be used, and a remark on everything else.
#[derive(Debug, Default)]
pub(crate) struct Config {
    pub(crate) records: Vec<ServerRecord>,
    pub(crate) remarks: Vec<String>,
}

/// Whether a file may name variables of the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expansion {
    /// `${NAME}` in a URL is put in, and in a header becomes the reference `env:NAME`.
    Allowed,
    Refused,
}

impl Config {
    /// Reads the text of a file.
    pub(crate) fn read(
        text: &str,
        expansion: Expansion,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Failed> {
        let invalid = |message: &str| Failed::local(Local::ConfigInvalid, message);
        let root: Members = serde_json::from_str(text)
            .map_err(|error| invalid(&format!("the file is no JSON object (line {})", error.line())))?;
        let mut config = Self::default();
        let mut servers = None;
        for (key, value) in root.unique()? {
            match &*key {
                "mcpServers" | "servers" if servers.is_none() => servers = Some(value),
                "mcpServers" | "servers" => {
                    return Err(invalid("the file has both mcpServers and servers"));
                }
                _ => config
                    .remarks
                    .push(format!("the key {key} is not known and was passed over")),
            }
        }
        let Some(servers) = servers else {
            return Err(invalid("the file has neither mcpServers nor servers"));
        };
        let servers: Members = serde_json::from_str(servers.get())
            .map_err(|_error| invalid("the servers of the file are no JSON object"))?;
        for (name, entry) in servers.unique()? {
            match read_entry(&name, entry.get(), expansion, &environment) {
                Ok((record, unknown)) => {
                    config.records.push(record);
                    let remark = |key| format!("{name}: the key {key} is not known and was passed over");
                    config.remarks.extend(unknown.into_iter().map(remark));
                }
                Err(reason) => config.remarks.push(format!("{name} was left out: {reason}")),
            }
        }
        Ok(config)
    }
}

/// One server, and the keys of its entry that nobody knows here.
fn read_entry(
    name: &str,
    entry: &str,
    expansion: Expansion,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<(ServerRecord, Vec<String>), String> {
    let name = ServerName::parse(name).map_err(|error| error.to_string())?;
    let entry: BTreeMap<String, Value> =
        serde_json::from_str(entry).map_err(|_error| "its entry is no JSON object".to_owned())?;
    let text = |key: &str| match entry.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(format!("{key} is no string")),
    };
    match text("type")? {
        Some("http" | "streamable-http" | "streamableHttp") => {}
        None if entry.contains_key("url") && !entry.contains_key("command") => {}
        Some(_) | None => return Err("only servers of the type http are supported".to_owned()),
    }
    let url = text("url")?.ok_or("it has no url")?;
    let url = expand(url, expansion, environment)?;
    let endpoint = Endpoint::parse(&url).map_err(|error| format!("{error} ({})", error.kind()))?;
    let mut record = ServerRecord::new(name, Some(endpoint));
    if let Some(headers) = entry.get("headers") {
        let headers = headers.as_object().ok_or("headers is no JSON object")?;
        for (header, value) in headers {
            let value = value.as_str().ok_or("a header is no string")?;
            record.credentials.push(read_header(header, value, expansion)?);
        }
    }
    match entry.get("disabled") {
        None | Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) => record.switch = Switch::Off,
        Some(_) => return Err("disabled is neither true nor false".to_owned()),
    }
    let known = ["type", "url", "headers", "disabled"];
    let unknown = entry.into_keys().filter(|key| !known.contains(&key.as_str()));
    Ok((record, unknown.collect()))
}

/// A header whose value is `${NAME}`, or `Bearer ${NAME}` for `Authorization`.
fn read_header(header: &str, value: &str, expansion: Expansion) -> Result<Credential, String> {
    let is_bearer = header.eq_ignore_ascii_case("authorization");
    let text = if is_bearer {
        value.strip_prefix("Bearer ").unwrap_or(value)
    } else {
        value
    };
    let variable =
        variable(text).ok_or("a literal value of a header is not taken over; name a variable as ${NAME}")?;
    match expansion {
        Expansion::Allowed => {}
        Expansion::Refused => return Err(UNASKED.to_owned()),
    }
    let placement = if is_bearer {
        CredentialPlacement::Bearer
    } else {
        let name = CredentialHeader::parse(header).map_err(|error| error.to_string())?;
        CredentialPlacement::Header(name)
    };
    Ok(Credential {
        reference: CredentialRef(format!("env:{variable}")),
        placement,
    })
}

const UNASKED: &str = "it names a variable of the environment; allow that with --expand";

/// The name in a text that is wholly `${NAME}`.
fn variable(text: &str) -> Option<&str> {
    let name = text.strip_prefix("${")?.strip_suffix('}')?;
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!name.is_empty() && name.bytes().all(allowed)).then_some(name)
}

/// The text with the values of its variables.
fn expand(
    text: &str,
    expansion: Expansion,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let (mut expanded, mut rest) = (String::new(), text);
    while let Some(start) = rest.find("${") {
        match expansion {
            Expansion::Allowed => {}
            Expansion::Refused => return Err(UNASKED.to_owned()),
        }
        let (before, from) = rest.split_at(start);
        let end = from.find('}').ok_or("a variable has no end")?;
        let (named, after) = from.split_at(end + 1);
        let name = variable(named).ok_or("a variable is not of the form ${NAME}")?;
        let value = environment(name).ok_or_else(|| format!("the variable {name} is not set"))?;
        expanded += before;
        expanded += &value;
        rest = after;
    }
    Ok(expanded + rest)
}

/// The members of an object in order, the ones of the same name included.
struct Members(Vec<(String, Box<serde_json::value::RawValue>)>);

impl Members {
    fn unique(self) -> Result<Vec<(String, Box<serde_json::value::RawValue>)>, Failed> {
        let mut names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        if names
            .windows(2)
            .any(|pair| matches!(pair, [one, other] if one == other))
        {
            return Err(Failed::local(
                Local::ConfigDuplicate,
                "the file names something twice, so neither can be meant",
            ));
        }
        Ok(self.0)
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, expansion: Expansion) -> Config {
        let environment = |name: &str| (name == "HOST").then(|| "srv.example".to_owned());
        Config::read(text, expansion, environment).unwrap()
    }

    fn kind(text: &str) -> &'static str {
        Config::read(text, Expansion::Allowed, |_| None).unwrap_err().kind
    }

    #[test]
    fn both_shapes_are_read() {
        for key in ["mcpServers", "servers"] {
            let text = format!(
                r#"{{"{key}":{{"a":{{"type":"http","url":"https://srv.example/mcp"}},
                    "b":{{"url":"https://srv.example/b","disabled":true}}}}}}"#
            );
            let config = read(&text, Expansion::Refused);
            assert_eq!(config.remarks, [""; 0]);
            let told: Vec<_> = config
                .records
                .iter()
                .map(|record| (record.name.as_str(), record.switch, record.class))
                .collect();
            assert_eq!(told, [("a", Switch::On, None), ("b", Switch::Off, None)]);
        }
    }

    #[test]
    fn what_is_not_understood_is_reported() {
        let config = read(
            r#"{"inputs":[],"servers":{
                "x":{"type":"http","url":"https://srv.example/","timeout":5},
                "local":{"type":"stdio","command":"run"},
                "old":{"type":"sse","url":"https://srv.example/"},
                "bare":{"command":"run"},
                "Upper":{"url":"https://srv.example/"},
                "ftp":{"url":"ftp://srv.example/"},
                "odd":{"url":7},
                "list":[]}}"#,
            Expansion::Refused,
        );
        assert_eq!(config.records.len(), 1);
        assert_eq!(
            config.remarks,
            [
                "the key inputs is not known and was passed over",
                "x: the key timeout is not known and was passed over",
                "local was left out: only servers of the type http are supported",
                "old was left out: only servers of the type http are supported",
                "bare was left out: only servers of the type http are supported",
                "Upper was left out: a server's name is 1 to 32 of a-z, 0-9 and _",
                "ftp was left out: the URL must start with https:// or http:// (url-scheme-unknown)",
                "odd was left out: url is no string",
                "list was left out: its entry is no JSON object",
            ]
        );
    }

    #[test]
    fn nothing_reads_the_environment_unless_it_was_asked_for() {
        let text = r#"{"servers":{
            "a":{"url":"https://${HOST}/mcp","headers":{"Authorization":"Bearer ${TOKEN}","X-Key":"${KEY}"}},
            "b":{"url":"https://srv.example/","headers":{"X-Key":"${KEY}"}},
            "c":{"url":"https://srv.example/","headers":{"X-Key":"canary"}},
            "d":{"url":"https://${NOT_SET}/"}}}"#;
        let refused = read(text, Expansion::Refused);
        assert!(refused.records.is_empty());
        assert!(refused.remarks[0].contains("--expand"), "{:?}", refused.remarks);
        let allowed = read(text, Expansion::Allowed);
        let [a, b] = &allowed.records[..] else {
            panic!("{allowed:?}")
        };
        assert_eq!(a.endpoint.as_ref().unwrap().to_url(), "https://srv.example/mcp");
        let references: Vec<&str> = a.credentials.iter().map(|one| &*one.reference.0).collect();
        assert_eq!(references, ["env:TOKEN", "env:KEY"]);
        assert_eq!(a.credentials[0].placement, CredentialPlacement::Bearer);
        assert_eq!(b.credentials.len(), 1);
        assert_eq!(allowed.remarks.len(), 2);
        assert!(!format!("{allowed:?}").contains("canary"));
        assert!(allowed.remarks[1].ends_with("the variable NOT_SET is not set"));
    }

    #[test]
    fn a_file_that_cannot_be_meant() {
        for (text, expected) in [
            ("", "config-invalid"),
            ("[]", "config-invalid"),
            ("{}", "config-invalid"),
            (r#"{"servers":[]}"#, "config-invalid"),
            (r#"{"servers":{},"mcpServers":{}}"#, "config-invalid"),
            (r#"{"servers":{},"servers":{}}"#, "config-duplicate"),
            (r#"{"servers":{"a":{},"\u0061":{}}}"#, "config-duplicate"),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
    }
}
