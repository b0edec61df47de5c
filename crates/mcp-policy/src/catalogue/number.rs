//! The canonical spelling of a number: what ECMAScript prints for the double that the literal is read as.

use super::form::CanonicalFault;

/// Appends the number that `literal` stands for, as [RFC 8785, section 3.2.2.3] wants it.
///
/// The digits are those of the shortest decimal that reads back as the same double; `core` finds them, and this room
/// lays them out by the rules of ECMAScript's `Number::toString`.
///
/// # Errors
///
/// [`CanonicalFault::NumberBeyondDouble`] when the literal is beyond the range of a double. A literal that is merely more precise than a
/// double is rounded to the nearest one, so two of them can have one spelling.
///
/// [RFC 8785, section 3.2.2.3]: https://www.rfc-editor.org/rfc/rfc8785#section-3.2.2.3
pub(super) fn write_number(target: &mut String, literal: &str) -> Result<(), CanonicalFault> {
    if is_short_integer(literal) {
        target.push_str(literal);
        return Ok(());
    }
    write_double(target, literal)
}

/// Whether the literal is an integer of so few digits that a double holds it as it is, and not zero, which has no sign. Such a
/// one is its own canonical spelling.
fn is_short_integer(literal: &str) -> bool {
    let digits = literal.strip_prefix('-').unwrap_or(literal).as_bytes();
    matches!(digits, [b'1'..=b'9', rest @ ..] if rest.len() < 15 && rest.iter().all(u8::is_ascii_digit))
}

/// As [`write_number`], by way of the double.
fn write_double(target: &mut String, literal: &str) -> Result<(), CanonicalFault> {
    let value: f64 = literal
        .parse()
        .map_err(|_not_a_literal| CanonicalFault::NotJson)?;
    if !value.is_finite() {
        return Err(CanonicalFault::NumberBeyondDouble);
    }
    // Zero has no sign.
    if value < 0.0 {
        target.push('-');
    }
    let shortest = shortest(value.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let digits = mantissa.replace('.', "");
    // Where the decimal point stands, counted from before the first digit.
    let point = exponent.parse::<i32>().unwrap_or_default() + 1;
    lay_out(target, &digits, point);
    Ok(())
}

/// The shortest decimal that reads back as `value`, as a mantissa and a power of ten.
///
/// Of several with as many digits it is the one nearest to the value, and of two that are equally near the even one, which
/// `core` leaves open: 1424953923781206.25 is `…206.2`. So the digits are rounded anew from the exact value.
fn shortest(value: f64) -> String {
    let shortest = format!("{value:e}");
    let digits = shortest
        .bytes()
        .take_while(|byte| *byte != b'e')
        .filter(u8::is_ascii_digit);
    let nearest = format!("{value:.*e}", digits.count().saturating_sub(1));
    if nearest.parse() == Ok(value) {
        nearest
    } else {
        shortest
    }
}

fn lay_out(target: &mut String, digits: &str, point: i32) {
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| std::iter::repeat_n('0', usize::try_from(count).unwrap_or_default());
    let split = |at: i32| {
        let at = usize::try_from(at).unwrap_or_default();
        digits.split_at_checked(at).unwrap_or((digits, ""))
    };
    match point {
        _ if count <= point && point <= 21 => {
            target.push_str(digits);
            target.extend(zeros(point - count));
        }
        1..=21 => {
            let (whole, fraction) = split(point);
            target.push_str(whole);
            target.push('.');
            target.push_str(fraction);
        }
        -5..=0 => {
            target.push_str("0.");
            target.extend(zeros(-point));
            target.push_str(digits);
        }
        _ => {
            let (first, rest) = split(1);
            target.push_str(first);
            if !rest.is_empty() {
                target.push('.');
                target.push_str(rest);
            }
            let sign = if point > 0 { '+' } else { '-' };
            target.push('e');
            target.push(sign);
            target.push_str(&(point - 1).unsigned_abs().to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(literal: &str) -> Result<String, CanonicalFault> {
        let mut text = String::new();
        write_number(&mut text, literal).map(|()| text)
    }

    #[test]
    fn beyond_a_double_is_refused_and_costs_nothing() {
        for literal in ["1e400", "-1e400", "1e999999999", "1.7976931348623159e308"] {
            assert_eq!(
                written(literal),
                Err(CanonicalFault::NumberBeyondDouble),
                "{literal}"
            );
        }
        assert_eq!(written("0e999999999").unwrap(), "0");
        assert_eq!(written("1e-999999999").unwrap(), "0");
    }

    #[test]
    fn only_integers_that_a_double_holds_are_taken_as_they_stand() {
        for literal in ["1", "-1", "200", "999999999999999", "-100000000000000"] {
            assert!(is_short_integer(literal), "{literal}");
        }
        for literal in ["0", "-0", "1.0", "1e3", "1000000000000000", "9007199254740993"] {
            assert!(!is_short_integer(literal), "{literal}");
        }
    }

    proptest! {
        #[test]
        fn a_short_way_is_no_other_way(literal in "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?") {
            let mut long = String::new();
            write_double(&mut long, &literal).unwrap();
            prop_assert_eq!(written(&literal).unwrap(), long);
        }

        #[test]
        fn the_spelling_reads_back_as_the_same_double_and_is_stable(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let text = written(&format!("{value:e}")).unwrap();
            prop_assert_eq!(text.parse::<f64>().unwrap(), value);
            prop_assert_eq!(written(&text).unwrap(), text);
        }
    }
}
