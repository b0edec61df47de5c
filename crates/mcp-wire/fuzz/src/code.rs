//! Error codes against exact decimal arithmetic.

use mcp_wire::{CodeFault, ErrorCode, MalformedKind, ReplyLimits, Response};
use serde_json::value::RawValue;

use super::input::request_id;

/// Beyond this many digits a power of ten decides alone: no input here has as many.
const DECISIVE: i64 = 100_000;

pub fn run(bytes: &[u8]) {
    let Ok(literal) = std::str::from_utf8(bytes) else {
        return;
    };
    let found = ErrorCode::from_literal(literal).map(ErrorCode::get);
    assert_eq!(found, exact(literal), "{literal:?}");
    if let Ok(code) = found {
        assert_eq!(
            ErrorCode::from_literal(&code.to_string()).map(ErrorCode::get),
            Ok(code)
        );
    }
    if is_number(literal) {
        compare_in_an_error(literal, found);
    }
}

/// The integer that a JSON number denotes, by writing it out.
pub fn exact(literal: &str) -> Result<i64, CodeFault> {
    if !is_number(literal) {
        return Err(CodeFault::NotNumber);
    }
    let (mantissa, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
    let (sign, magnitude) = match mantissa.strip_prefix('-') {
        Some(magnitude) => ("-", magnitude),
        None => ("", mantissa),
    };
    let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
    let digits = [whole, fraction].concat();
    if digits.bytes().all(|digit| digit == b'0') {
        return Ok(0);
    }
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
    // An exponent too long for `i64` is beyond any number of digits.
    let beyond = if exponent.starts_with('-') {
        -DECISIVE
    } else {
        DECISIVE
    };
    let exponent = exponent.parse().unwrap_or(beyond);
    if exponent >= DECISIVE {
        return Err(CodeFault::OutOfRange);
    }
    if exponent <= -DECISIVE {
        return Err(CodeFault::Fraction);
    }
    // The point moves to the right or to the left of the digits that are there.
    let point = whole.len() as i64 + exponent;
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
    let digits = [zeros(-point), digits].concat();
    let point = point.max(0);
    let digits = [digits.as_str(), &zeros(point - digits.len() as i64)].concat();
    let (integer, fraction) = digits.split_at(usize::try_from(point).unwrap_or(0));
    if fraction.bytes().any(|digit| digit != b'0') {
        return Err(CodeFault::Fraction);
    }
    let integer = integer.trim_start_matches('0');
    let integer = if integer.is_empty() { "0" } else { integer };
    [sign, integer]
        .concat()
        .parse()
        .map_err(|_| CodeFault::OutOfRange)
}

/// Whether another reader takes the whole text as a number.
fn is_number(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let ends = text.ends_with(|c: char| c.is_ascii_digit());
    begins && ends && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// The literal where it belongs has the same fate.
fn compare_in_an_error(literal: &str, expected: Result<i64, CodeFault>) {
    let id = request_id();
    let text = format!(r#"{{"jsonrpc":"2.0","id":"{id}","error":{{"code":{literal},"message":""}}}}"#);
    let found = match Response::parse(text.as_bytes(), &id, &ReplyLimits::default()) {
        Ok(Response::Error(error)) => Ok(error.code().get()),
        Ok(Response::Result(_)) => panic!("an error is no result: {text}"),
        Err(fault) => Err(fault.kind()),
    };
    let expected = expected.map_err(|fault| match fault {
        CodeFault::NotNumber => MalformedKind::CodeNotNumber,
        CodeFault::Fraction => MalformedKind::CodeFraction,
        CodeFault::OutOfRange => MalformedKind::CodeOutOfRange,
    });
    assert_eq!(found, expected, "{text}");
}
