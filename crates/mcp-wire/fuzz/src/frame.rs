//! A second reading of one frame, over `serde_json`: the verdict that must follow.

use std::fmt;

use mcp_wire::{CodeFault, MalformedKind};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::code::exact;

/// What a frame is.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The raw text of the result.
    Result(String),
    /// A valid error.
    Error(RpcError),
    /// A message of the server.
    Server {
        method: String,
        is_request: bool,
    },
    Refused(MalformedKind),
    /// No JSON text that can be read; which of the faults of syntax comes first is not told.
    Unreadable,
}

#[derive(Debug, PartialEq, Eq)]
pub struct RpcError {
    pub code: i64,
    pub message: String,
    pub data: Option<String>,
}

impl Verdict {
    /// Whether a refusal is this one.
    pub fn is_refusal(&self, found: MalformedKind) -> bool {
        match self {
            Self::Refused(kind) => *kind == found,
            Self::Unreadable => matches!(
                found,
                MalformedKind::InvalidJson | MalformedKind::LoneSurrogate | MalformedKind::TooDeep
            ),
            Self::Result(_) | Self::Error(_) | Self::Server { .. } => false,
        }
    }
}

/// The verdict on a frame, as the answer to the request `id`.
pub fn judge(bytes: &[u8], id: &str, depth: usize) -> Verdict {
    let members = match envelope(bytes, depth) {
        Ok(members) => members,
        Err(verdict) => return verdict,
    };
    let get = |name: &str| find(&members, name);
    match (get("method"), get("result").or(get("error"))) {
        (Some(method), None) => {
            return match string(method) {
                Some(method) => Verdict::Server {
                    method,
                    is_request: get("id").is_some(),
                },
                None => Verdict::Refused(MalformedKind::MethodNotString),
            };
        }
        (Some(_), Some(_)) => return Verdict::Refused(MalformedKind::MixedFrame),
        (None, _) => {}
    }
    if let Some(fault) = version_fault(&members).or_else(|| id_fault(get("id"), id)) {
        return Verdict::Refused(fault);
    }
    match (get("result"), get("error")) {
        (Some(_), Some(_)) => Verdict::Refused(MalformedKind::BothBranches),
        (None, None) => Verdict::Refused(MalformedKind::NoBranch),
        (Some(result), None) if result.starts_with('{') => Verdict::Result(result.to_owned()),
        (Some(_), None) => Verdict::Refused(MalformedKind::ResultNotObject),
        (None, Some(error)) => match rpc_error(error) {
            Ok(error) => Verdict::Error(error),
            Err(fault) => Verdict::Refused(fault),
        },
    }
}

/// The code of a valid error that names no request.
pub fn unattributed_code(bytes: &[u8], depth: usize) -> Option<i64> {
    let members = envelope(bytes, depth).ok()?;
    let names_nobody = find(&members, "id").is_none_or(|id| id == "null");
    let is_else = find(&members, "method").or(find(&members, "result")).is_some();
    if !names_nobody || is_else || version_fault(&members).is_some() {
        return None;
    }
    rpc_error(find(&members, "error")?).ok().map(|error| error.code)
}

/// The members of the root, none of which occurs twice; or the refusal.
fn envelope(bytes: &[u8], depth: usize) -> Result<Members<'_>, Verdict> {
    let members = object(bytes, depth)?;
    if repeats(&members) {
        return Err(Verdict::Refused(MalformedKind::DuplicateMember));
    }
    Ok(members)
}

/// The members of the root; or the refusal of a text that is no object.
pub fn object(bytes: &[u8], depth: usize) -> Result<Members<'_>, Verdict> {
    let refused = |kind| Err(Verdict::Refused(kind));
    let Ok(text) = std::str::from_utf8(bytes) else {
        return refused(MalformedKind::InvalidUtf8);
    };
    if !is_readable(text, depth) {
        return Err(Verdict::Unreadable);
    }
    match text.trim_start().chars().next() {
        Some('{') => {}
        Some('[') => return refused(MalformedKind::Batch),
        _ => return refused(MalformedKind::RootNotObject),
    }
    members(text).ok_or(Verdict::Unreadable)
}

/// Whether a text is one JSON value, whose strings are Unicode, nested no deeper than `depth`.
pub fn is_readable(text: &str, depth: usize) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok() && !has_lone_surrogate(text) && levels(text) <= depth
}

pub fn version_fault(members: &Members<'_>) -> Option<MalformedKind> {
    match find(members, "jsonrpc") {
        None => Some(MalformedKind::VersionMissing),
        Some(version) if string(version).as_deref() == Some("2.0") => None,
        Some(_) => Some(MalformedKind::VersionMismatch),
    }
}

fn id_fault(found: Option<&str>, id: &str) -> Option<MalformedKind> {
    match found.map(string) {
        None => Some(MalformedKind::IdMissing),
        Some(None) => Some(MalformedKind::IdNotString),
        Some(Some(found)) if found == id => None,
        Some(Some(_)) => Some(MalformedKind::ForeignId),
    }
}

fn rpc_error(text: &str) -> Result<RpcError, MalformedKind> {
    if !text.starts_with('{') {
        return Err(MalformedKind::ErrorNotObject);
    }
    let members = members(text).unwrap_or_default();
    if repeats(&members) {
        return Err(MalformedKind::DuplicateMember);
    }
    let code = find(&members, "code").ok_or(MalformedKind::CodeMissing)?;
    let code = exact(code).map_err(|fault| match fault {
        CodeFault::NotNumber => MalformedKind::CodeNotNumber,
        CodeFault::Fraction => MalformedKind::CodeFraction,
        CodeFault::OutOfRange => MalformedKind::CodeOutOfRange,
    })?;
    let message = find(&members, "message").ok_or(MalformedKind::MessageMissing)?;
    let message = string(message).ok_or(MalformedKind::MessageNotString)?;
    let shown = message.chars().take(mcp_wire::RpcError::MESSAGE_CHARACTERS);
    Ok(RpcError {
        code,
        message: shown.map(|c| if c.is_control() { ' ' } else { c }).collect(),
        data: find(&members, "data").map(str::to_owned),
    })
}

/// The members of one object in their order, each with the raw text of its value.
pub type Members<'a> = Vec<(String, &'a str)>;

pub fn members(text: &str) -> Option<Members<'_>> {
    serde_json::from_str(text).ok().map(|Object(members)| members)
}

struct Object<'a>(Members<'a>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Walk;
        impl<'de> Visitor<'de> for Walk {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
                    members.push((name, value.get()));
                }
                Ok(Object(members))
            }
        }
        deserializer.deserialize_map(Walk)
    }
}

pub fn find<'a>(members: &Members<'a>, name: &str) -> Option<&'a str> {
    let found = members.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| *value)
}

pub fn repeats(members: &Members<'_>) -> bool {
    let names = members.iter().map(|(name, _)| name);
    let names: std::collections::BTreeSet<&String> = names.collect();
    names.len() < members.len()
}

pub fn string(value: &str) -> Option<String> {
    serde_json::from_str(value).ok()
}

/// Whether a valid text escapes half of a surrogate pair. Backslashes stand in strings only.
fn has_lone_surrogate(text: &str) -> bool {
    let mut units = Vec::new();
    let mut rest = text;
    while let Some((first, after)) = rest.chars().next().map(|c| (c, &rest[c.len_utf8()..])) {
        if first != '\\' {
            units.push(None);
            rest = after;
        } else if let Some(digits) = after.strip_prefix('u').and_then(|digits| digits.get(..4)) {
            units.push(u16::from_str_radix(digits, 16).ok());
            rest = &after[5..];
        } else {
            units.push(None);
            rest = after.get(1..).unwrap_or_default();
        }
    }
    // What stands for itself can be half of no pair.
    let units: Vec<u16> = units.into_iter().map(|unit| unit.unwrap_or(0)).collect();
    String::from_utf16(&units).is_err()
}

/// How deep a valid text is nested.
fn levels(text: &str) -> usize {
    let (mut level, mut deepest, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                level += 1;
                deepest = deepest.max(level);
            }
            b'}' | b']' if !quoted => level -= 1,
            _ => {}
        }
    }
    deepest
}
