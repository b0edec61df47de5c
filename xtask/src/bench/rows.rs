//! One row of figures: the three clients under one load, and what is wanted of the ratios.

use std::fmt;

/// The medians of one load, with the ratios inside the rounds.
pub(super) struct Row {
    /// The load.
    pub(super) load: String,
    /// What is measured of it.
    pub(super) unit: &'static str,
    /// In the order of the clients; `None` for a client that was not asked.
    pub(super) figures: [Option<Spread>; 3],
    /// Ours by the others', as medians over the rounds.
    pub(super) to_raw: Option<f64>,
    pub(super) to_rmcp: Option<f64>,
    pub(super) wanted: Wanted,
}

/// A median and the ends.
#[derive(Clone, Copy)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

/// What is wanted.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    AtMost(f64),
    /// At most this much of raw.
    OfRaw(f64),
    /// At most this much of rmcp.
    OfRmcp(f64),
    /// At least this much of raw, and this much of rmcp.
    AtLeast(f64, f64),
    Nothing,
}

impl Row {
    pub(super) const HEAD: &str = "load                            unit             ours          raw         rmcp   to raw  to rmcp  wanted";

    /// A row of what each round gave, in the order of the clients.
    pub(super) fn new(
        load: impl Into<String>,
        unit: &'static str,
        rounds: &[[Option<f64>; 3]],
        wanted: Wanted,
    ) -> Self {
        let column = |client: usize| {
            let values = rounds
                .iter()
                .filter_map(|round| round.get(client).copied().flatten());
            Spread::of(values.collect())
        };
        let ratio = |client: usize| {
            let ratios = rounds.iter().filter_map(|round| {
                let (ours, other) = (round.first().copied()??, round.get(client).copied()??);
                Some(ours / other)
            });
            Spread::of(ratios.collect()).map(|spread| spread.median)
        };
        Self {
            load: load.into(),
            unit,
            figures: [column(0), column(1), column(2)],
            to_raw: ratio(1),
            to_rmcp: ratio(2),
            wanted,
        }
    }

    /// Whether the row is as wanted; `None` where nothing is wanted.
    pub(super) fn holds(&self) -> Option<bool> {
        let [ours, ..] = self.figures;
        match self.wanted {
            Wanted::AtMost(most) => ours.map(|ours| ours.median <= most),
            Wanted::OfRaw(most) => self.to_raw.map(|ratio| ratio <= most),
            Wanted::OfRmcp(most) => self.to_rmcp.map(|ratio| ratio <= most),
            Wanted::AtLeast(raw, rmcp) => Some(self.to_raw? >= raw && self.to_rmcp? >= rmcp),
            Wanted::Nothing => None,
        }
    }

    /// The verdict in a word.
    pub(super) fn verdict(&self) -> &'static str {
        match self.holds() {
            Some(true) => "held",
            Some(false) => "missed",
            None => "",
        }
    }
}

impl Spread {
    fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        Some(Self {
            median: *values.get(values.len() / 2)?,
            least: *values.first()?,
            most: *values.last()?,
        })
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(most) => write!(f, "≤ {}", grouped(*most)),
            Self::OfRaw(most) => write!(f, "≤ {most} × raw"),
            Self::OfRmcp(most) => write!(f, "≤ {most} × rmcp"),
            Self::AtLeast(raw, rmcp) => write!(f, "≥ {raw} × raw, ≥ {rmcp} × rmcp"),
            Self::Nothing => Ok(()),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<31} {:<12}", self.load, self.unit)?;
        for spread in self.figures {
            write!(
                f,
                " {:>12}",
                spread.map_or_else(String::new, |spread| grouped(spread.median))
            )?;
        }
        for ratio in [self.to_raw, self.to_rmcp] {
            write!(
                f,
                " {:>8}",
                ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"))
            )?;
        }
        write!(f, "  {} {}", self.wanted, self.verdict())
    }
}

/// A figure for readers: thousands set apart, small ones with two places.
pub(super) fn grouped(value: f64) -> String {
    if value < 100.0 {
        return format!("{value:.2}")
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned();
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_inside_a_round() {
        let rounds = [
            [Some(1.0), Some(2.0), Some(10.0)],
            [Some(4.0), Some(4.0), None],
            [Some(9.0), Some(6.0), None],
        ];
        let row = Row::new("load", "unit", &rounds, Wanted::OfRaw(1.0));
        assert_eq!(
            (row.to_raw, row.to_rmcp, row.holds()),
            (Some(1.0), Some(0.1), Some(true))
        );
        assert_eq!(
            row.figures.map(|spread| spread.map(|spread| spread.median)),
            [Some(4.0), Some(4.0), Some(10.0)]
        );
        let row = Row::new("load", "unit", &rounds, Wanted::AtLeast(0.7, 2.0));
        assert_eq!(row.verdict(), "missed");
        assert_eq!(grouped(1_234_567.0), "1,234,567");
        assert_eq!((grouped(0.5), grouped(99.0)), ("0.5".to_owned(), "99".to_owned()));
    }
}
