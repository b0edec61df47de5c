//! The members of one frame: the shallow reading that every judgement starts from.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::json::{JsonType, JsonValue, LongStrings, Position, Scanner};
use crate::malformed::{Malformed, MalformedKind};

/// The members of a JSON-RPC message that decide what it is; each as it stands in the text.
///
/// Unknown members are passed over. A name that occurs twice, known or not and however it is spelled, is refused.
#[derive(Debug, Default)]
pub(crate) struct Envelope<'a> {
    pub(crate) jsonrpc: Option<JsonValue<'a>>,
    pub(crate) id: Option<JsonValue<'a>>,
    pub(crate) method: Option<JsonValue<'a>>,
    pub(crate) result: Option<JsonValue<'a>>,
    pub(crate) error: Option<JsonValue<'a>>,
    /// The long strings of the whole text.
    pub(crate) long: LongStrings,
}

impl<'a> Envelope<'a> {
    pub(crate) fn parse(text: &'a str, depth_limit: usize) -> Result<Self, Malformed> {
        let mut scanner = Scanner::noting(text, depth_limit);
        let mut envelope = Self::default();
        read_root(&mut scanner, |name, value| {
            let slot = match name {
                "jsonrpc" => &mut envelope.jsonrpc,
                "id" => &mut envelope.id,
                "method" => &mut envelope.method,
                "result" => &mut envelope.result,
                "error" => &mut envelope.error,
                _ => return Known::No,
            };
            Known::Yes(slot.replace(value))
        })?;
        envelope.long = scanner.into_long_strings();
        Ok(envelope)
    }
}

/// The members of an `error` object; the same rules as for the envelope.
#[derive(Debug, Default)]
pub(crate) struct ErrorMembers<'a> {
    pub(crate) code: Option<JsonValue<'a>>,
    pub(crate) message: Option<JsonValue<'a>>,
    pub(crate) data: Option<JsonValue<'a>>,
}

impl<'a> ErrorMembers<'a> {
    /// Reads the members of `error`, which has been scanned as an object before.
    pub(crate) fn parse(error: &JsonValue<'a>, depth_limit: usize) -> Result<Self, Malformed> {
        let mut members = Self::default();
        let repeated = read_members(&mut Scanner::new(error.text, depth_limit), |name, value| {
            let slot = match name {
                "code" => &mut members.code,
                "message" => &mut members.message,
                "data" => &mut members.data,
                _ => return Known::No,
            };
            Known::Yes(slot.replace(value))
        });
        match repeated {
            Ok(None) => Ok(members),
            Ok(Some(fault)) | Err(fault) => Err(fault.shifted(error.offset)),
        }
    }
}

/// Whether a member's name is known; if so, the value that it had before.
pub(crate) enum Known<'a> {
    Yes(Option<JsonValue<'a>>),
    No,
}

/// Reads the members of a text whose root is an object. A fault of syntax goes before a name that occurs twice, also one
/// that comes after the object.
pub(crate) fn read_root<'a>(
    scanner: &mut Scanner<'a>,
    read: impl FnMut(&str, JsonValue<'a>) -> Known<'a>,
) -> Result<(), Malformed> {
    if scanner.peek_type() != Some(JsonType::Object) {
        return Err(not_an_object(scanner));
    }
    let repeated = read_members(scanner, read)?;
    scanner.end()?;
    repeated.map_or(Ok(()), Err)
}

/// Walks the members of the object that comes next, and gives the fault of a name that occurs twice.
fn read_members<'a>(
    scanner: &mut Scanner<'a>,
    mut read: impl FnMut(&str, JsonValue<'a>) -> Known<'a>,
) -> Result<Option<Malformed>, Malformed> {
    let mut unknown: Vec<Cow<'a, str>> = Vec::new();
    let mut duplicate = None;
    let mut position = scanner.enter()?;
    while let Some(name) = scanner.member(position)? {
        position = Position::Later;
        let value = scanner.skip()?;
        let name = name.decode();
        match read(&name, value) {
            Known::Yes(None) => {}
            Known::Yes(Some(_earlier)) => duplicate = duplicate.or(Some(value.offset)),
            Known::No => unknown.push(name),
        }
    }
    unknown.sort_unstable();
    let repeated = unknown.windows(2).any(|pair| matches!(pair, [a, b] if a == b));
    Ok(match duplicate {
        Some(offset) => Some(Malformed::at(MalformedKind::DuplicateMember, offset)),
        None if repeated => Some(Malformed::new(MalformedKind::DuplicateMember)),
        None => None,
    })
}

/// The fault of a text whose root is no object: a fault of syntax first, then a batch, then another type.
fn not_an_object(scanner: &mut Scanner<'_>) -> Malformed {
    let root = match scanner.skip() {
        Ok(root) => root,
        Err(fault) => return fault,
    };
    match (scanner.end(), root.kind) {
        (Err(fault), _) => fault,
        (Ok(()), JsonType::Array) => Malformed::new(MalformedKind::Batch),
        (Ok(()), found) => Malformed::found(MalformedKind::RootNotObject, found),
    }
}
