//! The search for the canary: in which spellings it counts as found in what a run wrote.
//!
//! The canary is a word of letters, and stands in the middle of the secrets. A spelling that encodes only the characters
//! beside it leaves the word as it is; one that encodes everything is among those below.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::CANARY;

/// A way to write the canary.
struct Spelling {
    name: String,
    text: String,
    /// Whether a letter and its capital are two things.
    exact: bool,
}

static SPELLINGS: LazyLock<Vec<Spelling>> = LazyLock::new(|| {
    let each = |write: fn(u8) -> String| CANARY.bytes().map(write).collect::<Vec<_>>();
    let mut spellings = vec![
        ("plain", CANARY.to_owned()),
        ("hex", each(|byte| format!("{byte:02x}")).concat()),
        ("percent", each(|byte| format!("%{byte:02x}")).concat()),
        ("JSON escapes", each(|byte| format!("\\u00{byte:02x}")).concat()),
        ("escapes of bytes", each(|byte| format!("\\x{byte:02x}")).concat()),
        ("list of bytes", each(|byte| byte.to_string()).join(", ")),
        ("narrow list of bytes", each(|byte| byte.to_string()).join(",")),
    ]
    .into_iter()
    .map(|(name, text)| Spelling {
        name: name.to_owned(),
        text,
        exact: false,
    })
    .collect::<Vec<_>>();
    for before in 0..3 {
        let bytes = [&[0].repeat(before), CANARY.as_bytes()].concat();
        // Without the characters that also depend on what stands beside it. Padding is none of the rest, and neither are
        // those in which the alphabets differ.
        let (first, end) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
        spellings.push(Spelling {
            name: format!("base64, {before} bytes in"),
            text: STANDARD_NO_PAD.encode(&bytes)[first..end].to_owned(),
            exact: true,
        });
    }
    spellings
});

/// The names of the spellings in which the canary was written.
pub(crate) fn search(written: &[u8]) -> Vec<&'static str> {
    let lower = written.to_ascii_lowercase();
    let found = |spelling: &&Spelling| {
        let text = spelling.text.as_bytes();
        let written = if spelling.exact { written } else { &lower };
        written.windows(text.len()).any(|window| window == text)
    };
    let found = SPELLINGS.iter().filter(found);
    found.map(|spelling| spelling.name.as_str()).collect()
}

/// What the search would have to find is found, wherever it stands; the rest is not.
#[test]
fn every_spelling_is_found() {
    use base64::engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD};
    let encode: [fn(&str) -> String; 13] = [
        str::to_owned,
        str::to_uppercase,
        |text| STANDARD.encode(text),
        |text| URL_SAFE.encode(text),
        |text| STANDARD_NO_PAD.encode(text),
        |text| URL_SAFE_NO_PAD.encode(text),
        |text| text.bytes().map(|byte| format!("{byte:02x}")).collect(),
        |text| text.bytes().map(|byte| format!("{byte:02X}")).collect(),
        |text| text.bytes().map(|byte| format!("%{byte:02x}")).collect(),
        |text| text.bytes().map(|byte| format!("%{byte:02X}")).collect(),
        |text| text.bytes().map(|byte| format!("\\u00{byte:02X}")).collect(),
        |text| text.bytes().map(|byte| format!("\\x{byte:02x}")).collect(),
        |text| format!("{:?}", text.as_bytes()),
    ];
    for (index, encode) in encode.into_iter().enumerate() {
        for before in ["", "~", "Be", "?/>", "Bearer "] {
            for after in ["", "~", "\u{ff}?", "-bearer"] {
                let written = encode(&format!("{before}{CANARY}{after}"));
                assert!(!search(written.as_bytes()).is_empty(), "{index}: {written}");
                let healthy = encode(&format!("{before}harmless{after}"));
                assert!(search(healthy.as_bytes()).is_empty(), "{index}: {healthy}");
            }
        }
    }
}
