//! When a server that is busy wants to be asked again.

use core::fmt;

/// The value of a `Retry-After` field. It is told to the host; nothing here waits for it.
///
/// [RFC 9110, section 10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RetryAfter {
    /// After so many seconds.
    Seconds(u64),
    /// At this time: seconds since 1970-01-01T00:00:00Z.
    At(u64),
}

impl RetryAfter {
    /// Reads a value: seconds in decimal digits, or one of the three forms of an HTTP date. `None` for anything else.
    ///
    /// The year of the obsolete form with two digits is taken to lie in this century.
    #[must_use]
    pub fn parse(value: &[u8]) -> Option<Self> {
        let text = core::str::from_utf8(value.trim_ascii()).ok()?;
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().ok().map(Self::Seconds);
        }
        unix_seconds(text).map(Self::At)
    }
}

impl fmt::Display for RetryAfter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seconds(seconds) => write!(f, "it asks to wait {seconds} s"),
            Self::At(at) => write!(f, "it asks to wait until {at} s after 1970"),
        }
    }
}

/// The time of an HTTP date.
///
/// [RFC 9110, section 5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7).
fn unix_seconds(text: &str) -> Option<u64> {
    let (day_name, rest) = text.split_at_checked(text.find([',', ' '])?)?;
    let (year, month, day, time) = if let Some(rest) = rest.strip_prefix(", ") {
        let rest = rest.strip_suffix(" GMT")?;
        let (date, time) = rest.rsplit_once(' ')?;
        let is_imf = DAYS.contains(&day_name);
        let separator = if is_imf { ' ' } else { '-' };
        let mut parts = date.split(separator);
        let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
        let year = match parts.next() {
            Some(_) => return None,
            None if is_imf => digits(year, 4)?,
            None if LONG_DAYS.contains(&day_name) => 2_000 + digits(year, 2)?,
            None => return None,
        };
        (year, month, digits(day, 2)?, time)
    } else {
        // `Sun Nov  6 08:49:37 1994`
        DAYS.contains(&day_name).then_some(())?;
        let (month, rest) = rest.strip_prefix(' ')?.split_once(' ')?;
        let (day, rest) = rest.split_at_checked(2)?;
        let day = match day.strip_prefix(' ') {
            Some(day) => digits(day, 1)?,
            None => digits(day, 2)?,
        };
        let (time, year) = rest.strip_prefix(' ')?.split_once(' ')?;
        (digits(year, 4)?, month, day, time)
    };
    let month = MONTHS.iter().position(|known| *known == month)?;
    let days = days_since_1970(year, month, day)?;
    Some(days * 86_400 + seconds_of_day(time)?)
}

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

const LONG_DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

fn digits(text: &str, count: usize) -> Option<u64> {
    let is_number = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// `08:49:37`; a leap second counts as the one after it.
fn seconds_of_day(text: &str) -> Option<u64> {
    let mut parts = text.split(':');
    let mut next = |limit| digits(parts.next()?, 2).filter(|value| *value <= limit);
    let (hour, minute, second) = (next(23)?, next(59)?, next(60)?);
    parts
        .next()
        .is_none()
        .then_some(hour * 3_600 + minute * 60 + second)
}

/// The days from 1970-01-01 to a date of the Gregorian calendar; `None` before it and for a day that does not exist.
/// Months count from 0.
fn days_since_1970(year: u64, month: usize, day: u64) -> Option<u64> {
    const BEFORE: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    const LENGTH: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let leap_days_before = |year: u64| (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400;
    if year < 1_970 {
        return None;
    }
    let length = LENGTH.get(month)? + u64::from(month == 1 && leap(year));
    if !(1..=length).contains(&day) {
        return None;
    }
    let leap_days = leap_days_before(year) - leap_days_before(1_970) + u64::from(month > 1 && leap(year));
    Some((year - 1_970) * 365 + leap_days + BEFORE.get(month)? + day - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_value() {
        for (value, expected) in [
            ("0", Some(RetryAfter::Seconds(0))),
            ("3600", Some(RetryAfter::Seconds(3_600))),
            (" 120 ", Some(RetryAfter::Seconds(120))),
            ("18446744073709551615", Some(RetryAfter::Seconds(u64::MAX))),
            ("18446744073709551616", None),
            ("-1", None),
            ("+1", None),
            ("1.5", None),
            ("1e3", None),
            ("", None),
            ("soon", None),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(RetryAfter::At(784_111_777))),
            ("Sun Nov  6 08:49:37 1994", Some(RetryAfter::At(784_111_777))),
            ("Sun Nov 16 08:49:37 1994", Some(RetryAfter::At(784_975_777))),
            (
                "Monday, 30-Nov-26 12:00:00 GMT",
                Some(RetryAfter::At(1_796_040_000)),
            ),
            (
                "Mon, 30 Nov 2026 12:00:00 GMT",
                Some(RetryAfter::At(1_796_040_000)),
            ),
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(RetryAfter::At(0))),
            (
                "Thu, 29 Feb 2024 23:59:60 GMT",
                Some(RetryAfter::At(1_709_251_200)),
            ),
            (
                "Fri, 01 Mar 2024 00:00:00 GMT",
                Some(RetryAfter::At(1_709_251_200)),
            ),
            (
                "Mon, 01 Mar 2100 00:00:00 GMT",
                Some(RetryAfter::At(4_107_542_400)),
            ),
            (
                "Fri, 31 Dec 2100 23:59:59 GMT",
                Some(RetryAfter::At(4_133_980_799)),
            ),
            ("Fri, 31 Dec 1999 23:59:59 GMT", Some(RetryAfter::At(946_684_799))),
            ("Sat, 01 Jan 2000 00:00:00 GMT", Some(RetryAfter::At(946_684_800))),
            ("Tue, 29 Feb 2000 00:00:00 GMT", Some(RetryAfter::At(951_782_400))),
            ("Wed, 29 Feb 2100 00:00:00 GMT", None),
            ("Wed, 31 Dec 1969 23:59:59 GMT", None),
            ("Sun, 6 Nov 1994 08:49:37 GMT", None),
            ("Sun, 06 Nov 1994 08:49:37 UTC", None),
            ("Sun, 06 Nov 1994 24:00:00 GMT", None),
            ("Sun, 06 Nov 1994 08:49 GMT", None),
            ("Sun, 06 Nov 1994 08:49:37:00 GMT", None),
            ("Sun, 00 Nov 1994 08:49:37 GMT", None),
            ("Sun, 06 Nev 1994 08:49:37 GMT", None),
            ("Sxn, 06 Nov 1994 08:49:37 GMT", None),
            ("Sxn Nov  6 08:49:37 1994", None),
            ("Sun Nov 6 08:49:37 1994", None),
            ("Sun, 06 Nov 1994 1994 08:49:37 GMT", None),
            ("Monxay, 30-Nov-26 12:00:00 GMT", None),
            ("Monday, 30-Nov-2026 12:00:00 GMT", None),
            ("Sun, 06 Nov 1994 \u{e9}8:49:37 GMT", None),
        ] {
            assert_eq!(RetryAfter::parse(value.as_bytes()), expected, "{value}");
        }
        assert_eq!(RetryAfter::parse(b"\xff"), None);
    }
}
