//! Names that a person may have meant.

/// At most so many are shown.
const SHOWN: usize = 3;

/// The likeness from which on a name is shown, by Jaro and Winkler: 1 is the same.
const LIKENESS: f64 = 0.8;

/// The known names that are most like the one that was typed, the most alike first.
pub(crate) fn alike<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let likeness = |name: &'a str| (strsim::jaro_winkler(typed, name), name);
    let mut near: Vec<(f64, &str)> = known.into_iter().map(likeness).collect();
    near.retain(|(likeness, _)| *likeness >= LIKENESS);
    near.sort_by(|(one, left), (other, right)| other.total_cmp(one).then(left.cmp(right)));
    near.into_iter()
        .take(SHOWN)
        .map(|(_, name)| name.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_fingers_is_understood_and_another_word_is_not() {
        let known = ["demo", "docs", "weather", "wether"];
        assert_eq!(alike("dmeo", known), ["demo"]);
        assert_eq!(alike("wheather", known), ["weather", "wether"]);
        assert!(alike("xyz", known).is_empty() && alike("", known).is_empty());
    }
}
