//! The tables of `docs/kinds.md`, as data. Shared with the contract tests.

/// The cells of every row that names a kind: kind, class, culprit, delivery, exit status, rule.
pub(crate) fn rows() -> Vec<[&'static str; 6]> {
    let document = include_str!("../../../../docs/kinds.md");
    let rows = document.lines().filter(|line| line.starts_with("| `"));
    rows.map(cells).collect()
}

fn cells(line: &'static str) -> [&'static str; 6] {
    let inner = line.trim_matches('|').split('|').map(str::trim);
    let mut cells: Vec<_> = inner.collect();
    cells[0] = cells[0].trim_matches('`');
    cells
        .try_into()
        .unwrap_or_else(|cells| panic!("a row of docs/kinds.md has six cells: {cells:?}"))
}
