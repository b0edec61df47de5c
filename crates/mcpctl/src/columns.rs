//! Columns for a person at a terminal. What goes anywhere else keeps its tabs.

/// The lines with their tabs made into columns, as wide as each group of lines next to each other needs. A line without a
/// tab ends a group. Widths are counted in characters; the last column is not filled up.
pub(crate) fn aligned(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut group: Vec<Vec<&str>> = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.contains('\t') {
            group.push(line.trim_end_matches('\n').split('\t').collect());
        } else {
            write(&mut shown, &group);
            group.clear();
            shown.push_str(line);
        }
    }
    write(&mut shown, &group);
    shown
}

fn write(shown: &mut String, group: &[Vec<&str>]) {
    let columns = group.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let cells = group.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for line in group {
        let mut written = String::new();
        for (cell, width) in line.iter().zip(&widths) {
            written.push_str(&format!("{cell:<width$}  "));
        }
        shown.push_str(written.trim_end());
        shown.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_next_to_each_other_share_their_columns() {
        let text = "demo\ton\tx\na\toff\tüb er\nno columns\n  added\tmcp_a\n";
        assert_eq!(
            aligned(text),
            "demo  on   x\na     off  üb er\nno columns\n  added  mcp_a\n"
        );
        assert_eq!(aligned(""), "");
        assert_eq!(aligned("no line end"), "no line end");
        assert_eq!(aligned("a\t\n"), "a\n");
    }
}
