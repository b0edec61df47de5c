//! How single values lie in a column.

use std::time::Duration;

use mcp_policy::port::UnixTime;

use crate::fault::Fault;

/// A count or a bound. One that no column can hold is kept as the largest that it can.
pub(crate) fn of_number(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// A length of time, in nanoseconds.
pub(crate) fn of_duration(length: Duration) -> i64 {
    of_number(length.as_nanos())
}

/// A time of the wall clock, in nanoseconds since 1970.
pub(crate) fn of_time(time: UnixTime) -> i64 {
    of_duration(time.0)
}

/// Reads a count or a bound. Where this machine counts less far, its own largest number is meant.
pub(crate) fn number(stored: i64) -> Result<u64, Fault> {
    u64::try_from(stored).map_err(|_| Fault::CORRUPT)
}

/// Reads a bound on something in memory. Where this machine counts less far, its own largest number is meant.
pub(crate) fn size(stored: i64) -> Result<usize, Fault> {
    Ok(usize::try_from(number(stored)?).unwrap_or(usize::MAX))
}

/// Reads a length of time.
pub(crate) fn duration(stored: i64) -> Result<Duration, Fault> {
    number(stored).map(Duration::from_nanos)
}

/// Reads a time of the wall clock.
pub(crate) fn time(stored: i64) -> Result<UnixTime, Fault> {
    duration(stored).map(UnixTime)
}

/// Reads a value that has a form of its own.
pub(crate) fn parsed<T, E>(text: &str, parse: impl FnOnce(&str) -> Result<T, E>) -> Result<T, Fault> {
    parse(text).map_err(|_| Fault::CORRUPT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_comes_back_and_what_does_not_is_the_largest() {
        let largest = Duration::from_nanos(i64::MAX.unsigned_abs());
        for length in [Duration::ZERO, Duration::from_nanos(1), largest] {
            assert_eq!(duration(of_duration(length)), Ok(length));
        }
        assert_eq!(duration(of_duration(Duration::MAX)), Ok(largest));
        assert_eq!(of_number(u64::MAX), i64::MAX);
        assert_eq!(size(of_number(7_usize)), Ok(7));
    }

    #[test]
    fn a_number_below_zero_is_damage() {
        assert_eq!(number(-1), Err(Fault::CORRUPT));
        assert_eq!(time(i64::MIN), Err(Fault::CORRUPT));
    }
}
