//! Error codes: the exact integer that a JSON number's literal denotes.
//!
//! Requirements R-227-2i to R-227-2k in `specs/025-mcp-response-correlation`.

use core::fmt;

/// The code of an RPC error: a signed 64-bit integer, read from its literal without rounding.
///
/// JSON does not tell `1.0` or `1e0` from `1`; all three are the code 1. [JSON-RPC 2.0, section 5.1] asks for an
/// integer.
///
/// [JSON-RPC 2.0, section 5.1]: https://www.jsonrpc.org/specification#error_object
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ErrorCode(i64);

impl ErrorCode {
    /// `-32700`: the text is not JSON.
    pub const PARSE_ERROR: Self = Self(-32_700);
    /// `-32600`: the text is no valid request, or not at this time.
    pub const INVALID_REQUEST: Self = Self(-32_600);
    /// `-32601`: the method does not exist.
    pub const METHOD_NOT_FOUND: Self = Self(-32_601);
    /// `-32602`: the parameters are not valid.
    pub const INVALID_PARAMS: Self = Self(-32_602);
    /// `-32603`: the server could not answer, through no fault of the client.
    pub const INTERNAL_ERROR: Self = Self(-32_603);

    /// The code of an error that is sent. What is received is read with [`ErrorCode::from_literal`].
    #[must_use]
    pub const fn new(code: i64) -> Self {
        Self(code)
    }

    /// Reads the literal of a JSON number ([RFC 8259, section 6]). Takes time linear in its length and allocates
    /// nothing, whatever its exponent.
    ///
    /// # Errors
    ///
    /// [`CodeFault`] when the text is no JSON number, or its exact value is no integer or lies outside `i64`.
    ///
    /// [RFC 8259, section 6]: https://www.rfc-editor.org/rfc/rfc8259#section-6
    pub fn from_literal(literal: &str) -> Result<Self, CodeFault> {
        let number = Decimal::parse(literal).ok_or(CodeFault::NotNumber)?;
        number.to_i64().map(Self)
    }

    /// The code as an integer.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Why a literal is no error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CodeFault {
    /// The text is not a JSON number.
    #[error("the error code is not a JSON number")]
    NotNumber,
    /// The value has a fraction, however small.
    #[error("the error code is not an integer")]
    Fraction,
    /// The value is an integer outside the signed 64-bit range.
    #[error("the error code is outside the signed 64-bit range")]
    OutOfRange,
}

/// A JSON number as it is spelled: its value is `±whole.fraction × 10^exponent`.
struct Decimal<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    /// Saturated at the bounds of `i64`, which no length of a text in memory can make up for.
    exponent: i64,
}

impl<'a> Decimal<'a> {
    fn parse(literal: &'a str) -> Option<Self> {
        let (mantissa, exponent) = match literal.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (literal, 0),
        };
        let (negative, mantissa) = match mantissa.strip_prefix('-') {
            Some(magnitude) => (true, magnitude),
            None => (false, mantissa),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) if is_digits(fraction) => (whole, fraction),
            Some(_) => return None,
            None => (mantissa, ""),
        };
        let leading_zero = whole.len() > 1 && whole.starts_with('0');
        if !is_digits(whole) || leading_zero {
            return None;
        }
        Some(Self {
            negative,
            whole,
            fraction,
            exponent,
        })
    }

    fn to_i64(&self) -> Result<i64, CodeFault> {
        let digits = || self.whole.bytes().chain(self.fraction.bytes());
        let mut significant = digits()
            .enumerate()
            .filter(|(_, digit)| *digit != b'0')
            .map(|(at, _)| at);
        let Some(first) = significant.next() else {
            return Ok(0);
        };
        let last = significant.last().unwrap_or(first);
        // The value is the integer `digits[first..=last]` times ten to this power.
        let scale = length(self.whole) - length_of(last + 1);
        let power = scale.saturating_add(self.exponent);
        if power < 0 {
            return Err(CodeFault::Fraction);
        }
        let count = length_of(last + 1 - first);
        if count.saturating_add(power) > MAX_DIGITS {
            return Err(CodeFault::OutOfRange);
        }
        // At most 19 digits, so neither the sum nor the product leaves `u64`.
        let integer = digits()
            .skip(first)
            .take(last + 1 - first)
            .fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        let magnitude = (0..power).fold(integer, |product, _| product * 10);
        let value = i128::from(magnitude) * if self.negative { -1 } else { 1 };
        i64::try_from(value).map_err(|_outside| CodeFault::OutOfRange)
    }
}

/// Digits of the largest magnitude in `i64`.
const MAX_DIGITS: i64 = 19;

fn length(digits: &str) -> i64 {
    length_of(digits.len())
}

fn length_of(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn parse_exponent(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix(['+', '-']) {
        Some(digits) => (text.starts_with('-'), digits),
        None => (false, text),
    };
    if !is_digits(digits) {
        return None;
    }
    let magnitude = digits.bytes().fold(0_i64, |sum, digit| {
        sum.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
    });
    Some(if negative { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;
    use proptest::prelude::*;

    fn read(literal: &str) -> Result<i64, CodeFault> {
        ErrorCode::from_literal(literal).map(ErrorCode::get)
    }

    #[test]
    fn the_codes_of_the_specification_have_its_numbers() {
        for (code, number) in [
            (ErrorCode::PARSE_ERROR, -32_700),
            (ErrorCode::INVALID_REQUEST, -32_600),
            (ErrorCode::METHOD_NOT_FOUND, -32_601),
            (ErrorCode::INVALID_PARAMS, -32_602),
            (ErrorCode::INTERNAL_ERROR, -32_603),
        ] {
            assert_eq!(code.get(), number);
        }
    }

    #[test]
    fn integers_in_any_spelling_keep_their_value() {
        for (literal, value) in [
            ("0", 0),
            ("-0", 0),
            ("-0.0", 0),
            ("1.0", 1),
            ("1e0", 1),
            ("1E+2", 100),
            ("100e-2", 1),
            ("-3.2601e4", -32_601),
            ("-32601", -32_601),
            ("0e999999999", 0),
            ("0.000e-99999999999999999999999", 0),
            ("9223372036854775807", i64::MAX),
            ("9223372036854775807.0", i64::MAX),
            ("922337203685477580.7e1", i64::MAX),
            ("-9223372036854775808", i64::MIN),
            ("9007199254740993.0", 9_007_199_254_740_993),
            ("0.0000000000000000000000001e25", 1),
        ] {
            assert_eq!(read(literal), Ok(value), "{literal}");
        }
        assert_eq!(read(&format!("1.{}", "0".repeat(100_000))), Ok(1));
    }

    #[test]
    fn everything_else_is_refused_with_its_reason() {
        use CodeFault::{Fraction, NotNumber, OutOfRange};
        for (literal, fault) in [
            ("1.5", Fraction),
            ("15e-1", Fraction),
            ("1e-1", Fraction),
            ("1e-999999999", Fraction),
            ("9007199254740992.5", Fraction),
            ("1.00000000000000000001", Fraction),
            ("0.99999999999999999999", Fraction),
            ("1e400", OutOfRange),
            ("1e999999999", OutOfRange),
            ("1e99999999999999999999999999", OutOfRange),
            ("9223372036854775808", OutOfRange),
            ("-9223372036854775809", OutOfRange),
            ("99999999999999999999", OutOfRange),
            ("", NotNumber),
            ("-", NotNumber),
            ("01", NotNumber),
            ("+1", NotNumber),
            (".5", NotNumber),
            ("1.", NotNumber),
            ("0x1", NotNumber),
            ("1e", NotNumber),
            ("1e1.0", NotNumber),
            ("NaN", NotNumber),
        ] {
            assert_eq!(read(literal), Err(fault), "{literal}");
        }
    }

    /// The value by schoolbook arithmetic on a string of digits. An exponent that cannot be written out decides alone.
    fn reference(negative: bool, whole: &str, fraction: &str, exponent: i64) -> Result<i64, CodeFault> {
        let mut digits = format!("{whole}{fraction}");
        if digits.bytes().all(|digit| digit == b'0') {
            return Ok(0);
        }
        match exponent {
            200.. => return Err(CodeFault::OutOfRange),
            ..=-200 => return Err(CodeFault::Fraction),
            _ => {}
        }
        let mut point = i64::try_from(whole.len()).unwrap() + exponent;
        while point < 0 {
            digits.insert(0, '0');
            point += 1;
        }
        let point = usize::try_from(point).unwrap();
        while digits.len() < point {
            digits.push('0');
        }
        let (integer, rest) = digits.split_at(point);
        if rest.bytes().any(|digit| digit != b'0') {
            return Err(CodeFault::Fraction);
        }
        let sign = if negative { "-" } else { "" };
        match integer.trim_start_matches('0') {
            "" => Ok(0),
            integer => format!("{sign}{integer}")
                .parse()
                .map_err(|_| CodeFault::OutOfRange),
        }
    }

    /// Exponents of up to ten digits, most of them small.
    fn exponents() -> impl Strategy<Value = i64> {
        prop_oneof![4 => -70_i64..70, 1 => -9_999_999_999_i64..=9_999_999_999]
    }

    proptest! {
        #[test]
        fn agrees_with_schoolbook_arithmetic(
            negative: bool,
            whole in "0|[1-9][0-9]{0,29}",
            fraction in "[0-9]{0,20}0{0,10}",
            exponent in exponents(),
        ) {
            let sign = if negative { "-" } else { "" };
            let point = if fraction.is_empty() { "" } else { "." };
            let literal = format!("{sign}{whole}{point}{fraction}e{exponent}");
            prop_assert_eq!(read(&literal), reference(negative, &whole, &fraction, exponent), "{}", literal);
        }

        #[test]
        fn integers_of_the_whole_range_survive_every_spelling(value: i64, shift in 0_usize..25) {
            prop_assert_eq!(read(&value.to_string()), Ok(value));
            let zeros = "0".repeat(shift);
            prop_assert_eq!(read(&format!("{value}{zeros}e-{shift}")), Ok(value));
            prop_assert_eq!(read(&format!("{value}.{zeros}0")), Ok(value));
        }
    }
}
