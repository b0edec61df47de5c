//! The time that an operation may take.

use std::time::Duration;

/// How long one operation may take, all its legs together. At least one millisecond; there is no setting without
/// a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget(Duration);

impl Budget {
    /// The default: 20 seconds.
    pub const DEFAULT: Self = Self(Duration::from_secs(20));

    /// What storing the outcome of a call may take beyond the call's own budget: 5 seconds.
    pub const SETTLEMENT: Self = Self(Duration::from_secs(5));

    /// What all farewells of an operation may take together, beyond the operation's own budget: 1 second.
    pub const FAREWELL: Self = Self(Duration::from_secs(1));

    /// The longest budget: one day.
    pub const MAX: Self = Self(Duration::from_secs(24 * 60 * 60));

    /// A budget of this length.
    ///
    /// # Errors
    ///
    /// [`BudgetError`] below one millisecond or above [`Budget::MAX`].
    pub fn new(length: Duration) -> Result<Self, BudgetError> {
        if length < Duration::from_millis(1) || length > Self::MAX.0 {
            Err(BudgetError)
        } else {
            Ok(Self(length))
        }
    }

    /// The length.
    #[must_use]
    pub const fn get(self) -> Duration {
        self.0
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl std::fmt::Display for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} s", self.0.as_secs_f64())
    }
}

/// A length that cannot be a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the budget must be between 1 millisecond and 1 day")]
pub struct BudgetError;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edges_of_a_budget() {
        assert_eq!(Budget::new(Duration::ZERO), Err(BudgetError));
        assert_eq!(Budget::new(Duration::from_micros(999)), Err(BudgetError));
        assert!(Budget::new(Duration::from_millis(1)).is_ok());
        assert!(Budget::new(Budget::MAX.get()).is_ok());
        assert_eq!(
            Budget::new(Budget::MAX.get() + Duration::from_nanos(1)),
            Err(BudgetError)
        );
        assert_eq!(Budget::default().to_string(), "20 s");
        assert_eq!(Budget::MAX.to_string(), "86400 s");
        assert_eq!(
            Budget::new(Duration::from_millis(1_500)).unwrap().to_string(),
            "1.5 s"
        );
    }
}
