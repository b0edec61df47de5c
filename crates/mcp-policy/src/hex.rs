//! The digits by which digests are printed: 64 of 0-9 and a-f, and no others.

use std::fmt;

/// Writes the digits of a digest.
pub(crate) fn write(f: &mut fmt::Formatter<'_>, digest: &[u8; 32]) -> fmt::Result {
    digest.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// Reads the digits of a digest; `None` when the text is not wholly of the form.
pub(crate) fn read(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 2 * bytes.len() {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        for digit in pair {
            let value = match digit {
                b'0'..=b'9' => digit - b'0',
                b'a'..=b'f' => digit - b'a' + 10,
                _ => return None,
            };
            *byte = *byte << 4 | value;
        }
    }
    Some(bytes)
}
