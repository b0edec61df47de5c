//! Pins what the library crates offer to others. `docs/surface` holds it as people accepted it; this task tells where
//! the sources differ.

mod lines;
mod reach;
mod render;
mod resolve;
mod tree;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use self::lines::Surface;
use self::tree::Tree;
use crate::failure::Failure;

const CRATES: [&str; 6] = [
    "mcp-wire",
    "mcp-http",
    "mcp-server",
    "mcp-policy",
    "mcp-store-sqlite",
    "mcp-host",
];
const PLACE: &str = "docs/surface";
const CANCELLATION: &str = "cancellation";

/// Compares the pinned surface with the sources; with `--write` it pins what the sources say. A directory among the
/// arguments stands for the workspace's root.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."));
    let (root, write) = match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [] => (own, false),
        ["--write"] => (own, true),
        [root] if !root.starts_with('-') => (Path::new(*root), false),
        [root, "--write"] if !root.starts_with('-') => (Path::new(*root), true),
        _ => return Err(Failure::new("takes a directory and --write, and nothing else")),
    };
    let mut differences = 0;
    for (name, found) in pages(root)? {
        let file = root.join(PLACE).join(format!("{name}.txt"));
        if write {
            fs::create_dir_all(root.join(PLACE))?;
            fs::write(&file, page(name, &found))?;
            println!("{name}: {} lines", found.len());
            continue;
        }
        let pinned = fs::read_to_string(&file).unwrap_or_default();
        let lines = compare(&pinned, name, &found);
        differences += lines.len();
        if lines.is_empty() {
            println!("{name}: {} lines as pinned", found.len());
        } else {
            println!("{name}: - pinned in {PLACE}/{name}.txt, + found in the sources");
            lines.iter().for_each(|line| println!("{line}"));
        }
    }
    if differences == 0 {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{differences} lines differ; `cargo xtask surface --write` accepts what was found"
    )))
}

/// What each file is to hold, by the file's name.
fn pages(root: &Path) -> Result<Vec<(&'static str, BTreeSet<String>)>, Failure> {
    let mut pages = Vec::new();
    let mut cancellation = BTreeSet::new();
    for name in CRATES {
        let lib = root.join("crates").join(name).join("src/lib.rs");
        let tree = Tree::read(name, &lib, &|file| fs::read_to_string(file).ok())?;
        let surface = Surface::of(&tree)?;
        cancellation.extend(surface.cancellation);
        pages.push((name, surface.lines));
    }
    pages.push((CANCELLATION, cancellation));
    Ok(pages)
}

fn page(name: &str, lines: &BTreeSet<String>) -> String {
    let subject = if name == CANCELLATION {
        String::from("Public items whose signature names a cancellation type")
    } else {
        format!("The public items of {name}")
    };
    let mut page = format!("# {subject}. Written by `cargo xtask surface --write`.\n");
    for line in lines {
        page.push_str(line);
        page.push('\n');
    }
    page
}

/// The lines of a diff, empty when the file holds what it is to hold.
fn compare(pinned: &str, name: &str, found: &BTreeSet<String>) -> Vec<String> {
    let wanted = page(name, found);
    let (pinned, wanted): (Vec<&str>, Vec<&str>) = (pinned.lines().collect(), wanted.lines().collect());
    let gone = pinned
        .iter()
        .filter(|line| !wanted.contains(line))
        .map(|line| (*line, '-'));
    let new = wanted
        .iter()
        .filter(|line| !pinned.contains(line))
        .map(|line| (*line, '+'));
    let mut lines: Vec<(&str, char)> = gone.chain(new).collect();
    lines.sort_unstable();
    if lines.is_empty() && pinned != wanted {
        return vec![String::from(
            "  the lines are the same, their order or number is not",
        )];
    }
    lines
        .into_iter()
        .map(|(line, sign)| format!("{sign} {line}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(lines: &[&str]) -> BTreeSet<String> {
        lines.iter().map(|line| String::from(*line)).collect()
    }

    #[test]
    fn what_was_written_compares_equal() {
        let found = lines(&["a::B: pub struct B", "a::f: pub fn f()"]);
        assert_eq!(compare(&page("a", &found), "a", &found), Vec::<String>::new());
    }

    #[test]
    fn a_difference_shows_both_sides_next_to_each_other() {
        let pinned = page(
            "a",
            &lines(&["a::f: pub fn f()", "a::g: pub fn g()", "a::old: pub fn old()"]),
        );
        let found = lines(&[
            "a::f: pub fn f(x: u8)",
            "a::g: pub fn g()",
            "a::new: pub fn new()",
        ]);
        assert_eq!(
            compare(&pinned, "a", &found),
            [
                "- a::f: pub fn f()",
                "+ a::f: pub fn f(x: u8)",
                "+ a::new: pub fn new()",
                "- a::old: pub fn old()"
            ]
        );
    }

    #[test]
    fn a_missing_file_and_a_repeated_line_differ() {
        let found = lines(&["a::f: pub fn f()"]);
        assert_eq!(compare("", "a", &found).len(), 2);
        let twice = page("a", &found) + "a::f: pub fn f()\n";
        assert_eq!(compare(&twice, "a", &found).len(), 1);
    }
}
