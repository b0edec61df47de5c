//! How many crates a program links with the client, and how many it may be.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::cargo;
use crate::failure::Failure;

/// A crate with a choice of features.
pub(crate) struct Form {
    pub(crate) name: &'static str,
    package: &'static str,
    options: &'static [&'static str],
    /// Distinct crates, itself included.
    pub(crate) most: usize,
}

pub(crate) const FORMS: [Form; 3] = [
    Form {
        name: "mcp-http without TLS",
        package: "mcp-http",
        options: &["--no-default-features"],
        most: 45,
    },
    Form {
        name: "mcp-host without TLS",
        package: "mcp-host",
        options: &["--no-default-features"],
        most: 45,
    },
    Form {
        name: "mcp-http",
        package: "mcp-http",
        options: &[],
        most: 60,
    },
];

impl Form {
    /// The distinct crates that are linked, in every version that there is of each.
    pub(crate) fn crates(&self) -> Result<usize, Failure> {
        let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
        let tree = cargo("tree", &workspace)
            .args([
                "--locked",
                "--package",
                self.package,
                "--edges",
                "normal,no-proc-macro",
            ])
            .args(["--prefix", "none", "--format", "{p}"])
            .args(self.options)
            .output()?;
        if !tree.status.success() {
            return Err(Failure::new("cargo tree failed"));
        }
        Ok(distinct(&String::from_utf8_lossy(&tree.stdout)))
    }
}

/// The distinct lines of a tree; a crate that was told of before is marked.
pub(super) fn distinct(tree: &str) -> usize {
    let lines = tree.lines().map(|line| line.trim_end_matches(" (*)"));
    lines
        .filter(|line| !line.is_empty())
        .collect::<BTreeSet<_>>()
        .len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_counts_once_in_each_version() {
        let tree = "mcp-http v0.1.0 (/x)\nhttp v1.4.0\nbytes v1.11.0\nhyper v1.8.1\nhttp v1.4.0 (*)\nhttp v0.2.0\n\n";
        assert_eq!(distinct(tree), 5);
    }
}
