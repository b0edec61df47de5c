//! The digits by which digests are printed: 64 of 0-9 and a-f, and no others.

use std::fmt;

/// Writes the digits of a digest.
pub(crate) fn write(f: &mut fmt::Formatter<'_>, digest: &[u8; 32]) -> fmt::Result {
    f.write_str(str::from_utf8(&digits(digest)).unwrap_or_default())
}

/// The digits of a digest.
pub(crate) fn digits(digest: &[u8; 32]) -> [u8; 64] {
    let mut text = [0; 64];
    for (pair, byte) in text.as_chunks_mut().0.iter_mut().zip(digest) {
        *pair = [byte >> 4, byte & 0xf].map(|value| value + if value < 10 { b'0' } else { b'a' - 10 });
    }
    text
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
