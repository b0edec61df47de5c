//! The tables of `docs/kinds.md`, as data. Shared with the contract tests.

const DOCUMENT: &str = include_str!("../../../../docs/kinds.md");

/// The heading of the table that says what to do.
const TO_DO: &str = "## What to do";

/// The cells of every row that names a kind: kind, class, culprit, delivery, exit status, rule.
pub(crate) fn rows() -> Vec<[&'static str; 6]> {
    let rows = DOCUMENT.lines().filter(|line| line.starts_with("| `"));
    rows.filter_map(|row| {
        let [kind, rest @ ..]: [&str; 6] = cells(row)?;
        let [class, culprit, delivery, exit, rule] = rest;
        Some([kind.trim_matches('`'), class, culprit, delivery, exit, rule])
    })
    .collect()
}

/// What to do about a kind, or about a class.
pub(crate) fn hints() -> Vec<(&'static str, &'static str)> {
    let (_, table) = DOCUMENT.split_once(TO_DO).unwrap_or_default();
    // The first two rows are the head of the table.
    let rows = table.lines().filter(|line| line.starts_with("| ")).skip(1);
    rows.filter_map(|row| {
        let [of, hint] = cells(row)?;
        Some((of, hint))
    })
    .collect()
}

fn cells<const COUNT: usize>(row: &'static str) -> Option<[&'static str; COUNT]> {
    let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
    cells.try_into().ok()
}
