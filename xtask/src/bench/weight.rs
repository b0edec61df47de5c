//! What linking this client costs: distinct crates, and the bytes of a small program.

use std::fs;
use std::path::PathBuf;

use super::rows::{Row, Wanted};
use crate::failure::Failure;
use crate::links::{FORMS, QUICKSTART, cargo, manifest};

/// A way to build the example; each leaves a program without symbols.
struct Build {
    name: &'static str,
    profile: &'static str,
    options: &'static [&'static str],
    bytes: Wanted,
}

const BUILDS: [Build; 3] = [
    Build {
        name: "quickstart without TLS",
        profile: "release",
        options: &[],
        bytes: Wanted::AtMost(2e6),
    },
    Build {
        name: "quickstart without TLS, small",
        profile: "small",
        options: &[],
        bytes: Wanted::Nothing,
    },
    Build {
        name: "quickstart",
        profile: "release",
        options: &["--features", "tls"],
        bytes: Wanted::Nothing,
    },
];

pub(super) fn measure(tell: &mut impl FnMut(Row)) -> Result<(), Failure> {
    let ours = |value: f64| [[Some(value), None, None]];
    for form in FORMS {
        let most = Wanted::AtMost(form.most as f64);
        tell(Row::new(form.name, "crates", &ours(form.crates()? as f64), most));
    }
    for build in BUILDS {
        let bytes = build.bytes()? as f64;
        tell(Row::new(build.name, "bytes", &ours(bytes), build.bytes));
    }
    Ok(())
}

impl Build {
    /// Builds the example and looks how large it is.
    fn bytes(&self) -> Result<u64, Failure> {
        let target = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/bench/minimal");
        let built = cargo("build", &manifest(QUICKSTART)?)
            .args(["--profile", self.profile, "--target-dir"])
            .arg(&target)
            .args(self.options)
            .status()?;
        if !built.success() {
            return Err(Failure::new("the example does not build"));
        }
        let program = target.join(self.profile).join("links-quickstart");
        Ok(fs::metadata(program)?.len())
    }
}
