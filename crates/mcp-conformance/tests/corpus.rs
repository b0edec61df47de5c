//! The corpora of the fuzz targets, replayed on stable.

#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};

#[expect(unreachable_pub, reason = "the fuzz targets use it as a library")]
#[path = "../../mcp-wire/fuzz/src/lib.rs"]
mod bodies;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp-wire/fuzz/corpus")
}

#[test]
fn every_input_of_the_corpora_holds() {
    for (target, body) in bodies::TARGETS {
        let mut count = 0;
        for entry in fs::read_dir(folder().join(target)).unwrap() {
            let path = entry.unwrap().path();
            println!("{}", path.display());
            body(&fs::read(path).unwrap());
            count += 1;
        }
        assert!(count > 10, "{target} has {count} inputs");
    }
}
